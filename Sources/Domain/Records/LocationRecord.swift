import Quantities

/// A stored position with the state of the device at that time, independent of any wire format.
///
/// All numbers are integers in small units, so that a record reads back exactly as it was written. An unknown value is
/// nil, never zero.
public struct LocationRecord: Equatable, Sendable {
  public var coordinate: Coordinate
  /// Altitude above mean sea level, mm.
  public var altitudeMillimetres: Int32?
  /// Speed over ground, mm/s.
  public var speedMillimetresPerSecond: Int32?
  /// Course over ground from true north, 1/1000 degree, 0..<360 000.
  public var courseMillidegrees: Int32?
  /// Horizontal accuracy in mm: radius that holds the true position with a probability of 68 %.
  public var horizontalAccuracyMillimetres: Int32?
  /// One-sigma error of the altitude in mm.
  public var verticalAccuracyMillimetres: Int32?
  /// One-sigma error of the speed in mm/s.
  public var speedAccuracyMillimetresPerSecond: Int32?
  /// One-sigma error of the course in 1/1000 degree.
  public var courseAccuracyMillidegrees: Int32?
  /// The origin of the horizontal accuracy.
  public var accuracySource: AccuracySource
  public var fixKind: FixKind
  /// Satellites used in the solution.
  public var satellitesUsed: UInt8?
  /// Horizontal dilution of precision (HDOP) in tenths; nil if the receiver does not report it.
  public var horizontalDilutionTenths: UInt16?
  /// The motion state; empty while unknown.
  public var motion: MotionStates
  public var batteryState: BatteryState
  /// State of charge in percent, 0...100.
  public var batteryPercent: UInt8?
  /// Name of the joined Wi-Fi network; empty if there is none.
  public var wifi: String
  /// The configured name of the device at that time.
  public var deviceID: String
  /// The start of the trip to which it belongs; nil outside trips.
  public var trip: Instant?
  /// Steps since the start of the step counter; nil without a counter.
  public var steps: Int32?
  /// The recording rules that selected it.
  public var reasons: KeepReasons
  /// The tracking settings at that time; nil unless requested by the configuration.
  public var statistics: TrackingStatistics?

  /// Creates a position without optional values.
  public init(coordinate: Coordinate, fixKind: FixKind = .threeDimensional, deviceID: String) {
    self.coordinate = coordinate
    self.fixKind = fixKind
    self.deviceID = deviceID
    accuracySource = .none
    motion = []
    batteryState = .unknown
    wifi = ""
    reasons = .period
  }
}
