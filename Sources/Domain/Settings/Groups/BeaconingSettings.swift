import Quantities

/// The parameters of SmartBeaconing, in km/h and degrees.
public struct BeaconingSettings: Equatable, Sendable {
  public var slowRate: Duration = Field.slowRate.fallback
  public var slowSpeed: Double = Field.slowSpeed.fallback
  public var fastRate: Duration = Field.fastRate.fallback
  public var fastSpeed: Double = Field.fastSpeed.fallback
  public var turnAngle: Double = Field.turnAngle.fallback
  /// The turn slope in degrees × km/h.
  public var turnSlope: Double = Field.turnSlope.fallback
  public var turnTime: Duration = Field.turnTime.fallback

  public init() {}

  enum Field {
    typealias Of<Value: Equatable & Sendable> = Setting<BeaconingSettings, Value>

    static let slowRate = Of<Duration>(
      "slow_rate", \.slowRate, .duration(.seconds(1) ... .days(1)), default: .seconds(1800), applies: .atOnce,
      effect: .always,
      "Interval between records at slow_speed_kmh and below.")
    static let slowSpeed = Of<Double>(
      "slow_speed_kmh", \.slowSpeed, .number(0...200, "km/h"), default: 5, applies: .atOnce, effect: .always,
      "Speed in km/h up to which slow_rate applies and corners are ignored.")
    static let fastRate = Of<Duration>(
      "fast_rate", \.fastRate, .duration(.seconds(1) ... .days(1)), default: .seconds(180), applies: .atOnce,
      effect: .always,
      "Interval between records at fast_speed_kmh and above. Between the two speeds, the interval "
        + "falls as the speed rises.")
    static let fastSpeed = Of<Double>(
      "fast_speed_kmh", \.fastSpeed, .number(1...1000, "km/h"), default: 90, applies: .atOnce,
      effect: .always,
      "Speed in km/h from which fast_rate applies.")
    static let turnAngle = Of<Double>(
      "turn_angle_deg", \.turnAngle, .number(1...180, "°"), default: 28, applies: .atOnce, effect: .always,
      "Smallest turn that is a corner at high speed, in degrees.")
    static let turnSlope = Of<Double>(
      "turn_slope", \.turnSlope, .number(0...10_000, "° × km/h"), default: 432, applies: .atOnce,
      effect: .always,
      "Value in ° × km/h that is divided by the speed and added to turn_angle_deg. A slow vehicle must "
        + "turn more.")
    static let turnTime = Of<Duration>(
      "turn_time", \.turnTime, .duration(.zero ... .seconds(3600)), default: .seconds(15), applies: .atOnce,
      effect: .always,
      "Shortest time between two records for corners.")

    static let table = SettingTable<BeaconingSettings>(
      [slowRate, slowSpeed, fastRate, fastSpeed, turnAngle, turnSlope, turnTime],
      check: { figures in
        if figures.slowSpeed >= figures.fastSpeed { return "slow_speed_kmh below fast_speed_kmh" }
        return figures.fastRate > figures.slowRate ? "fast_rate no longer than slow_rate" : nil
      })
  }
}
