/// The address of a broker, and the identity of this client.
public struct MQTTBroker: Equatable, Sendable {
  public var host: String
  public var port: UInt16
  public var isEncrypted: Bool
  /// The client identifier. The broker closes an older connection of the same identifier. All brokers accept 1 to 23
  /// letters and digits.
  public var clientID: String
  public var user: String?
  public var password: String?
  /// The PEM file of the certificate authorities to trust instead of the system's.
  public var authorityFile: String?
  public var clientCertificateFile: String?
  public var clientKeyFile: String?

  public init(host: String, port: UInt16, isEncrypted: Bool, clientID: String) {
    self.host = host
    self.port = port
    self.isEncrypted = isEncrypted
    self.clientID = clientID
  }

  /// The URL of the broker for messages, without user and password.
  public var displayURL: String {
    let host = host.contains(":") ? "[\(host)]" : host
    return "\(isEncrypted ? "mqtts" : "mqtt")://\(host):\(port)"
  }
}

/// A message for the broker to publish.
public struct MQTTMessage: Equatable, Sendable {
  public var topic: String
  public var payload: [UInt8]
  /// True if the broker keeps the message for later subscribers.
  public var isRetained: Bool

  public init(topic: String, payload: [UInt8], isRetained: Bool) {
    self.topic = topic
    self.payload = payload
    self.isRetained = isRetained
  }
}
