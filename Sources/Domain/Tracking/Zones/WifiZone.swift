import Quantities

/// A Wi-Fi zone: a known location of a Wi-Fi network.
public struct WifiZone: Equatable, Sendable {
  /// Horizontal accuracy of the zone's records in metres, as in the Overland app. The operator measured the location.
  static let accuracy = 1.0

  /// Name of the zone.
  public var name: String
  /// Name of the network; nil for any.
  public var network: String?
  /// Address of the access point, in lower case with colons; nil for any.
  public var accessPoint: String?
  /// The location that is recorded.
  public var position: Coordinate

  public init(_ name: String, network: String?, accessPoint: String?, position: Coordinate) {
    self.name = name
    self.network = network
    self.accessPoint = accessPoint
    self.position = position
  }

  /// True if name and access point match the zone.
  func matches(_ joined: JoinedNetwork) -> Bool {
    guard network != nil || accessPoint != nil else { return false }
    return network.map { $0 == joined.name } ?? true
      && accessPoint.map { $0 == joined.accessPoint } ?? true
  }
}
