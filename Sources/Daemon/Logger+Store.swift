import Database
import Quantities
import Records
import Settings
import Store
import SystemLoop
import Tracking

/// What the logger knows of the log.
struct StoreState {
  var grouping = CommitGrouping(interval: .zero)
  var isOpen = false
  var lastID = RecordID.zero
  /// Why the log cannot be written; nil while it can.
  var trouble: String?
  /// Jobs that found the worker's queue full, oldest first.
  var refusedJobs: [StoreJob] = []
  /// Records handed to the worker and not yet durable.
  var underWay: Int64 = 0
  /// Batches asked for and not yet answered, by destination.
  var batchesAsked: [String: Int] = [:]
  /// Who waits for files to be written.
  var filesAsked: [UInt64: (String?) -> Void] = [:]
  var lastFileNumber: UInt64 = 0
  var room = StorageRoomWatch()
  var backlog = BacklogWatch()
}

extension Logger {
  /// The most records with the worker; what comes then waits here, where there is a bound too.
  private static let mostUnderWay: Int64 = 10_000
  /// When retention looks again while no clock is to be believed.
  private static let pauseWithoutTime = Duration.seconds(300)
  /// When jobs that found no room are offered again at the latest.
  private static let pauseAfterRefusal = Duration.seconds(1)

  private static let remedyForDamage = "check the medium, it loses what was written"

  /// Hands a job to the worker, behind those that found its queue full.
  func post(_ job: StoreJob) {
    offerRefusedJobs()
    if !storeState.refusedJobs.isEmpty || !store.post(job) { storeState.refusedJobs.append(job) }
  }

  func offerRefusedJobs() {
    while let job = storeState.refusedJobs.first, store.post(job) { storeState.refusedJobs.removeFirst() }
  }

  /// A group goes to the worker a little before it is due, so that it is durable by then.
  func armCommit() {
    guard storeState.refusedJobs.isEmpty else {
      commitTimer?.arm(at: loop.now + Self.pauseAfterRefusal)
      return
    }
    guard storeState.isOpen, storeState.underWay < Self.mostUnderWay else {
      commitTimer?.arm(at: nil)
      return
    }
    commitTimer?.arm(at: storeState.grouping.nextTimeout, slack: storeState.grouping.slack)
  }

  /// Hands the group over. Without an open log, or with one that does not keep up, it waits here.
  func commit(now: Moment) {
    if storeState.isOpen, storeState.underWay < Self.mostUnderWay, let job = takeGroup(now: now) {
      keepEnergy(now: now)
      post(job)
    }
    armCommit()
  }

  /// The job that writes the group; nil when there is nothing to write.
  func takeGroup(now: Moment) -> StoreJob? {
    var (group, dropped) = storeState.grouping.take()
    guard !group.isEmpty else { return nil }
    if dropped > 0 {
      let event = EventRecord(.recordsDropped, [.count: .integer(Int64(dropped)), .cause: "log_slow"])
      journal.say(.init(event.kind), event.line)
      group.append(
        LogRecord(
          moment: now, time: tracker.clock.timestamp(at: now), timeQuality: tracker.clock.quality,
          body: .event(event)))
    }
    storeState.underWay += Int64(group.count)
    return .append(group, urgent: isAnyoneWaitingForRecords(now: now))
  }

  func takeAnswers(now: Moment) {
    for answer in store.takeAnswers() { handle(answer, now: now) }
  }

  private func handle(_ answer: StoreAnswer, now: Moment) {
    if answer.tellsOfAFlush { energyDuty.flushes &+= 1 }
    switch answer {
    case .opened(let report): opened(report, now: now)
    case .refused(let error): onFailure("\(error)")
    case .committed(let group):
      let count = group.ids.upperBound.rawValue - group.ids.lowerBound.rawValue + 1
      storeState.lastID = group.ids.upperBound
      storeState.underWay = max(0, storeState.underWay - count)
      armCommit()
      for lane in deliveries.values { lane.delivery?.recordsDurable(count: group.queued) }
      if checkIn.isTaken { sendCheckIn() }
      sendLast()
    case .settingsKept(let failure): settingsKept(failure, now: now)
    case .batch(let destination, let batch):
      storeState.batchesAsked[destination, default: 1] -= 1
      deliveries[destination]?.loaded(batch)
    case .borderCommitted(let destination, let through, _):
      deliveries[destination]?.delivery?.borderCommitted(through: through)
    case .acknowledged(let destination, let through, let isLate):
      noteAcknowledged(through, for: destination, isLate: isLate)
    case .dropped(let destination, let count): noteDropped(count, for: destination)
    case .dated(let count):
      guard count > 0 else { return }
      for lane in deliveries.values { lane.delivery?.recordsDurable(count: count) }
    case .status(let log):
      tellOfMoves(log)
      tellOfDepartures(log)
      for event in storeState.backlog.take(log.destinations) { tell(.occurred(event), now: now) }
    case .registered(let report): noteRegistered(report)
    case .newestLocation, .closed: break
    case .token(let token, let isDurable):
      if host?.answered(token, isDurable: isDurable) != true { workerAnswered(token, now: now) }
    case .written(let number, let trouble): storeState.filesAsked.removeValue(forKey: number)?(trouble)
    case .expired(let report):
      if report.hasMore { expiryTimer?.arm(at: now + .seconds(1), slack: .seconds(1)) }
    case .room(let room): tell(room: room, now: now)
    case .pace(let change): tell(.occurred(EventRecord(change)), now: now)
    case .missing(let count):
      journal.say(.error, "\(count) records are missing from the file of the log; \(Self.remedyForDamage)")
    case .damaged(let ids):
      journal.say(.warning, "\(ids.count) records of the log fail their checksum and are left out")
    case .failing(let reason, _, let retryAfter):
      if storeState.trouble == nil {
        journal.say(
          .error,
          "\(reason); storage.directory is tried again all the time, records wait in memory and nothing durable is "
            + "lost")
      }
      storeState.trouble = reason
      retryTimer?.arm(within: WakeWindow(after: retryAfter, now: now))
      // What works without a log works: the supervisor is not to wait for the log.
      isReady = true
    case .recovered:
      journal.say(.notice, "the log can be written again")
      storeState.trouble = nil
      retryTimer?.arm(at: nil)
    }
    tellSupervisor()
  }

