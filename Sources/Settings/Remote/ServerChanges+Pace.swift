import Quantities

// A server that wants something else with each answer must not wear the medium.
extension ServerChanges {
  /// One server, and one setting that it changes.
  struct Changer: Hashable, Sendable {
    var key: ServerKey
    var destination: String
  }

  /// When somebody changed something, as far as that still counts.
  struct Pace: Equatable, Sendable {
    private var changes: [Moment] = []
    /// That it has to wait was told since its last change.
    private(set) var wasTold = false

    func mayChange(at now: Moment) -> Bool {
      changes.count < ServerChanges.mostChanges || changes.contains { now - $0 >= ServerChanges.hour }
    }

    /// The first moment at which ``mayChange(at:)`` holds.
    var nextChange: Moment? {
      changes.count < ServerChanges.mostChanges ? .zero : changes.min().map { $0 + ServerChanges.hour }
    }

    mutating func noteChange(at now: Moment) {
      changes.removeAll { now - $0 >= ServerChanges.hour }
      changes.append(now)
      wasTold = false
    }

    mutating func noteTold() { wasTold = true }
  }

  func mayChange(_ key: ServerKey, by name: String, now: Moment) -> Bool {
    paces[Changer(key: key, destination: name)]?.mayChange(at: now) ?? true
  }

  mutating func noteChange(of key: ServerKey, by name: String, now: Moment) {
    paces[Changer(key: key, destination: name), default: Pace()].noteChange(at: now)
  }

  /// Whether something that the server wants of the setting waits for its hour.
  public func isWaiting(_ key: ServerKey, by name: String) -> Bool {
    waiting[Changer(key: key, destination: name)] != nil
  }

  /// When the first of those that wait may be taken; nil while none waits.
  var nextWaiting: Moment? {
    waiting.keys.map { paces[$0]?.nextChange ?? begin }.min()
  }

  /// Hands out what may be taken by now; what a server may not set any more is forgotten.
  mutating func takeDue(now: Moment) -> [Action] {
    var due: [String: [ServerKey: String]] = [:]
    for (changer, value) in waiting where (paces[changer]?.nextChange ?? begin) <= now {
      waiting[changer] = nil
      guard rules.say?.objection(to: changer.key, by: changer.destination) == nil else { continue }
      due[changer.destination, default: [:]][changer.key] = value
    }
    return due.sorted { $0.key < $1.key }.map { .due($0.value, by: $0.key) }
  }

  /// What is told of settings that have to wait.
  mutating func hold(_ keys: [ServerKey], by name: String) -> [Action] {
    var (new, known): ([ServerKey], [ServerKey]) = ([], [])
    for key in keys {
      let changer = Changer(key: key, destination: name)
      if paces[changer]?.wasTold == true { known.append(key) } else { new.append(key) }
      paces[changer]?.noteTold()
    }
    return (new.isEmpty ? [] : [.hasToWait(new, isNew: true)])
      + (known.isEmpty ? [] : [.hasToWait(known, isNew: false)])
  }
}
