import Database
import Quantities
import Records
import SystemLoop

/// Does the jobs of the log one after the other and never gives up: what cannot be written waits in memory, a log
/// that turns out to be damaged is salvaged while running, and one whose file was deleted or replaced is begun anew with
/// what the open file still holds.
///
/// Now and then a step of the check of what nobody reads follows a group of records or a step of retention: at most
/// ``checkPause`` apart, so at most 288 steps and 147,456 pages a day, and a day after a pass through the whole log. When
/// somebody has met damage, a ``LogExaminer`` reads the whole log, and records are written meanwhile.
///
/// Knows no thread; ``StoreWorker`` runs it on one.
public final class LogWriter {
  /// An answer, and whether the loop should be woken for it.
  public struct Reply: Equatable, Sendable {
    public var answer: StoreAnswer
    public var urgent: Bool
  }

  /// Records that wait in memory at most while the log cannot be written.
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
  /// What is written with the next records.
  private var notesWaiting: [NoteKey: String] = [:]
  /// Jobs that change the log and could not be done.
  private var deferred: [StoreJob] = []
  /// Why the log cannot be written; nil while it can.
  private var failure: String?
  private var pause = RetryPause()
  private var retryAt = Moment.zero
  private var commitPace = CommitPace()
  private var replies: [Reply] = []
  private var unreadSettings: SettingsFile.Remains
  /// When the next step of the check is due; nil before the log is open.
  private var nextCheck: Moment?
  private var examination: Examination

  /// Between two steps of the check at least.
  static let checkPause = Duration.seconds(300)
  /// Between the end of a pass through the log and the next one.
  static let passPause = Duration.seconds(86_400)

  /// A writer that reads the whole log itself when it is asked to: records wait for that.
  public convenience init(
    directory: String, allowVolatile: Bool, options: LogOptions, waitingLimit: Int = LogWriter.waitingLimit
  ) {
    self.init(
      directory: directory, allowVolatile: allowVolatile, options: options, waitingLimit: waitingLimit,
      examiner: WaitingExaminer())
  }

  /// `examiner` reads the whole log when somebody has met damage.
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

  /// Does a job; the first one opens the log. Answers what it led to, in order.
  public func handle(_ job: StoreJob) -> [Reply] {
    guard !hasEnded else { return [] }
    switch job {
    case .append(let records, let urgent): append(records, urgent: urgent)
    case .retry: if failure != nil || log == nil { recover() }
    case .close: close()
    case .configure(let limits): self.limits = limits
    case .noteWithRecords(let key, let text): notesWaiting[key] = text
    case .write(let files, let number): write(files, number)
    case .settings(let bytes): keepSettings(bytes)
    case .token(let number, let urgent):
      reply(.token(number, isDurable: waiting.isEmpty && openIfDue()), urgent: urgent)
    case .batch, .commitBorder, .acknowledge, .drop, .date, .note, .status, .newestLocation: perform(job)
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

  /// Files lie beside the log and need none.
  private func write(_ files: [LineFile], _ number: UInt64) {
    var trouble: String?
    for file in files where trouble == nil {
      do throws(FileFailure) { try file.merge() } catch { trouble = "\(error)" }
    }
    reply(.written(number, trouble: trouble), urgent: true)
  }

  /// Beside the log, whether that can be written or not.
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
    if failure == nil || options.clock() >= retryAt { recover() } else { tellFailure() }
    checkALittle()
  }

  /// Opens if needed, dates and writes what waits, does what was put off.
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
    pause.reset()
    reply(.recovered, urgent: true)
  }

