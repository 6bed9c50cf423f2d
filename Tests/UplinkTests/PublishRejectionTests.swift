import Testing

@testable import MQTTClient
@testable import Uplink

/// The reason codes of PUBACK (MQTT 5.0 section 3.4.2.1), with those that are reserved or belong to other packets.
@Suite struct PublishRejectionTests {
  /// The codes that have a meaning of their own. 0x95 belongs to DISCONNECT, but names the message.
  static let named: [UInt8: Refusal.Kind] = [
    0x87: .credentials, 0x90: .credentials, 0x95: .content, 0x99: .content,
  ]

  /// 0x80 unspecified error, 0x83 implementation specific error, 0x91 packet identifier in use, 0x97 quota exceeded, and
  /// every other code are faults of the broker.
  @Test(arguments: UInt8(0x80)...0xFF) func onlyACodeThatNamesTheContentRejectsIt(_ code: UInt8) {
    let refusal = Refusal(MQTTFailure(message: Int32(code), to: "owntracks/van", of: "mqtt://h:1883"))
    #expect(refusal.kind == Self.named[code] ?? .busy, "\(refusal)")
    #expect(refusal.mayBeServer == (refusal.kind == .content))
    #expect(refusal.reason.hasPrefix("mqtt://h:1883: "))
  }

  static let codes: [UInt8] = [0x80, 0x83, 0x87, 0x90, 0x91, 0x92, 0x95, 0x97, 0x99, 0xA2, 0xFE, 0xFF]

  /// A broker that has recovered gets the record; the library may end the connection at a reserved code.
  @Test(arguments: codes) func aRecordOutlivesEveryCode(_ code: UInt8) throws {
    let bench = try UnroutedMessageTests.Bench([.acknowledge(code), .acknowledge(0)])
    bench.delivery.start()
    #expect(try bench.http.run { bench.delivery.machine.lastRefusal != nil })
    let refusal = try #require(bench.delivery.machine.lastRefusal)
    #expect(refusal.kind == .content ? Self.named[code] == .content : true, "\(refusal)")
    #expect(bench.log.acknowledged == .zero)
  }
}
