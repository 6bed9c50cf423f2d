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
/// boundaries with ``StoreAnswer/batchBoundaryCommitted(destination:through:late:)``, or with the batch itself. Each group of records is one transaction.
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
/// **Checks.** A step of the background check follows a group of records or a step of retention, at most once in
/// ``checkPause``: at most 288 steps and 147,456 pages a day. After a complete pass the next one starts a day later. When
/// a reader has met damage, a ``LogExaminer`` checks the whole log while records continue to be written.
public final class LogWriter {
  /// An answer, and whether it should wake the loop.
  public struct Reply: Equatable, Sendable {
    public var answer: StoreAnswer
    public var urgent: Bool
  }

  /// The maximum number of records that wait in memory while the log cannot be written.
  public static let waitingLimit = 20_000
  private static let deferredLimit = 4096

  private let path: String
  private let allowVolatile: Bool
  private let options: LogOptions
  private var lock: DirectoryLock?
  private(set) var log: LogDatabase?
  private var limits = RetentionLimits()
  private var registered: [String: Int]?
  private var idFloor: Int64 = 0
  private var hasEnded = false

  private var waiting: WaitingRecords
  private var isWaitingUrgent = false
  /// The texts to save with the next group of records.
  private var statesToSave: [SavedStateKey: String] = [:]
  /// The jobs that failed and are retried when the log can be written.
  private var deferred: [StoreJob] = []
  /// The reason why the log cannot be written; nil while it can.
  private var failure: String?
  private var backoff = Backoff(from: .seconds(1), upTo: .seconds(300))
  private var retryAt = Moment.zero
  private var commitLatency = CommitLatency()
  /// Bytes written to files of destinations.
  private var fileBytes: Int64 = 0
  private var replies: [Reply] = []
  private var unreadSettings: SettingsFile.Remains
  /// Due time of the next step of the background check; nil before the log is open.
  private var nextCheck: Moment?
  private var examination: Examination

  /// Shortest time between two steps of the background check.
  static let checkPause = Duration.seconds(300)
  /// Time between the end of a pass through the log and the next pass.
  static let passPause = Duration.seconds(86_400)

  /// Creates a writer that does full checks itself, which delays records.
  public convenience init(
    directory: String, allowVolatile: Bool, options: LogOptions, waitingLimit: Int = LogWriter.waitingLimit
  ) {
    self.init(
      directory: directory, allowVolatile: allowVolatile, options: options, waitingLimit: waitingLimit,
      examiner: WaitingExaminer())
  }

  /// Creates a writer whose full checks `examiner` does.
  init(
    directory: String, allowVolatile: Bool, options: LogOptions, waitingLimit: Int = LogWriter.waitingLimit,
    examiner: any LogExaminer
  ) {
    examination = Examination(examiner)
    path = directory
    self.allowVolatile = allowVolatile
    self.options = options
    unreadSettings = options.unreadSettings
    waiting = WaitingRecords(limit: waitingLimit)
  }

