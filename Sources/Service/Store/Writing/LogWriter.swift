import Database
import Quantities
import Records
import System

/// The only writer of the log: executes jobs in order and keeps the log usable through a full disk, damage and deletion.
///
/// **Ownership.** It owns the storage directory's lock, the open ``LogDatabase``, the records that are not written yet,
/// and the file of run-time settings. Other processes read the log through ``LogReader``.
///
/// **Thread.** It starts no thread and is not thread-safe. The logger runs it on the thread of ``StoreWorker``,
/// because flash may stall for seconds. Tests and commands call ``handle(_:)`` directly.
///
/// **Jobs and replies.** ``handle(_:)`` takes a ``StoreJob`` and returns its ``StoreAnswer``s in order, each with the
/// information whether to wake the loop. The first job opens the log and adds ``StoreAnswer/opened(_:)``. After
/// ``StoreAnswer/refused(_:)`` or ``StoreAnswer/closed`` further jobs are ignored. Failures are replies as well: no job
/// throws.
///
/// **Durability.** A reply to a job that changes the log means that the change is durable (`synchronous=FULL`): records
/// with ``StoreAnswer/committed(_:)``, cursors with ``StoreAnswer/acknowledged(destination:through:late:)``, batch
/// boundaries with ``StoreAnswer/batchBoundaryCommitted(destination:through:late:)``, or with the batch itself.
/// Each group of records is one transaction.
/// ``StoreJob/saveStateWithRecords(_:_:)`` becomes durable with the next group, or when the log is closed.
/// ``StoreAnswer/token(_:isDurable:)`` reports whether records still wait in memory.
///
/// **Full disk, or a medium that cannot be written.** Records wait in memory, at most ``waitingLimit``. Above that limit
/// locations are dropped before events, and the number is stored as an event later. Jobs for cursors, batches and dates
/// are deferred and executed in order. The reply ``StoreAnswer/failing(reason:waiting:retryAfter:)`` reports the failure.
/// Writing is retried after a delay that doubles from 1 s to 300 s, and ``StoreAnswer/recovered`` reports success.
///
/// **Damage.** A record that fails its checksum is removed, with an event. If the file itself is inconsistent, the log is
/// salvaged immediately into a new file, and the job is tried again. A log whose file was deleted or replaced is
/// created again from the file that is still open. Ids are never reused.
///
/// **Checks.** ``StoreJob/checkStep`` makes a step of the check after a start. Later, a step of the background check follows a group of records or a step of retention, at most once in
/// five minutes: at most 288 steps and 147,456 pages a day. After a complete pass the next one starts a day later. When
/// a reader has met damage, a ``LogExaminer`` checks the whole log while records continue to be written.
public final class LogWriter {
  /// An answer, and whether it should wake the loop.
  public struct Reply: Equatable, Sendable {
    public var answer: StoreAnswer
    public var urgent: Bool
  }

  /// The maximum number of records that wait in memory while the log cannot be written.
  public static let waitingLimit = 20_000

  private let clock: @Sendable () -> Moment
  private var logHandle: LogHandle
  private var limits = RetentionLimits()
  /// The destinations to register when the log is opened again; nil before the first registration.
  private var registered: (batchSizes: [String: Int], events: [String: EventSelection])?
  private var hasEnded = false

  private var pending: PendingGroup
  private var deferred = DeferredJobs()
  private var failure = WriteFailure()
  private var commitLatency = CommitLatency()
  private var checkSchedule = CheckSchedule()
  private var startCheck = StartCheck()
  private var examination: Examination
  private let copier: any LogCopier
  private var shrinking = LogShrinking()
  private var settings: RuntimeSettingsFile
  /// Bytes written to files of destinations.
  private var fileBytes: Int64 = 0
  private var replies: [Reply] = []

  /// The open log; nil while it cannot be used.
  var log: LogDatabase? { logHandle.log }

