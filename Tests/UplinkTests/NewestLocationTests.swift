import Formats
import Quantities
import Records
import TestSupport
import Testing
import Uplink

/// Destinations that get only the newest location: it arrives, whatever else is recorded while the server fails.
@Suite struct NewestLocationTests {
  /// A letter per record: L a location, V a visit, E an event, P a location in a privacy zone, Z an entry of a zone.
  struct Story: Sendable, CustomTestStringConvertible {
    /// The records before the first attempt.
    var before: String
    /// The records that are added after the first failure.
    var after = ""
    /// The number of additional records that are announced, although they are in no later batch.
    var announced = 0
    var failures = 1
    var batchSize = 10
    var isOverland = false
    /// The last location that arrives, and the number of requests with any.
    var arrives: Int
    var requests = 1
    var testDescription: String {
      let story = failures > 0 ? "\(before), a failure, \(after)" : before
      return "\(story), \(batchSize) a batch\(isOverland ? ", Overland" : "")"
    }
  }

  static let stories = [
    Story(before: "LLL", after: "V", arrives: 3, requests: 2),
    Story(before: "LLL", after: "VVVV", failures: 4, batchSize: 3, arrives: 3, requests: 5),
    Story(before: "LLL", after: "E", arrives: 3, requests: 2),
    Story(before: "LLL", announced: 1, arrives: 3, requests: 2),
    Story(before: "LLL", after: "L", arrives: 4, requests: 2),
    Story(before: "LLL", after: "VL", arrives: 5, requests: 2),
    Story(before: "LLL", after: "P", arrives: 3, requests: 2),
    Story(before: "LLL", after: "PV", failures: 3, arrives: 3, requests: 4),
    // What follows a full batch may be no location, without any failure.
    Story(before: "LLLLV", failures: 0, batchSize: 4, arrives: 4),
    Story(before: "LLLLVVVVEEP", failures: 0, batchSize: 4, arrives: 4),
    Story(before: "LLLLVVVVL", failures: 0, batchSize: 4, arrives: 9),
    Story(before: "LLLLLLLLV", failures: 0, batchSize: 4, arrives: 8),
    Story(before: "LLLP", failures: 0, arrives: 3),
    Story(before: "ZLLLV", failures: 0, batchSize: 4, arrives: 4),
    Story(before: "ZLLLVL", failures: 0, batchSize: 4, arrives: 6),
    Story(before: "LLL", after: "V", isOverland: true, arrives: 3, requests: 2),
    Story(before: "LLLLV", failures: 0, batchSize: 4, isOverland: true, arrives: 4),
    Story(before: "LVLLV", failures: 0, batchSize: 4, isOverland: true, arrives: 4),
  ]

  static func add(_ letters: String, to log: DeliveryTests.MemoryLog) throws {
    for letter in letters {
      let id = Int64(log.records.count + 1)
      let coordinate = try #require(
        Coordinate(latitudeE7: 525_000_000 + Int32(id), longitudeE7: letter == "P" ? 0 : 133_000_000))
      let location = LocationRecord(coordinate: coordinate, deviceID: "van")
      var record = LogRecord(
        moment: .zero, time: Timestamp(milliseconds: 1_772_360_102_000 + id * 1000), timeQuality: .receiver,
        body: .location(location))
      switch letter {
      case "V":
        let arrival = Instant.utc(try #require(record.time))
        record.body = .visit(VisitRecord(coordinate: coordinate, arrival: arrival, device: location.device))
      case "E": record.body = .event(EventRecord(.started))
      case "Z":
        let fields: EventFields = [.zone: "depot"]
        record.body = .event(
          EventRecord(.zoneEntered, fields.merging(EventFields(position: coordinate, accuracy: 4))))
      default: break
      }
      log.records.append(StoredRecord(id: RecordID(id), boot: 1, record: record))
    }
  }

  /// The times of the locations in a request, in s after that of the first record; nothing else of it.
  static func locations(_ request: ScriptedServer.Request) -> [Int] {
    let body = DeliveryTests.body(request)
    guard body.contains("\"_type\"") else {
      return body.split(separator: #"{"type":"Feature""#).compactMap { feature in
        guard !feature.contains("visit"), let seconds = feature.firstMatch(of: /52\.500000(\d)/) else {
          return nil
        }
        return Int(seconds.1)
      }
    }
    guard body.contains(#""_type":"location""#) else { return [] }
    return [Int(TransitionTests.shown(body).split(separator: " ").last ?? "") ?? -1]
  }

  @Test(arguments: stories)
  func theNewestLocationArrivesWhateverFollowsIt(_ story: Story) throws {
    let bench = try DeliveryTests.Bench([], records: 1)
    bench.log.records = []
    try Self.add(story.before, to: bench.log)
    bench.log.isHidden = { record in
      guard case .location(let location) = record.body else { return false }
      return location.coordinate.longitudeE7 == 0
    }
    let body = story.isOverland ? #"{"result":"ok"}"# : "[]"
    bench.server.answer = { _ in
      bench.server.requests.count > story.failures ? .answer(200, body: body) : .answer(503)
    }
    let delivery = bench.delivery(at: {
      if !story.isOverland { $0.form = .ownTracks(trackerID: nil, deviceID: "van") }
      $0.isNewestOnly = true
    }) { ($0.isNewestOnly, $0.pacing, $0.batchSize) = (true, .whenDue, story.batchSize) }
    bench.log.stopsOnFailure = true
    delivery.start()
    if story.failures > 0 {
      #expect(try bench.loop.runUntilStopped())
      try Self.add(story.after, to: bench.log)
      delivery.recordsDurable(count: story.after.count + story.announced)
    }
    bench.log.stopsOnFailure = false
    for _ in 0..<20 where bench.log.acknowledged != bench.log.records.last?.id {
      delivery.sendNow()
      _ = try bench.loop.runUntilStopped(within: .milliseconds(300))
    }
    #expect(bench.log.acknowledged == bench.log.records.last?.id)
    let sent = bench.server.requests.map(Self.locations)
    #expect(sent.last { !$0.isEmpty } == [story.arrives], "\(sent)")
    #expect(sent.count { !$0.isEmpty } == story.requests, "\(sent)")
  }

  @Test func nothingIsAcknowledgedBeforeANewerLocationIsLoaded() throws {
    let bench = try DeliveryTests.Bench([.answer(503)], records: 3)
    bench.log.stopsOnFailure = true
    let delivery = bench.delivery(at: {
      $0.form = .ownTracks(trackerID: nil, deviceID: "van")
      $0.isNewestOnly = true
    }) { ($0.isNewestOnly, $0.pacing) = (true, .whenDue) }
    delivery.start()
    #expect(try bench.loop.runUntilStopped())
    for letter in ["V", "V", "E"] {
      try Self.add(letter, to: bench.log)
      delivery.recordsDurable(count: letter == "E" ? 0 : 1)
      delivery.sendNow()
      _ = try bench.loop.runUntilStopped(within: .milliseconds(200))
      // A crash now would continue here.
      #expect(bench.log.acknowledged == .zero)
    }
    try Self.add("L", to: bench.log)
    delivery.recordsDurable(count: 1)
    delivery.sendNow()
    _ = try bench.loop.runUntilStopped(within: .milliseconds(200))
    #expect(bench.log.acknowledged == RecordID(3), "the newer location is not sent yet")
  }
}