  /// Executes a job and returns the replies in order. The first job opens the log.
  public func handle(_ job: StoreJob) -> [Reply] {
    guard !hasEnded else { return [] }
    switch job {
    case .append(let records, let urgent): append(records, urgent: urgent)
    case .retry: if failure != nil || log == nil { recover() }
    case .close: close()
    case .configure(let limits): self.limits = limits
    case .saveStateWithRecords(let key, let text): statesToSave[key] = text
    case .write(let files, let number): write(files, number)
    case .settings(let bytes): keepSettings(bytes)
    case .token(let number, let urgent):
      reply(.token(number, isDurable: waiting.isEmpty && openIfDue()), urgent: urgent)
    case .acknowledge(let destination, _, _, _, let next, _):
      perform(job)
      // Its failure must not repeat the acknowledgement.
      if let next { perform(.batch(destination: destination, next)) }
    case .batch, .commitBatchBoundary, .drop, .date, .saveState, .status, .newestLocation:
      perform(job)
    case .expire:
      perform(job)
      checkALittle()
      examineIfRequested()
    case .examine: examine()
    case .settle: break
    case .register(let batchSizes):
      registered = batchSizes
      perform(job)
    }
    settleFindings()
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

  /// Writes the settings file; independent of the log.
  private func keepSettings(_ bytes: [UInt8]) {
    var failure: SystemError?
    do throws(SystemError) {
      _ = try SettingsFile.setAside(unreadSettings, in: path, limit: .max)
      unreadSettings = .nothing
      try SettingsFile.write(bytes, in: path)
    } catch { failure = error }
    reply(.settingsKept(failure), urgent: true)
  }

  private func append(_ records: [LogRecord], urgent: Bool) {
    isWaitingUrgent = isWaitingUrgent || urgent
    waiting.add(records)
    if failure == nil || options.clock() >= retryAt { recover() } else { reportFailure() }
    checkALittle()
  }

  /// Opens the log if needed, writes the waiting records with the latest date, and executes deferred jobs.
  private func recover() {
    let wasFailing = failure != nil
    guard open(), dateBoot(), flush(isRecovery: wasFailing) else { return }
    let jobs = deferred
    deferred = []
    for (index, job) in jobs.enumerated() {
      guard attempt(job) else {
        deferred += jobs[(index + 1)...]
        return
      }
    }
    guard wasFailing else { return }
    failure = nil
    backoff.reset()
    reply(.recovered, urgent: true)
  }

  /// Executes deferred date jobs, before any record is written with an outdated time.
  private func dateBoot() -> Bool {
    let dates = deferred.filter(\.isDate)
    deferred.removeAll(where: \.isDate)
    for (index, job) in dates.enumerated() {
      guard attempt(job) else {
        deferred += dates[(index + 1)...]
        return false
      }
    }
    return true
  }

  private func flush(isRecovery: Bool) -> Bool {
    guard !waiting.isEmpty else { return true }
    var group = waiting.records
    if waiting.dropped > 0 {
      group.append(
        own(.recordsDropped, [.count: .integer(Int64(waiting.dropped)), .cause: "log_failing"]))
    }
    if isRecovery { group.append(own(.storageRecovered, [.count: .integer(Int64(waiting.records.count))])) }
    return attempt { log throws(DatabaseError) in
      let began = options.clock()
      guard let appended = try log.append(group, savedStates: statesToSave) else { return }
      reply(.committed(appended), urgent: isWaitingUrgent)
      if let change = commitLatency.take(options.clock() - began) {
        reply(.commitLatency(change), urgent: false)
      }
      waiting.clear()
      statesToSave = [:]
      isWaitingUrgent = false
    }
  }

  // MARK: Checking

  /// Does a step of the background check if one is due.
  private func checkALittle() {
    let now = options.clock()
    guard failure == nil, log != nil, let due = nextCheck, now >= due else { return }
    nextCheck = now + Self.checkPause
    _ = attempt { log throws(DatabaseError) in
      let report = try log.check()
      replyWithFindings(report)
      if report.isOver { nextCheck = now + Self.passPause }
    }
    examineIfRequested()
  }

  /// Starts the full check that another program has requested: it must not write to the log itself.
  private func examineIfRequested() {
    guard log != nil, CheckRequest.exists(in: path), examination.isPossible(now: options.clock()) else {
      return
    }
    CheckRequest.remove(in: path)
    examine()
  }

  private func examine() {
    guard openIfDue(), let log else { return }
    _ = examination.begin(log, now: options.clock())
  }

  /// Handles the findings of a full check, if there are any. Called with every job; ``StoreJob/settle`` does only this.
  private func settleFindings() {
    guard log != nil, let findings = examination.take(now: options.clock()) else { return }
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

  /// Defers a job that changes the log or for which a caller waits. Other jobs are dropped; callers repeat them.
  private func postpone(_ job: StoreJob) {
    switch job {
    case .date: deferred.append(job)
    case .saveState(let key, _):
      // Only the last text counts.
      deferred.removeAll { if case .saveState(key, _) = $0 { true } else { false } }
      deferred.append(job)
    case .batch, .commitBatchBoundary, .acknowledge, .drop, .register, .newestLocation:
      if deferred.count < Self.deferredLimit { deferred.append(job) }
    case .status, .expire: reportFailure()
    case .append, .saveStateWithRecords, .settings, .token, .configure, .write, .examine, .settle, .retry,
      .close:
      break
    }
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
    case .acknowledge(let destination, let through, let late, let newBatchSize, _, let urgent):
      try log.acknowledge(destination, through: through, late: late, newBatchSize: newBatchSize)
      reply(.acknowledged(destination: destination, through: through, late: late), urgent: urgent)
    case .drop(let destination, let forgets):
      let count = try forgets ? log.forget(destination) : log.drop(destination)
      reply(.dropped(destination: destination, count: count), urgent: true)
    case .date(let offset, let quality):
      reply(.dated(count: try log.date(offset: offset, quality: quality)), urgent: true)
    case .register(let batchSizes):
      let report = try log.register(batchSizes: batchSizes)
      reply(.registered(report), urgent: !report.new.isEmpty)
    case .saveState(let key, let text): try log.keep(text, as: key)
    case .status: reply(.status(try log.status()), urgent: true)
    case .newestLocation: reply(.newestLocation(try log.newestLocation()), urgent: true)
    case .expire(let now):
      let report = try log.expire(now: now, limits: limits)
      reply(.expired(report), urgent: false)
      if !report.hasMore {
        reply(.room(try log.room(limits: limits)), urgent: false)
        reply(.wrote(.now(files: fileBytes)), urgent: false)
      }
    case .append, .saveStateWithRecords, .settings, .token, .configure, .write, .examine, .settle, .retry,
      .close:
      break
    }
  }

  private func close() {
    // The last attempt to write waiting records, regardless of the retry delay.
    if open(), dateBoot(), flush(isRecovery: failure != nil) {
      for (key, text) in statesToSave {
        _ = attempt { log throws(DatabaseError) in try log.keep(text, as: key) }
      }
      // A log that cannot be closed keeps its write-ahead log for the next start.
      if !attempt({ log throws(DatabaseError) in try log.close() }) { log?.abandon() }
    } else {
      log?.abandon()
    }
    log = nil
    lock = nil
    hasEnded = true
    reply(.closed, urgent: true)
  }

  // MARK: Opening and failing

  private func openIfDue() -> Bool {
    if log != nil { return true }
    return failure == nil || options.clock() >= retryAt ? open() : false
  }

  /// Opens the log; true if it is open.
  private func open(distrust: String? = nil) -> Bool {
    if log != nil { return true }
    let isFirst = nextCheck == nil
    do throws(StoreError) {
      let directory = try StorageDirectory(path, allowVolatile: allowVolatile)
      if lock == nil { lock = try DirectoryLock(directory) }
      var (opened, report) = try LogDatabase.open(
        directory, options: options, idFloor: idFloor, distrust: distrust)
      report.volatileFileSystem = directory.volatileName
      log = opened
      if nextCheck == nil { nextCheck = options.clock() + Self.checkPause }
      reply(.opened(report), urgent: true)
    } catch {
      if error.isFinal, idFloor == 0, waiting.isEmpty || failure == nil {
        hasEnded = true
        reply(.refused(error), urgent: true)
      } else {
        fail("\(error)")
      }
      return false
    }
    defer { if isFirst { examineIfRequested() } }
    guard let registered else { return true }
    return attempt { log throws(DatabaseError) in try log.register(batchSizes: registered) }
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

  /// True if the name of the log refers to the open file.
  ///
  /// Otherwise creates the log again from the open file. False if that is impossible at present; then the file stays
  /// open.
  private func ensureFileIsCurrent() -> Bool {
    guard let old = log, let loss = old.fileIdentity.loss else { return true }
    idFloor = max(idFloor, old.lastID.rawValue)
    do throws(StoreError) {
      let directory = try StorageDirectory(path, allowVolatile: allowVolatile)
      // The directory may have been replaced.
      lock = nil
      lock = try DirectoryLock(directory)
      let outcome = try Salvage.recreate(in: directory, from: old, cause: loss.message)
      // Closing the old log regularly would remove the write-ahead log of the new file.
      old.abandon()
      log = nil
      var (opened, report) = try LogDatabase.open(
        directory, options: options, idFloor: idFloor, after: outcome)
      report.volatileFileSystem = directory.volatileName
      log = opened
      reply(.opened(report), urgent: true)
    } catch {
      fail("\(loss.message): \(error)")
      return false
    }
    guard let registered else { return true }
    return failureOf { log throws(DatabaseError) in try log.register(batchSizes: registered) } == nil
  }

  /// Runs `body` once and returns its error. Releases a log that has become unusable, with its files.
  private func failureOf(_ body: (LogDatabase) throws(DatabaseError) -> Void) -> DatabaseError? {
    guard let log else {
      return DatabaseError(kind: .unwritable, code: 0, path: path, message: failure ?? "the log is not open")
    }
    do throws(DatabaseError) {
      try body(log)
      return nil
    } catch {
      idFloor = max(idFloor, log.lastID.rawValue)
      switch error.kind {
      case .full, .busy: break
      case .unwritable, .other, .damaged:
        log.abandon()
        self.log = nil
      }
      return error
    }
  }

  private func fail(_ reason: String) {
    if failure == nil {
      let count = EventValue.integer(Int64(waiting.records.count))
      waiting.add([own(.storageFailing, [.reason: .text(reason), .count: count])])
    }
    failure = reason
    let wait = backoff.next()
    retryAt = options.clock() + wait
    reply(.failing(reason: reason, waiting: waiting.records.count, retryAfter: wait), urgent: true)
  }

  private func reportFailure() {
    guard let failure else { return }
    let wait = max(retryAt - options.clock(), .zero)
    reply(.failing(reason: failure, waiting: waiting.records.count, retryAfter: wait), urgent: false)
  }

  private func own(_ kind: EventKind, _ fields: EventFields) -> LogRecord {
    LogRecord(
      moment: options.clock(), time: nil, timeQuality: .none,
      body: .event(EventRecord(kind, fields)))
  }

  private func reply(_ answer: StoreAnswer, urgent: Bool) {
    replies.append(Reply(answer: answer, urgent: urgent))
  }
}

extension StoreJob {
  fileprivate var isDate: Bool { if case .date = self { true } else { false } }

  fileprivate var concernsCursors: Bool {
    switch self {
    case .batch, .commitBatchBoundary, .acknowledge, .drop, .date, .register: true
    case .append, .saveState, .saveStateWithRecords, .settings, .token, .status, .newestLocation, .configure,
      .expire,
      .write, .examine, .settle, .retry, .close:
      false
    }
  }
}
