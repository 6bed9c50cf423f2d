import Quantities

/// In which of the wifi zones the box is.
///
/// Joining a zone's network is being inside, and joining another network is having left. No network at all is a departure
/// when it has lasted: access points restart, and a box that roams is without one for seconds. The first decision is a
/// state and no event, and the state is durable.
struct WifiZoneWatch: Equatable, Sendable {
  enum Side: Equatable, Sendable {
    /// By name.
    case inside(String)
    case outside
  }

  enum Outcome: Equatable, Sendable {
    case entered(WifiZone)
    case left(WifiZone)
    /// Its network is joined, and fixes lie elsewhere.
    case contradicted(WifiZone)
  }

  /// So long there must be no network.
  static let patience = Duration.seconds(60)

  private(set) var zones: [WifiZone]
  /// Nil before the first decision.
  private(set) var side: Side?
  /// False until the state of the last run is there, if there is one.
  private var hasBegun = false
  private var network: JoinedNetwork?
  private var goneSince: Moment?
  /// The zone whose network was joined in this run of the program and has not been left since: what ``side`` says
  /// of the run before is not part of it, and a short loss of the network does not end it.
  private(set) var present: WifiZone?
  private var contradiction = WifiZoneContradiction()
  /// Name of the zone that ``contradiction`` is about.
  private var tested: String?

  init(_ zones: [WifiZone]) { self.zones = zones }

  /// The zone whose network is joined at this moment, unless fixes contradict it.
  var joined: WifiZone? { contradiction.isContradicted ? nil : named }

  /// The same, whatever the fixes say: a zone that names the access point goes before one that does not.
  private var named: WifiZone? {
    guard !zones.isEmpty, let network else { return nil }
    let fitting = zones.filter { $0.holds(network) }
    return fitting.first { $0.accessPoint != nil } ?? fitting.first
  }

  /// Takes over the state of the last run, before the first decision.
  mutating func resume(_ side: Side) {
    if self.side == nil { self.side = side }
  }

  /// The program has started and knows what it can know of the last run.
  mutating func begin(now: Moment) -> [Outcome] {
    hasBegun = true
    return decide(now: now)
  }

  /// `movedUntil` is the last moment at which the box can have moved.
  mutating func take(_ network: JoinedNetwork?, movedUntil: Moment, now: Moment) -> [Outcome] {
    let wasGone = goneSince.map { now - $0 >= Self.patience } ?? false
    self.network = network
    if wasGone || network != nil && named == nil { forgetContradiction() }
    if let named, named.name != tested {
      tested = named.name
      contradiction.join(named.place, movedUntil: movedUntil)
    }
    return hasBegun ? decide(now: now) : []
  }

  /// Takes a fix that the receiver vouches for.
  mutating func take(_ place: Coordinate, accuracy: Double?, now: Moment) -> [Outcome] {
    guard !zones.isEmpty else { return [] }
    let before = joined
    contradiction.take(place, accuracy: accuracy, zone: named?.place, now: now)
    guard hasBegun, joined != before else { return [] }
    let outcomes = decide(now: now)
    guard let before, joined == nil else { return outcomes }
    return outcomes.map { $0 == .left(before) ? .contradicted(before) : $0 }
  }

  /// The box has switched its own radio off: that no network is joined tells nothing of where it is.
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

  /// Other zones: where the box is in them is a state, as at the first look.
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
    return goneSince.map { $0 + Self.patience }
  }

  mutating func handleTimeout(now: Moment) -> [Outcome] {
    guard let due = nextTimeout, now >= due else { return [] }
    present = nil
    forgetContradiction()
    return cross(to: .outside)
  }
}
