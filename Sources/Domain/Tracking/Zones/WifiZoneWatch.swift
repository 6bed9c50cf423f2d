import Quantities

/// Tracks which Wi-Fi zone the device is in.
///
/// Joining a zone's network is an entry, joining another network is an exit. No network at all is an exit after some
/// time, because access points restart and a roaming device is without network for seconds. The first decision is a
/// state, not an event, and the state survives a restart.
struct WifiZoneWatch: Equatable, Sendable {
  /// The zone that the device is in.
  enum Side: Equatable, Sendable {
    /// In the zone of this name.
    case inside(String)
    case outside
  }

  /// An entry or exit.
  enum Outcome: Equatable, Sendable {
    case entered(WifiZone)
    case left(WifiZone)
    /// The zone's network is joined, but fixes are elsewhere.
    case contradicted(WifiZone)
  }

  /// Time without network that counts as an exit.
  static let exitDelay = Duration.seconds(60)

  private(set) var zones: [WifiZone]
  /// The side; nil before the first decision.
  private(set) var side: Side?
  /// True after the state of the last run was restored, if there is one.
  private var hasBegun = false
  private var network: JoinedNetwork?
  private var goneSince: Moment?
  /// The zone whose network was joined in this run and not left since. The restored ``side`` does not count, and a
  /// short loss of the network does not end it.
  private(set) var present: WifiZone?
  private var contradiction = WifiZoneContradiction()
  /// Name of the zone that ``contradiction`` applies to.
  private var tested: String?

  init(_ zones: [WifiZone]) { self.zones = zones }

  /// The zone whose network is joined now, unless fixes contradict it.
  var joined: WifiZone? { contradiction.isContradicted ? nil : named }

  /// The zone whose network is joined, regardless of fixes. A zone that names the access point takes precedence.
  private var named: WifiZone? {
    guard !zones.isEmpty, let network else { return nil }
    let matching = zones.filter { $0.matches(network) }
    return matching.first { $0.accessPoint != nil } ?? matching.first
  }

  /// Restores the state of the last run, before the first decision.
  mutating func resume(_ side: Side) {
    if self.side == nil { self.side = side }
  }

  /// Starts to decide, after the state of the last run is restored.
  mutating func begin(now: Moment) -> [Outcome] {
    hasBegun = true
    return decide(now: now)
  }

  /// Processes the joined network. `movedUntil` is the latest time at which the device can have moved.
  mutating func take(_ network: JoinedNetwork?, movedUntil: Moment, now: Moment) -> [Outcome] {
    let wasGone = goneSince.map { now - $0 >= Self.exitDelay } ?? false
    self.network = network
    if wasGone || network != nil && named == nil { forgetContradiction() }
    if let named, named.name != tested {
      tested = named.name
      contradiction.join(named.position, movedUntil: movedUntil)
    }
    return hasBegun ? decide(now: now) : []
  }

  /// Processes a valid fix.
  mutating func take(_ position: Coordinate, accuracy: Double?, now: Moment) -> [Outcome] {
    guard !zones.isEmpty else { return [] }
    let before = joined
    contradiction.take(position, accuracy: accuracy, zone: named?.position, now: now)
    guard hasBegun, joined != before else { return [] }
    let outcomes = decide(now: now)
    guard let before, joined == nil else { return outcomes }
    return outcomes.map { $0 == .left(before) ? .contradicted(before) : $0 }
  }

  /// Handles a radio that the logger switched off: the missing network does not indicate a move.
  mutating func switchedOff() {
    network = nil
    goneSince = nil
    present = nil
    forgetContradiction()
  }

  private mutating func forgetContradiction() {
    tested = nil
    contradiction.leave()
  }

  /// Applies other zones: the side is a state again, as at the first decision.
  mutating func redraw(_ zones: [WifiZone]) {
    guard zones != self.zones else { return }
    self.zones = zones
    present = network == nil ? zones.first { $0.name == present?.name } : joined
    if let joined {
      side = .inside(joined.name)
    } else if case .inside(let name)? = side, !zones.contains(where: { $0.name == name }) {
      side = .outside
    }
  }

  private mutating func decide(now: Moment) -> [Outcome] {
    goneSince = network == nil ? goneSince ?? now : nil
    guard network != nil else { return [] }
    present = joined
    return cross(to: joined.map { .inside($0.name) } ?? .outside)
  }

  private mutating func cross(to new: Side) -> [Outcome] {
    guard new != side else { return [] }
    let old = side
    side = new
    guard let old else { return [] }
    var outcomes: [Outcome] = []
    if case .inside(let name) = old, let zone = zones.first(where: { $0.name == name }) {
      outcomes.append(.left(zone))
    }
    if case .inside(let name) = new, let zone = zones.first(where: { $0.name == name }) {
      outcomes.append(.entered(zone))
    }
    return outcomes
  }

  var nextTimeout: Moment? {
    guard !zones.isEmpty, side != .outside || present != nil else { return nil }
    return goneSince.map { $0 + Self.exitDelay }
  }

  mutating func handleTimeout(now: Moment) -> [Outcome] {
    guard let due = nextTimeout, now >= due else { return [] }
    present = nil
    forgetContradiction()
    return cross(to: .outside)
  }
}
