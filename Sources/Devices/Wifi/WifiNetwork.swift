/// The network that this machine has joined.
public struct WifiNetwork: Equatable, Sendable {
  /// Its name (IEEE 802.11, 9.4.2.2) as UTF-8; what is none is mended.
  public var name: String
  /// The access point, in lower case with colons; nil where the driver does not tell.
  public var accessPoint: String?

  public init(name: String, accessPoint: String? = nil) {
    self.name = name
    self.accessPoint = accessPoint
  }

  /// The text of six bytes; nil for any other number of them.
  static func address(_ bytes: [UInt8]) -> String? {
    guard bytes.count == 6 else { return nil }
    return bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: ":")
  }
}
