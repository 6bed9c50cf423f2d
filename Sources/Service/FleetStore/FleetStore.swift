import EventLoop
import FleetPolicy
import FleetRecords
import PostgreSQL
import Quantities
import System

/// The fleet's database behind the ingest server: groups of uploads, each committed in one transaction.
///
/// An upload passes three stages: its device is found or created, its partitions are made, and it is committed in a
/// group. The tables must exist (``FleetSchema``).
public final class FleetStore: UploadStore {
  private struct Parts {
    let control: PostgresConnection
    let tokens: TokenDirectory
    let devices: DeviceDirectory
    let partitions: PartitionKeeper
    let settings: SettingsExchange
    let questions: QuestionDirectory
    let disabled: DisabledDevices
    let jobs: FleetJobs
    let writers: [GroupWriter]

    /// Reads what operators want of devices.
    func refresh() {
      settings.refresh()
      questions.refresh()
      disabled.refresh()
    }

    var isFresh: Bool { settings.isFresh && questions.isFresh && disabled.isFresh }
  }

  /// The desired settings, the questions to devices and the disabled devices are read anew at this interval.
  private static let settingsInterval = Duration.seconds(10)

  private let loop: EventLoop
  private let rules: FleetStoreRules
  private let onNotice: (FleetNotice) -> Void
  private var parts: Parts?
  private var queue: GroupQueue<Submission>
  private var timers: [LoopTimer] = []
  private var health = WriteHealth()
  private var waitingClock = WaitingClock()
  /// The uploads that are not finished, in order of arrival; finished ones are removed from the front.
  private var pending: [Submission] = []
  /// The uploads before it are finished.
  private var firstPending = 0
  private var nextRefresh = Moment.zero
  private var isDatabaseLost = false
  private var isFailing = false
  public private(set) var pendingBytes = 0
  private var ownCounts = FleetStoreCounts()

  /// Connects to the database, and stays connected. `database` is a connection string or URI of libpq.
  public init(
    database: String, loop: EventLoop, rules: FleetStoreRules = FleetStoreRules(),
    onNotice: @escaping (FleetNotice) -> Void = { _ in }
  ) {
    self.loop = loop
    self.rules = rules
    self.onNotice = onNotice
    queue = GroupQueue(rules.group)
    let control = PostgresConnection(database, loop: loop) { [weak self] in self?.handle($0) }
    let writers = (0..<max(rules.connections, 1)).map { _ in
      GroupWriter(database: database, loop: loop, requestTime: rules.requestTime) { [weak self] in
        self?.dispatch()
        self?.testWrites()
      }
    }
    let partitions = PartitionKeeper(control, locations: rules.locationPartitions)
    let jobs = FleetJobs(database: database, loop: loop, retention: rules.retention) { [weak self] in
      self?.handle($0)
    }
    let tokens = TokenDirectory(control, loop: loop)
    let devices = DeviceDirectory(control, enrolments: rules.enrolments, now: { loop.now })
    parts = Parts(
      control: control, tokens: tokens, devices: devices, partitions: partitions,
      settings: SettingsExchange(control), questions: QuestionDirectory(control),
      disabled: DisabledDevices(control) {
        tokens.remove($0)
        devices.remove($0)
      }, jobs: jobs, writers: writers)
    timers = [
      loop.addTimer("fleet group") { [weak self] _ in self?.dispatch() },
      loop.addTimer("fleet sweep") { [weak self] now in self?.sweep(now) },
    ]
    timers.last?.arm(after: WaitingClock.step)
    control.start()
    for writer in writers { writer.connection.start() }
    jobs.start()
  }

  /// Ends all connections. Uploads that are not committed are `.unavailable`.
  public func stop() {
    guard let parts else { return }
    self.parts = nil
    for timer in timers { loop.removeTimer(timer) }
    parts.jobs.stop()
    parts.control.close()
    for writer in parts.writers { writer.connection.close() }
    for submission in pending { finish(submission, .unavailable) }
    pending = []
    firstPending = 0
  }

  /// Reads the desired settings, the questions to devices and the disabled devices now, instead of within 10 s.
  public func refreshSettings() { parts?.refresh() }

