/// The Wi-Fi network that the device has joined.
public struct JoinedNetwork: Equatable, Sendable {
  /// Name of the network (SSID).
  public var name: String
  /// Address of the access point, in lower case with colons; nil if unknown.
  public var accessPoint: String?

  public init(name: String, accessPoint: String?) {
    self.name = name
    self.accessPoint = accessPoint
  }
}
