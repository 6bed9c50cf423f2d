import Database
import EventLoop
import Formats
import Inspection
import LocalAPI
import LoggerConfiguration
import Medium
import Quantities
import Records
import Settings
import Store
import System
import Tracking

/// Owns the log: groups records for common commits, passes jobs to the worker and handles its replies.
final class LogController {
  /// Handlers, set before the log opens.
  struct Outputs {
    /// Called with the state of the opened log; `isFirst` is false after a salvage.
    var opened: (OpeningReport, _ isFirst: Bool, Moment) -> Void = { _, _, _ in }
    /// Called with the records of a group that is passed to the worker, and the number of earlier ones that are not
    /// durable.
    var posted: ([LogRecord], _ after: Int64) -> Void = { _, _ in }
    /// Called after each other reply of the worker, which may concern another controller.
    var replied: (StoreAnswer, Moment) -> Void = { _, _ in }
    /// Called before records are passed to the worker, to save state together with them.
    var willCommit: (Moment) -> Void = { _ in }
    /// Returns true if someone waits for the records of the next commit.
    var isAwaited: (Moment) -> Bool = { _ in false }
    /// Called when the log cannot be used at all; the message contains the remedy.
    var failed: (String) -> Void = { _ in }
  }

  /// The interval of retention.
  static let expiryInterval = Duration.seconds(3600)
  /// The interval of retention while no clock is trusted.
  private static let pauseWithoutTime = Duration.seconds(300)
  /// The longest time until jobs that did not fit are offered again.
  private static let pauseAfterRefusal = Duration.seconds(1)
  private static let remedyForDamage = "check the storage medium: it loses written data"

  private let context: LoggerContext
  private let tracking: TrackerController
  var outputs = Outputs()
  private var jobs: StoreJobQueue
  private var registration: EventLoop.Registration?
  private var commitTimer: LoopTimer?
  private var retryTimer: LoopTimer?
  private var expiryTimer: LoopTimer?
  private var grouping: CommitGrouping
  private var condition = LogCondition()
  private var files = FileWrites()
  private var room = StorageRoomWatch()
  private var medium = MediumMeter()
  private var inspection = LogInspection()
  /// True if another logger had the storage directory at the start.
  let isInUse: Bool
  private var check = LogCheckPace()
  private var checkTimer: LoopTimer?
  /// The name of the file system of the log, read when a status is requested.
  private lazy var fileSystem = Mount.holding(
    configuration.storage.directory, of: Mount.all(FileTree().text("/proc/self/mountinfo") ?? ""))?.fileSystem

  var store: StoreWorker { jobs.worker }
  private var loop: EventLoop { context.loop }
  private var configuration: Configuration { context.configuration }
  private var journal: Journal { context.journal }

  /// Creates the thread of the store, which starts to open the log. `unreadSettings` is the part of the stored settings that
  /// could be neither read nor set aside. Throws errors of the kernel. `host` decides on the identity of the installation.
  init(
    _ context: LoggerContext, _ tracking: TrackerController, host: MachineIdentity,
    unreadSettings: SettingsFile.Remains
  ) throws {
    self.context = context
    identities = LogIdentities(host: host)
    self.tracking = tracking
    let (loop, storage) = (context.loop, context.configuration.storage)
    var options = LogOptions(bootID: loop.clock.boot, clock: loop.clock.moment)
    options.unreadSettings = unreadSettings
    // Before the sockets: of two loggers, the one that gets the log gets them, too.
    let claim = StorageClaim(directory: storage.directory, allowVolatile: storage.allowsVolatile)
    isInUse = claim.isInUse
    let store = try StoreWorker(
      directory: storage.directory, allowVolatile: storage.allowsVolatile, options: options, claim: claim)
    jobs = StoreJobQueue(store)
    grouping = CommitGrouping(interval: storage.commitInterval)
    loop.awaitInSimulation(.thread) { [store] in store.isBusy }
    registration = try loop.watch(store.descriptor, for: .readable) { [unowned self] _ in
      jobs.worker.acknowledgeSignal()
      takeReplies(now: loop.now)
    }
    commitTimer = loop.addTimer("commit") { [unowned self] now in commit(now: now) }
    retryTimer = loop.addTimer("store retry") { [unowned self] _ in post(.retry) }
    checkTimer = loop.addTimer("log check") { [unowned self] now in checkAfterStart(now: now) }
    expiryTimer = loop.addTimer("retention") { [unowned self] now in expire(now: now) }
  }

