import Quantities

/// A visit: arrival at and departure from a place where the device dwelt.
///
/// It is recorded twice: when the arrival is confirmed, and again after the departure. Both records have the same
/// `arrival` and the same coordinates.
public struct VisitRecord: Equatable, Sendable {
  /// The centre of the fixes during the visit.
  public var coordinate: Coordinate
  /// Accuracy of the centre: radius that holds it with a probability of 68 %, mm.
  public var horizontalAccuracyMillimetres: Int32?
  /// Radius around the centre that contained the fixes of the visit, mm.
  public var radiusMillimetres: Int32?
  /// The time of arrival; nil if the device arrived before the logger could detect it.
  public var arrival: Instant?
  /// The time of departure; nil in the first of the two records.
  public var departure: Instant?
  public var device: DeviceState

  public init(coordinate: Coordinate, arrival: Instant?, departure: Instant? = nil, device: DeviceState) {
    self.coordinate = coordinate
    self.arrival = arrival
    self.departure = departure
    self.device = device
  }
}