  /// Creates a writer that does full checks itself, which delays records.
  public convenience init(
    directory: String, allowVolatile: Bool, options: LogOptions, waitingLimit: Int = LogWriter.waitingLimit
  ) {
    self.init(
      directory: directory, allowVolatile: allowVolatile, options: options, waitingLimit: waitingLimit,
      examiner: WaitingExaminer(), copier: WaitingCopier())
  }

  /// Creates a writer whose full checks `examiner` does, and whose smaller copies `copier` makes.
  init(
    directory: String, allowVolatile: Bool, options: LogOptions, waitingLimit: Int = LogWriter.waitingLimit,
    examiner: any LogExaminer, copier: any LogCopier = WaitingCopier(), claim: StorageClaim? = nil
  ) {
    clock = options.clock
    logHandle = LogHandle(
      directory: directory, allowVolatile: allowVolatile, options: options, claim: claim)
    pending = PendingGroup(limit: waitingLimit)
    examination = Examination(examiner)
    self.copier = copier
    settings = RuntimeSettingsFile(directory: directory, unread: options.unreadSettings)
  }

  /// Executes a job and returns the replies in order. The first job opens the log.
  public func handle(_ job: StoreJob) -> [Reply] {
    guard !hasEnded else { return [] }
    switch job {
    case .append(let records, let urgent): append(records, urgent: urgent)
    case .retry: if failure.isPresent || !logHandle.isOpen { recover() }
    case .close: close()
    case .configure(let limits): self.limits = limits
    case .saveStateWithRecords(let key, let text): pending.save(text, as: key)
    case .write(let files, let number): write(files, number)
    case .settings(let bytes): reply(.settingsKept(settings.replace(with: bytes)), urgent: true)
    case .token(let number, let urgent):
      reply(.token(number, isDurable: pending.isEmpty && openIfDue()), urgent: urgent)
    case .acknowledge(let destination, _, _, _, let next, _, _):
      perform(job)
      // Its failure must not repeat the acknowledgement.
      if let next { perform(.batch(destination: destination, next)) }
    case .batch, .commitBatchBoundary, .drop, .rewind, .date, .saveState, .status, .newestLocation:
      perform(job)
    case .expire:
      perform(job)
      checkALittle()
      examineIfRequested()
    case .checkStep: checkAfterStart()
    case .examine: examine()
    case .settle: break
    case .register(let batchSizes, let events):
      registered = (batchSizes, events)
      log?.announce(batchSizes: batchSizes, events: events)
      perform(job)
    }
    settleFindings()
    settleCopy()
    defer { replies.removeAll() }
    return replies
  }

  // MARK: Jobs

  /// Adds lines to files; independent of the log.
  private func write(_ files: [LineFile], _ number: UInt64) {
    var fault: String?
    for file in files where fault == nil {
      do throws(FileFailure) { fileBytes &+= Int64(try file.merge()) } catch {
        fault = error.withServiceAdvice
      }
    }
    reply(.written(number, fault: fault), urgent: true)
  }

  private func append(_ records: [LogRecord], urgent: Bool) {
    pending.add(records, urgent: urgent)
    if failure.allowsAttempt(now: clock()) { recover() } else { reportFailure() }
    checkALittle()
  }

  /// Opens the log if needed, writes the waiting records with the latest date, and executes deferred jobs.
  private func recover() {
    let wasFailing = failure.isPresent
    guard open(), dateBoot(), flush(endsFailure: wasFailing), retry(deferred.takeAll()), wasFailing else {
      return
    }
    failure.end()
    reply(.recovered, urgent: true)
  }

  /// Executes deferred date jobs, before any record is written with an outdated time.
  private func dateBoot() -> Bool { retry(deferred.takeDates()) }

  /// Tries deferred jobs in order, up to the first failure; true if all succeeded.
  private func retry(_ jobs: [StoreJob]) -> Bool {
    for (index, job) in jobs.enumerated() {
      guard attempt(job) else {
        deferred.putBack(jobs[(index + 1)...])
        return false
      }
    }
    return true
  }

