import Quantities

/// The content of one epoch: position, time, motion and their accuracy.
///
/// A value is nil if the receiver did not send it or did not mark it as valid. Nothing is carried over from
/// an earlier epoch, with two exceptions: the date, while it is certain, and the number of satellites in
/// view.
public struct Fix: Equatable, Sendable {
  /// UTC date and time as the receiver sent it; nil while the date is unknown.
  ///
  /// Second 60 becomes the first second of the next day. A wrong week number (week rollover) is not corrected
  /// here.
  public var timestamp: Timestamp?
  /// Milliseconds since midnight UTC, 0...86 400 999 (above 86 399 999 in a leap second), also without a
  /// date.
  public var millisecondOfDay: Int32?
  /// The kind of fix; `.none` if the receiver does not mark the position as valid.
  public var kind: FixKind = .none
  /// Latitude in degrees, north positive, −90...90; present only if `kind` is not `.none`.
  public var latitude: Double?
  /// Longitude in degrees, east positive, −180...180; present only if `kind` is not `.none`.
  public var longitude: Double?
  /// Altitude in metres above mean sea level, by the receiver's own geoid; nil for a two-dimensional fix.
  public var altitude: Double?
  /// Height in metres above the WGS 84 ellipsoid; nil for a two-dimensional fix or without a geoid separation.
  public var ellipsoidHeight: Double?
  /// Speed over ground in m/s.
  public var speed: Double?
  /// Course over ground in degrees from true north, 0..<360.
  public var course: Double?
  /// Vertical speed in m/s, up positive.
  public var climb: Double?
  /// Radius in metres that holds the true position with a probability of 68 %.
  public var horizontalAccuracy: Double?
  /// True if the receiver itself calls the accuracy unknown, by a figure beyond 1,000 km or a dilution of precision
  /// from 99 on. Such a position proves nothing, unlike that of a receiver without any figure.
  public var isVague = false
  /// The origin of `horizontalAccuracy`.
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
  /// Number of satellites used; old receivers count 12 at most.
  public var satellitesUsed: UInt8?
  /// Number of satellites in view, tracked or not, as the receiver last counted them, at most ten epochs ago.
  public var satellitesSeen: UInt8?
  /// True if the receiver stored the fix and sent it later (LOG-BATCH): its time of arrival is not the time
  /// of the fix.
  public var isStored = false

  public init() {}
}

extension Fix {
  /// Horizontal accuracy in metres as all decisions use it; nil if the receiver provides no figure. A vague fix may be
  /// ``HorizontalAccuracy/anywhere``.
  package var accuracy: Double? {
    isVague ? HorizontalAccuracy.anywhere : HorizontalAccuracy.known(horizontalAccuracy)
  }

  /// The coordinates; nil for an invalid fix, for 0° and 0°, and for values out of range.
  package var position: Coordinate? {
    guard kind != .none, let latitude, let longitude,
      let position = Coordinate(latitude: latitude, longitude: longitude), !position.isNullIsland
    else { return nil }
    return position
  }
}
