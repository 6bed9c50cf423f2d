/// The reason why a message was not delivered, with the broker (`mqtts://host:port`). The description contains the
/// remedy.
public enum MQTTFailure: Error, Equatable, Sendable {
  /// The host name cannot be resolved.
  case nameNotResolved(broker: String)
  /// No connection: refused, no route, or timed out.
  case unreachable(broker: String, reason: String)
  /// The certificate is not trusted, or TLS failed otherwise.
  case tls(broker: String, reason: String)
  /// The broker does not support this MQTT version. `isStated` if it said so; false if it closed a connection that uses
  /// it, or did not answer.
  case versionRefused(broker: String, reason: String, isStated: Bool)
  /// The broker was reached, but the connection ended before it accepted the client, or brought no answer of MQTT.
  case notAccepted(broker: String, reason: String)
  /// The broker rejected user, password or client certificate.
  case notAdmitted(broker: String, reason: String)
  /// The broker is connected but accepts no messages at present.
  case busy(broker: String)
  /// The client is not authorized to publish to the topic.
  case topicRefused(broker: String, topic: String, reason: String)
  /// The broker cannot take the message now, and its reason is not the message.
  case faulty(broker: String, reason: String)
  /// The broker rejected the content of the message.
  case messageRefused(broker: String, reason: String)
  /// The connection closed before the message was acknowledged: the broker may have received it.
  case interrupted(broker: String, reason: String)
  /// The broker sent far more data than expected; the connection was closed.
  case flooded(broker: String)
  /// The process of the connection ended; the bytes of the broker are the likely cause. `wasConnected` if the broker had
  /// accepted the client: it may have received the messages.
  case crashed(broker: String, reason: String, wasConnected: Bool)
  /// The message or the connection is impossible with this configuration.
  case invalid(reason: String)
}

extension MQTTFailure: CustomStringConvertible {
  public var description: String {
    switch self {
    case .nameNotResolved(let broker):
      "\(broker): cannot resolve the host name; check the url, the network and its DNS server"
    case .unreachable(let broker, let reason):
      "\(broker): no connection (\(reason)); check the network, the host and the port in the url"
    case .tls(let broker, let reason):
      "\(broker): no trusted TLS connection (\(reason)); "
        + "check the broker's certificate, ca_file and this device's clock"
    case .versionRefused(let broker, let reason, _):
      "\(broker): no supported MQTT version (\(reason)); check that the port belongs to an MQTT broker"
    case .notAccepted(let broker, let reason):
      "\(broker): reached, but no answer of an MQTT broker (\(reason)); check that the port belongs to an MQTT broker, "
        + "and the broker's log"
    case .notAdmitted(let broker, let reason):
      "\(broker): the broker rejects this client (\(reason)); check user, password and client certificate"
    case .busy(let broker): "\(broker): the broker is busy; it asks to retry later"
    case .topicRefused(let broker, let topic, let reason):
      "\(broker): the broker rejects topic \(topic) (\(reason)); check its access list, user and device_id"
    case .faulty(let broker, let reason):
      "\(broker): the broker did not take the message (\(reason)); it is sent again; check the broker's log"
    case .messageRefused(let broker, let reason):
      "\(broker): the broker rejects the message (\(reason)); check its log"
    case .interrupted(let broker, let reason):
      "\(broker): the connection closed before the message was acknowledged (\(reason)); check the broker's log"
    case .flooded(let broker):
      "\(broker): connection closed because the broker sent far more than expected; check that it is an "
        + "MQTT broker, and check its bridges"
    case .crashed(let broker, let reason, _):
      "\(broker): the process of this connection \(reason), probably by data that is no MQTT; check that the port "
        + "belongs to an MQTT broker, and the broker's version"
    case .invalid(let reason):
      "cannot connect (\(reason)); check url, ca_file and client certificate"
    }
  }
}