  /// Writes the pending group; true if nothing is pending afterwards.
  private func flush(endsFailure: Bool) -> Bool {
    guard !pending.isEmpty else { return true }
    let group = pending.records(endsFailure: endsFailure, now: clock())
    return attempt { log throws(DatabaseError) in
      let began = clock()
      guard var appended = try log.append(group, savedStates: pending.savedStates) else { return }
      appended.duration = clock() - began
      reply(.committed(appended), urgent: pending.isUrgent)
      if let change = commitLatency.take(appended.duration) {
        reply(.commitLatency(change), urgent: false)
      }
      pending.committed()
    }
  }

  // MARK: Checking

  /// Does a step of the check after a start.
  private func checkAfterStart() {
    let began = clock()
    if !failure.isPresent, logHandle.isOpen, !startCheck.isOver {
      _ = attempt { log throws(DatabaseError) in
        // A salvage has read all records.
        guard !startCheck.isOver else { return }
        let from = log.progress.checked
        startCheck.begin(after: from)
        let report = try log.check(rows: StartCheck.rows)
        replyWithFindings(report)
        startCheck.take(
          from: from, through: report.isOver ? log.lastID.rawValue : log.progress.checked,
          isAtEnd: report.isOver)
      }
      if startCheck.isOver { checkSchedule.endPass(now: clock()) }
    }
    let ids = (try? log?.connection.firstID("SELECT min(id) FROM record")).flatMap { $0 }
    let part = startCheck.progress(
      first: ids ?? 1, last: log?.lastID.rawValue ?? 0, took: clock() - began)
    reply(.checked(part), urgent: false)
  }

  /// Does a step of the background check if one is due.
  private func checkALittle() {
    let now = clock()
    guard !startCheck.isRunning, !failure.isPresent, logHandle.isOpen, checkSchedule.beginStep(now: now)
    else { return }
    _ = attempt { log throws(DatabaseError) in
      let report = try log.check()
      replyWithFindings(report)
      if report.isOver { checkSchedule.endPass(now: now) }
    }
    examineIfRequested()
  }

  /// Starts the full check that another program has requested: it must not write to the log itself.
  private func examineIfRequested() {
    guard logHandle.isOpen, CheckRequest.exists(in: logHandle.path), examination.isPossible(now: clock())
    else {
      return
    }
    CheckRequest.remove(in: logHandle.path)
    examine()
  }

  private func examine() {
    guard openIfDue(), let log else { return }
    _ = examination.begin(log, now: clock())
  }

  /// Handles the findings of a full check, if there are any. Called with every job; ``StoreJob/settle`` does only this.
  private func settleFindings() {
    guard logHandle.isOpen, let findings = examination.take(now: clock()) else { return }
    _ = attempt { log throws(DatabaseError) in
      // After a salvage the findings belong to the file that was replaced.
      if examination.isOf(log) { replyWithFindings(try log.settle(findings)) }
    }
  }

  private func replyWithFindings(_ report: CheckReport) {
    if !report.damaged.isEmpty { reply(.damaged(report.damaged), urgent: true) }
    if report.missing > 0 { reply(.missing(report.missing), urgent: true) }
  }

  private func perform(_ job: StoreJob) {
    // While jobs are deferred, the cursors are out of date.
    if openIfDue(), deferred.isEmpty || !job.concernsCursors {
      _ = attempt(job)
    } else {
      postpone(job)
    }
  }

  private func attempt(_ job: StoreJob) -> Bool {
    let isDone = attempt { log throws(DatabaseError) in try execute(job, log) }
    if !isDone { postpone(job) }
    return isDone
  }

  private func postpone(_ job: StoreJob) {
    if job.isRepeated { reportFailure() } else { deferred.add(job) }
  }

