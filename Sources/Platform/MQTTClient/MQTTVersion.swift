/// The protocol version of a connection.
public enum MQTTVersion: Equatable, Sendable {
  /// MQTT 5: an acknowledgement contains a reason code.
  case five
  /// MQTT 3.1.1, for brokers that support no other: an acknowledgement contains no reason code.
  case threeOneOne
}