  /// Passes the limits of retention, which may have changed, to the worker.
  func applyRetention() { post(.configure(RetentionLimits(configuration.storage))) }

  /// Writes all records and closes the log; `run` describes the end of this run. Nothing is called afterwards.
  func stop(_ run: RunMarker, now: Moment) {
    var last: [StoreJob] = isOpen ? [.saveStateWithRecords(.run, run.text)] : []
    // The last attempt to write, whatever the state of the log.
    if let job = takeGroup(now: now) { last.append(job) }
    logLostRecords(lastReplies: jobs.finish(with: last))
    if let registration { loop.remove(registration) }
    for timer in [commitTimer, retryTimer, expiryTimer, checkTimer] {
      if let timer { loop.removeTimer(timer) }
    }
  }

  /// Applies a changed commit interval, which is in force already.
  func followCommitInterval() { grouping.setInterval(configuration.storage.commitInterval) }

  // MARK: Jobs

  /// Passes a job to the worker, after those that did not fit into its queue.
  func post(_ job: StoreJob) { jobs.post(job) }

  /// Handles the replies of the worker and resubmits jobs. Called on every turn of the loop.
  func turn(now: Moment) {
    takeReplies(now: now)
    jobs.offer()
  }

  /// Writes files of a destination on the thread of the worker, which may wait for slow flash. `done` gets the reason of a
  /// failure, nil after a success.
  func write(_ files: [TrackFile], in directory: String, _ done: @escaping (String?) -> Void) {
    let number = self.files.begin(done)
    post(.write(files.map { LineFile($0, in: directory) }, number))
  }

  // MARK: Commits

  private(set) var identities: LogIdentities
  /// The UUID of the log; nil before it is open.
  var identity: String? { identities.log }
  var isOpen: Bool { condition.isOpen }
  /// The newest record that is durable.
  var lastID: RecordID { condition.lastID }
  /// The reason why the log cannot be written; nil while it can.
  var failure: String? { condition.failure }

  /// The number of records that are not durable yet.
  var recordsWaiting: Int64 { Int64(grouping.count) + condition.inProgress }

  /// The identifier that the newest record has or will get.
  var newestID: Int64 { lastID.rawValue + recordsWaiting }

  /// True if all jobs are with the worker of an open, writable log.
  var isSettled: Bool { condition.isWritable && jobs.isEmpty }

  /// True if the record is stored.
  ///
  /// While the master switch is off, only events about the logger itself, which explain the gap, and the end of a trip are.
  func isStored(_ record: LogRecord) -> Bool {
    guard !configuration.isTracking else { return true }
    if case .trip = record.body { return true }
    guard case .event(let event) = record.body else { return false }
    let definition = event.kind.definition
    if definition.effects.contains(.isStoredWhileOff) { return true }
    journal.log(definition.level, event.line)
    return false
  }

  /// Adds a record to the group of the next commit, which is due immediately with `atOnce`.
  func add(_ record: LogRecord, atOnce: Bool, now: Moment) { grouping.add(record, atOnce: atOnce, now: now) }

  /// Arms the timer of the next commit.
  func armCommit() {
    guard jobs.isEmpty else {
      commitTimer?.arm(at: loop.now + Self.pauseAfterRefusal)
      return
    }
    guard condition.takesRecords else {
      commitTimer?.arm(at: nil)
      return
    }
    commitTimer?.arm(at: grouping.nextTimeout, slack: grouping.slack)
  }

  /// Passes the group to the worker. Without an open log, or if the log cannot keep up, it stays in memory.
  func commit(now: Moment) {
    if condition.takesRecords, let job = takeGroup(now: now) {
      outputs.willCommit(now)
      post(job)
    }
    armCommit()
  }

  /// The job that writes the group; nil if it is empty.
  private func takeGroup(now: Moment) -> StoreJob? {
    var (group, dropped) = grouping.take()
    guard !group.isEmpty else { return nil }
    if dropped > 0 {
      let event = EventRecord(.recordsDropped, [.count: .integer(Int64(dropped)), .cause: "log_slow"])
      journal.log(event.kind.definition.level, event.line)
      let clock = tracking.tracker.fixes.clock
      group.append(
        LogRecord(
          moment: now, time: clock.timestamp(at: now), timeQuality: clock.quality, body: .event(event)))
    }
    outputs.posted(group, condition.inProgress)
    condition.posted(group.count)
    return .append(group, urgent: outputs.isAwaited(now))
  }

  // MARK: Replies

