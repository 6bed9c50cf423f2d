/// The wireless network that the host has joined.
public struct WifiNetwork: Equatable, Sendable {
  /// Network name (IEEE 802.11, 9.4.2.2) as UTF-8; invalid sequences are repaired.
  public var name: String
  /// Address of the access point, in lower case with colons; nil if the driver does not report it.
  public var accessPoint: String?

  public init(name: String, accessPoint: String? = nil) {
    self.name = name
    self.accessPoint = accessPoint
  }

  /// Text of a six-byte address; nil for any other length.
  static func address(_ bytes: [UInt8]) -> String? {
    guard bytes.count == 6 else { return nil }
    return bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: ":")
  }
}
