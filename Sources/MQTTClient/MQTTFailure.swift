/// Why a message did not reach the broker. Each case names where to (`mqtts://host:port`) and what to look at.
public enum MQTTFailure: Error, Equatable, Sendable {
  /// The host's name has no address here and now.
  case nameNotResolved(broker: String)
  /// No connection: refused, no route, or nobody answers.
  case unreachable(broker: String, reason: String)
  /// No trust or no common protocol, as far as libmosquitto tells.
  case tls(broker: String, reason: String)
  /// The broker does not speak this version, or ends a connection that does.
  case versionRefused(broker: String, reason: String)
  /// The broker refused user, password or client certificate.
  case notAdmitted(broker: String, reason: String)
  /// The broker is there and takes nothing at the moment.
  case busy(broker: String)
  /// This client may not publish there.
  case topicRefused(broker: String, topic: String, reason: String)
  /// The broker does not take this message.
  case messageRefused(broker: String, reason: String)
  /// The connection ended before the message was acknowledged: the broker may have it.
  case interrupted(broker: String, reason: String)
  /// The broker sent far more than anything that was asked of it; the connection was closed.
  case flooded(broker: String)
  /// The message or the connection cannot be made as it is configured.
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
    case .versionRefused(let broker, let reason):
      "\(broker): no supported MQTT version (\(reason)); check that the port belongs to an MQTT broker"
    case .notAdmitted(let broker, let reason):
      "\(broker): the broker rejects this client (\(reason)); check user, password and client certificate"
    case .busy(let broker): "\(broker): the broker is busy; it asks to retry later"
    case .topicRefused(let broker, let topic, let reason):
      "\(broker): the broker rejects topic \(topic) (\(reason)); check its access list, user and device_id"
    case .messageRefused(let broker, let reason):
      "\(broker): the broker rejects the message (\(reason)); check its log"
    case .interrupted(let broker, let reason):
      "\(broker): the connection closed before the message was acknowledged (\(reason)); check the broker's log"
    case .flooded(let broker):
      "\(broker): connection closed because the broker sent far more than expected; check that it is an "
        + "MQTT broker, and check its bridges"
    case .invalid(let reason):
      "cannot connect (\(reason)); check url, ca_file and client certificate"
    }
  }
}