  /// True if all of them were read since the last ``refreshSettings()``.
  public var hasSettings: Bool { parts?.isFresh ?? false }

  /// Counts since the start.
  public var counts: FleetStoreCounts {
    var counts = ownCounts
    counts.connections = (parts?.writers ?? []).count { $0.connection.isConnected }
    return counts
  }

  /// The whole fleet in numbers; nil unless this collector does the jobs.
  public var summary: FleetSummary? { parts?.jobs.summary }

  // MARK: UploadStore

  public var isHealthy: Bool {
    isConnected && health.isHealthy(waiting: waiting, now: loop.now)
  }

  public var isSlow: Bool { rules.intake.isSlow(waiting: waiting) }

  public var writeFault: WriteFault? { isConnected ? health.fault : .unreachable }

  public func access(forTokenHash hash: [UInt8], completion: @escaping (Access?) -> Void) {
    guard let parts, parts.control.isConnected else { return loop.callNextTurn { completion(nil) } }
    parts.tokens.access(forTokenHash: hash, completion: completion)
  }

  public func store(_ upload: Upload, access: Access, completion: @escaping (UploadOutcome) -> Void) {
    let submission = Submission(
      upload, access: access, age: RecordAge(rules.retention, now: loop.clock.timestamp()), arrival: loop.now,
      waitingSince: waitingClock.time, received: loop.clock.timestamp(), completion: completion)
    let isAdmitted = rules.intake.admits(
      bytes: submission.bytes, pending: pendingBytes, waiting: waiting, isConnected: isConnected)
    guard isAdmitted, health.fault?.isOfTables != true else {
      ownCounts.unavailable += 1
      return loop.callNextTurn { submission.finish(.unavailable) }
    }
    pending.append(submission)
    pendingBytes += submission.bytes
    loop.callNextTurn { [weak self] in self?.prepare(submission) }
  }

  private var isConnected: Bool {
    guard let parts else { return false }
    return parts.control.isConnected && parts.writers.contains { $0.connection.isConnected }
  }

  /// The age of the oldest upload that is not committed.
  private var waiting: Duration? {
    while firstPending < pending.count, pending[firstPending].isFinished { firstPending += 1 }
    return firstPending < pending.count ? waiting(pending[firstPending]) : nil
  }

  private func waiting(_ submission: Submission) -> Duration { waitingClock.time - submission.waitingSince }

  // MARK: Preparation

  private func prepare(_ submission: Submission) {
    guard let parts, !submission.isFinished else { return }
    if let fault = Self.fault(in: submission.upload) {
      return reject(submission, reason: fault)
    }
    parts.devices.admit(submission.upload, access: submission.access) { [weak self] admission in
      guard let self, !submission.isFinished else { return }
      switch admission {
      case .refused(let reason): finish(submission, .refused(reason: reason))
      case .limited(let delay):
        ownCounts.enrolmentsLimited += 1
        finish(submission, .limited(delay: delay))
      case .unavailable(let reason):
        if !reason.isEmpty {
          health.uploadFailed(now: loop.now)
          reportFailure(reason)
        }
        fail(submission)
      case .admitted(let device, let log, let token):
        submission.owner = Submission.Owner(device: device, log: log, token: token)
        if token != nil { ownCounts.enrolled += 1 }
        ensurePartitions(submission)
      }
    }
  }

  /// The ranges of PostgreSQL exclude their upper bound, which must be a number, too.
  private static func fault(in upload: Upload) -> String? {
    guard let range = upload.range else { return nil }
    return range.lowerBound < 0 || range.upperBound == .max ? "from and through are out of range" : nil
  }

  private func ensurePartitions(_ submission: Submission) {
    guard let parts else { return }
    parts.partitions.ensure(for: submission.upload, received: submission.received) { [weak self] isDone in
      guard let self, !submission.isFinished else { return }
      guard isDone else { return fail(submission) }
      queue.append(
        submission, rows: submission.rows, bytes: submission.bytes, arrival: loop.now)
      dispatch()
    }
  }

  // MARK: Groups

