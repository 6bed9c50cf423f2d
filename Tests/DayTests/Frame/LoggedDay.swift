import DaySupport
import LoggerConfiguration
import Quantities
import Records
import Synchronization
import Tracking
import Uplink
import Daemon
@testable import Store

/// The log of a day on a simulated card, with uploads: records of the tracker are grouped, written by the writer of the log
/// and delivered, all on the clock of the day.
final class LoggedDay: DayCompanion {
  struct LogSettings {
    var commitInterval = Duration.seconds(10)
    var batchSize = 200
    var sendInterval: Duration? = .seconds(300)
    var retention = RetentionLimits(age: .seconds(30 * 86_400))
    /// The time of every flush of the card.
    var flush = Duration.zero
    var waitingLimit = LogWriter.waitingLimit
    /// Pages of the write-ahead log at which a checkpoint is made; nil: the default of the log, which takes some hours.
    var checkpointPages: Int?
  }

  private final class Clock: Sendable {
    private let now = Mutex(Moment.zero)
    var moment: Moment {
      get { now.withLock { $0 } }
      set { now.withLock { $0 = newValue } }
    }
  }

  let card: MemoryCard
  var logSettings: LogSettings
  private(set) var pipelines: [DayPipeline] = []
  /// The replies of the writer, except batches and acknowledgements.
  private(set) var writerReplies: [StoreAnswer] = []
  /// The number of locations in memory at every power cut.
  private(set) var inMemoryAtCuts: [Int] = []
  private(set) var boots = 0

  private let servers: [DayServer]
  private let clock = Clock()
  private var writer: LogWriter?
  private var grouping: CommitGrouping
  private var answers: [(at: Moment, answer: StoreAnswer)] = []
  private var workerFree = Moment.zero
  private var retryAt: Moment?
  private var expireAt: Moment?
  private var inProgress = 0
  private var events: [TrackerEvent] = []
  private var opening: OpeningReport?
  private var clockOffset: Int64?

  init(_ logSettings: LogSettings = LogSettings(), to servers: [DayServer] = [DayServer("home")]) throws {
    card = try MemoryCard()
    self.logSettings = logSettings
    self.servers = servers
    grouping = CommitGrouping(interval: logSettings.commitInterval)
    boot(now: .zero + .seconds(100))
  }

  deinit {
    writer = nil
    card.remove()
  }

  // MARK: Power

  private func boot(now: Moment) {
    boots += 1
    clock.moment = now
    let clock = clock
    let options = LogOptions(bootID: "boot-\(boots)") { clock.moment }
    writer = LogWriter(
      directory: card.path, allowVolatile: true, options: options, waitingLimit: logSettings.waitingLimit)
    (workerFree, answers, retryAt, inProgress, clockOffset) = (now, [], nil, 0, nil)
    grouping = CommitGrouping(interval: logSettings.commitInterval)
    expireAt = now
    post(.configure(logSettings.retention), now: now)
    let sizes = servers.map { ($0.name, logSettings.batchSize) }
    post(.register(batchSizes: Dictionary(sizes) { $1 }), now: now)
    var settings = DeliveryMachine.Settings()
    (settings.batchSize, settings.sendInterval) = (logSettings.batchSize, logSettings.sendInterval)
    pipelines = servers.enumerated().map { index, server in
      DayPipeline(server, settings: settings, seed: UInt64(boots * 10 + index))
    }
    if let pages = logSettings.checkpointPages {
      try? writer?.log?.connection.execute("PRAGMA wal_autocheckpoint = \(pages)")
    }
    settle(now: now)
    for index in pipelines.indices { carryOut(pipelines[index].handle(.started, now: now), index, now: now) }
  }

  func losePower(now: Moment) {
    inMemoryAtCuts.append(grouping.count + inProgress)
    // Closing would write, a power cut does not.
    writer?.log?.abandon()
    writer = nil
    opening = nil
  }

  func regainPower(now: Moment) -> KeptState? {
    card.repower()
    boot(now: now)
    return KeptState(text: opening?.savedStates[.tracker], lastLocation: opening?.newestLocation?.record)
  }

  // MARK: The day

  var nextTimeout: Moment? {
    let delivery = pipelines.compactMap(\.nextTimeout).min()
    return earliest(
      delivery, answers.first?.at, inProgress < 10_000 ? grouping.nextTimeout : nil, retryAt, expireAt)
  }

  func take(_ actions: [TrackerAction], now: Moment) {
    clock.moment = now
    for action in actions {
      switch action {
      case .keep(let record, let urgency): grouping.add(record, atOnce: urgency == .atOnce, now: now)
      case .date(let offset):
        clockOffset = offset
        post(.date(offset: offset, quality: .receiver), now: now)
      case .save(let text): post(.saveState(.tracker, text), now: now)
      case .receiver, .scanAccessPoints, .readSystemClock: break
      }
    }
  }

  func advance(now: Moment) -> [TrackerEvent] {
    settle(now: now)
    defer { events = [] }
    return events
  }