  private func execute(_ job: StoreJob, _ log: LogDatabase) throws(DatabaseError) {
    switch job {
    case .batch(let destination, let request):
      var damaged: [RecordID] = []
      let batch = try log.batch(for: destination, request, damaged: &damaged)
      if !damaged.isEmpty { reply(.damaged(damaged), urgent: true) }
      reply(.batch(destination: destination, batch), urgent: true)
    case .commitBatchBoundary(let destination, let through, let late):
      try log.commitBatchBoundary(destination, through: through, late: late)
      reply(.batchBoundaryCommitted(destination: destination, through: through, late: late), urgent: true)
    case .acknowledge(let destination, let through, let late, let newBatchSize, _, let urgent, let held):
      try log.acknowledge(destination, through: through, late: late, newBatchSize: newBatchSize, held: held)
      // The cursor has not moved.
      switch held {
      case .update, .end: return
      case .hold, nil: break
      }
      reply(.acknowledged(destination: destination, through: through, late: late), urgent: urgent)
    case .drop(let destination, let forgets):
      let count = try forgets ? log.forget(destination) : log.drop(destination)
      reply(.dropped(destination: destination, count: count, through: log.lastID), urgent: true)
    case .rewind(let destination, let id):
      reply(
        .rewound(destination: destination, try log.rewind(destination, to: id)), urgent: true)
    case .date(let offset, let quality):
      reply(.dated(count: try log.date(offset: offset, quality: quality)), urgent: true)
    case .register(let batchSizes, let events):
      let report = try log.register(batchSizes: batchSizes, events: events)
      reply(.registered(report), urgent: !report.new.isEmpty)
    case .saveState(let key, let text): try log.keep(text, as: key)
    case .status(let urgent):
      var status = try log.status()
      status.oldestQueued = try log.oldestQueued()
      reply(.status(status), urgent: urgent)
    case .newestLocation: reply(.newestLocation(try log.newestLocation()), urgent: true)
    case .expire(let now):
      let isSuspended = shrinking.suspendsRetention(now: clock())
      let report = try isSuspended ? RetentionReport() : log.expire(now: now, limits: limits)
      reply(.expired(report), urgent: false)
      if !report.hasMore {
        try reportRoom(log)
        reply(.wrote(.now(files: fileBytes)), urgent: false)
      }
    case .append, .saveStateWithRecords, .settings, .token, .configure, .write, .checkStep, .examine, .settle,
      .retry,
      .close:
      break
    }
  }

  // MARK: Shrinking

  /// Reports the space that the log has left, and starts a smaller copy if the file is too large.
  private func reportRoom(_ log: LogDatabase) throws(DatabaseError) {
    var room = try log.room(limits: limits)
    let now = clock()
    if shrinking.isDue(room, now: now) {
      if logHandle.beginCopy(by: copier) {
        shrinking.begin(log, now: now)
      } else {
        shrinking.fail("the copy cannot be started", now: now)
      }
    }
    room.shrinkObstacle = shrinking.obstacle
    reply(.room(room), urgent: false)
  }

  /// Replaces the log by its smaller copy, if that is ready. Called with every job.
  private func settleCopy() {
    guard let log, !failure.isPresent, deferred.isEmpty else { return }
    let now = clock()
    switch shrinking.step(log, now: now, result: copier.take) {
    case .none: return
    case .discard: logHandle.discardCopy()
    case .replace:
      guard ensureFileIsCurrent(), self.log === log else { return }
      do throws(StoreError) {
        guard try logHandle.replaceByCopy() else { return }
        shrinking.end()
      } catch {
        logHandle.discardCopy()
        shrinking.fail("\(error)", now: now)
      }
      // After an error, this opens the old file again.
      guard logHandle.isOpen ? registerAgain({ body in attempt(body) }) : open() else { return }
    }
    _ = attempt { log throws(DatabaseError) in try reportRoom(log) }
  }

