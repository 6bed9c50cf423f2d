import Quantities

/// Limits how often each server changes each setting, so that a server with a new value in every response does not wear the
/// storage medium. The last request that comes too early is postponed: a value, or its removal.
///
/// The changes are not stored for the next start. The postponed requests are, at ``storeTime``: within a second, and of a
/// server with a new value in every response once a minute.
struct ChangeRateLimiter: Equatable, Sendable {
  /// A value that a server requested too early, or nil for its removal.
  struct Postponed: Equatable {
    let key: ServerKey
    let value: String?
    let destination: String
  }

  /// A server and a setting that it changes.
  private struct Changer: Hashable, Sendable {
    let key: ServerKey
    let destination: String
  }

  /// The recent changes of a setting by a server.
  private struct Limit: Equatable, Sendable {
    private var changes: [Moment] = []
    /// True if the postponement was reported since the last change.
    private(set) var isReported = false

    func mayChange(at now: Moment) -> Bool {
      changes.count < ServerChanges.mostChanges || changes.contains { now - $0 >= ServerChanges.hour }
    }

    /// The first moment at which ``mayChange(at:)`` is true.
    var nextChange: Moment? {
      changes.count < ServerChanges.mostChanges ? .zero : changes.min().map { $0 + ServerChanges.hour }
    }

    mutating func recordChange(at now: Moment) {
      changes.removeAll { now - $0 >= ServerChanges.hour }
      changes.append(now)
      isReported = false
    }

    mutating func recordReport() { isReported = true }
  }

  private var limits: [Changer: Limit] = [:]
  /// The postponed values; an inner nil stands for the removal of the value.
  private var waiting: [Changer: String?] = [:]
  /// The time since which the postponed requests differ from the stored ones; nil if they do not.
  private var unstoredSince: Moment?
  /// The last time at which they were stored.
  private var lastStore: Moment?

  private static let storeDelay = Duration.seconds(1)
  private static let pauseBetweenStores = Duration.seconds(60)
  /// The time at which values that an earlier run postponed are due.
  private let begin: Moment

  init(begin: Moment) { self.begin = begin }

  var hasPostponed: Bool { !waiting.isEmpty }

  /// The postponed values, sorted by key.
  var postponed: [Postponed] {
    waiting.map { Postponed(key: $0.key.key, value: $0.value, destination: $0.key.destination) }
      .sorted { ($0.key, $0.destination) < ($1.key, $1.destination) }
  }

  /// The moment at which the first postponed value may be applied; nil if there is none.
  var nextTimeout: Moment? { waiting.keys.map(due).min() }

  private func due(_ changer: Changer) -> Moment { limits[changer]?.nextChange ?? begin }

  func isPostponed(_ key: ServerKey, by name: String) -> Bool {
    waiting[Changer(key: key, destination: name)] != nil
  }

  func mayChange(_ key: ServerKey, by name: String, now: Moment) -> Bool {
    limits[Changer(key: key, destination: name)]?.mayChange(at: now) ?? true
  }

  mutating func recordChange(of key: ServerKey, by name: String, now: Moment) {
    limits[Changer(key: key, destination: name), default: Limit()].recordChange(at: now)
  }

  /// Records that the postponement is reported. Returns true if it was not since the last change.
  mutating func recordReport(of key: ServerKey, by name: String) -> Bool {
    let changer = Changer(key: key, destination: name)
    defer { limits[changer]?.recordReport() }
    return limits[changer]?.isReported != true
  }

  /// Postpones a value, or its removal if it is nil.
  mutating func postpone(_ key: ServerKey, _ value: String?, by name: String) {
    waiting.updateValue(value, forKey: Changer(key: key, destination: name))
  }

  /// The time at which the postponed requests must be stored; nil if they are.
  var storeTime: Moment? {
    unstoredSince.map { since in
      max(since + Self.storeDelay, lastStore.map { $0 + Self.pauseBetweenStores } ?? since)
    }
  }

  /// Records that the postponed requests have changed.
  mutating func recordPostponement(now: Moment) { unstoredSince = unstoredSince ?? now }

  /// Records that the postponed requests are stored.
  mutating func recordStored(now: Moment) {
    guard unstoredSince != nil else { return }
    (unstoredSince, lastStore) = (nil, now)
  }

  /// Discards and returns a postponed request; nil if there is none.
  mutating func discard(_ key: ServerKey, by name: String) -> Postponed? {
    waiting.removeValue(forKey: Changer(key: key, destination: name)).map {
      Postponed(key: key, value: $0, destination: name)
    }
  }

  /// Discards the postponed values of these settings.
  mutating func discard(_ paths: Set<String>) {
    waiting = waiting.filter { !paths.contains($0.key.key.path) }
  }

  /// Removes and returns the requests that are due.
  mutating func takeDue(now: Moment) -> [Postponed] {
    let due = waiting.filter { self.due($0.key) <= now }
    for changer in due.keys { waiting.removeValue(forKey: changer) }
    return due.map { Postponed(key: $0.key.key, value: $0.value, destination: $0.key.destination) }
  }
}
