import Database
import Quantities
import Records
import Settings
import Store
import System
import Tracking

/// The state of the log as the logger knows it.
struct StoreState {
  var grouping = CommitGrouping(interval: .zero)
  var isOpen = false
  var lastID = RecordID.zero
  /// The reason why the log cannot be written; nil while it can.
  var trouble: String?
  /// Jobs that did not fit into the queue of the worker, oldest first.
  var refusedJobs: [StoreJob] = []
  /// Number of records that the worker has and that are not durable yet.
  var inProgress: Int64 = 0
  /// The number of outstanding batches, by destination.
  var batchesRequested: [String: Int] = [:]
  /// The completions of file writes, by their number.
  var filesRequested: [UInt64: (String?) -> Void] = [:]
  var lastFileNumber: UInt64 = 0
  var room = StorageRoomWatch()
  var backlog = BacklogWatch()
  var medium = MediumMeter()
}

extension Logger {
  /// The maximum number of records with the worker; further ones stay in the group, which is bounded, too.
  private static let mostInProgress: Int64 = 10_000
  /// The interval of retention while no clock is trusted.
  private static let pauseWithoutTime = Duration.seconds(300)
  /// The longest time until jobs that did not fit are offered again.
  private static let pauseAfterRefusal = Duration.seconds(1)

  private static let remedyForDamage = "check the storage medium: it loses written data"

  /// Passes a job to the worker, after those that did not fit into its queue.
  func post(_ job: StoreJob) {
    offerRefusedJobs()
    if !storeState.refusedJobs.isEmpty || !store.post(job) { storeState.refusedJobs.append(job) }
  }

  /// Resubmits the jobs that did not fit into the queue of the worker.
  func offerRefusedJobs() {
    while let job = storeState.refusedJobs.first, store.post(job) { storeState.refusedJobs.removeFirst() }
  }

  /// Arms the timer of the next commit.
  func armCommit() {
    guard storeState.refusedJobs.isEmpty else {
      commitTimer?.arm(at: loop.now + Self.pauseAfterRefusal)
      return
    }
    guard storeState.isOpen, storeState.inProgress < Self.mostInProgress else {
      commitTimer?.arm(at: nil)
      return
    }
    commitTimer?.arm(at: storeState.grouping.nextTimeout, slack: storeState.grouping.slack)
  }

  /// Passes the group to the worker. Without an open log, or if the log cannot keep up, it stays in memory.
  func commit(now: Moment) {
    if storeState.isOpen, storeState.inProgress < Self.mostInProgress, let job = takeGroup(now: now) {
      keepEnergy(now: now)
      post(job)
    }
    armCommit()
  }

  /// The job that writes the group; nil if it is empty.
  func takeGroup(now: Moment) -> StoreJob? {
    var (group, dropped) = storeState.grouping.take()
    guard !group.isEmpty else { return nil }
    if dropped > 0 {
      let event = EventRecord(.recordsDropped, [.count: .integer(Int64(dropped)), .cause: "log_slow"])
      journal.log(.init(event.kind), event.line)
      group.append(
        LogRecord(
          moment: now, time: tracker.clock.timestamp(at: now), timeQuality: tracker.clock.quality,
          body: .event(event)))
    }
    storeState.inProgress += Int64(group.count)
    return .append(group, urgent: isAnyoneWaitingForRecords(now: now))
  }

  /// Handles the replies of the worker.
  func takeAnswers(now: Moment) {
    for answer in store.takeAnswers() { handle(answer, now: now) }
  }

  private func handle(_ answer: StoreAnswer, now: Moment) {
    if answer.indicatesFlush { energyMonitor.flushes &+= 1 }
    switch answer {
    case .opened(let report): opened(report, now: now)
    case .refused(let error): onFailure("\(error)")
    case .committed(let group):
      let count = group.ids.upperBound.rawValue - group.ids.lowerBound.rawValue + 1
      storeState.lastID = group.ids.upperBound
      storeState.inProgress = max(0, storeState.inProgress - count)
      armCommit()
      for pipeline in deliveries.values { pipeline.delivery?.recordsDurable(count: group.queued) }
      if checkIn.isTaken { sendCheckIn() }
      sendLast()
    case .settingsKept(let failure): settingsKept(failure, now: now)
    case .batch(let destination, let batch):
      storeState.batchesRequested[destination, default: 1] -= 1
      deliveries[destination]?.loaded(batch)
    case .batchBoundaryCommitted(let destination, let through, _):
      deliveries[destination]?.delivery?.batchBoundaryCommitted(through: through)
    case .acknowledged(let destination, let through, let isLate):
      recordAcknowledgement(through, for: destination, isLate: isLate)
    case .dropped(let destination, let count): recordDroppedQueue(count, for: destination)
    case .dated(let count):
      guard count > 0 else { return }
      for pipeline in deliveries.values { pipeline.delivery?.recordsDurable(count: count) }
    case .status(let log):
      reportMovedDestinations(log)
      reportRemovedDestinations(log)
      for event in storeState.backlog.take(log.destinations) { process(.occurred(event), now: now) }
    case .registered(let report): reportNewDestinations(report)
    case .newestLocation, .closed: break
    case .token(let token, let isDurable):
      if host?.handleToken(token, isDurable: isDurable) != true { workerAnswered(token, now: now) }
    case .written(let number, let trouble): storeState.filesRequested.removeValue(forKey: number)?(trouble)
    case .expired(let report):
      if report.hasMore { expiryTimer?.arm(at: now + .seconds(1), slack: .seconds(1)) }
    case .room(let room): process(room: room, now: now)
    case .wrote(let writing): recordWrites(writing, now: now)
    case .commitLatency(let change): process(.occurred(EventRecord(change)), now: now)
    case .missing(let count):
      journal.log(.error, "store: \(count) records are missing from the log; \(Self.remedyForDamage)")
    case .damaged(let ids):
      journal.log(.warning, "store: \(ids.count) records fail their checksum and are skipped")
    case .failing(let reason, _, let retryAfter):
      if storeState.trouble == nil {
        journal.log(
          .error,
          "store: \(reason); check storage.directory; the logger keeps retrying, with new records in memory")
      }
      storeState.trouble = reason
      retryTimer?.arm(within: WakeWindow(after: retryAfter, now: now))
      // The start does not depend on the log: the supervisor must not wait for it.
      isReady = true
    case .recovered:
      journal.log(.notice, "store: the log is writable again")
      storeState.trouble = nil
      retryTimer?.arm(at: nil)
    }
    notifySupervisor()
  }

