import Formats
import MQTTClient
import Quantities
import Records
import TestSupport
import Testing
import Uplink

/// Brokers that support only MQTT 3.1.1, and one that disconnects before the acknowledgement.
@Suite struct OlderBrokerTests {
  struct Bench {
    let http: HTTPBench
    let broker: ScriptedBroker
    let log: DeliveryTests.MemoryLog
    let delivery: Delivery

    init(_ script: [ScriptedBroker.Conduct], records: Int) throws {
      http = try HTTPBench()
      broker = try #require(ScriptedBroker(script))
      log = try DeliveryTests.MemoryLog(http.loop, records: records)
      log.retriesAtOnce = true
      var settings = DeliveryMachine.Settings()
      settings.pacing = .whenDue
      (settings.batchSize, settings.largestRequest) = (1, 1)
      let address = MQTTBroker(
        host: "127.0.0.1", port: broker.port, isEncrypted: false, clientID: "outridertest")
      let transport = MQTTTransport(
        address, deviceID: "van", trackerID: nil, isNewestOnly: false, acceptsUnrouted: false,
        inFlight: 20, loop: http.loop,
        utc: { Timestamp(milliseconds: 1_772_360_000_000) })
      delivery = Delivery(
        name: "broker", transport: transport, settings: settings, loop: http.loop, log: log, seed: 1)
    }
  }

  static let refusals: [ScriptedBroker.Conduct] = [.hangUp, .answer(1), .answer(0x84)]

  @Test(arguments: refusals.indices)
  func anOlderBrokerIsUsedWithMQTT311FromThenOn(_ index: Int) throws {
    let bench = try Bench([Self.refusals[index], .answer(0)], records: 3)
    bench.delivery.start()
    #expect(try bench.http.run { bench.log.acknowledged == RecordID(3) })
    #expect(
      bench.broker.received.levels.first == 5
        && bench.broker.received.levels.dropFirst().allSatisfy { $0 == 4 })
    #expect(bench.log.reports.isEmpty, "no failure")
  }

  @Test func aMessageWithoutAcknowledgementIsSentAgainUnchanged() throws {
    let bench = try Bench([.answer(1), .goBeforeAcknowledging, .answer(0)], records: 2)
    bench.delivery.start()
    #expect(try bench.http.run { bench.log.acknowledged == RecordID(2) })
    let received = bench.broker.received.publications
    #expect(received.count == 3 && received[0] == received[1] && received[1] != received[2])
    #expect(received.allSatisfy { $0.topic == "owntracks/van" })
  }

  @Test func theWillHasTheTopicAndTheTime() throws {
    let bench = try Bench([.answer(1), .answer(0)], records: 1)
    bench.delivery.start()
    #expect(try bench.http.run { bench.log.acknowledged == RecordID(1) })
    let connect = try #require(bench.broker.received.connects.last)
    #expect(connect.contains("owntracks/van") && connect.contains(#"{"_type":"lwt","tst":1772360000}"#))
  }

  @Test(
    arguments: [(3, Refusal.Kind.busy), (5, .credentials), (2, .configuration)] as [(UInt8, Refusal.Kind)])
  func aRejectedConnectionIsClassifiedByItsCode(code: UInt8, kind: Refusal.Kind) throws {
    let bench = try Bench([.answer(1), .answer(code)], records: 1)
    bench.log.retriesAtOnce = false
    bench.delivery.start()
    #expect(try bench.http.run { !bench.log.reports.isEmpty })
    #expect(bench.delivery.machine.lastRefusal?.kind == kind && bench.log.acknowledged == .zero)
  }
}
