import Quantities

/// Manages the values that servers have set, and their trials.
///
/// Every setting has its own trial. It is proven when a location recorded under it was stored and acknowledged by the server
/// that sent it. Otherwise it is rolled back to its last proven value after ``Rules/maxSilence``, independently of other
/// settings. After half of that time the device checks in, for a trial or because a server has stopped its sending.
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
      guard let value = entry.value, let by = entry.by else { continue }
      limiter.postpone(entry.key, value, by: by)
    }
    for contact in record.contacts {
      contacts[contact.destination] = now - (.milliseconds(max(contact.ago_ms, 0)) + lapse)
    }
    for kept in record.everyTrial {
      let since = now - (.milliseconds(max(kept.lasted_ms, 0)) + lapse)
      for entry in kept.before where trials[entry.key].map({ since < $0.since }) ?? true {
        trials[entry.key] = Trial(
          since: since, by: kept.by, afterRecord: kept.after_record, before: entry.value,
          beforeBy: entry.by, briefStarts: max(kept.brief_starts, 0) &+ 1)
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
  public var nextTimeout: Moment? {
    [rollbackTime, nextCheckIn, nextRecord, limiter.nextTimeout].compactMap { $0 }.min()
  }

  /// The moment at which the elapsed time is stored; nil if nothing depends on it.
  private var nextRecord: Moment? {
    if !isLasting, trials.values.contains(where: { $0.briefStarts > 0 }) { return begin + Self.lastingStart }
    let quietSince = trials.values.map(\.since).min() ?? rules.silenced.map { contacts[$0] ?? begin }.min()
    let pause = min(Self.longestPauseBetweenRecords, rules.maxSilence / 8)
    return quietSince.map { max(lastRecord, $0) + pause }
  }

  // MARK: Events

  public mutating func handle(_ event: Event, now: Moment) -> [Action] {
    switch event {
    case .requested(let requested, let by, let afterRecord):
      return take(requested, by: by, afterRecord: afterRecord, now: now)
    case .answered(let by, let newestLocation, let unproven):
      return handleAcknowledgement(by: by, newest: newestLocation, inSpiteOf: unproven, now: now)
    case .rules(let rules):
      self.rules = rules
      return removeForbiddenValues(now: now)
    case .unset(let paths): return unset(paths, now: now)
    case .stopping:
      guard !trials.isEmpty || !rules.silenced.isEmpty || limiter.hasPostponed else { return [] }
      forgetBriefStarts()
      lastRecord = now
      return [.keep]
    }
  }

  public mutating func handleTimeout(now: Moment) -> [Action] {
    let overdue = trials.filter { $0.value.since + rules.maxSilence <= now }.keys
    let back = rollBack(overdue, .unproven)
    let crashing = trials.filter { $0.value.briefStarts >= Self.mostBriefStarts }.keys
    let gone = back + rollBack(crashing, .crashes)
    guard gone.isEmpty else {
      if trials.isEmpty { lastCheckIn = nil }
      lastRecord = now
      return gone + [.changed, .keep]
    }
    var actions = takeDue(now: now)
    if let nextCheckIn, nextCheckIn <= now {
      lastCheckIn = now
      actions.append(.checkIn(Set(trials.values.map(\.by)).union(rules.silenced).sorted()))
    }
    if let nextRecord, nextRecord <= now {
      if begin + Self.lastingStart <= now {
        isLasting = true
        forgetBriefStarts()
      }
      lastRecord = now
      actions.append(.keep)
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
      limiter.discard(key, by: by)
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
      } else {
        began.append(key)
      }
    }
    var actions: [Action] = refused.isEmpty ? [] : [.refused(refused)]
    if !outranked.isEmpty { actions.append(.outranked(outranked)) }
    actions += reportPostponed(postponed, by: by)
    guard !began.isEmpty else {
      guard hasNewSetter else { return actions }
      lastRecord = now
      return actions + [.keep]
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
          since: trials[key]?.since ?? now, by: by, afterRecord: afterRecord, before: before,
          beforeBy: beforeBy)
    }
    if trials.isEmpty { lastCheckIn = nil }
    lastRecord = now
    return actions + [.began(began), .changed, .keep]
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
    guard proven.isEmpty else {
      lastRecord = now
      return [.proven(proven), .keep]
    }
    // The time out of reach must be known after a restart, but not to the minute.
    guard isWatched, wasWaiting || now - lastRecord >= rules.maxSilence / 8 else { return [] }
    lastRecord = now
    return [.keep]
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
    for value in limiter.takeDue(now: now) {
      guard rules.permissions?.objection(to: value.key, by: value.destination) == nil else { continue }
      due[value.destination, default: [:]][value.key] = value.value
    }
    return due.sorted { $0.key < $1.key }.map { .due($0.value, by: $0.key) }
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
    guard isChanged else { return [] }
    lastRecord = now
    return [.keep]
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
    lastRecord = now
    let rows = gone.sorted {
      ($0.key.by, $0.value.first?.path ?? "") < ($1.key.by, $1.value.first?.path ?? "")
    }
    return rows.map { .rolledBack($0.value, by: $0.key.by, $0.key.reason) } + [.changed, .keep]
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
        before: [.init(key: key, value: trial.before, by: trial.beforeBy)], brief_starts: trial.briefStarts)
    }
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
