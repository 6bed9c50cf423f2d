import Formats
import MQTTClient
import Quantities
import Records
import TestSupport
import Testing
import Uplink

/// Entries and exits of zones on their way to OwnTracks servers and brokers.
@Suite struct TransitionTests {
  static func event(_ kind: EventKind, at record: StoredRecord) throws -> LogRecord {
    guard case .location(let location) = record.record.body else { throw HostileText.invalid }
    let zone: EventFields = [.zone: "depot"]
    var event = record.record
    event.body = .event(
      EventRecord(kind, zone.merging(EventFields(position: location.coordinate, accuracy: 4))))
    return event
  }

  enum HostileText: Error { case invalid }

  /// Replaces records of a log by entries (odd) and exits (even), by their position in it.
  static func addTransitions(_ positions: [Int], to log: DeliveryTests.MemoryLog) throws {
    for position in positions {
      log.records[position - 1].record = try event(
        position % 2 == 1 ? .zoneEntered : .zoneLeft, at: log.records[position - 1])
    }
  }

  /// The `_type` of a message with its time in s after that of the first record.
  static func shown(_ text: String) -> String {
    func value(_ key: String) -> Substring {
      let end = text.split(separator: "\"\(key)\":", maxSplits: 1).last ?? ""
      return end.prefix { $0 != "," && $0 != "}" }
    }
    let kind = value("_type").filter { $0 != "\"" }
    let what = kind == "transition" ? value("event").filter { $0 != "\"" } : kind
    return "\(what) \((Int(value("tst")) ?? 0) - 1_772_360_102)"
  }

  // MARK: HTTP

