/// The accelerations above which driving counts as harsh, in m/s²; nil for never.
///
/// The defaults are those of common vehicle trackers (Teltonika FMB, parameters 11004 to 11006). For comparison: dry
/// asphalt permits 7 to 9 m/s², and a standing passenger keeps his balance up to about 1.5 m/s².
public struct DrivingThresholds: Equatable, Sendable {
  public var acceleration: Float?
  public var braking: Float?
  public var cornering: Float?

  public init(acceleration: Float? = 2.5, braking: Float? = 2.7, cornering: Float? = 3.4) {
    (self.acceleration, self.braking, self.cornering) = (acceleration, braking, cornering)
  }
}
