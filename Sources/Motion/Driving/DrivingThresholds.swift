/// From which acceleration on driving is harsh, in m/s²; nil: never.
///
/// The defaults are those that common vehicle trackers are delivered with (Teltonika FMB, parameters 11004 to 11006).
/// Dry asphalt gives 7 to 9; a passenger stands firm up to some 1.5.
public struct DrivingThresholds: Equatable, Sendable {
  public var acceleration: Float?
  public var braking: Float?
  public var cornering: Float?

  public init(acceleration: Float? = 2.5, braking: Float? = 2.7, cornering: Float? = 3.4) {
    (self.acceleration, self.braking, self.cornering) = (acceleration, braking, cornering)
  }
}
