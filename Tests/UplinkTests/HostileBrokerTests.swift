import Formats
import MQTTClient
import Quantities
import Records
import TestSupport
import Testing
import Uplink

/// Brokers that answer with anything. libmosquitto 2.0.11 aborts on an unknown property of any packet, and takes the 256 MB
/// that a packet may announce.
@Suite struct HostileBrokerTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let occasion: HostileBroker.Occasion
    let conduct: HostileBroker.Conduct
    /// True if the delivery must fail; else the client may tolerate the answer.
    let fails: Bool

    var testDescription: String { name }
  }

  private static func length(_ count: Int) -> [UInt8] {
    var (rest, bytes) = (count, [UInt8]())
    repeat {
      bytes.append(UInt8(rest & 127) | (rest > 127 ? 128 : 0))
      rest >>= 7
    } while rest > 0
    return bytes
  }

  private static func packet(_ kind: UInt8, _ body: [UInt8]) -> [UInt8] { [kind] + length(body.count) + body }

  private static func text(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + bytes
  }

  private static func connect(_ name: String, _ body: [UInt8]) -> Case {
    Case(name: "CONNACK " + name, occasion: .connect, conduct: .bytes(packet(0x20, body)), fails: false)
  }

  private static func raw(_ name: String, _ bytes: [UInt8], fails: Bool = true) -> Case {
    Case(name: name, occasion: .connect, conduct: .bytes(bytes), fails: fails)
  }

  private static func after(_ name: String, _ bytes: [UInt8], fails: Bool = true) -> Case {
    Case(name: name + " after SUBACK", occasion: .subscribe, conduct: .answerAnd(bytes), fails: fails)
  }

  private static func message(
    _ name: String, kind: UInt8 = 0x30, topic: [UInt8] = Array("owntracks/van/cmd".utf8),
    number: [UInt8] = [], properties: [UInt8] = [], fails: Bool = true
  ) -> Case {
    let body = text(topic) + number + length(properties.count) + properties + Array("{}".utf8)
    return after("PUBLISH " + name, packet(kind, body), fails: fails)
  }

  private static func acknowledgement(_ name: String, _ bytes: [UInt8], fails: Bool = true) -> Case {
    Case(name: name, occasion: .publish, conduct: .bytes(bytes), fails: fails)
  }

  private static let n = HostileBroker.number
  private static let huge: [UInt8] = [0xFF, 0xFF, 0xFF, 0x7F]

  static let connects: [Case] = [
    connect("unknown property", [0, 0, 2, 0x78, 0]), connect("property 0", [0, 0, 2, 0, 0]),
    connect("property of two bytes", [0, 0, 3, 0xF8, 1, 0]), connect("without properties", [0, 0]),
    connect("properties too long", [0, 0, 0x7F]),
    connect("malformed length", [0, 0, 255, 255, 255, 255, 255]),
    connect("empty", []), connect("one byte", [0]), connect("reserved flags", [0xFF, 0, 0]),
    connect("unknown code", [0, 0xFE, 0]), connect("more bytes", [0, 0, 0] + Array("more".utf8)),
    connect("half a text", [0, 0, 5, 0x1F, 0xFF, 0xFF, 0x61, 0x62]),
    connect("invalid UTF-8", [0, 0, 5, 0x1F, 0, 2, 0xFF, 0xFE]),
    connect("twice the same property", [0, 0, 6, 0x22, 0, 1, 0x22, 0, 2]),
    connect("Receive Maximum 0", [0, 0, 3, 0x21, 0, 0]),
    connect("largest packet 1", [0, 0, 5, 0x27, 0, 0, 0, 1]),
    connect("QoS 9", [0, 0, 2, 0x24, 9]), connect("no QoS 1", [0, 0, 2, 0x24, 0]),
    connect(
      "12,000 properties",
      [0, 0] + length(60_000) + Array(repeatElement([0x26, 0, 0, 0, 0], count: 12_000).joined())),
    raw("CONNACK of 256 MB", [0x20] + huge),
    raw("CONNACK with a length of five bytes", [0x20, 255, 255, 255, 255, 1]),
    raw("one byte, then silence", [0x20]), raw("half a CONNACK, then silence", [0x20, 3, 0]),
    raw("PUBLISH before CONNACK", [0x30, 3, 0, 1, 0x61]), raw("PUBACK before CONNACK", [0x40, 2, 0, 1]),
    raw("DISCONNECT before CONNACK", [0xE0, 0]),
    raw("AUTH before CONNACK", [0xF0, 2, 0x18, 0], fails: false),
    raw("HTTP", Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)),
    raw("TLS alert", [0x15, 3, 1, 0, 2, 2, 0x28]),
    raw("SSH", Array("SSH-2.0-OpenSSH_9.2\r\n".utf8)), raw("zeros", [UInt8](repeating: 0, count: 5000)),
    raw("255s", [UInt8](repeating: 255, count: 5000)),
    Case(
      name: "half a CONNACK, then the end", occasion: .connect, conduct: .bytesAndEnd([0x20, 3]), fails: true),
    raw("two CONNACK", [0x20, 3, 0, 0, 0, 0x20, 3, 0, 0, 0], fails: false),
    Case(name: "silence", occasion: .connect, conduct: .silence, fails: true),
    Case(name: "close", occasion: .connect, conduct: .close(abruptly: false), fails: true),
    Case(name: "reset", occasion: .connect, conduct: .close(abruptly: true), fails: true),
    Case(
      name: "256 MB of a PUBLISH", occasion: .connect,
      conduct: .repeated([0x20, 3, 0, 0, 0, 0x30] + huge + [UInt8](repeating: 0x61, count: 1 << 20), 250),
      fails: true),
  ]

  static let messages: [Case] = [
    message("unknown property", properties: [0x78, 0]),
    message("property of another packet", properties: [0x12, 0]),
    message("QoS 3", kind: 0x36, number: [0, 1]), message("identifier 0", kind: 0x32, number: [0, 0]),
    message("empty topic", topic: []), message("topic alias 0", topic: [], properties: [0x23, 0, 0]),
    message("invalid UTF-8", topic: [0xFF, 0xFE]), message("topic with NUL", topic: [0x61, 0, 0x62]),
    message("topic of 65,535 bytes", topic: [UInt8](repeating: 0x61, count: 65_535), fails: false),
    message("topic of 65,535 levels", topic: [UInt8](repeating: 0x2F, count: 65_535), fails: false),
    message("wildcard", topic: Array("owntracks/#".utf8), fails: false),
    after("PUBLISH with a topic beyond its end", packet(0x30, [0xFF, 0xFF, 0x61])),
    after("empty PUBLISH", [0x30, 0]),
    after("PUBLISH of 256 MB", [0x30] + huge),
    after("CONNECT", packet(0x10, text(Array("MQTT".utf8)) + [5, 2, 0, 60, 0, 0, 1, 0x78])),
    after("DISCONNECT", [0xE0, 0]), after("DISCONNECT with an unknown property", [0xE0, 4, 0, 2, 0x78, 0]),
    after("AUTH", [0xF0, 0]), after("AUTH with an unknown property", [0xF0, 4, 0x18, 2, 0x78, 0]),
    after("packet type 0", [0, 0]), after("packet type 15", [0xFF, 0]),
    after("PUBREL without PUBLISH", [0x62, 2, 0, 9], fails: false),
    after("PINGRESP with a body", [0xD0, 1, 0], fails: false),
    Case(
      name: "SUBACK unknown property", occasion: .subscribe,
      conduct: .bytes([0x90, 6] + n + [2, 0x78, 0, 1]), fails: true),
    Case(
      name: "SUBACK without codes", occasion: .subscribe, conduct: .bytes([0x90, 3] + n + [0]), fails: true),
    Case(name: "empty SUBACK", occasion: .subscribe, conduct: .bytes([0x90, 0]), fails: true),
    Case(
      name: "SUBACK with 60,000 codes", occasion: .subscribe,
      conduct: .bytes(packet(0x90, n + [0] + [UInt8](repeating: 1, count: 60_000))), fails: false),
    acknowledgement("PUBACK unknown property", [0x40, 6] + n + [0, 2, 0x78, 0]),
    acknowledgement("PUBACK property of another packet", [0x40, 6] + n + [0, 2, 0x12, 0]),
    acknowledgement("PUBACK of 256 MB", [0x40] + huge), acknowledgement("empty PUBACK", [0x40, 0]),
    acknowledgement("PUBACK of another message", [0x40, 2, 0x7F, 0x7F]),
    acknowledgement("PUBACK 0", [0x40, 2, 0, 0]),
    acknowledgement("PUBACK with an unknown code", [0x40, 3] + n + [0xFE]),
    acknowledgement("PUBREC", [0x50, 2] + n),
    acknowledgement("PUBCOMP", [0x70, 2] + n),
    Case(name: "PUBACK twice", occasion: .publish, conduct: .answerAnd([0x40, 2] + n), fails: false),
    Case(name: "silence after PUBLISH", occasion: .publish, conduct: .silence, fails: true),
    Case(name: "close after PUBLISH", occasion: .publish, conduct: .close(abruptly: false), fails: true),
    Case(name: "reset after PUBLISH", occasion: .publish, conduct: .close(abruptly: true), fails: true),
  ]

  final class Bench {
    let http: HTTPBench
    let broker: HostileBroker
    let log: DeliveryTests.MemoryLog
    let delivery: Delivery

    init(
      _ occasion: HostileBroker.Occasion, _ conduct: HostileBroker.Conduct, onlyTo level: UInt8? = nil,
      records: Int = 3
    ) throws {
      http = try HTTPBench.simulated()
      broker = try #require(HostileBroker(at: occasion, conduct, onlyTo: level))
      log = try DeliveryTests.MemoryLog(http.loop, records: records)
      var settings = DeliveryMachine.Settings()
      settings.pacing = .whenDue
      (settings.batchSize, settings.largestRequest) = (1, 1)
      let address = MQTTBroker(
        host: "127.0.0.1", port: broker.port, isEncrypted: false, clientID: "outridertest")
      let transport = MQTTTransport(
        address, deviceID: "van", trackerID: nil, isNewestOnly: false, acceptsUnrouted: true, inFlight: 20,
        loop: http.loop,
        commands: CommandChannel(handle: { _ in }, rejected: { _ in }, isAnswer: { _ in false }))
      delivery = Delivery(
        name: "broker", transport: transport, settings: settings, loop: http.loop, log: log, seed: 1)
    }

    /// Runs until everything is acknowledged or a failure is reported.
    func start() throws {
      delivery.start()
      let last = RecordID(Int64(log.records.count))
      _ = try http.run(for: .seconds(600)) { [log] in log.acknowledged == last || !log.reports.isEmpty }
    }

    func expectEverything() throws {
      broker.behave()
      let last = RecordID(Int64(log.records.count))
      for _ in 0..<5 where log.acknowledged != last {
        delivery.sendNow()
        _ = try http.run(for: .seconds(3600)) { [log] in log.acknowledged == last }
      }
      #expect(log.acknowledged == last, "\(log.reports)")
      let payloads = Set(broker.received.payloads)
      #expect(payloads.count == log.records.count)
    }
  }

  @Test(arguments: connects + messages)
  func noBytesOfABrokerEndTheProgramOrLoseARecord(_ hostile: Case) throws {
    let bench = try Bench(hostile.occasion, hostile.conduct)
    try bench.start()
    #expect(bench.log.acknowledged.rawValue <= Int64(bench.broker.received.acknowledged))
    if hostile.fails {
      #expect(bench.delivery.machine.lastRefusal != nil && !bench.log.reports.isEmpty)
      let report = bench.log.reports.first ?? ""
      #expect(
        report.contains("mqtt://127.0.0.1:\(bench.broker.port)") || report.contains("no response"),
        "\(report)")
    }
    try bench.expectEverything()
  }
}
