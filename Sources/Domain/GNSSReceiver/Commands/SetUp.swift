/// The desired configuration of a receiver, independent of its manufacturer.
public struct SetUp: Equatable, Sendable {
  /// Dynamic model: the motion of the device.
  public enum Dynamics: String, Sendable, CaseIterable {
    case portable, stationary, pedestrian, automotive, sea, airborne
  }

  /// Power mode of the running receiver.
  public enum Power: Equatable, Sendable {
    case continuous
    /// Cyclic tracking with this period, 1 to 10 s.
    case cyclic(seconds: Int)
  }

  /// Milliseconds between epochs, 40...10 000.
  public var interval: Int
  public var dynamics: Dynamics
  public var power: Power
  /// Epochs between two reports of the satellites in view; nil for none.
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
  /// Epochs between two sentences, at most `most`, for a receiver that computes at least one solution per
  /// second and omits sentences instead.
  func decimation(most: Int) -> Int { min(max(interval / 1000, 1), most) }

  /// Epochs between two reports of the satellites in view by such a receiver; 0 for none.
  func satelliteDecimation(most: Int) -> Int {
    min(min(max(satellitesEvery ?? 0, 0), most) * decimation(most: most), most)
  }
}

/// Kind of start, by the data that the receiver still has.
public enum StartKind: String, Sendable, CaseIterable {
  /// Time, position and ephemerides.
  case hot
  /// Everything except ephemerides.
  case warm
  /// Nothing.
  case cold
}
