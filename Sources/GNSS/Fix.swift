import Quantities

/// What one epoch of a receiver says: where, when, how fast, and how well it is known.
///
/// An absent value is one the receiver did not give or does not vouch for. Nothing is carried over from an
/// earlier epoch except the date, and that only while it is sure, and the count of satellites in view.
public struct Fix: Equatable, Sendable {
  /// UTC date and time as the receiver said it; nil while the date is unknown.
  ///
  /// Second 60 becomes the first second of the next day. A wrong week number is not repaired here.
  public var timestamp: Timestamp?
  /// Milliseconds since midnight UTC, 0...86 400 999 (above 86 399 999 in a leap second), also without a date.
  public var millisecondOfDay: Int32?
  /// `.none` when the receiver does not vouch for the position.
  public var kind: FixKind = .none
  /// Degrees, north positive, −90...90; present only when `kind` is not `.none`.
  public var latitude: Double?
  /// Degrees, east positive, −180...180; present only when `kind` is not `.none`.
  public var longitude: Double?
  /// Metres above mean sea level by the receiver's own geoid; nil for a two-dimensional fix.
  public var altitude: Double?
  /// Metres above the WGS 84 ellipsoid; nil for a two-dimensional fix or without a geoid separation.
  public var ellipsoidHeight: Double?
  /// Speed over ground in m/s.
  public var speed: Double?
  /// Course over ground in degrees from true north, 0..<360.
  public var course: Double?
  /// Vertical speed in m/s, up positive.
  public var climb: Double?
  /// Radius in metres that holds the true place with 68 % probability.
  public var horizontalAccuracy: Double?
  /// What `horizontalAccuracy` was made from.
  public var accuracySource: AccuracySource = .none
  /// One-sigma (68 %) uncertainty of the altitude in metres.
  public var verticalAccuracy: Double?
  /// One-sigma uncertainty of the speed in m/s.
  public var speedAccuracy: Double?
  /// One-sigma uncertainty of the course in degrees.
  public var courseAccuracy: Double?
  public var horizontalDilution: Double?
  public var verticalDilution: Double?
  public var positionDilution: Double?
  /// Satellites used; old chips stop counting at 12.
  public var satellitesUsed: UInt8?
  /// Satellites in view, tracked or not, as the receiver last counted them, at most ten epochs ago.
  public var satellitesSeen: UInt8?
  /// The receiver kept it and told it later (LOG-BATCH): when it came says nothing of when it was.
  public var isStored = false

  public init() {}
}
