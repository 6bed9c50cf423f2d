import Quantities

// The rate limit of changes, so that a server with a new value in every response does not wear the storage medium.
extension ServerChanges {
  /// A server and a setting that it changes.
  struct Changer: Hashable, Sendable {
    var key: ServerKey
    var destination: String
  }

  /// The recent changes that count for the rate limit.
  struct RateLimit: Equatable, Sendable {
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

  func mayChange(_ key: ServerKey, by name: String, now: Moment) -> Bool {
    rateLimits[Changer(key: key, destination: name)]?.mayChange(at: now) ?? true
  }

  mutating func recordChange(of key: ServerKey, by name: String, now: Moment) {
    rateLimits[Changer(key: key, destination: name), default: RateLimit()].recordChange(at: now)
  }

  /// True if the rate limit postpones a value that the server requests for the setting.
  public func isWaiting(_ key: ServerKey, by name: String) -> Bool {
    waiting[Changer(key: key, destination: name)] != nil
  }

  /// The moment at which the first postponed value may be applied; nil if there is none.
  var nextWaiting: Moment? {
    waiting.keys.map { rateLimits[$0]?.nextChange ?? begin }.min()
  }

  /// Returns the postponed values that are due. Values that a server may no longer set are discarded.
  mutating func takeDue(now: Moment) -> [Action] {
    var due: [String: [ServerKey: String]] = [:]
    for (changer, value) in waiting where (rateLimits[changer]?.nextChange ?? begin) <= now {
      waiting[changer] = nil
      guard rules.permissions?.objection(to: changer.key, by: changer.destination) == nil else { continue }
      due[changer.destination, default: [:]][changer.key] = value
    }
    return due.sorted { $0.key < $1.key }.map { .due($0.value, by: $0.key) }
  }

  /// Returns the reports about postponed settings.
  mutating func reportPostponed(_ keys: [ServerKey], by name: String) -> [Action] {
    var (new, known): ([ServerKey], [ServerKey]) = ([], [])
    for key in keys {
      let changer = Changer(key: key, destination: name)
      if rateLimits[changer]?.isReported == true { known.append(key) } else { new.append(key) }
      rateLimits[changer]?.recordReport()
    }
    return (new.isEmpty ? [] : [.postponed(new, isNew: true)])
      + (known.isEmpty ? [] : [.postponed(known, isNew: false)])
  }
}