  private func close() {
    // The last attempt to write waiting records, regardless of the retry delay.
    let isWritten = open() && dateBoot() && flush(endsFailure: failure.isPresent)
    if isWritten {
      for (key, text) in pending.savedStates {
        _ = attempt { log throws(DatabaseError) in try log.keep(text, as: key) }
      }
    }
    // A log that cannot be closed keeps its write-ahead log for the next start.
    let isClosed = isWritten && attempt { log throws(DatabaseError) in try log.close() }
    if !isClosed { logHandle.abandon() }
    if shrinking.hasCopy { logHandle.discardCopy() }
    logHandle.release()
    hasEnded = true
    reply(.closed, urgent: true)
  }

  // MARK: Opening and failing

  private func openIfDue() -> Bool {
    logHandle.isOpen || failure.allowsAttempt(now: clock()) && open()
  }

  /// Opens the log; true if it is open.
  private func open(distrust: String? = nil) -> Bool {
    if logHandle.isOpen { return true }
    let isFirst = !checkSchedule.hasBegun
    do throws(StoreError) {
      let report = try logHandle.open(distrust: distrust)
      checkSchedule.begin(now: clock())
      endStartCheck(after: report)
      reply(.opened(report), urgent: true)
    } catch {
      if error.isFinal, !logHandle.hadRecords, pending.isEmpty || !failure.isPresent {
        hasEnded = true
        reply(.refused(error), urgent: true)
      } else {
        fail("\(error)")
      }
      return false
    }
    defer { if isFirst { examineIfRequested() } }
    return registerAgain { body in attempt(body) }
  }

  /// Ends the check after the start if the log is new, or a copy of records that were read.
  private func endStartCheck(after report: OpeningReport) {
    switch report.condition {
    case .created, .salvaged: startCheck.end()
    case .clean, .unclean: break
    }
  }

  /// Registers the destinations in a log that was opened again. If `execute` fails, a later attempt does; until then
  /// nothing is deleted.
  private func registerAgain(
    _ execute: ((LogDatabase) throws(DatabaseError) -> Void) -> Bool
  ) -> Bool {
    guard let registered else { return true }
    log?.announce(batchSizes: registered.batchSizes, events: registered.events)
    let isRegistered = execute { log throws(DatabaseError) in
      try log.register(batchSizes: registered.batchSizes, events: registered.events)
    }
    if !isRegistered {
      deferred.add(.register(batchSizes: registered.batchSizes, events: registered.events))
    }
    return isRegistered
  }

  /// Runs `body` on the open log; true if it succeeded. Damage leads to a salvage and one more attempt.
  private func attempt(_ body: (LogDatabase) throws(DatabaseError) -> Void) -> Bool {
    guard ensureFileIsCurrent() else { return false }
    guard let error = failureOf(body) else { return true }
    guard error.kind == .damaged, open(distrust: error.message) else {
      if error.kind != .damaged { fail("\(error)") }
      return false
    }
    guard let second = failureOf(body) else { return true }
    fail("\(second)")
    return false
  }

  /// True if the name of the log refers to the open file, which may have been created again.
  private func ensureFileIsCurrent() -> Bool {
    switch logHandle.restoreFile() {
    case .current: return true
    case .lost(let reason):
      fail(reason)
      return false
    case .recreated(let report):
      endStartCheck(after: report)
      reply(.opened(report), urgent: true)
      return registerAgain { body in
        guard let error = failureOf(body) else { return true }
        fail("\(error)")
        return false
      }
    }
  }

  /// Runs `body` once and returns its error.
  private func failureOf(_ body: (LogDatabase) throws(DatabaseError) -> Void) -> DatabaseError? {
    guard let log else {
      return DatabaseError(
        kind: .unwritable, code: 0, path: logHandle.path, message: failure.reason ?? "the log is not open")
    }
    do throws(DatabaseError) {
      try body(log)
      return nil
    } catch {
      logHandle.recordFailure(error)
      return error
    }
  }

  private func fail(_ reason: String) {
    let now = clock()
    if !failure.isPresent { pending.recordFailure(reason, now: now) }
    let delay = failure.record(reason, now: now)
    reply(.failing(reason: reason, waiting: pending.count, retryAfter: delay), urgent: true)
  }

