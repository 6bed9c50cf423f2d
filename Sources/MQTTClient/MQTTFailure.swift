/// Why a message did not reach the broker. Each case names where to (`mqtts://host:port`) and what to look at.
public enum MQTTFailure: Error, Equatable, Sendable {
  /// The host's name has no address here and now.
  case nameNotResolved(broker: String)
  /// No connection: refused, no route, or nobody answers.
  case unreachable(broker: String, reason: String)
  /// No trust or no common protocol, as far as libmosquitto tells.
  case tls(broker: String, reason: String)
  /// The broker refused user, password or client certificate (MQTT 3.1.1 section 3.2.2.3, codes 4 and 5).
  case notAdmitted(broker: String, reason: String)
  /// The broker is there and takes nobody at the moment (code 3).
  case busy(broker: String)
  /// The connection ended before the message was acknowledged: the broker may have it.
  case interrupted(broker: String, reason: String)
  /// The message or the connection cannot be made as it is configured.
  case invalid(reason: String)
}

extension MQTTFailure: CustomStringConvertible {
  public var description: String {
    switch self {
    case .nameNotResolved(let broker):
      "\(broker): the host's name cannot be resolved; check the url, the network and its name server"
    case .unreachable(let broker, let reason):
      "\(broker): no connection (\(reason)); check the network, the host and the port in the url"
    case .tls(let broker, let reason):
      "\(broker): no trusted connection (\(reason)); check the broker's certificate, ca_file and this device's clock"
    case .notAdmitted(let broker, let reason):
      "\(broker): the broker does not admit this device (\(reason)); check user, password and client certificate"
    case .busy(let broker): "\(broker): the broker takes nobody at the moment; it is asked again"
    case .interrupted(let broker, let reason):
      "\(broker): the connection ended before the message was acknowledged (\(reason)); check the broker's log"
    case .invalid(let reason):
      "the connection cannot be made (\(reason)); check url, ca_file and client certificate"
    }
  }
}
