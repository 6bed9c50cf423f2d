import Quantities

/// The recording rule whose interval follows the speed, with corners in between (SmartBeaconing, Arnold and Bragg).
public struct SmartBeaconing: Equatable, Sendable {
  /// The interval at and below ``slowSpeed``.
  public var slowRate: Duration
  /// Low speed in m/s.
  public var slowSpeed: Double
  /// The interval at and above ``fastSpeed``.
  public var fastRate: Duration
  /// High speed in m/s.
  public var fastSpeed: Double
  /// A turn in degrees that counts as a corner at any speed.
  public var turnAngle: Double
  /// Turn slope in degrees × m/s, which is divided by the speed and added to ``turnAngle``.
  public var turnSlope: Double
  /// Shortest interval before a corner.
  public var turnTime: Duration

  /// The usual values of a car: half an hour below 5 km/h, three minutes above 90 km/h, corners of 28° and more.
  public init(
    slowRate: Duration = .seconds(1800), slowSpeed: Double = 1.4, fastRate: Duration = .seconds(180),
    fastSpeed: Double = 25, turnAngle: Double = 28, turnSlope: Double = 120, turnTime: Duration = .seconds(15)
  ) {
    self.slowRate = slowRate
    self.slowSpeed = slowSpeed
    self.fastRate = fastRate
    self.fastSpeed = fastSpeed
    self.turnAngle = turnAngle
    self.turnSlope = turnSlope
    self.turnTime = turnTime
  }

  /// The interval at a speed in m/s; between both limits inversely proportional to the speed.
  public func rate(at speed: Double) -> Duration {
    if speed <= slowSpeed || speed <= 0 { return slowRate }
    if speed >= fastSpeed { return fastRate }
    return min(fastRate * (fastSpeed / speed), slowRate)
  }

  /// The turn in degrees that counts as a corner at a speed in m/s; nil if the course is not reliable.
  public func corner(at speed: Double) -> Double? {
    speed > slowSpeed && speed > 0 ? turnAngle + turnSlope / speed : nil
  }
}