  /// Handles the replies of the worker.
  func takeReplies(now: Moment) {
    for reply in jobs.worker.takeAnswers() { handle(reply, now: now) }
  }

  /// Handles a reply of the worker.
  func handle(_ reply: StoreAnswer, now: Moment) {
    switch reply {
    case .opened(let report): return opened(report, now: now)
    case .refused(let error): outputs.failed("\(error)")
    case .committed(let group):
      condition.committed(group)
      inspection.queueChanged()
      armCommit()
    case .written(let number, let reason): files.end(number)?(reason)
    case .expired(let report):
      if report.hasMore { expiryTimer?.arm(at: now + .seconds(1), slack: .seconds(1)) }
    case .room(let room):
      let last = self.room.room
      if let event = self.room.take(room) { tracking.process(.occurred(event), now: now) }
      if let notice = self.room.sizeNotice(since: last) { journal.log(.notice, "store: \(notice)") }
    case .wrote(let writing): recordWrites(writing, now: now)
    case .commitLatency(let change): tracking.process(.occurred(EventRecord(change)), now: now)
    case .checked(let part):
      check.take(part, now: now)
      checkTimer?.arm(at: check.next)
    case .missing(let count):
      journal.log(.error, "store: \(count) records are missing from the log; \(Self.remedyForDamage)")
    case .damaged(let ids):
      journal.log(.warning, "store: \(ids.count) records fail their checksum and are skipped")
    case .failing(let reason, _, let retryAfter):
      if condition.fail(reason) {
        journal.log(
          .error,
          "store: \(reason); check storage.directory; the logger keeps retrying, with new records in memory")
      }
      retryTimer?.arm(within: WakeWindow(after: retryAfter, now: now))
    case .recovered:
      journal.log(.notice, "store: the log is writable again")
      condition.recover()
      retryTimer?.arm(at: nil)
    case .status(let status): inspection.take(status, now: now)
    case .acknowledged, .dropped, .rewound, .dated, .registered: inspection.queueChanged()
    case .settingsKept, .batch, .batchBoundaryCommitted, .token, .newestLocation, .closed:
      break
    }
    outputs.replied(reply, now)
  }

  private func opened(_ report: OpeningReport, now: Moment) {
    let isFirst = !isOpen
    condition.open(lastID: report.lastID)
    switch report.condition {
    case .created: journal.log(.notice, "store: new log in \(configuration.storage.directory)")
    case .clean: break
    case .unclean: journal.log(.notice, "store: the log was not closed cleanly; integrity check passed")
    case .salvaged(let salvage):
      let cause = salvage.isDamage ? "the log was damaged (\(salvage.cause))" : salvage.cause
      let file = salvage.isDamage ? "the damaged file" : "the other file"
      let aside = salvage.setAside.isEmpty ? "" : "; \(file) is kept as \(salvage.setAside)"
      journal.log(
        .error,
        "store: \(cause): \(salvage.records) records recovered, at least \(salvage.missing) lost\(aside)")
    }
    if let loss = report.loss { journal.log(.error, "store: \(loss)") }
    for (key, text) in identities.take(report) { post(.saveState(key, text)) }
    outputs.opened(report, isFirst, now)
    if let (change, saved) = identities.takeChange() {
      post(.saveStateWithRecords(.installation, saved))
      tracking.process(.occurred(EventRecord(change)), now: now)
    }
    check.begin(records: report.lastID.rawValue, now: now)
    checkTimer?.arm(at: check.next)
  }

  /// Posts the next step of the check after the start.
  private func checkAfterStart(now: Moment) {
    if check.beginStep(isPossible: condition.isWritable, now: now) { post(.checkStep) }
    checkTimer?.arm(at: check.next)
  }

  /// Logs the number of records that were not written, according to the last replies of the worker.
  private func logLostRecords(lastReplies: [StoreAnswer]) {
    var lost = 0
    var reason = ""
    for reply in lastReplies {
      switch reply {
      case .failing(let cause, let waiting, _): (reason, lost) = (cause, waiting)
      case .refused(let error): journal.log(.error, "store: \(error)")
      case .committed: lost = 0
      case .opened, .batch, .batchBoundaryCommitted, .acknowledged, .dropped, .rewound, .dated, .registered,
        .token,
        .status, .newestLocation, .expired, .room, .wrote, .commitLatency, .written, .damaged, .missing,
        .checked,
        .recovered, .closed, .settingsKept:
        break
      }
    }
    guard lost > 0 else { return }
    journal.log(.error, "store: \(reason); \(lost) records were not written before the stop and are lost")
  }

