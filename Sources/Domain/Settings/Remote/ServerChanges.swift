import Quantities

/// Manages the values that servers have set, and their trials.
///
/// Every setting has its own trial. It is proven when a location recorded under it was stored and acknowledged by the server
/// that sent it. Otherwise it is rolled back to its last proven value after ``Rules/maxSilence``, independently of other
/// settings. After half of that time the device checks in, for a trial or because a server has stopped its sending. On a
/// host that sleeps between its contacts, ``mostMissedContacts`` of them without a proof end the trial, too.
///
/// The value performs no action and reads no clock: its owner passes events, carries out the returned actions, stores
/// ``record(now:boot:utc:)`` if an action requests it, and restores it after a restart, when the time continues.
///
/// A value applies only while the server that set it has the permission (``Rules/permissions``). If servers disagree about a value
/// of the whole device, the destination listed first in the file wins.
public struct ServerChanges: Equatable, Sendable {
  /// The number of rollbacks after which a value is not tried again.
  static let mostFailures = 3
  /// The largest number of changes of one setting by one server within ``hour``. Later values are postponed.
  public static let mostChanges = 6
  static let hour = Duration.seconds(3600)
  /// The number of consecutive short runs that rolls a trial back.
  static let mostBriefStarts = 10
  /// The number of planned contacts without a proof that rolls a trial back, if the host sleeps between them.
  public static let mostMissedContacts = 3
  /// The shortest run that does not count as a crash.
  static let lastingStart = Duration.seconds(60)
  private static let longestPauseBetweenRecords = Duration.seconds(3600)

  /// The values in force, proven or on trial.
  public private(set) var values: [ServerKey: String] = [:]
  /// The destination whose server set each value; without those that are unknown.
  public private(set) var setters: [ServerKey: String] = [:]
  public private(set) var trials: [ServerKey: Trial] = [:]
  public private(set) var failures: [ServerKey: Failure] = [:]
  public private(set) var rules: Rules
  /// The last response of each destination.
  private var contacts: [String: Moment] = [:]
  /// The reference time of a destination that has never responded.
  private let begin: Moment
  private var lastCheckIn: Moment?
  private var lastRecord: Moment
  private var limiter: ChangeRateLimiter
  /// The destinations with a contact since the wake-up of the host that proved nothing.
  private var missed: Set<String> = []
  /// The last known time in UTC, and its moment.
  private var wall: KnownTime?
  /// True if this run has lasted long enough not to count as a crash.
  private var isLasting = false

  public init(rules: Rules = Rules(), now: Moment) {
    self.rules = rules
    begin = now
    lastRecord = now
    limiter = ChangeRateLimiter(begin: now)
  }

  /// Restores the state of a record. The time between two boots is that of the system clock if it is plausible, and at
  /// least the uptime of the present boot.
  public init(_ record: ServerRecord, rules: Rules = Rules(), now: Moment, boot: String, utc: Timestamp) {
    self.init(rules: rules, now: now)
    let lapse = record.lapse(now: now, boot: boot, utc: utc)
    values = Dictionary(
      record.values.compactMap { entry in entry.value.map { (entry.key, $0) } },
      uniquingKeysWith: { first, _ in first })
    setters = record.setters.filter { values[$0.key] != nil }
    failures = Dictionary(
      record.failures.compactMap { entry in
        entry.value.map {
          let count = max(entry.failures ?? 1, 1)
          return (
            entry.key,
            Failure(value: $0, count: count, by: entry.by, mayBeRetried: entry.changed ?? false)
          )
        }
      }, uniquingKeysWith: { first, _ in first })
    for entry in record.waiting ?? [] {
      if let by = entry.by { limiter.postpone(entry.key, entry.value, by: by) }
    }
    lastCheckIn = record.checked_in_ms.map { now - (.milliseconds(max($0, 0)) + lapse) }
    for contact in record.contacts {
      contacts[contact.destination] = now - (.milliseconds(max(contact.ago_ms, 0)) + lapse)
    }
    let awake = record.timeAwake(now: now, boot: boot)
    for kept in record.everyTrial {
      let time = TrialTime(
        lasted: .milliseconds(max(kept.lasted_ms, 0)) + lapse,
        awake: .milliseconds(max(kept.awake_ms ?? kept.lasted_ms, 0)) + awake, start: kept.start, now: now)
      for entry in kept.before where trials[entry.key].map({ time.since < $0.since }) ?? true {
        trials[entry.key] = Trial(
          time: time, by: kept.by, afterRecord: kept.after_record, before: entry.value,
          beforeBy: entry.by, briefStarts: max(kept.brief_starts, 0) &+ 1,
          missedContacts: min(max(kept.missed_contacts ?? 0, 0), Self.mostMissedContacts))
      }
    }
  }

