extension SessionReport {
  var frame: [UInt8] {
    var writer = SessionWriter()
    switch self {
    case .started: writer.add(UInt8(1))
    case .reached: writer.add(UInt8(2))
    case .connected(let maximum):
      writer.add(UInt8(3))
      writer.add(maximum)
    case .published(let number):
      writer.add(UInt8(4))
      writer.add(number)
    case .unrouted(let number):
      writer.add(UInt8(5))
      writer.add(number)
    case .refused(let number, let failure):
      writer.add(UInt8(6))
      writer.add(number)
      failure.add(to: &writer)
    case .received(let message):
      writer.add(UInt8(7))
      message.add(to: &writer)
    case .notSubscribed(let reason):
      writer.add(UInt8(8))
      writer.add(reason)
    case .ended(let failure):
      writer.add(UInt8(9))
      failure.add(to: &writer)
    }
    return writer.frame
  }

  init(_ frame: SessionReader) throws(SessionFrameError) {
    var frame = frame
    switch try frame.byte() {
    case 1: self = .started
    case 2: self = .reached
    case 3: self = .connected(receiveMaximum: try frame.shortNumber())
    case 4: self = .published(try frame.number())
    case 5: self = .unrouted(try frame.number())
    case 6: self = .refused(try frame.number(), try MQTTFailure(&frame))
    case 7: self = .received(try MQTTMessage(&frame))
    case 8: self = .notSubscribed(try frame.text())
    case 9: self = .ended(try MQTTFailure(&frame))
    default: throw SessionFrameError()
    }
    try frame.end()
  }
}

extension MQTTFailure {
  fileprivate func add(to writer: inout SessionWriter) {
    func add(_ kind: UInt8, _ texts: String...) {
      writer.add(kind)
      for text in texts { writer.add(text) }
    }
    switch self {
    case .nameNotResolved(let broker): add(1, broker)
    case .unreachable(let broker, let reason): add(2, broker, reason)
    case .tls(let broker, let reason): add(3, broker, reason)
    case .versionRefused(let broker, let reason, let isStated):
      add(4, broker, reason)
      writer.add(isStated)
    case .notAdmitted(let broker, let reason): add(5, broker, reason)
    case .busy(let broker): add(6, broker)
    case .topicRefused(let broker, let topic, let reason): add(7, broker, topic, reason)
    case .messageRefused(let broker, let reason): add(8, broker, reason)
    case .interrupted(let broker, let reason): add(9, broker, reason)
    case .flooded(let broker): add(10, broker)
    case .crashed(let broker, let reason, let wasConnected):
      add(11, broker, reason)
      writer.add(wasConnected)
    case .invalid(let reason): add(12, reason)
    case .faulty(let broker, let reason): add(13, broker, reason)
    case .notAccepted(let broker, let reason): add(14, broker, reason)
    }
  }

  fileprivate init(_ frame: inout SessionReader) throws(SessionFrameError) {
    switch try frame.byte() {
    case 1: self = .nameNotResolved(broker: try frame.text())
    case 2: self = .unreachable(broker: try frame.text(), reason: try frame.text())
    case 3: self = .tls(broker: try frame.text(), reason: try frame.text())
    case 4:
      self = .versionRefused(
        broker: try frame.text(), reason: try frame.text(), isStated: try frame.flag())
    case 5: self = .notAdmitted(broker: try frame.text(), reason: try frame.text())
    case 6: self = .busy(broker: try frame.text())
    case 7:
      self = .topicRefused(
        broker: try frame.text(), topic: try frame.text(), reason: try frame.text())
    case 8: self = .messageRefused(broker: try frame.text(), reason: try frame.text())
    case 9: self = .interrupted(broker: try frame.text(), reason: try frame.text())
    case 10: self = .flooded(broker: try frame.text())
    case 11:
      self = .crashed(broker: try frame.text(), reason: try frame.text(), wasConnected: try frame.flag())
    case 12: self = .invalid(reason: try frame.text())
    case 13: self = .faulty(broker: try frame.text(), reason: try frame.text())
    case 14: self = .notAccepted(broker: try frame.text(), reason: try frame.text())
    default: throw SessionFrameError()
    }
  }
}
