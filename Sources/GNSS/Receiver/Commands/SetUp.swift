/// What the logger wants of a receiver, in no maker's words.
public struct SetUp: Equatable, Sendable {
  /// How the carrier moves.
  public enum Dynamics: String, Sendable, CaseIterable {
    case portable, stationary, pedestrian, automotive, sea, airborne
  }

  /// How the receiver saves charge by itself.
  public enum Power: Equatable, Sendable {
    case continuous
    /// It tracks in short pieces at its own cadence, 1 to 10 s.
    case cyclic(seconds: Int)
  }

  /// Milliseconds between epochs, 40...10 000.
  public var interval: Int
  public var dynamics: Dynamics
  public var power: Power
  /// Satellites in view are wanted too, every so many epochs; nil for not at all.
  public var satellitesEvery: Int?

  public init(
    interval: Int = 1000, dynamics: Dynamics = .portable, power: Power = .continuous,
    satellitesEvery: Int? = nil
  ) {
    self.interval = interval
    self.dynamics = dynamics
    self.power = power
    self.satellitesEvery = satellitesEvery
  }
}

extension SetUp {
  /// Every how many epochs a sentence is wanted, at most `most`, from a receiver that solves once a second at the
  /// slowest and leaves sentences out instead.
  func thinning(most: Int) -> Int { min(max(interval / 1000, 1), most) }

  /// The same for satellites in view; 0 for not at all.
  func satelliteThinning(most: Int) -> Int {
    min(min(max(satellitesEvery ?? 0, 0), most) * thinning(most: most), most)
  }
}

/// What a receiver may still know when it starts.
public enum StartKind: String, Sendable, CaseIterable {
  /// Time, position and ephemerides.
  case hot
  /// All but the ephemerides.
  case warm
  /// Nothing.
  case cold
}
