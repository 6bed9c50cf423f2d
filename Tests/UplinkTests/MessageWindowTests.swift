import Formats
import MQTTClient
import Quantities
import Records
import TestSupport
import Testing

@testable import Uplink

/// The window of messages in flight, and the part of a batch that counts as delivered.
@Suite struct MessageWindowTests {
  @Test func theRunGrowsOnlyWithoutAHole() {
    var window = MessageWindow(count: 4)
    for index in 0..<3 {
      #expect(window.next(limit: 3) == index)
      window.publish(as: Int32(10 + index))
    }
    #expect(window.next(limit: 3) == nil, "three are in flight")
    let second = window.acknowledge(11)
    #expect(!second && window.confirmed == 0 && window.next(limit: 3) == 3)
    let first = window.acknowledge(10)
    #expect(first && window.confirmed == 2)
    let again = window.acknowledge(10)
    #expect(!again && window.message(10) == nil && window.message(12) == 2)
    window.publish(as: 13)
    let last = window.acknowledge(13)
    #expect(!last && !window.isComplete && !window.isEmpty)
    let third = window.acknowledge(12)
    #expect(third && window.isComplete && window.isEmpty && window.next(limit: 3) == nil)
  }

  @Test func anyOrderOfAcknowledgementsConfirmsEveryMessageOnce() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      let count = Int.random(in: 1...50, using: &random)
      let limit = Int.random(in: 1...20, using: &random)
      var window = MessageWindow(count: count)
      var waiting: [Int32] = []
      var acknowledged: Set<Int> = []
      while !window.isComplete {
        while let next = window.next(limit: limit) {
          waiting.append(Int32(next))
          window.publish(as: Int32(next))
        }
        #expect(waiting.count <= limit)
        let number = waiting.remove(at: Int.random(in: waiting.indices, using: &random))
        _ = window.acknowledge(number)
        acknowledged.insert(Int(number))
        let run = (0...count).first { !acknowledged.contains($0) }
        #expect(window.confirmed == run)
      }
    }
  }

  struct Bench {
    let http: HTTPBench
    let broker: ScriptedBroker
    let log: DeliveryTests.MemoryLog
    let delivery: Delivery

    init(_ script: [ScriptedBroker.Conduct], records: Int, inFlight: Int = 20, batchSize: Int = 500) throws {
      http = try HTTPBench()
      broker = try #require(ScriptedBroker(script))
      log = try DeliveryTests.MemoryLog(http.loop, records: records)
      var settings = DeliveryMachine.Settings()
      settings.pacing = .whenDue
      settings.batchSize = batchSize
      let address = MQTTBroker(
        host: "127.0.0.1", port: broker.port, isEncrypted: false, clientID: "outridertest")
      let transport = MQTTTransport(
        address, deviceID: "van", trackerID: nil, isNewestOnly: false, acceptsUnrouted: false,
        inFlight: inFlight, loop: http.loop)
      delivery = Delivery(
        name: "broker", transport: transport, settings: settings, loop: http.loop, log: log, seed: 1)
    }

    /// The numbers of the records that the broker received, from their times.
    var received: [Int] {
      broker.received.publications.map { publication in
        let time = publication.payload.firstMatch(of: /"tst":([0-9]+)/).flatMap { Int($0.1) }
        return (time ?? 0) - 1_772_360_102
      }
    }
  }

  @Test(arguments: [true, false])
  func aWindowOfMessagesIsInFlightAndTheirOrderIsKept(isReversed: Bool) throws {
    let bench = try Bench([.window(receiveMaximum: 100, of: 20, isReversed: isReversed)], records: 200)
    bench.delivery.start()
    #expect(try bench.http.run { bench.log.acknowledged == RecordID(200) })
    #expect(bench.received == Array(1...200))
    #expect(bench.broker.received.mostInFlight == 20 && bench.log.reports.isEmpty)
  }

  static let windows: [(UInt8, Int, Int)] = [(3, 20, 3), (100, 7, 7), (5, 1, 1)]

  @Test(arguments: windows)
  func theWindowIsThatOfTheBrokerOrOfTheSettings(maximum: UInt8, inFlight: Int, expected: Int) throws {
    // The broker would wait for more messages than are permitted.
    let conduct = ScriptedBroker.Conduct.window(receiveMaximum: maximum, of: expected + 5, isReversed: false)
    let bench = try Bench([conduct], records: 10, inFlight: inFlight)
    bench.delivery.start()
    #expect(try bench.http.run { bench.log.acknowledged == RecordID(10) })
    #expect(bench.broker.received.mostInFlight == expected)
    #expect(bench.received == Array(1...10))
  }

  /// The broker dies while messages are in flight. Only the unbroken run is acknowledged, and the rest is sent again.
  @Test(arguments: [0, 1, 7, 19])
  func anInterruptedWindowIsAcknowledgedUpToTheFirstHole(acknowledged: Int) throws {
    let bench = try Bench([.goAfter(acknowledging: acknowledged, of: 20), .acknowledge(0)], records: 20)
    bench.delivery.start()
    #expect(try bench.http.run { !bench.log.reports.isEmpty })
    #expect(bench.log.acknowledged == RecordID(Int64(acknowledged)))
    #expect(bench.delivery.machine.lastRefusal?.kind == .outcomeUnknown)
    #expect(bench.log.taken.map(\.count).reduce(0, +) == acknowledged)
    bench.delivery.sendNow()
    #expect(try bench.http.run { bench.log.acknowledged == RecordID(20) })
    let (first, whole) = (Array(bench.received.prefix(20)), Array(1...20))
    #expect(first == whole)
    let again = Array(bench.received.dropFirst(20))
    #expect(again == Array((acknowledged + 1)...20))
    #expect(bench.log.taken.map(\.count).reduce(0, +) == 20, "every record counts once")
  }

  /// The device is killed between two acknowledgements: a new delivery starts at the stored cursor.
  @Test func aKillBetweenAcknowledgementsLosesNothing() throws {
    let bench = try Bench([.goAfter(acknowledging: 9, of: 20), .acknowledge(0)], records: 20)
    bench.delivery.start()
    #expect(try bench.http.run { bench.log.acknowledged != .zero })
    bench.delivery.end()
    let before = Int(bench.log.acknowledged.rawValue)
    #expect(before <= 9)
    let address = MQTTBroker(
      host: "127.0.0.1", port: bench.broker.port, isEncrypted: false, clientID: "outridertest")
    var settings = DeliveryMachine.Settings()
    settings.pacing = .whenDue
    let next = Delivery(
      name: "broker",
      transport: MQTTTransport(
        address, deviceID: "van", trackerID: nil, isNewestOnly: false, acceptsUnrouted: false, inFlight: 20,
        loop: bench.http.loop),
      settings: settings, loop: bench.http.loop, log: bench.log, seed: 2)
    next.start()
    #expect(try bench.http.run { bench.log.acknowledged == RecordID(20) })
    let again = Array(bench.received.suffix(20 - before))
    #expect(again == Array((before + 1)...20))
    next.end()
  }

  /// A long batch is acknowledged in parts while it is sent, and its time limit starts again with every part.
  @Test func aLongBatchIsAcknowledgedWhileItIsSent() throws {
    let bench = try Bench([.window(receiveMaximum: 2, of: 3, isReversed: false)], records: 16, batchSize: 500)
    var stored: [RecordID] = []
    bench.log.onAcknowledge = { stored.append($0) }
    bench.delivery.start()
    #expect(try bench.http.run { bench.log.acknowledged == RecordID(16) })
    #expect(stored.count > 1 && stored == stored.sorted { $0.rawValue < $1.rawValue }, "\(stored)")
    #expect(bench.received == Array(1...16) && bench.log.reports.isEmpty)
    #expect(bench.log.taken.map(\.count).reduce(0, +) == 16)
  }
}
