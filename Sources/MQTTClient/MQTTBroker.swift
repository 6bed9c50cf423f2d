/// Where to and as whom.
public struct MQTTBroker: Equatable, Sendable {
  public var host: String
  public var port: UInt16
  public var isEncrypted: Bool
  /// Told apart by it, the broker ends an older connection of the same client; 1 to 23 letters and digits are safe.
  public var clientID: String
  public var user: String?
  public var password: String?
  /// PEM file of the authorities to trust instead of the system's.
  public var authorityFile: String?
  public var clientCertificateFile: String?
  public var clientKeyFile: String?

  public init(host: String, port: UInt16, isEncrypted: Bool, clientID: String) {
    self.host = host
    self.port = port
    self.isEncrypted = isEncrypted
    self.clientID = clientID
  }

  /// Without user and password.
  public var place: String {
    let host = host.contains(":") ? "[\(host)]" : host
    return "\(isEncrypted ? "mqtts" : "mqtt")://\(host):\(port)"
  }
}

/// What the broker is to publish for this client.
public struct MQTTMessage: Equatable, Sendable {
  public var topic: String
  public var payload: [UInt8]
  /// The broker keeps it for those who subscribe later.
  public var isRetained: Bool

  public init(topic: String, payload: [UInt8], isRetained: Bool) {
    self.topic = topic
    self.payload = payload
    self.isRetained = isRetained
  }
}