  /// Handles the failure of a history request. For damage, the worker checks the log and salvages it.
  func historyFailed(_ error: DatabaseError) {
    journal.log(
      .error, "store: history request failed: \(error)\(error.kind == .damaged ? "; checking the log" : "")")
    if error.kind == .damaged { post(.examine) }
  }

  // MARK: Retention and wear

  /// Starts a run of retention, with the earlier of two trusted clocks, because deletion is final.
  ///
  /// An unset system clock is not used.
  func expire(now: Moment) {
    let system = WeekRollover.latest(systemClock: loop.clock.timestamp())
    let steady = tracking.tracker.fixes.clock.steadyTimestamp(at: now)
    post(.expire(now: steady.map { min($0, system ?? $0) }))
    let pause = steady == nil ? Self.pauseWithoutTime : Self.expiryInterval
    expiryTimer?.arm(at: now + pause, slack: pause / 2)
  }

  /// Restores the history of writes that an earlier run saved.
  func restoreWrites(_ text: String) { medium.restore(text) }

  /// Processes the writes so far. The history is saved with the next records.
  private func recordWrites(_ writing: StoreWriting, now: Moment) {
    let event = medium.take(
      writing, process: ProcessCost.sinceStart().bytesWritten,
      MediumReport(FileTree(), directory: configuration.storage.directory),
      endurance: configuration.storage.enduranceBytes, at: tracking.tracker.fixes.clock.timestamp(at: now))
    post(.saveStateWithRecords(.writes, medium.text))
    if let event { tracking.process(.occurred(event), now: now) }
  }

  /// The log in the status.
  var report: StatusReport.Log {
    let storage = configuration.storage
    var report = StatusReport.Log(
      directory: storage.directory, lastID: Int(clamping: lastID.rawValue),
      waiting: Int(clamping: recordsWaiting), trouble: failure)
    report.bytes = inspection.status.map { Int(clamping: $0.bytes) }
    report.limit_bytes = RetentionLimits(storage).bytes.map { Int(clamping: $0) }
    report.file_bytes = room.room?.file.map { Int(clamping: $0) }
    report.not_shrunk = room.room?.shrinkObstacle.map { "\($0)" }
    report.count = inspection.status.map { Int(clamping: $0.count) }
    report.undated = inspection.status.map { Int(clamping: $0.undated) }
    report.missing = inspection.status.map { Int(clamping: $0.missing) }
    report.unchecked = check.unchecked.map { Int(clamping: $0) }
    report.loss_bound_s = storage.commitInterval.inSeconds
    report.medium = fileSystem
    report.first_time = inspection.status?.firstTime?.iso8601()
    report.last_flush_ms = condition.lastCommit.map { $0.inSeconds * 1000 }
    report.slowest_flush_ms = condition.slowestCommit.map { $0.inSeconds * 1000 }
    return report
  }

  /// Requests an inspection of the log, which counts the queues, unless the last one is still true or some seconds old.
  /// It wakes nobody: its result is taken when the loop is awake for another reason.
  func inspect(now: Moment) {
    guard isOpen, inspection.begin(now: now) else { return }
    post(.status(urgent: false))
  }

  /// The length of the queue of a destination as of the last inspection; nil if that is old and the queue has changed.
  func queued(for name: String, now: Moment) -> Int? { inspection.queued(for: name, now: now) }

  /// Adds the figures of the log, and begins a new period for the longest commit.
  func count(in counters: inout LoggerCounters) {
    counters.log.commits = condition.commits
    counters.log.slowestCommit = condition.takeSlowest()
    counters.log.written = medium.written.map { written in
      [.log: written.log, .files: written.files, .other: written.other]
    }
    for queue in inspection.status?.destinations ?? [] {
      counters.destinations[queue.name, default: .init()].queued = queue.queued
      counters.destinations[queue.name]?.oldestQueued = inspection.status?.oldestQueued[queue.name]
    }
  }

  /// The storage medium in the status.
  func storageReport(now: Moment) -> StatusReport.Storage? {
    medium.status(
      endurance: configuration.storage.enduranceBytes, at: tracking.tracker.fixes.clock.timestamp(at: now))
  }
}

/// The jobs of the worker. Those that do not fit into its queue are kept in order.
private struct StoreJobQueue {
  let worker: StoreWorker
  /// The jobs that did not fit, oldest first.
  private var refused: [StoreJob] = []