  private func reportFailure() {
    guard let reason = failure.reason else { return }
    let delay = failure.delay(now: clock())
    reply(.failing(reason: reason, waiting: pending.count, retryAfter: delay), urgent: false)
  }

  private func reply(_ answer: StoreAnswer, urgent: Bool) {
    replies.append(Reply(answer: answer, urgent: urgent))
  }
}

extension StoreJob {
  /// True for a job that its callers repeat if they get no reply.
  fileprivate var isRepeated: Bool {
    switch self {
    case .status, .expire: true
    case .append, .batch, .commitBatchBoundary, .acknowledge, .drop, .rewind, .date, .register, .saveState,
      .saveStateWithRecords, .settings, .token, .newestLocation, .configure, .write, .checkStep, .examine,
      .settle,
      .retry,
      .close:
      false
    }
  }

  fileprivate var concernsCursors: Bool {
    switch self {
    // Retention deletes what the cursors and the registration allow.
    case .batch, .commitBatchBoundary, .acknowledge, .drop, .rewind, .date, .register, .expire: true
    case .append, .saveState, .saveStateWithRecords, .settings, .token, .status, .newestLocation, .configure,
      .write, .checkStep, .examine, .settle, .retry, .close:
      false
    }
  }
}

/// The present failure to write the log, and the time of the next attempt.
private struct WriteFailure {
  private var present: (reason: String, retryAt: Moment)?
  private var backoff = Backoff(from: .seconds(1), upTo: .seconds(300))

  var isPresent: Bool { present != nil }
  /// The reason why the log cannot be written; nil while it can.
  var reason: String? { present?.reason }

  /// True if the log can be written, or the retry delay has passed.
  func allowsAttempt(now: Moment) -> Bool { present.map { now >= $0.retryAt } ?? true }

  /// The time to the next attempt; zero if it is due or nothing has failed.
  func delay(now: Moment) -> Duration { present.map { max($0.retryAt - now, .zero) } ?? .zero }

  /// Records a failed attempt, and returns the delay to the next one.
  mutating func record(_ reason: String, now: Moment) -> Duration {
    let delay = backoff.next()
    present = (reason, now + delay)
    return delay
  }

  /// Records that everything is written.
  mutating func end() {
    present = nil
    backoff.reset()
  }
}

/// The times at which the background check continues.
private struct CheckSchedule {
  /// Shortest time between two steps of the background check.
  private static let stepPause = Duration.seconds(300)
  /// Time between the end of a pass through the log and the next pass.
  private static let passPause = Duration.seconds(86_400)

  /// Due time of the next step; nil before the log is open.
  private var next: Moment?

  var hasBegun: Bool { next != nil }

  /// Schedules the first step. A log that is opened again continues the schedule.
  mutating func begin(now: Moment) { next = next ?? now + Self.stepPause }

  /// True if a step is due, which is now done.
  mutating func beginStep(now: Moment) -> Bool {
    guard let next, now >= next else { return false }
    self.next = now + Self.stepPause
    return true
  }

  /// Delays the next pass, because a step has completed one.
  mutating func endPass(now: Moment) { next = now + Self.passPause }
}

/// The file of run-time settings. What could not be read of it is saved before it is replaced.
private struct RuntimeSettingsFile {
  private let directory: String
  private var unread: SettingsFile.Remains

  init(directory: String, unread: SettingsFile.Remains) {
    self.directory = directory
    self.unread = unread
  }

  /// Replaces the file; returns the error because of which it is not durable.
  mutating func replace(with bytes: [UInt8]) -> SystemError? {
    do throws(SystemError) {
      _ = try SettingsFile.setAside(unread, in: directory, limit: .max)
      unread = .nothing
      try SettingsFile.write(bytes, in: directory)
      return nil
    } catch { return error }
  }
}