  @Test func everyTransitionIsARequestInTheOrderOfTheLog() throws {
    let bench = try DeliveryTests.Bench([.answer(200, body: "[]")], records: 5)
    try Self.addTransitions([3, 4], to: bench.log)
    let delivery = bench.delivery(at: { $0.form = .ownTracks(trackerID: "v7", deviceID: "fleet/van7") }) {
      ($0.batchSize, $0.largestRequest, $0.pacing) = (1, 1, .whenDue)
    }
    delivery.start()
    #expect(try bench.loop.runUntilStopped())
    #expect(
      bench.server.requests.map { Self.shown(DeliveryTests.body($0)) }
        == ["location 1", "location 2", "enter 3", "leave 4", "location 5"])
    let transition = bench.server.requests[2]
    #expect(transition.headers["x-limit-u"] == "fleet" && transition.headers["x-limit-d"] == "van7")
    #expect(DeliveryTests.body(transition).contains(#""topic":"owntracks/fleet/van7/event","tid":"v7""#))
  }

  /// Home Assistant gets the newest location only, but every transition: its automations follow them.
  @Test func newestOnlySendsEveryTransitionBeforeTheNewestLocation() throws {
    let bench = try DeliveryTests.Bench([.answer(200, body: "[]")], records: 9)
    try Self.addTransitions([3, 6], to: bench.log)
    let delivery = bench.delivery(at: {
      $0.form = .ownTracks(trackerID: nil, deviceID: "fleet/van7")
      $0.isNewestOnly = true
    }) { ($0.isNewestOnly, $0.pacing) = (true, .whenDue) }
    delivery.start()
    #expect(try bench.loop.runUntilStopped())
    #expect(
      bench.server.requests.map { Self.shown(DeliveryTests.body($0)) } == [
        "enter 3", "leave 6", "location 9",
      ])
    #expect(bench.log.acknowledged == RecordID(9))
  }

  @Test func aTransitionIsNotAcknowledgedBeforeTheServerHasIt() throws {
    let bench = try DeliveryTests.Bench([.answer(200, body: "[]"), .answer(503), .answer(200)], records: 5)
    try Self.addTransitions([1, 3], to: bench.log)
    bench.log.stopsOnFailure = true
    let delivery = bench.delivery(at: {
      $0.form = .ownTracks(trackerID: nil, deviceID: "van")
      $0.isNewestOnly = true
    }) { ($0.isNewestOnly, $0.pacing) = (true, .whenDue) }
    delivery.start()
    #expect(try bench.loop.runUntilStopped())
    #expect(bench.log.acknowledged.rawValue < 3)
    bench.log.stopsOnFailure = false
    delivery.sendNow()
    #expect(try bench.loop.runUntilStopped())
    let sent = bench.server.requests.map { Self.shown(DeliveryTests.body($0)) }
    #expect(
      sent.prefix(2) == ["enter 1", "enter 3"] && sent.suffix(2) == ["enter 3", "location 5"], "\(sent)")
    #expect(bench.log.acknowledged == RecordID(5))
  }

  // MARK: MQTT

  @Test(
    .enabled(if: MosquittoProgram.isInstalled, "mosquitto is absent: sudo apt-get install mosquitto"),
    arguments: [false, true])
  func transitionsHaveASubtopicAndAreNotRetained(isNewestOnly: Bool) throws {
    let bench = try MQTTTests.Bench(records: 7, isEncrypted: false)
    try Self.addTransitions([3, 4], to: bench.log)
    let listener = try #require(MQTTListener(port: bench.program.port))
    let delivery = bench.delivery(isNewestOnly: isNewestOnly, acceptsUnrouted: false, batchSize: 10)
    delivery.start()
    #expect(try bench.http.run { bench.log.acknowledged == RecordID(7) })
    let expected =
      isNewestOnly
      ? ["/event enter 3", "/event leave 4", " location 7"]
      : [
        " location 1", " location 2", "/event enter 3", "/event leave 4", " location 5", " location 6",
        " location 7",
      ]
    #expect(try bench.received(expected.count, by: listener))
    let sent = listener.messages.map {
      "\($0.topic.replacing("owntracks/fleet/van7", with: "")) \(Self.shown($0.payload))"
    }
    #expect(sent == expected)
    // A later subscriber gets the retained message alone.
    let later = try #require(MQTTListener(port: bench.program.port))
    try bench.http.run(for: .milliseconds(200))
    #expect(later.messages.map { Self.shown($0.payload) } == (isNewestOnly ? ["location 7"] : []))
    #expect(bench.log.reports.isEmpty)
  }

  /// A subscriber of `owntracks/+/+` does not request transitions, which must not block its locations.
  @Test(
    .enabled(if: MosquittoProgram.isInstalled, "mosquitto is absent: sudo apt-get install mosquitto"),
    arguments: [[1], [3], [7], [1, 2, 3, 4, 5, 6, 7]], [1, 10])
  func transitionsNobodySubscribesToDoNotBlockTheQueue(positions: [Int], batchSize: Int) throws {
    let bench = try MQTTTests.Bench(records: 7, isEncrypted: false)
    try Self.addTransitions(positions, to: bench.log)
    let listener = try #require(MQTTListener(port: bench.program.port, topic: "owntracks/+/+"))
    let delivery = bench.delivery(acceptsUnrouted: false, batchSize: batchSize)
    delivery.start()
    #expect(try bench.http.run { bench.log.acknowledged == RecordID(7) }, "\(bench.log.reports)")
    #expect(try bench.received(7 - positions.count, by: listener))
    #expect(bench.log.reports.isEmpty)
  }

  /// Without any subscriber, a transition waits together with the location after it.
  @Test(.enabled(if: MosquittoProgram.isInstalled, "mosquitto is absent: sudo apt-get install mosquitto"))
  func aTransitionWaitsForASubscriberOfTheLocations() throws {
    let bench = try MQTTTests.Bench(records: 4, isEncrypted: false)
    try Self.addTransitions([1], to: bench.log)
    let delivery = bench.delivery(acceptsUnrouted: false, batchSize: 10)
    delivery.start()
    #expect(try bench.http.run { !bench.log.reports.isEmpty })
    #expect(delivery.machine.lastRefusal?.kind == .unrouted && bench.log.acknowledged == .zero)
    let listener = try #require(MQTTListener(port: bench.program.port))
    delivery.sendNow()
    #expect(try bench.http.run { bench.log.acknowledged == RecordID(4) })
    #expect(try bench.received(4, by: listener))
    #expect(listener.messages.first?.topic == "owntracks/fleet/van7/event")
  }
}
