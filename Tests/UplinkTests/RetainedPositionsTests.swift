import Formats
import MQTTClient
import Quantities
import Records
import TestSupport
import Testing

@testable import Uplink

/// The positions that brokers keep for later subscribers, under a privacy zone that is set over them.
@Suite struct RetainedPositionsTests {
  typealias Topic = RetainedPositions.Topic

  static func location(_ index: Int32) throws -> LocationRecord {
    let coordinate = try #require(
      Coordinate(latitudeE7: 525_000_000 + index * 10_000, longitudeE7: 133_000_000))
    return LocationRecord(coordinate: coordinate, deviceID: "van")
  }

  /// A zone around the location of this index.
  static func zone(_ index: Int32) -> (LocationRecord) -> Bool {
    { $0.coordinate.latitudeE7 == 525_000_000 + index * 10_000 }
  }

  static func time(_ seconds: Int64) -> Timestamp {
    Timestamp(milliseconds: 1_772_360_000_000 + seconds * 1000)
  }
  static let topic = Topic(name: "b", broker: "mqtt://h:1883", topic: "owntracks/van")

  private func due(_ positions: RetainedPositions) -> [Topic] {
    positions.due(name: "b", broker: "mqtt://h:1883")
  }

  @Test func aZoneOverTheLastPositionMakesItsRemovalDue() throws {
    var positions = RetainedPositions()
    positions.sending(try Self.location(1), at: Self.time(1), to: Self.topic)
    positions.stored(try Self.location(1), in: Self.topic)
    positions.decide(hides: Self.zone(2))
    #expect(due(positions) == [])
    positions.decide(hides: Self.zone(1))
    #expect(due(positions) == [Self.topic])
    #expect(positions.due(name: "b", broker: "mqtt://other:1883") == [], "another broker does not have it")
    positions.erased(Self.topic)
    positions.decide(hides: Self.zone(1))
    #expect(due(positions) == [])
  }

  @Test func aNewerPositionReplacesTheHiddenOneOnceItIsAcknowledged() throws {
    var positions = RetainedPositions()
    positions.stored(try Self.location(1), in: Self.topic)
    positions.decide(hides: Self.zone(1))
    positions.sending(try Self.location(2), at: Self.time(2), to: Self.topic)
    #expect(due(positions) == [Self.topic])
    positions.stored(try Self.location(2), in: Self.topic)
    positions.decide(hides: Self.zone(1))
    #expect(due(positions) == [])
  }

  @Test func aMessageWithoutAcknowledgementMayBeThereAndSoMayTheOneBefore() throws {
    for hidden in [Int32(1), 2] {
      var positions = RetainedPositions()
      positions.stored(try Self.location(1), in: Self.topic)
      positions.sending(try Self.location(2), at: Self.time(2), to: Self.topic)
      positions.decide(hides: Self.zone(hidden))
      #expect(due(positions) == [Self.topic])
    }
  }

  @Test func aRemovalStaysDueAfterARestartAndWithoutTheZone() throws {
    var positions = RetainedPositions()
    let other = Topic(name: "b", broker: "mqtt://h:1883", topic: "owntracks/old")
    positions.stored(try Self.location(1), in: Self.topic)
    positions.stored(try Self.location(1), in: other)
    positions.decide(hides: Self.zone(1))
    var restored = RetainedPositions(positions.text)
    restored.decide(hides: { _ in false })
    #expect(restored == positions && Set(due(restored)) == [Self.topic, other])
    #expect(
      RetainedPositions("nonsense") == RetainedPositions() && RetainedPositions("[{}]") == RetainedPositions()
    )
  }

  @Test func theNewestLocationOfALogWithoutANoteCounts() throws {
    var positions = RetainedPositions()
    positions.found(try Self.location(1), at: Self.time(1), for: Self.topic)
    positions.decide(hides: Self.zone(1))
    #expect(due(positions) == [Self.topic])
    positions.erased(Self.topic)
    // The next start finds the same location again.
    positions.found(try Self.location(1), at: Self.time(1), for: Self.topic)
    positions.decide(hides: Self.zone(1))
    #expect(due(positions) == [])
  }

  @Test func theStateIsBoundedAndKeepsWhatIsDue() throws {
    var positions = RetainedPositions()
    positions.stored(try Self.location(1), in: Self.topic)
    positions.decide(hides: Self.zone(1))
    for index in 0..<200 {
      let long = String(repeating: "x", count: 300)
      positions.stored(try Self.location(2), in: Topic(name: "n\(index)", broker: long, topic: long))
    }
    #expect(positions.text.utf8.count <= RetainedPositions.longestText)
    #expect(due(RetainedPositions(positions.text)) == [Self.topic])
  }

  /// A real broker forgets the position, and a later subscriber gets nothing.
  @Test(
    .enabled(if: MosquittoProgram.isInstalled, "mosquitto is absent: sudo apt-get install mosquitto"),
    arguments: [false, true])
  func aBrokerForgetsTheRetainedPosition(whileSending: Bool) throws {
    let bench = try MQTTTests.Bench(records: 3, isEncrypted: false)
    let transport = MQTTTransport(
      bench.broker, deviceID: "fleet/van7", trackerID: nil, isNewestOnly: true, acceptsUnrouted: true,
      inFlight: 20, loop: bench.http.loop)
    var positions = RetainedPositions()
    transport.onRetained = {
      switch $0 {
      case .sending(let location, let time, let topic):
        positions.sending(location, at: time, to: Topic(name: "b", broker: "", topic: topic))
      case .stored(let location, let topic):
        positions.stored(location, in: Topic(name: "b", broker: "", topic: topic))
      }
    }
    var settings = DeliveryMachine.Settings()
    (settings.pacing, settings.isNewestOnly) = (.whenDue, true)
    let delivery = Delivery(
      name: "broker", transport: transport, settings: settings, loop: bench.http.loop, log: bench.log, seed: 1
    )
    delivery.start()
    #expect(try bench.http.run { bench.log.acknowledged == RecordID(3) })
    let before = try #require(MQTTListener(port: bench.program.port))
    #expect(try bench.received(1, by: before))
    positions.decide(hides: { _ in true })
    let topics = positions.due(name: "b", broker: "").map(\.topic)
    #expect(topics == ["owntracks/fleet/van7"])
    bench.program.kill()
    var results: [Bool] = []
    transport.erase(topics) { results.append($0) }
    #expect(try bench.http.run { !results.isEmpty })
    #expect(results == [false], "a broker that is unreachable")
    try bench.program.start()
    let listener = try #require(MQTTListener(port: bench.program.port))
    _ = listener
    transport.erase(topics) { results.append($0) }
    if whileSending { delivery.sendNow() }
    #expect(try bench.http.run { results.count == 2 })
    #expect(results == [false, true])
    let after = try #require(MQTTListener(port: bench.program.port))
    try bench.http.run(for: .milliseconds(200))
    #expect(after.messages.isEmpty)
    delivery.end()
  }
}