  // MARK: Times

  /// True if the logging mode that the destination's server has set is on trial.
  public func isLoggingModeOnTrial(for destination: String) -> Bool {
    trials.keys.contains { $0.isLoggingMode && ($0.destination ?? destination) == destination }
  }

  /// The moment at which a setting is rolled back without proof; nil for one that is not on trial.
  public func rollbackTime(_ key: ServerKey) -> Moment? { trials[key].map { $0.since + rules.maxSilence } }

  /// The moment of the first rollback; nil if nothing is on trial.
  public var rollbackTime: Moment? { trials.values.map(\.since).min().map { $0 + rules.maxSilence } }

  /// The moment of the next check-in; nil if no server has stopped sending and nothing is on trial.
  public var nextCheckIn: Moment? {
    guard rules.isTracking else { return nil }
    let half = rules.maxSilence / 2
    var due: [Moment] = rules.silenced.map { (contacts[$0] ?? begin) + half }
    due += trials.values.map { $0.since + half }
    guard let earliest = due.min() else { return nil }
    // A check-in without a response is repeated.
    return lastCheckIn.map { max(earliest, $0 + rules.maxSilence / 8) } ?? earliest
  }

  /// The moment at which ``handleTimeout(now:)`` must be called.
  public var nextTimeout: Moment? { [nextTask, nextRecord].compactMap { $0 }.min() }

  /// The moment for which a sleeping host must wake: nothing has to be stored while it sleeps.
  public var nextTask: Moment? {
    [rollbackTime, nextCheckIn, limiter.nextTimeout].compactMap { $0 }.min()
  }

  /// The moment at which the elapsed time is stored; nil if nothing depends on it.
  private var nextRecord: Moment? {
    if !isLasting, trials.values.contains(where: { $0.briefStarts > 0 }) { return begin + Self.lastingStart }
    let quietSince = trials.values.map(\.since).min() ?? rules.silenced.map { contacts[$0] ?? begin }.min()
    let pause = min(Self.longestPauseBetweenRecords, rules.maxSilence / 8)
    return [quietSince.map { max(lastRecord, $0) + pause }, limiter.storeTime].compactMap { $0 }.min()
  }

  // MARK: Events

  public mutating func handle(_ event: Event, now: Moment) -> [Action] {
    switch event {
    case .requested(let requested, let by, let afterRecord):
      return take(requested, by: by, afterRecord: afterRecord, now: now)
    case .unsetRequested(let keys, let by): return unset(keys, by: by, now: now)
    case .answered(let by, let newestLocation, let unproven):
      return handleAcknowledgement(by: by, newest: newestLocation, inSpiteOf: unproven, now: now)
    case .failed(let by):
      missed.insert(by)
      return []
    case .sleeping: return countMissedContacts(now: now)
    case .dated(let known):
      wall = KnownTime(time: known, at: now)
      for key in trials.keys { trials[key]?.time.follow(known, now: now) }
      return []
    case .rules(let rules):
      self.rules = rules
      return removeForbiddenValues(now: now)
    case .unset(let paths): return unset(paths, now: now)
    case .stopping:
      guard !trials.isEmpty || !rules.silenced.isEmpty || limiter.hasPostponed else { return [] }
      forgetBriefStarts()
      return keep(now: now)
    }
  }

  /// Returns the request to store the state.
  private mutating func keep(now: Moment) -> [Action] {
    lastRecord = now
    limiter.recordStored(now: now)
    return [.keep]
  }

  public mutating func handleTimeout(now: Moment) -> [Action] {
    let overdue = trials.filter { $0.value.since + rules.maxSilence <= now }.keys
    let back = rollBack(overdue, .unproven)
    let crashing = trials.filter { $0.value.briefStarts >= Self.mostBriefStarts }.keys
    let gone = back + rollBack(crashing, .crashes)
    guard gone.isEmpty else {
      if trials.isEmpty { lastCheckIn = nil }
      return gone + [.changed] + keep(now: now)
    }
    var actions = takeDue(now: now)
    if let nextCheckIn, nextCheckIn <= now {
      lastCheckIn = now
      let names = Set(trials.values.map(\.by)).union(rules.silenced)
      // Its location proves the trials, or nothing does.
      missed.formUnion(names)
      actions.append(.checkIn(names.sorted()))
    }
    if let nextRecord, nextRecord <= now {
      if begin + Self.lastingStart <= now {
        isLasting = true
        forgetBriefStarts()
      }
      actions += keep(now: now)
    }
    return actions
  }