  init(_ worker: StoreWorker) { self.worker = worker }

  /// True if all jobs are with the worker.
  var isEmpty: Bool { refused.isEmpty }

  mutating func post(_ job: StoreJob) {
    offer()
    if !refused.isEmpty || !worker.post(job) { refused.append(job) }
  }

  /// Offers the jobs again that did not fit.
  mutating func offer() {
    while let job = refused.first, worker.post(job) { refused.removeFirst() }
  }

  /// Ends the worker after all jobs and these; returns its last replies.
  mutating func finish(with last: [StoreJob]) -> [StoreAnswer] {
    refused += last
    return worker.finish(after: refused)
  }
}

/// The state of the log by the replies of the worker.
private struct LogCondition {
  /// The maximum number of records with the worker; further ones stay in the group, which is bounded, too.
  private static let mostInProgress: Int64 = 10_000

  private(set) var isOpen = false
  private(set) var lastID = RecordID.zero
  private(set) var failure: String?
  /// Number of records that the worker has and that are not durable yet.
  private(set) var inProgress: Int64 = 0
  /// The number of commits since the start.
  private(set) var commits: Int64 = 0
  /// The longest commit since ``takeSlowest()``; nil without one.
  private var slowest: Duration?
  /// The duration of the last commit, and of the longest since the start; nil before the first.
  private(set) var lastCommit: Duration?
  private(set) var slowestCommit: Duration?

  var isWritable: Bool { isOpen && failure == nil }
  var takesRecords: Bool { isOpen && inProgress < Self.mostInProgress }

  mutating func open(lastID: RecordID) { (isOpen, self.lastID) = (true, lastID) }
  mutating func posted(_ count: Int) { inProgress += Int64(count) }

  mutating func committed(_ group: AppendedGroup) {
    let ids = group.ids
    commits &+= 1
    slowest = max(slowest ?? .zero, group.duration)
    (lastCommit, slowestCommit) = (group.duration, max(slowestCommit ?? .zero, group.duration))
    lastID = ids.upperBound
    inProgress = max(0, inProgress - (ids.upperBound.rawValue - ids.lowerBound.rawValue + 1))
  }

  /// Returns true if the log was writable before.
  mutating func fail(_ reason: String) -> Bool {
    defer { failure = reason }
    return failure == nil
  }

  mutating func recover() { failure = nil }

  mutating func takeSlowest() -> Duration? {
    defer { slowest = nil }
    return slowest
  }
}

/// The last inspection of the log by the worker.
private struct LogInspection {
  private static let shortestInterval = Duration.seconds(5)
  /// The age up to which a length is reported although the queue has changed.
  private static let longestAge = Duration.seconds(20)

  private(set) var status: LogStatus?
  private var moment = Moment.zero
  /// True if no queue has changed since.
  private var isCurrent = false

  /// Returns true if a new inspection is useful, and registers it.
  mutating func begin(now: Moment) -> Bool {
    guard !isCurrent, now - moment >= Self.shortestInterval else { return false }
    moment = now
    return true
  }

  mutating func take(_ status: LogStatus, now: Moment) {
    (self.status, moment, isCurrent) = (status, now, true)
  }

  mutating func queueChanged() { isCurrent = false }

  func queued(for name: String, now: Moment) -> Int? {
    guard let status, isCurrent || now - moment < Self.longestAge else { return nil }
    return status.destinations.first { $0.name == name }?.queued
  }
}

/// The file writes in progress.
private struct FileWrites {
  private var completions: [UInt64: (String?) -> Void] = [:]
  private var lastNumber: UInt64 = 0

  /// Returns the number of a new write.
  mutating func begin(_ completion: @escaping (String?) -> Void) -> UInt64 {
    lastNumber &+= 1
    completions[lastNumber] = completion
    return lastNumber
  }

  mutating func end(_ number: UInt64) -> ((String?) -> Void)? { completions.removeValue(forKey: number) }
}

extension LineFile {
  fileprivate init(_ file: TrackFile, in directory: String) {
    self.init(
      path: "\(directory)/\(file.name)", head: file.head, separator: file.separator, tail: file.tail,
      section: Section(mark: file.mark, end: file.end, lines: file.lines))
    olderHeads = file.olderHeads
    bridge = file.bridge
    if !file.waypointMark.isEmpty {
      early = Section(mark: file.waypointMark, end: file.waypointEnd, lines: file.waypoints)
    }
    interruption = file.interruption
    interrupted = file.interrupted
  }
}
