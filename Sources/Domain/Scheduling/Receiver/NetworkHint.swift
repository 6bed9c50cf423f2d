import Quantities

/// Detects a move of a stationary device by the names of the Wi-Fi networks that it joins.
///
/// The device has probably moved if it joins a network with a name that is new at this location. It must have been
/// joined to another network since it became stationary.
///
/// Not a hint: a network found after the device became stationary, another access point of the same name, a network
/// that is lost and found again, and changes between the networks of one location. Owned by ``Tracker``.
package struct NetworkHint: Equatable, Sendable {
  /// Maximum number of names that are remembered per location.
  private static let mostNames = 16

  /// The last name, and the time at which it was lost; nil while it is joined.
  private var name: String?
  private var lostAt: Moment?
  /// Start of the stationary period in which ``namesHere`` were joined.
  private var periodStart: Moment?
  private var namesHere: [String] = []

  package init() {}

  /// Processes the joined network. Returns the name joined before if the device has probably moved. `stationarySince` is
  /// nil while the device moves.
  package mutating func take(_ network: JoinedNetwork?, stationarySince: Moment?, now: Moment) -> String? {
    if periodStart != stationarySince {
      periodStart = stationarySince
      namesHere = []
    }
    guard let network, !network.name.isEmpty else {
      if network == nil, name != nil { lostAt = lostAt ?? now }
      return nil
    }
    let joinedUntil = lostAt ?? now
    lostAt = nil
    guard network.name != name else { return nil }
    let before = name
    name = network.name
    let isKnownHere = namesHere.contains(network.name)
    guard let stationarySince, let before, joinedUntil >= stationarySince else {
      remember(network.name)
      return nil
    }
    remember(before)
    remember(network.name)
    return isKnownHere ? nil : before
  }

  private mutating func remember(_ name: String) {
    guard !namesHere.contains(name), namesHere.count < Self.mostNames else { return }
    namesHere.append(name)
  }
}