  private mutating func forgetBriefStarts() {
    for key in trials.keys { trials[key]?.briefStarts = 0 }
  }

  private mutating func take(
    _ requested: [ServerKey: String], by: String, afterRecord: Int64, now: Moment
  ) -> [Action] {
    var began: [ServerKey] = []
    var refused: [ServerKey] = []
    var outranked: [Outranked] = []
    var postponed: [ServerKey] = []
    var hasNewSetter = false
    for (key, value) in requested.sorted(by: { $0.key < $1.key }) {
      let present = values[key]
      // The newest value replaces one that is postponed.
      let replaced = limiter.discard(key, by: by)
      var isNew = replaced != nil && replaced?.value != value
      if let failure = failures[key], failure.value != value, failure.by ?? by == by {
        failures[key]?.mayBeRetried = true
      }
      if present == value {
        hasNewSetter = assignSetter(key, by: by) || hasNewSetter
      } else if let present, let setter = setters[key], rules.permissions?.ranks(setter, before: by) ?? false
      {
        outranked.append(Outranked(key: key, value: value, present: present, setter: setter))
      } else if let failure = failures[key], failure.value == value,
        !failure.mayBeRetried || failure.count >= Self.mostFailures
      {
        refused.append(key)
      } else if !limiter.mayChange(key, by: by, now: now) {
        postponed.append(key)
        limiter.postpone(key, value, by: by)
        isNew = replaced?.value != value
      } else {
        began.append(key)
      }
      if isNew { limiter.recordPostponement(now: now) }
    }
    var actions: [Action] = refused.isEmpty ? [] : [.refused(refused)]
    if !outranked.isEmpty { actions.append(.outranked(outranked)) }
    actions += reportPostponed(postponed, by: by)
    guard !began.isEmpty else {
      return hasNewSetter ? actions + keep(now: now) : actions
    }
    for key in began {
      limiter.recordChange(of: key, by: by, now: now)
      if failures[key]?.value == requested[key] { failures[key]?.mayBeRetried = false }
      let before = trials[key].map(\.before) ?? values[key]
      let beforeBy = trials[key].map(\.beforeBy) ?? setters[key]
      (values[key], setters[key]) = (requested[key], by)
      // A value equal to the previous one needs no proof. Another value does not extend a trial in progress.
      trials[key] =
        before == values[key]
        ? nil
        : Trial(
          time: trials[key]?.time ?? TrialTime(startingAt: now, wall: wall?.time(at: now)),
          by: by, afterRecord: afterRecord, before: before, beforeBy: beforeBy)
    }
    if trials.isEmpty { lastCheckIn = nil }
    return actions + [.began(began), .changed] + keep(now: now)
  }

  /// Assigns a value in force to the server if its setter is unknown or follows the server in the file.
  private mutating func assignSetter(_ key: ServerKey, by: String) -> Bool {
    if let setter = setters[key] {
      guard rules.permissions?.ranks(by, before: setter) ?? false else { return false }
    }
    setters[key] = by
    trials[key]?.by = by
    return true
  }

  private mutating func handleAcknowledgement(
    by: String, newest: Int64?, inSpiteOf unproven: Set<String>, now: Moment
  ) -> [Action] {
    contacts[by] = now
    missed.remove(by)
    let isWatched = rules.silenced.contains(by)
    let proven = trials.filter { key, trial in
      trial.by == by && !unproven.contains(key.path) && newest.map { $0 > trial.afterRecord } ?? false
    }.keys.sorted()
    for key in proven { (trials[key], failures[key]) = (nil, nil) }
    // A trial that this response does not prove has its next check-in when it is due, not immediately.
    var wasWaiting = false
    if trials.isEmpty, isWatched || !proven.isEmpty {
      wasWaiting = lastCheckIn != nil
      lastCheckIn = nil
    }
    guard proven.isEmpty else { return [.proven(proven)] + keep(now: now) }
    // The time out of reach must be known after a restart, but not to the minute.
    guard isWatched, wasWaiting || now - lastRecord >= rules.maxSilence / 8 else { return [] }
    return keep(now: now)
  }

