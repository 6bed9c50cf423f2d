/// What is spoken with a broker.
public enum MQTTVersion: Equatable, Sendable {
  /// MQTT 5: the broker says with each acknowledgement whether it took the message.
  case five
  /// MQTT 3.1.1, for brokers that know no other: an acknowledgement is all that they can say.
  case threeOneOne
}