  /// Handles all deadlines in the order of time.
  private func settle(now: Moment) {
    for _ in 0..<100_000 {
      guard !card.tally.powerFailed, let due = nextTimeout, due <= now else { break }
      clock.moment = max(clock.moment, due)
      step(now: max(due, clock.moment))
    }
    clock.moment = now
  }

  private func step(now: Moment) {
    if let first = answers.first, first.at <= now {
      answers.removeFirst()
      return handle(first.answer, now: now)
    }
    if let due = grouping.nextTimeout, due <= now, inProgress < 10_000 { return commit(now: now) }
    if let due = retryAt, due <= now {
      retryAt = nil
      return post(.retry, now: now)
    }
    if let due = expireAt, due <= now {
      expireAt = now + .seconds(3600)
      let time = clockOffset.map { Timestamp(milliseconds: now.nanoseconds / 1_000_000 + $0) }
      return post(.expire(now: time), now: now)
    }
    for index in pipelines.indices {
      guard let due = pipelines[index].nextTimeout, due <= now else { continue }
      return carryOut(pipelines[index].advance(now: now), index, now: now)
    }
  }

  private func commit(now: Moment) {
    var (group, dropped) = grouping.take()
    if dropped > 0 {
      group.append(
        LogRecord(
          moment: now, time: nil, timeQuality: .none,
          body: .event(EventRecord(.recordsDropped, detail: "no room", value: Int64(dropped)))))
    }
    inProgress += group.count
    post(.append(group, urgent: false), now: now)
  }

  /// The worker executes one job after the other, and every flush takes its time.
  private func post(_ job: StoreJob, now: Moment) {
    guard let writer, !card.tally.powerFailed else { return }
    let before = card.tally.flushes
    let replies = writer.handle(job)
    guard !card.tally.powerFailed else { return }
    workerFree = max(workerFree, now) + logSettings.flush * (card.tally.flushes - before)
    answers += replies.map { (workerFree, $0.answer) }
  }

  private func carryOut(_ requests: [DayPipeline.Request], _ index: Int, now: Moment) {
    for request in requests {
      switch request {
      case .job(let job): post(job, now: now)
      case .event(let event): events.append(.occurred(event))
      }
    }
  }

  private func handle(_ answer: StoreAnswer, now: Moment) {
    switch answer {
    case .opened(let report): opening = opening ?? report
    case .committed(let group):
      let count = Int(group.ids.upperBound.rawValue - group.ids.lowerBound.rawValue) + 1
      inProgress = max(0, inProgress - count)
      for index in pipelines.indices {
        carryOut(pipelines[index].handle(.recordsDurable(count: group.queued), now: now), index, now: now)
      }
      return
    case .dated(let count) where count > 0:
      for index in pipelines.indices {
        carryOut(pipelines[index].handle(.recordsDurable(count: count), now: now), index, now: now)
      }
      return
    case .batch(let name, let batch):
      guard let index = pipelines.firstIndex(where: { $0.server.name == name }) else { return }
      return carryOut(pipelines[index].loaded(batch, now: now), index, now: now)
    case .batchBoundaryCommitted(let name, let through, _):
      guard let index = pipelines.firstIndex(where: { $0.server.name == name }) else { return }
      return carryOut(
        pipelines[index].handle(.batchBoundaryCommitted(through: through), now: now), index, now: now)
    case .acknowledged(let name, let through, _):
      guard let index = pipelines.firstIndex(where: { $0.server.name == name }) else { return }
      return carryOut(pipelines[index].acknowledged(through, now: now), index, now: now)
    case .failing(_, _, let pause): retryAt = now + pause
    case .recovered: retryAt = nil
    case .expired(let report): if report.hasMore { expireAt = now + .seconds(1) }
    default: break
    }
    writerReplies.append(answer)
  }

  // MARK: Results

  /// The log as another program reads it.
  func stored() throws -> StoredLog { try StoredLog(database: card.database) }

  /// The most records that the writer held in memory because it could not write them.
  var mostWaiting: Int {
    writerReplies.map { if case .failing(_, let waiting, _) = $0 { waiting } else { 0 } }.max() ?? 0
  }

  /// The number of queued records of a destination.
  func waiting(for name: String) throws -> Int? {
    guard let writer else { return nil }
    for case .status(let status) in writer.handle(.status()).map(\.answer) {
      return status.destinations.first { $0.name == name }.map { Int($0.queued) }
    }
    return nil
  }

  /// Changes settings of the operator or of a server.
  func change(_ settings: (inout DeliveryMachine.Settings) -> Void, now: Moment) {
    for index in pipelines.indices {
      var changed = pipelines[index].machine.settings
      settings(&changed)
      carryOut(pipelines[index].handle(.settingsChanged(changed), now: now), index, now: now)
    }
  }

  /// Moves the log of the card into the past, for a day that begins with a backlog.
  func append(_ records: [LogRecord], now: Moment) {
    inProgress += records.count
    post(.append(records, urgent: false), now: now)
  }
}
