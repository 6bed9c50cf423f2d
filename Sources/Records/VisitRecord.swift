import Quantities

/// A stay at one place, told twice: when it is sure that the device has come to rest, and again when it has left.
///
/// The two have the same `arrival` and the same place; that is what makes them one visit.
public struct VisitRecord: Equatable, Sendable {
  /// The centre of the stay.
  public var coordinate: Coordinate
  /// How well the centre is known: radius that holds it with 68 % probability, mm.
  public var horizontalAccuracyMillimetres: Int32?
  /// Radius around the centre that held the fixes of the stay, mm.
  public var radiusMillimetres: Int32?
  /// When the device came; nil when it was there before the logger could see it.
  public var arrival: Instant?
  /// When it left; nil in the first of the two records.
  public var departure: Instant?
  public var device: DeviceState

  public init(coordinate: Coordinate, arrival: Instant?, departure: Instant? = nil, device: DeviceState) {
    self.coordinate = coordinate
    self.arrival = arrival
    self.departure = departure
    self.device = device
  }
}
