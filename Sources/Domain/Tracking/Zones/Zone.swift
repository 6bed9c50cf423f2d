import Quantities

/// A named zone on the map whose entry and exit are detected.
public struct Zone: Equatable, Sendable {
  public var name: String
  public var shape: ZoneShape
  /// Margin in metres beyond the border that an exit requires, in addition to the accuracy of the fix.
  public var frame: Double
  /// Time that the new side must last.
  public var verification = Duration.seconds(15)
  /// Worst accuracy in metres of a fix that decides.
  public var mostAccuracy: Double
  /// Time inside after which an event is logged; nil if off.
  public var dwell: Duration?
  /// True if being inside at the first decision counts as an entry.
  public var announcesFirst = false
  /// True for a privacy zone: no location, visit, action or end of a trip inside is stored, and no event that reveals
  /// one. It applies from the moment it is known; stored state inside is discarded then.
  public var isPrivate = false
  /// True if the rules of ``Profile/zone`` apply inside.
  public var hasProfile = false

  /// Creates a zone. The margin is a tenth of the radius, 20 m to 200 m; the worst accuracy is half of it, at least 50
  /// m.
  public init(_ name: String, _ shape: ZoneShape) {
    self.name = name
    self.shape = shape
    frame = min(max(shape.reach / 10, 20), 200)
    mostAccuracy = max(shape.reach / 2, 50)
  }
}
