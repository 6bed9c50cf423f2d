import Quantities

/// Whether another wireless network speaks for another place.
///
/// It does when its name was not heard during this rest and the one before was joined in it: a box that comes to rest and
/// then finds a network has not moved, nor has one that roams between access points of one name, loses its network and
/// finds it again, or goes back and forth between the networks of one place.
struct NetworkHint: Equatable, Sendable {
  /// Names that are remembered of a place.
  private static let mostNames = 16

  /// The last name, and since when it is lost; nil while it is joined.
  private var name: String?
  private var lostAt: Moment?
  /// The rest during which ``namesHere`` were heard.
  private var rest: Moment?
  private var namesHere: [String] = []

  /// `restingSince` is nil while the box is not at rest. Answers the name that was joined before, when the new one hints
  /// at another place.
  mutating func take(_ network: JoinedNetwork?, restingSince: Moment?, now: Moment) -> String? {
    if rest != restingSince {
      rest = restingSince
      namesHere = []
    }
    guard let network, !network.name.isEmpty else {
      if network == nil, name != nil { lostAt = lostAt ?? now }
      return nil
    }
    let heldUntil = lostAt ?? now
    lostAt = nil
    guard network.name != name else { return nil }
    let before = name
    name = network.name
    let isKnownHere = namesHere.contains(network.name)
    guard let restingSince, let before, heldUntil >= restingSince else {
      note(network.name)
      return nil
    }
    note(before)
    note(network.name)
    return isKnownHere ? nil : before
  }

  private mutating func note(_ name: String) {
    guard !namesHere.contains(name), namesHere.count < Self.mostNames else { return }
    namesHere.append(name)
  }
}
