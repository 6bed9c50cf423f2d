import CMosquitto

// Translates the broker's reason codes.
extension MQTTFailure {
  /// Translates a code of CONNACK (MQTT 5 section 3.2.2.2; codes up to 5: MQTT 3.1.1 section 3.2.2.3).
  init(connection code: Int32, of broker: String, version: MQTTVersion) {
    let message = Self.message(code, version)
    switch code {
    case 1, Int32(MQTT_RC_UNSUPPORTED_PROTOCOL_VERSION.rawValue):
      self = .versionRefused(broker: broker, reason: message, isStated: true)
    case 3, Int32(MQTT_RC_SERVER_UNAVAILABLE.rawValue), Int32(MQTT_RC_SERVER_BUSY.rawValue),
      Int32(MQTT_RC_QUOTA_EXCEEDED.rawValue), Int32(MQTT_RC_CONNECTION_RATE_EXCEEDED.rawValue):
      self = .busy(broker: broker)
    case 4, 5, Int32(MQTT_RC_BAD_USERNAME_OR_PASSWORD.rawValue), Int32(MQTT_RC_NOT_AUTHORIZED.rawValue),
      Int32(MQTT_RC_BANNED.rawValue), Int32(MQTT_RC_BAD_AUTHENTICATION_METHOD.rawValue):
      self = .notAdmitted(broker: broker, reason: message)
    default: self = .invalid(reason: "\(broker): \(message)")
    }
  }

  /// Translates a code of PUBACK, 128 or above (MQTT 5 section 3.4.2.1). Only a code that names the content rejects the
  /// message. Every other one is a fault of the broker, also if it is reserved or belongs to another packet.
  init(message code: Int32, to topic: String, of broker: String) {
    let message = Self.message(code, .five)
    switch code {
    case Int32(MQTT_RC_NOT_AUTHORIZED.rawValue), Int32(MQTT_RC_TOPIC_NAME_INVALID.rawValue):
      self = .topicRefused(broker: broker, topic: topic, reason: message)
    case Int32(MQTT_RC_QUOTA_EXCEEDED.rawValue): self = .busy(broker: broker)
    case Int32(MQTT_RC_PAYLOAD_FORMAT_INVALID.rawValue), Int32(MQTT_RC_PACKET_TOO_LARGE.rawValue):
      self = .messageRefused(broker: broker, reason: message)
    default: self = .faulty(broker: broker, reason: message)
    }
  }

  private static func message(_ code: Int32, _ version: MQTTVersion) -> String {
    let text = version == .five && code > 5 ? mosquitto_reason_string(code) : mosquitto_connack_string(code)
    return text.map { String(cString: $0).lowercased().filter { $0 != "." } } ?? "code \(code)"
  }
}
