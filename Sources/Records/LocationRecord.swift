import Quantities

/// A position that was kept, with the state of the device at that moment; neutral of any wire format.
///
/// Whole numbers in small units throughout, so that a record reads back as it was written. What is not known
/// is nil, never zero.
public struct LocationRecord: Equatable, Sendable {
  public var coordinate: Coordinate
  /// Height above mean sea level, mm.
  public var altitudeMillimetres: Int32?
  /// Ground speed, mm/s.
  public var speedMillimetresPerSecond: Int32?
  /// Course over ground from true north, 1/1000 degree, 0..<360 000.
  public var courseMillidegrees: Int32?
  /// Radius that holds 68 % of the positions, mm.
  public var horizontalAccuracyMillimetres: Int32?
  /// One sigma of the altitude, mm.
  public var verticalAccuracyMillimetres: Int32?
  /// One sigma of the speed, mm/s.
  public var speedAccuracyMillimetresPerSecond: Int32?
  /// One sigma of the course, 1/1000 degree.
  public var courseAccuracyMillidegrees: Int32?
  /// What the horizontal accuracy was made from.
  public var accuracySource: AccuracySource
  public var fixKind: FixKind
  /// Satellites used in the solution.
  public var satellitesUsed: UInt8?
  /// Horizontal dilution of precision in tenths; nil where the receiver gives none.
  public var horizontalDilutionTenths: UInt16?
  /// Empty while undecided.
  public var motion: MotionStates
  public var batteryState: BatteryState
  /// State of charge in percent, 0...100.
  public var batteryPercent: UInt8?
  /// Name of the joined network; empty when there is none.
  public var wifi: String
  /// The configured name of the device at that moment.
  public var deviceID: String
  /// The start of the trip that it belongs to; nil outside trips.
  public var trip: Instant?
  /// Steps counted since the counter began; nil without a counter.
  public var steps: Int32?
  /// Which rules kept it.
  public var reasons: KeepReasons
  /// How the logger was set; nil when nobody asked for it.
  public var statistics: TrackingStatistics?

  /// A position without any of the optional values.
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