  /// Gives groups to free connections, and arms the timer for the next one.
  private func dispatch() {
    // Until the control connection is back, numbers of devices may be those of another database.
    guard let parts, parts.control.isConnected else { return }
    for writer in parts.writers where writer.isFree {
      guard let group = queue.takeGroup(now: loop.now) else { break }
      let unfinished = group.filter { !$0.isFinished }
      guard !unfinished.isEmpty else { continue }
      commit(unfinished, by: writer, parts)
    }
    let isAnyFree = parts.writers.contains { $0.isFree }
    timers.first?.arm(at: isAnyFree ? queue.nextTimeout : nil)
  }

  private func commit(_ group: [Submission], by writer: GroupWriter, _ parts: Parts) {
    let start = loop.now
    let settings = parts.settings
    for submission in group { submission.attempts += 1 }
    writer.commit(
      group, age: RecordAge(rules.retention, now: loop.clock.timestamp()), now: loop.clock.timestamp(),
      desired: settings.whole(for:)
    ) { [weak self] result in
      guard let self else { return }
      switch result {
      case .success(let receipts):
        ownCounts.groups += 1
        ownCounts.groupRows.add(Double(group.reduce(0) { $0 + $1.rows }))
        ownCounts.commitSeconds.add((loop.now - start).inSeconds)
        health.uploadStored(now: loop.now)
        isFailing = false
        for (submission, receipt) in zip(group, receipts) { complete(submission, receipt) }
      case .failure(let error):
        ownCounts.failedGroups += 1
        handle(error, of: group)
      }
      dispatch()
    }
  }

  private func complete(_ submission: Submission, _ receipt: Receipt) {
    var receipt = receipt
    receipt.expired = submission.expired
    receipt.token = submission.owner?.token
    ownCounts.stored += receipt.saved
    ownCounts.known += receipt.known
    ownCounts.expired += receipt.expired
    let upload = submission.upload
    if submission.owner?.log != nil, receipt.have == nil, upload.range != nil || upload.first != nil {
      // The log was erased while its number was remembered.
      parts?.devices.removeAll()
    }
    if let parts, let owner = submission.owner, owner.log != nil || submission.upload.report != nil {
      receipt.question = parts.questions.question(for: owner.device.number, after: submission.upload.report)
    }
    guard let parts, let owner = submission.owner,
      parts.settings.concerns(owner.device, report: submission.upload.report)
    else { return finish(submission, .stored(receipt)) }
    parts.settings.addSettings(to: receipt, for: owner.device, report: submission.upload.report) {
      [weak self] in
      self?.finish(submission, .stored($0))
    }
  }

  private func handle(_ error: PostgresError, of group: [Submission]) {
    switch error {
    case .unreachable, .interrupted:
      // Committed or not: a repetition finds the rows that are there already. A device has waited for long enough if the
      // database did not answer.
      for submission in group where rules.intake.isSlow(waiting: waiting(submission)) { fail(submission) }
      putBack(group.filter { !$0.isFinished }, areAlone: false)
    case .invalid(_, let reason): isolate(group, reason: reason)
    case .rejected(let answer):
      let isLastAttempt = group.contains { $0.attempts >= rules.mostAttempts }
      switch FailureVerdict(state: answer.state, constraint: answer.constraint) {
      case .isolate: isolate(group, reason: answer.message)
      case .repeatGroup where !isLastAttempt: putBack(group, areAlone: false)
      case .renewPartitions where !isLastAttempt:
        parts?.partitions.invalidate()
        for submission in group { ensurePartitions(submission) }
      case .renewDevices where !isLastAttempt:
        parts?.devices.removeAll()
        parts?.tokens.removeAll()
        for submission in group { prepare(submission) }
      case .repeatGroup, .renewPartitions, .renewDevices, .unavailable:
        health.uploadFailed(now: loop.now)
        reportFailure("\(error)")
        for submission in group { fail(submission) }
      }
    }
  }

  /// Reports a failure once until a group succeeds.
  private func reportFailure(_ reason: String) {
    if !isFailing { onNotice(.groupFailed(reason: reason)) }
    isFailing = true
  }

  /// Repeats every upload alone; one that was alone already can never be stored.
  private func isolate(_ group: [Submission], reason: String) {
    guard group.count == 1, let submission = group.first else { return putBack(group, areAlone: true) }
    reject(submission, reason: reason)
  }