  /// Retention has looked at the log; now is the time to look at what waits.
  func tell(room: StorageRoom, now: Moment) {
    if let event = storeState.room.take(room) { tell(.occurred(event), now: now) }
    if !deliveries.isEmpty { post(.status) }
    lookAtBoard(now: now)
  }

  /// Counts what could not be written, by what the worker said while the logger was leaving.
  func sayWhatIsLost(lastAnswers: [StoreAnswer]) {
    var lost = 0
    var reason = ""
    for answer in lastAnswers {
      switch answer {
      case .failing(let cause, let waiting, _): (reason, lost) = (cause, waiting)
      case .refused(let error): journal.say(.error, "\(error)")
      case .committed: lost = 0
      case .opened, .batch, .borderCommitted, .acknowledged, .dropped, .dated, .registered, .token, .status,
        .newestLocation, .expired, .room, .pace, .written, .damaged, .missing, .recovered, .closed,
        .settingsKept:
        break
      }
    }
    guard lost > 0 else { return }
    journal.say(.error, "\(reason); \(lost) records could not be written before the end")
  }

  /// A history of the local API met damage: the worker checks the log, and salvages it.
  public func historyFailed(_ error: DatabaseError) {
    journal.say(.error, "history: \(error)\(error.kind == .damaged ? "; the log is being checked" : "")")
    if error.kind == .damaged { post(.examine) }
  }

  /// What this run leaves to the next, while it goes on.
  var run: RunNote {
    RunNote(version: Release.version, bootID: ProcessSurroundings.bootIdentity, hasEnded: false)
  }

  private func opened(_ report: OpeningReport, now: Moment) {
    let isFirst = !storeState.isOpen
    storeState.isOpen = true
    storeState.lastID = report.lastID
    switch report.condition {
    case .created: journal.say(.notice, "a new log in \(configuration.storage.directory)")
    case .clean: break
    case .unclean: journal.say(.notice, "the log was not closed in good order; it is checked and whole")
    case .salvaged(let salvage):
      let cause = salvage.isDamage ? "the log was damaged (\(salvage.cause))" : salvage.cause
      let file = salvage.isDamage ? "the damaged file" : "the other file"
      let aside = salvage.setAside.isEmpty ? "" : "; \(file) is kept as \(salvage.setAside)"
      journal.say(
        .error,
        "\(cause): \(salvage.records) records are carried over, at least \(salvage.missing) are missing\(aside)"
      )
    }
    if let loss = report.loss { journal.say(.error, loss) }
    guard isFirst else {
      // The writer still does every job that was under way, so the lanes go on where they are. A salvaged log may
      // hold more for them than they know of.
      for lane in deliveries.values { lane.delivery?.logReopened() }
      return
    }
    if let text = report.notes[.tracker] { tell(.restored(text), now: now) }
    let before = report.notes[.run].flatMap { RunNote($0) }
    // With the event of the start, which is written at once.
    post(.noteWithRecords(.run, run.text))
    tell(
      .started(
        lastLocation: report.newestLocation?.record,
        after: run.fields(after: before, isNewLog: report.condition == .created, signal: lastSignal)),
      now: now)
    if let name = report.volatileFileSystem {
      tell(.occurred(EventRecord(volatile: configuration.storage.directory, on: name)), now: now)
    }
    if let text = report.notes[.energy] { energyDuty.book.restore(text) }
    if let text = report.notes[.host] { hostReturned(text) }
    forgetForeignBatches()
    startDeliveries()
    startReceiver(known: report.notes[.receiver])
    expire(now: now)
    isReady = true
    isTripClaimOpen = book.tripClaim != nil
    settleTripClaim()
    rearm()
  }

  /// Retention by age goes by the earlier of two clocks, once both are to be believed: what it deletes does not come
  /// back. An unset system clock is none.
  func expire(now: Moment) {
    let system = WeekRollover.latest(systemClock: SystemClock.timestamp())
    let steady = tracker.clock.steadyTimestamp(at: now)
    post(.expire(now: steady.map { min($0, system ?? $0) }))
    let pause = steady == nil ? Self.pauseWithoutTime : Self.expiryInterval
    expiryTimer?.arm(at: now + pause, slack: pause / 2)
  }
}