  /// Counts the contacts since the wake-up of the host. Rolls back the trials that had their last one.
  private mutating func countMissedContacts(now: Moment) -> [Action] {
    let names = missed
    missed = []
    var ended: [ServerKey] = []
    var isChanged = false
    for (key, trial) in trials where names.contains(trial.by) {
      isChanged = true
      trials[key]?.missedContacts = trial.missedContacts + 1
      if trial.missedContacts + 1 >= Self.mostMissedContacts { ended.append(key) }
    }
    guard isChanged else { return [] }
    let gone = rollBack(ended, .missedContacts)
    guard !gone.isEmpty else { return keep(now: now) }
    if trials.isEmpty { lastCheckIn = nil }
    return gone + [.changed] + keep(now: now)
  }

  private mutating func rollBack(_ keys: some Sequence<ServerKey>, _ reason: Reason) -> [Action] {
    var gone: [String: [ServerKey]] = [:]
    for key in keys.sorted() {
      guard let trial = trials.removeValue(forKey: key) else { continue }
      if let value = values[key] {
        let count = failures[key].flatMap { $0.value == value ? $0.count : nil } ?? 0
        failures[key] = Failure(value: value, count: min(count, Int.max - 1) + 1, by: trial.by)
      }
      (values[key], setters[key]) = (trial.before, trial.before == nil ? nil : trial.beforeBy)
      gone[trial.by, default: []].append(key)
    }
    return gone.sorted { $0.key < $1.key }.map { .rolledBack($0.value, by: $0.key, reason) }
  }

  /// Returns the postponed values that are due. Values that a server may no longer set are discarded.
  private mutating func takeDue(now: Moment) -> [Action] {
    var due: [String: [ServerKey: String]] = [:]
    var dueToUnset: [String: [ServerKey]] = [:]
    for request in limiter.takeDue(now: now) {
      guard rules.permissions?.objection(to: request.key, by: request.destination) == nil else { continue }
      if let value = request.value {
        due[request.destination, default: [:]][request.key] = value
      } else {
        dueToUnset[request.destination, default: []].append(request.key)
      }
    }
    return due.sorted { $0.key < $1.key }.map { .due($0.value, by: $0.key) }
      + dueToUnset.sorted { $0.key < $1.key }.map { .dueToUnset($0.value.sorted(), by: $0.key) }
  }

  /// Returns the reports about postponed settings.
  private mutating func reportPostponed(_ keys: [ServerKey], by name: String) -> [Action] {
    var (new, known): ([ServerKey], [ServerKey]) = ([], [])
    for key in keys {
      if limiter.recordReport(of: key, by: name) { new.append(key) } else { known.append(key) }
    }
    return (new.isEmpty ? [] : [.postponed(new, isNew: true)])
      + (known.isEmpty ? [] : [.postponed(known, isNew: false)])
  }

  /// True if the rate limit postpones a value that the server requests for the setting.
  public func isWaiting(_ key: ServerKey, by name: String) -> Bool { limiter.isPostponed(key, by: name) }

  // MARK: Removal by a server

  /// Removes a server's own values. A setting on trial gets the last proven value of another server back.
  private mutating func unset(_ keys: [ServerKey], by: String, now: Moment) -> [Action] {
    var (gone, foreign, postponed): ([ServerKey], [ServerKey], [ServerKey]) = ([], [], [])
    for key in Set(keys).sorted() {
      let replaced = limiter.discard(key, by: by)
      var isNew = replaced?.value != nil
      if failures[key].map({ $0.by ?? by == by }) ?? false { failures[key]?.mayBeRetried = true }
      if values[key] == nil || (setters[key] ?? key.destination) != by {
        if replaced == nil { foreign.append(key) } else { isNew = true }
      } else if limiter.mayChange(key, by: by, now: now) {
        gone.append(key)
      } else {
        postponed.append(key)
        limiter.postpone(key, nil, by: by)
        isNew = isNew || replaced == nil
      }
      if isNew { limiter.recordPostponement(now: now) }
    }
    var actions: [Action] = foreign.isEmpty ? [] : [.notItsOwn(foreign)]
    actions += reportPostponed(postponed, by: by)
    for key in gone {
      limiter.recordChange(of: key, by: by, now: now)
      let trial = trials.removeValue(forKey: key)
      let restored = trial.flatMap { $0.beforeBy == by || key.destination == by ? nil : $0.before }
      (values[key], setters[key]) = (restored, restored == nil ? nil : trial?.beforeBy)
    }
    guard !gone.isEmpty else { return actions }
    if trials.isEmpty { lastCheckIn = nil }
    return actions + [.unset(gone, by: by), .changed] + keep(now: now)
  }

