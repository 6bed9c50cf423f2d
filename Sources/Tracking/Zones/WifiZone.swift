import Quantities

/// A place that is known by the wireless network that the box joins there.
public struct WifiZone: Equatable, Sendable {
  /// Metres: the horizontal accuracy of its records, as in the Overland app. The operator measured the place.
  static let accuracy = 1.0

  public var name: String
  /// The network's name; nil for any.
  public var network: String?
  /// An access point, in lower case with colons; nil for any.
  public var accessPoint: String?
  /// What is recorded there.
  public var place: Coordinate

  public init(_ name: String, network: String?, accessPoint: String?, place: Coordinate) {
    self.name = name
    self.network = network
    self.accessPoint = accessPoint
    self.place = place
  }

  /// True where name and access point are those that the zone names.
  func holds(_ joined: JoinedNetwork) -> Bool {
    guard network != nil || accessPoint != nil else { return false }
    return network.map { $0 == joined.name } ?? true
      && accessPoint.map { $0 == joined.accessPoint } ?? true
  }
}