  /// Processes the space of the log after a run of retention, and checks queues and supply.
  func process(room: StorageRoom, now: Moment) {
    if let event = storeState.room.take(room) { process(.occurred(event), now: now) }
    if !deliveries.isEmpty { post(.status) }
    sensors.checkBoardSupply(now: now)
  }

  /// Logs the number of records that were not written, according to the last replies of the worker.
  func logLostRecords(lastAnswers: [StoreAnswer]) {
    var lost = 0
    var reason = ""
    for answer in lastAnswers {
      switch answer {
      case .failing(let cause, let waiting, _): (reason, lost) = (cause, waiting)
      case .refused(let error): journal.log(.error, "store: \(error)")
      case .committed: lost = 0
      case .opened, .batch, .batchBoundaryCommitted, .acknowledged, .dropped, .dated, .registered, .token,
        .status,
        .newestLocation, .expired, .room, .wrote, .commitLatency, .written, .damaged, .missing, .recovered,
        .closed,
        .settingsKept:
        break
      }
    }
    guard lost > 0 else { return }
    journal.log(.error, "store: \(reason); \(lost) records were not written before the stop and are lost")
  }

  /// Handles the failure of a history request. For damage, the worker checks the log and salvages it.
  public func historyFailed(_ error: DatabaseError) {
    journal.log(
      .error, "store: history request failed: \(error)\(error.kind == .damaged ? "; checking the log" : "")")
    if error.kind == .damaged { post(.examine) }
  }

  /// The note of this run for the next one, while it lasts.
  var run: RunMarker {
    RunMarker(version: Release.version, bootID: ProcessEnvironment.bootIdentity, hasEnded: false)
  }

  /// Handles the opened log: restores the state of the last run and starts receiver and deliveries.
  private func opened(_ report: OpeningReport, now: Moment) {
    let isFirst = !storeState.isOpen
    storeState.isOpen = true
    storeState.lastID = report.lastID
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
        "store: \(cause): \(salvage.records) records recovered, at least \(salvage.missing) lost\(aside)"
      )
    }
    if let loss = report.loss { journal.log(.error, "store: \(loss)") }
    guard isFirst else {
      // The writer completes all outstanding jobs, so the pipelines continue. A salvaged log may contain more records for
      // them.
      for pipeline in deliveries.values { pipeline.delivery?.logReopened() }
      return
    }
    if let text = report.savedStates[.tracker] { process(.restored(text), now: now) }
    let before = report.savedStates[.run].flatMap { RunMarker($0) }
    // It is written with the event of the start, which is committed immediately.
    post(.saveStateWithRecords(.run, run.text))
    process(
      .started(
        lastLocation: report.newestLocation?.record,
        after: run.fields(
          after: before, isNewLog: report.condition == .created, signal: lastSignal,
          watchdogReset: HardwareWatchdog.hasReset())),
      now: now)
    if let name = report.volatileFileSystem {
      process(.occurred(EventRecord(volatile: configuration.storage.directory, on: name)), now: now)
    }
    if let text = report.savedStates[.writes] { storeState.medium.restore(text) }
    if let text = report.savedStates[.energy] { energyMonitor.ledger.restore(text) }
    if let text = report.savedStates[.host] { hostReturned(text) }
    forgetForeignBatches()
    startDeliveries()
    startReceiver(known: report.savedStates[.receiver])
    expire(now: now)
    isReady = true
    isTripClaimOpen = settingsState.tripOverride != nil
    settleTripClaim()
    rearm()
  }

  /// Starts a run of retention, with the earlier of two trusted clocks, because deletion is final.
  ///
  /// An unset system clock is not used.
  func expire(now: Moment) {
    let system = WeekRollover.latest(systemClock: loop.clock.timestamp())
    let steady = tracker.clock.steadyTimestamp(at: now)
    post(.expire(now: steady.map { min($0, system ?? $0) }))
    let pause = steady == nil ? Self.pauseWithoutTime : Self.expiryInterval
    expiryTimer?.arm(at: now + pause, slack: pause / 2)
  }
}