  // MARK: Loss of permission, and the operator

  /// Removes values that a server may no longer set. A trial ends with the previous value if that is still permitted.
  private mutating func removeForbiddenValues(now: Moment) -> [Action] {
    guard let permissions = rules.permissions else { return [] }
    var gone: [Rollback: [ServerKey]] = [:]
    var isChanged = false
    for key in Set(values.keys).union(trials.keys).sorted() {
      let isPreviousValuePermitted = permissions.objection(to: key, by: trials[key]?.beforeBy) == nil
      if !isPreviousValuePermitted, trials[key]?.before != nil {
        trials[key]?.before = nil
        trials[key]?.beforeBy = nil
        isChanged = true
      }
      guard let objection = permissions.objection(to: key, by: setters[key]) else { continue }
      let rollback = Rollback(by: key.destination ?? setters[key] ?? "", reason: .mayNotSet(objection))
      gone[rollback, default: []].append(key)
      let trial = trials.removeValue(forKey: key)
      failures[key] = nil
      (values[key], setters[key]) = (trial?.before, trial?.before == nil ? nil : trial?.beforeBy)
    }
    guard gone.isEmpty else { return reportRollbacks(gone, now: now) }
    return isChanged ? keep(now: now) : []
  }

  private mutating func unset(_ paths: Set<String>, now: Moment) -> [Action] {
    var gone: [Rollback: [ServerKey]] = [:]
    for key in Set(values.keys).union(trials.keys).sorted() where paths.contains(key.path) {
      gone[Rollback(by: key.destination ?? setters[key] ?? "", reason: .unset), default: []].append(key)
      (values[key], setters[key], trials[key]) = (nil, nil, nil)
    }
    limiter.discard(paths)
    let failed = failures.keys.filter { paths.contains($0.path) }
    for key in failed { failures[key] = nil }
    guard gone.isEmpty else { return reportRollbacks(gone, now: now) }
    return failed.isEmpty ? [] : [.keep]
  }

  private struct Rollback: Hashable {
    var by: String
    var reason: Reason
  }

  private mutating func reportRollbacks(_ gone: [Rollback: [ServerKey]], now: Moment) -> [Action] {
    if trials.isEmpty { lastCheckIn = nil }
    let rows = gone.sorted {
      ($0.key.by, $0.value.first?.path ?? "") < ($1.key.by, $1.value.first?.path ?? "")
    }
    return rows.map { .rolledBack($0.value, by: $0.key.by, $0.key.reason) } + [.changed] + keep(now: now)
  }

  // MARK: The record

  /// The record for the next start. `utc` is the system time, which is used only if it is plausible.
  public func record(now: Moment, boot: String, utc: Timestamp) -> ServerRecord {
    var record = ServerRecord()
    record.values = values.sorted { $0.key < $1.key }.map {
      .init(key: $0.key, value: $0.value, by: setters[$0.key])
    }
    record.trials = trials.sorted { $0.key < $1.key }.map { key, trial in
      ServerRecord.Trial(
        by: trial.by, after_record: trial.afterRecord, lasted_ms: (now - trial.since).wholeMilliseconds,
        before: [.init(key: key, value: trial.before, by: trial.beforeBy)], brief_starts: trial.briefStarts,
        awake_ms: trial.time.awake(now: now).wholeMilliseconds,
        started_ms: trial.time.start?.time.milliseconds,
        started_quality: trial.time.start.map { "\($0.quality.word)" },
        missed_contacts: trial.missedContacts > 0 ? trial.missedContacts : nil)
    }
    record.checked_in_ms = lastCheckIn.map { (now - $0).wholeMilliseconds }
    record.failures = failures.sorted { $0.key < $1.key }.map {
      .init(
        key: $0.key, value: $0.value.value, failures: $0.value.count, by: $0.value.by,
        changed: $0.value.mayBeRetried ? true : nil)
    }
    record.waiting =
      limiter.hasPostponed
      ? limiter.postponed.map { .init(key: $0.key, value: $0.value, by: $0.destination) } : nil
    record.contacts = rules.silenced.sorted().map { name in
      .init(destination: name, ago_ms: (now - (contacts[name] ?? begin)).wholeMilliseconds)
    }
    (record.boot, record.moment_ms) = (boot, now.nanoseconds / 1_000_000)
    record.utc_ms = utc.milliseconds
    return record
  }
}
