import Quantities
import Records
import TestSupport
import Testing

@testable import MQTTClient

/// The choice between MQTT 5 and 3.1.1.
@Suite struct VersionChoiceTests {
  /// Answers of brokers that know MQTT 3.1.1 only.
  static let answers: [(String, HostileBroker.Conduct)] = [
    ("end", .close(abruptly: false)), ("reset", .close(abruptly: true)), ("silence", .silence),
    ("code 1 in the form of 3.1.1", .bytes([0x20, 2, 0, 1])), ("code 0x84", .bytes([0x20, 3, 0, 0x84, 0])),
    ("accepted in the form of 3.1.1", .bytes([0x20, 2, 0, 0])),
    ("unknown property", .bytes([0x20, 5, 0, 0, 2, 0x78, 0])),
    ("a byte of CONNACK, then silence", .bytes([0x20])),
    ("a byte of CONNACK and an end", .bytesAndEnd([0x20])),
    ("two bytes of CONNACK and an end", .bytesAndEnd([0x20, 2])),
    ("three bytes of CONNACK and an end", .bytesAndEnd([0x20, 2, 0])),
    ("HTTP and an end", .bytesAndEnd(http)),
    ("HTTP of a complete packet", .bytes(http + [UInt8](repeating: 0x20, count: 100))),
    ("DISCONNECT", .bytesAndEnd([0xE0, 0])), ("PUBLISH", .bytesAndEnd([0x30, 3, 0, 1, 0x61])),
    ("QoS 3", .bytesAndEnd([0x36, 5, 0, 1, 0x61, 0, 1])), ("packet type 0", .bytesAndEnd([0, 0])),
  ]

  private static let http = Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)

  @Test(arguments: answers.indices)
  func anOlderBrokerGetsEverything(_ index: Int) throws {
    let bench = try HostileBrokerTests.Bench(.connect, Self.answers[index].1, onlyTo: 5)
    bench.delivery.start()
    #expect(try bench.http.run(for: .seconds(3600)) { bench.log.acknowledged == RecordID(3) })
    let levels = bench.broker.received.levels
    #expect(levels.first == 5 && levels.last == 4, "\(levels)")
  }

  /// Whatever ends a connection to a broker that was reached, the network is not the cause.
  @Test(arguments: answers.indices)
  func theFailureOfABrokerThatAnsweredNamesTheBroker(_ index: Int) throws {
    let bench = try HostileBrokerTests.Bench(.connect, Self.answers[index].1)
    try bench.start()
    let reports = bench.log.reports
    #expect(reports.allSatisfy { !$0.contains("success") && !$0.contains("check the network") }, "\(reports)")
  }

  @Test(arguments: [HostileBroker.Conduct.close(abruptly: true), .close(abruptly: false), .silence])
  func aBrokerThatRestartsKeepsMQTT5(_ conduct: HostileBroker.Conduct) throws {
    let bench = try HostileBrokerTests.Bench(.connect, conduct, records: 2)
    bench.broker.behave()
    bench.log.onAcknowledge = { [broker = bench.broker] in if $0 == RecordID(1) { broker.behave(false) } }
    bench.delivery.start()
    _ = try bench.http.run(for: .seconds(120)) {
      !bench.log.reports.isEmpty || bench.log.acknowledged == RecordID(2)
    }
    try bench.expectEverything()
    #expect(bench.broker.received.levels.allSatisfy { $0 == 5 }, "\(bench.broker.received.levels)")
  }

  private static let start = Moment.zero + .seconds(1000)

  @Test func aStatementIsBelievedForADay() {
    var memory = VersionMemory()
    #expect(memory.first(now: Self.start) == .five)
    let tries = memory.fiveFailed(.stated)
    #expect(tries)
    memory.accepted(.threeOneOne, because: .stated, now: Self.start)
    #expect(memory.first(now: Self.start + .seconds(86_399)) == .threeOneOne)
    #expect(memory.first(now: Self.start + .seconds(86_400)) == .five)
  }

  @Test func aSuspicionIsReviewedAfterTenMinutesAndLaterAfterADay() {
    var memory = VersionMemory()
    var (now, reviews) = (Self.start, [Int64]())
    for _ in 0..<12 {
      let tries = memory.fiveFailed(.suspected)
      #expect(tries)
      memory.accepted(.threeOneOne, because: .suspected, now: now)
      var seconds: Int64 = 0
      while memory.first(now: now + .seconds(seconds)) == .threeOneOne, seconds < 200_000 { seconds += 60 }
      reviews.append(seconds)
      now = now + .seconds(seconds)
    }
    #expect(reviews.prefix(4) == [600, 1200, 2400, 4800] && reviews.last == 86_400)
    memory.accepted(.five, because: nil, now: now)
    #expect(memory.first(now: now) == .five)
  }

  @Test func aBrokerThatAcceptedMQTT5NeedsThreeFailures() {
    var memory = VersionMemory()
    memory.accepted(.five, because: nil, now: Self.start)
    for expected in [false, false, true] {
      let tries = memory.fiveFailed(.suspected)
      #expect(tries == expected)
    }
    memory.accepted(.five, because: nil, now: Self.start)
    let tries = memory.fiveFailed(.suspected)
    #expect(!tries, "counted anew")
    let states = memory.fiveFailed(.stated)
    #expect(states, "a statement needs no more")
  }

  @Test func silenceIsAnsweredByTheOlderVersionAtTheNextConnection() {
    var memory = VersionMemory()
    memory.gaveUp(.five)
    #expect(memory.first(now: Self.start) == .threeOneOne)
    var silent = memory
    silent.gaveUp(.threeOneOne)
    #expect(silent.first(now: Self.start) == .five, "both are tried in turn")
    memory.accepted(.threeOneOne, because: nil, now: Self.start)
    #expect(memory.first(now: Self.start + .seconds(599)) == .threeOneOne)
    #expect(memory.first(now: Self.start + .seconds(600)) == .five)
    var healthy = VersionMemory()
    healthy.accepted(.five, because: nil, now: Self.start)
    healthy.gaveUp(.five)
    #expect(healthy.first(now: Self.start) == .five)
  }

  @Test func aBrokerThatRefusesTheOlderVersionIsAskedForMQTT5() {
    var memory = VersionMemory()
    _ = memory.fiveFailed(.stated)
    memory.accepted(.threeOneOne, because: .stated, now: Self.start)
    memory.olderFailed()
    #expect(memory.first(now: Self.start) == .five)
  }
}