  /// Does the dating that was put off, before anything is written by an older date.
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
      guard let appended = try log.append(group, notes: notesWaiting) else { return }
      reply(.committed(appended), urgent: isWaitingUrgent)
      if let change = commitPace.take(options.clock() - began) { reply(.pace(change), urgent: false) }
      waiting.clear()
      notesWaiting = [:]
      isWaitingUrgent = false
    }
  }

  // MARK: Checking

  /// When nobody waits for the worker.
  private func checkALittle() {
    let now = options.clock()
    guard failure == nil, log != nil, let due = nextCheck, now >= due else { return }
    nextCheck = now + Self.checkPause
    _ = attempt { log throws(DatabaseError) in
      let report = try log.check()
      tell(report)
      if report.isOver { nextCheck = now + Self.passPause }
    }
    examineIfRequested()
  }

  /// Another program has met damage, and may not write to the log itself.
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

  /// Deals with what reading the whole log has found: asked for by a job of its own, and with each other one.
  private func settleFindings() {
    guard log != nil, let findings = examination.take(now: options.clock()) else { return }
    _ = attempt { log throws(DatabaseError) in
      // After a salvage the findings are those of a file that was set aside.
      if examination.isOf(log) { tell(try log.settle(findings)) }
    }
  }

  private func tell(_ report: CheckReport) {
    if !report.damaged.isEmpty { reply(.damaged(report.damaged), urgent: true) }
    if report.missing > 0 { reply(.missing(report.missing), urgent: true) }
  }

  private func perform(_ job: StoreJob) {
    // Behind a job that was put off the cursors are not yet where they should be.
    if openIfDue(), deferred.isEmpty || !job.concernsCursors {
      _ = attempt(job)
    } else {
      putOff(job)
    }
  }

  private func attempt(_ job: StoreJob) -> Bool {
    let isDone = attempt { log throws(DatabaseError) in try execute(job, log) }
    if !isDone { putOff(job) }
    return isDone
  }

  /// What reads is asked for again by whoever needs it; what changes the log is done later.
  private func putOff(_ job: StoreJob) {
    switch job {
    case .date: deferred.append(job)
    case .note(let key, _):
      // Only the last word counts.
      deferred.removeAll { if case .note(key, _) = $0 { true } else { false } }
      deferred.append(job)
    case .batch, .commitBorder, .acknowledge, .drop, .register, .newestLocation:
      if deferred.count < Self.deferredLimit { deferred.append(job) }
    case .status, .expire: tellFailure()
    case .append, .noteWithRecords, .settings, .token, .configure, .write, .examine, .settle, .retry, .close:
      break
    }
  }

  private func execute(_ job: StoreJob, _ log: LogDatabase) throws(DatabaseError) {
    switch job {
    case .batch(let destination, let after, let size):
      var damaged: [RecordID] = []
      let batch = try log.batch(for: destination, after: after, size: size, damaged: &damaged)
      if !damaged.isEmpty { reply(.damaged(damaged), urgent: true) }
      reply(.batch(destination: destination, batch), urgent: true)
    case .commitBorder(let destination, let through, let late):
      try log.commitBorder(destination, through: through, late: late)
      reply(.borderCommitted(destination: destination, through: through, late: late), urgent: true)
    case .acknowledge(let destination, let through, let late, let newBatchSize):
      try log.acknowledge(destination, through: through, late: late, newBatchSize: newBatchSize)
      reply(.acknowledged(destination: destination, through: through, late: late), urgent: true)
    case .drop(let destination, let forgets):
      let count = try forgets ? log.forget(destination) : log.drop(destination)
      reply(.dropped(destination: destination, count: count), urgent: true)
    case .date(let offset, let quality):
      reply(.dated(count: try log.date(offset: offset, quality: quality)), urgent: true)
    case .register(let batchSizes):
      let report = try log.register(batchSizes: batchSizes)
      reply(.registered(report), urgent: !report.new.isEmpty)
    case .note(let key, let text): try log.keep(text, as: key)
    case .status: reply(.status(try log.status()), urgent: true)
    case .newestLocation: reply(.newestLocation(try log.newestLocation()), urgent: true)
    case .expire(let now):
      let report = try log.expire(now: now, limits: limits)
      reply(.expired(report), urgent: false)
      if !report.hasMore { reply(.room(try log.room(limits: limits)), urgent: false) }
    case .append, .noteWithRecords, .settings, .token, .configure, .write, .examine, .settle, .retry, .close:
      break
    }
  }

  private func close() {
    // There is no later: what waits is tried once more, whatever pause was set.
    if open(), dateBoot(), flush(isRecovery: failure != nil) {
      for (key, text) in notesWaiting {
        _ = attempt { log throws(DatabaseError) in try log.keep(text, as: key) }
      }
      // One that is not closed keeps its write-ahead log, which the next start looks for.
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

  /// True when the log is open.
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

  /// Runs `body` on the open log; true when it succeeded. Damage leads to one salvage and one more try.
  private func attempt(_ body: (LogDatabase) throws(DatabaseError) -> Void) -> Bool {
    guard holdsPlace() else { return false }
    guard let error = failureOf(body) else { return true }
    guard error.kind == .damaged, open(distrust: error.message) else {
      if error.kind != .damaged { fail("\(error)") }
      return false
    }
    guard let second = failureOf(body) else { return true }
    fail("\(second)")
    return false
  }

  /// True while the name of the log means the open file. Otherwise begins the log anew with what the open file holds;
  /// false when that is impossible for now: then the open file is kept.
  private func holdsPlace() -> Bool {
    guard let old = log, let loss = old.place.loss else { return true }
    idFloor = max(idFloor, old.lastID.rawValue)
    do throws(StoreError) {
      let directory = try StorageDirectory(path, allowVolatile: allowVolatile)
      // The directory may be another one.
      lock = nil
      lock = try DirectoryLock(directory)
      let outcome = try Salvage.beginAnew(in: directory, from: old, cause: loss.words)
      // Not only of no use: closing it in good order would remove the write-ahead log of the new file.
      old.abandon()
      log = nil
      var (opened, report) = try LogDatabase.open(
        directory, options: options, idFloor: idFloor, after: outcome)
      report.volatileFileSystem = directory.volatileName
      log = opened
      reply(.opened(report), urgent: true)
    } catch {
      fail("\(loss.words): \(error)")
      return false
    }
    guard let registered else { return true }
    return failureOf { log throws(DatabaseError) in try log.register(batchSizes: registered) } == nil
  }

  /// Runs `body` once. A log that is of no use any more is let go, files and all, before this returns.
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
    let wait = pause.grow()
    retryAt = options.clock() + wait
    reply(.failing(reason: reason, waiting: waiting.records.count, retryAfter: wait), urgent: true)
  }

  private func tellFailure() {
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
    case .batch, .commitBorder, .acknowledge, .drop, .date, .register: true
    case .append, .note, .noteWithRecords, .settings, .token, .status, .newestLocation, .configure, .expire,
      .write, .examine, .settle, .retry, .close:
      false
    }
  }
}