  private func putBack(_ group: [Submission], areAlone: Bool) {
    queue.putBack(
      group.map { (item: $0, rows: $0.rows, bytes: $0.bytes, arrival: $0.arrival) }, areAlone: areAlone)
  }

  // MARK: Ends

  private func reject(_ submission: Submission, reason: String) {
    ownCounts.rejected += 1
    onNotice(
      .uploadRejected(device: submission.owner?.device.name ?? submission.upload.deviceID, reason: reason))
    finish(submission, .rejected(reason: reason, record: submission.onlyRecord))
  }

  private func fail(_ submission: Submission) {
    ownCounts.unavailable += 1
    finish(submission, .unavailable)
  }

  private func finish(_ submission: Submission, _ outcome: UploadOutcome) {
    guard !submission.isFinished else { return }
    pendingBytes -= submission.bytes
    submission.finish(outcome)
  }

  /// Ends uploads that wait for a connection or an answer for too long. Those in a transaction wait for its end.
  private func sweep(_ now: Moment) {
    waitingClock.advance()
    let isCommitting = Set((parts?.writers ?? []).flatMap(\.group).map(ObjectIdentifier.init))
    for submission in pending
    where !submission.isFinished && rules.intake.isSlow(waiting: waiting(submission))
      && !isCommitting.contains(ObjectIdentifier(submission))
    {
      fail(submission)
    }
    queue.removeAll { $0.isFinished }
    pending.removeAll { $0.isFinished }
    firstPending = 0
    if now >= nextRefresh, let parts, parts.control.isConnected {
      nextRefresh = now + Self.settingsInterval
      parts.refresh()
    }
    testWrites()
    timers.last?.arm(after: WaitingClock.step)
  }

  // MARK: Test writes

  /// Tests by a free connection if the database accepts writes.
  private func testWrites() {
    guard let parts, parts.control.isConnected else { return }
    let before = health.fault
    health.noteSlowTest(now: loop.now)
    report(health.fault, after: before)
    guard health.isTestDue(now: loop.now), let writer = parts.writers.first(where: \.isFree) else { return }
    health.testBegan(now: loop.now)
    writer.test { [weak self] fault in
      guard let self else { return }
      report(fault, after: health.fault)
      health.testEnded(fault, now: loop.now)
      dispatch()
    }
  }

  /// Reports a new fault; the end of a connection is reported elsewhere.
  private func report(_ fault: WriteFault?, after before: WriteFault?) {
    if let fault, fault != before, fault != .unreachable { onNotice(.groupFailed(reason: "\(fault)")) }
  }

  // MARK: Events of the parts

  private func handle(_ event: PostgresConnection.Event) {
    switch event {
    case .connected:
      parts?.partitions.invalidate()
      prepareAnew()
      parts?.refresh()
      nextRefresh = loop.now + Self.settingsInterval
      health = WriteHealth()
      testWrites()
      if isDatabaseLost { onNotice(.databaseReturned) }
      isDatabaseLost = false
    case .lost(let error):
      if !isDatabaseLost { onNotice(.databaseLost(reason: "\(error)")) }
      isDatabaseLost = true
    }
  }

  /// Forgets the numbers of devices and logs: after a failover or a restored backup, they may be those of others.
  private func prepareAnew() {
    parts?.devices.removeAll()
    parts?.tokens.removeAll()
    var prepared: [Submission] = []
    queue.removeAll { submission in
      prepared.append(submission)
      return true
    }
    for submission in prepared { prepare(submission) }
  }

  private func handle(_ event: FleetJobs.Event) {
    switch event {
    case .done: break
    case .failed(let job, let reason): onNotice(.jobFailed(job: job, reason: reason))
    case .partitionsRemoved: parts?.partitions.invalidate()
    }
  }
}

extension Submission {
  fileprivate var rows: Int { upload.rowCount }

  /// The number of the only record, if there is one.
  fileprivate var onlyRecord: Int64? {
    guard upload.rowCount == 1 else { return nil }
    return upload.locations.first?.id.record ?? upload.visits.first?.id.record ?? upload.trips.first?.id
      .record
      ?? upload.actions.first?.id.record ?? upload.events.first?.id.record
  }
}
