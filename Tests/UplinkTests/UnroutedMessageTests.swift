import MQTTClient
import Quantities
import Records
import TestSupport
import Testing
import TextSnapshots

import Uplink

/// MQTT 5 brokers that acknowledge a message without a subscriber.
@Suite struct UnroutedMessageTests {
  struct Bench {
    let http: HTTPBench
    let broker: ScriptedBroker
    let log: DeliveryTests.MemoryLog
    let delivery: Delivery

    init(_ script: [ScriptedBroker.Conduct], isNewestOnly: Bool = false, acceptsUnrouted: Bool = false) throws
    {
      http = try HTTPBench()
      broker = try #require(ScriptedBroker(script))
      log = try DeliveryTests.MemoryLog(http.loop, records: 3)
      var settings = DeliveryMachine.Settings()
      settings.pacing = .whenDue
      settings.isNewestOnly = isNewestOnly
      if !isNewestOnly { (settings.batchSize, settings.largestRequest) = (1, 1) }
      let address = MQTTBroker(
        host: "127.0.0.1", port: broker.port, isEncrypted: false, clientID: "outridertest")
      let transport = MQTTTransport(
        address, deviceID: "van", trackerID: nil, isNewestOnly: isNewestOnly,
        acceptsUnrouted: acceptsUnrouted, inFlight: 20, loop: http.loop)
      delivery = Delivery(
        name: "broker", transport: transport, settings: settings, loop: http.loop, log: log, seed: 1)
    }
  }

  @Test func aMessageWithoutASubscriberIsKeptAndSentAgainLater() throws {
    let bench = try Bench([.acknowledge(16), .acknowledge(0)])
    bench.delivery.start()
    #expect(try bench.http.run { !bench.log.reports.isEmpty })
    let machine = bench.delivery.machine
    #expect(machine.lastRefusal?.kind == .unrouted && bench.log.acknowledged == .zero)
    let report = try #require(bench.log.reports.first)
    let message = report.replacing("127.0.0.1:\(bench.broker.port)", with: "127.0.0.1:PORT")
    #expect(message == DeliveryTests.texts.expected("no subscriber", message))
    if case .backingOff = machine.phase {} else { Issue.record("\(machine.phase)") }
    bench.delivery.sendNow()
    let isSentAgain = try bench.http.run { bench.broker.received.publications.count >= 2 }
    #expect(isSentAgain)
    let received = bench.broker.received.publications
    #expect(received.first == received.dropFirst().first, "the same record is sent again")
  }

  @Test(arguments: [true, false])
  func itCountsIfTheBrokerRetainsItOrTheOperatorAllowsIt(isNewestOnly: Bool) throws {
    let bench = try Bench([.acknowledge(16)], isNewestOnly: isNewestOnly, acceptsUnrouted: !isNewestOnly)
    bench.delivery.start()
    #expect(try bench.http.run { bench.log.acknowledged == RecordID(3) })
    #expect(bench.log.reports.isEmpty)
  }
}

/// A broker that sends without end.
@Suite struct FloodingBrokerTests {
  @Test func itIsDisconnectedAndReportedAndRetriedAfterABackOff() throws {
    let bench = try UnroutedMessageTests.Bench([.flood])
    bench.delivery.start()
    let isReported = try bench.http.run {
      bench.log.reported.contains {
        if case .failing(let refusal, _) = $0 { refusal.kind == .busy } else { false }
      }
    }
    #expect(isReported, "\(bench.log.reports)")
    let report = try #require(bench.log.reports.first)
    let message = report.replacing("127.0.0.1:\(bench.broker.port)", with: "127.0.0.1:PORT")
    #expect(message == DeliveryTests.texts.expected("flooding broker", message))
    #expect(bench.delivery.machine.failures >= 1 && bench.log.acknowledged == .zero)
    if case .backingOff = bench.delivery.machine.phase {
    } else {
      Issue.record("\(bench.delivery.machine.phase)")
    }
  }
}
