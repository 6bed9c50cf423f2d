import Quantities

/// A place on the map with a name, whose border is watched.
public struct Zone: Equatable, Sendable {
  public var name: String
  public var shape: ZoneShape
  /// Metres outside the border that have to be crossed as well to leave, the uncertainty of the fix added.
  public var frame: Double
  /// So long the new side must hold.
  public var verification = Duration.seconds(15)
  /// Metres; a fix less accurate decides nothing.
  public var mostAccuracy: Double
  /// After so long inside an event says so; nil is off.
  public var dwell: Duration?
  /// True when being inside at the first look is told as an entry.
  public var announcesFirst = false
  /// Nothing is written here: no location, visit, action or place of a trip, and no event that tells of a place. It
  /// counts from the moment at which it is known: what was remembered of a place inside is forgotten then.
  public var isPrivate = false
  /// Inside, the rules of ``Profile/zone`` count.
  public var hasProfile = false

  /// A tenth of the reach for the frame, at least 20 m and at most 200 m; half of it for the accuracy, at least 50 m.
  public init(_ name: String, _ shape: ZoneShape) {
    self.name = name
    self.shape = shape
    frame = min(max(shape.reach / 10, 20), 200)
    mostAccuracy = max(shape.reach / 2, 50)
  }
}
