extension SessionRequest {
  var frame: [UInt8] {
    var writer = SessionWriter()
    switch self {
    case .connect(let connection):
      writer.add(UInt8(1))
      connection.add(to: &writer)
    case .publish(let number, let message):
      writer.add(UInt8(2))
      writer.add(number)
      message.add(to: &writer)
    case .close: writer.add(UInt8(3))
    }
    return writer.frame
  }

  init(_ frame: SessionReader) throws(SessionFrameError) {
    var frame = frame
    switch try frame.byte() {
    case 1: self = .connect(try SessionConnection(&frame))
    case 2: self = .publish(try frame.number(), try MQTTMessage(&frame))
    case 3: self = .close
    default: throw SessionFrameError()
    }
    try frame.end()
  }
}

extension SessionConnection {
  fileprivate func add(to writer: inout SessionWriter) {
    writer.add(broker.host)
    writer.add(broker.port)
    writer.add(broker.isEncrypted)
    writer.add(broker.clientID)
    writer.add(broker.user)
    writer.add(broker.password)
    writer.add(broker.authorityFile)
    writer.add(broker.clientCertificateFile)
    writer.add(broker.clientKeyFile)
    writer.add(version == .five)
    writer.add(will != nil)
    will?.add(to: &writer)
    writer.add(subscription)
  }

  fileprivate init(_ frame: inout SessionReader) throws(SessionFrameError) {
    broker = MQTTBroker(
      host: try frame.text(), port: try frame.shortNumber(), isEncrypted: try frame.flag(),
      clientID: try frame.text())
    broker.user = try frame.optionalText()
    broker.password = try frame.optionalText()
    broker.authorityFile = try frame.optionalText()
    broker.clientCertificateFile = try frame.optionalText()
    broker.clientKeyFile = try frame.optionalText()
    version = try frame.flag() ? .five : .threeOneOne
    will = try frame.flag() ? try MQTTMessage(&frame) : nil
    subscription = try frame.optionalText()
  }
}

extension MQTTMessage {
  func add(to writer: inout SessionWriter) {
    writer.add(topic)
    writer.add(payload)
    writer.add(isRetained)
  }

  init(_ frame: inout SessionReader) throws(SessionFrameError) {
    self.init(topic: try frame.text(), payload: try frame.bytes(), isRetained: try frame.flag())
  }
}
