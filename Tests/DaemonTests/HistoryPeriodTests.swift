import Foundation
import Quantities
import Records
import Store
import TestSupport
import Testing
@testable import Daemon

/// Periods of `GET /events`, trips that do not exist, and days of a log with wrong dates.
@Suite struct HistoryPeriodTests {
  static let start = Timestamp(milliseconds: 1_772_362_800_000)

  static func location(_ time: Timestamp, trip: Timestamp? = nil) throws -> LogRecord {
    let coordinate = try #require(Coordinate(latitudeE7: 525_000_000, longitudeE7: 133_000_000))
    var location = LocationRecord(coordinate: coordinate, deviceID: "van")
    location.trip = trip.map { .utc($0) }
    return LogRecord(moment: .zero, time: time, timeQuality: .receiver, body: .location(location))
  }

  /// A logger with the records of earlier boots.
  static func logger(_ boots: [[LogRecord]]) throws -> LocalAPITests.Running {
    let bench = try HTTPBench()
    for (number, records) in boots.enumerated() {
      let writer = LogWriter(
        directory: bench.directory + "/log", allowVolatile: true,
        options: LogOptions(bootID: "boot \(number)", clock: { .zero }))
      _ = writer.handle(.append(records, urgent: false))
      _ = writer.handle(.close)
    }
    let running = try LocalAPITests.logger(on: bench)
    #expect(try bench.run { running.logger.supervision.isReady })
    return running
  }

  static func object(_ running: LocalAPITests.Running, _ target: String) throws -> [String: Any] {
    let answer = try LocalAPITests.ask(running, "GET", target)
    #expect(answer.status == 200, "\(target): \(answer.text)")
    return try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
  }

  @Test func eventsOfAPeriodIncludeItsEnds() throws {
    let position = EventFields(position: try #require(Coordinate(latitudeE7: 1, longitudeE7: 2)), accuracy: 4)
    let records = (0..<100).map { second in
      var fields: EventFields = [.zone: .text("zone \(second)")]
      fields = fields.merging(position)
      return LogRecord(
        moment: .zero, time: Self.start + .seconds(second), timeQuality: .receiver,
        body: .event(EventRecord(.zoneEntered, fields)))
    }
    let running = try Self.logger([records])
    defer { running.logger.stop() }
    func zones(_ query: String) throws -> [Int] {
      let events = try Self.object(running, "/events?\(query)")["events"] as? [[String: Any]]
      return (events ?? []).compactMap { event in
        let fields = event["fields"] as? [String: Any]
        #expect(
          fields?["lat_deg"] == nil && fields?["accuracy_m"] == nil, "a guest may see events, not positions")
        return (fields?["zone"] as? String).flatMap { Int($0.split(separator: " ").last ?? "") }
      }
    }
    let ms = Self.start.milliseconds
    #expect(try zones("after=0") == Array(0..<100))
    #expect(try zones("from=\(ms + 95_000)") == Array(95..<100))
    #expect(try zones("to=\(ms + 3000)") == Array(0...3))
    #expect(try zones("from=\(ms + 10_000)&to=\(ms + 60_000)") == Array(10...60))
    #expect(try zones("from=\(ms + 10_000)&to=\(ms + 60_000)&after=51") == Array(51...60))
    #expect(try zones("from=\(ms + 200_000)").isEmpty && zones("to=\(ms - 1)").isEmpty)
    #expect(try LocalAPITests.ask(running, "GET", "/events?from=\(ms)&to=\(ms - 1)").status == 400)
  }

  @Test(arguments: ["/export.gpx", "/export.csv"])
  func aTripThatDoesNotExistIsNotExported(path: String) throws {
    let trip = Self.start + .seconds(5)
    let records = try (0..<60).map { second in
      try Self.location(Self.start + .seconds(second), trip: second >= 5 && second < 40 ? trip : nil)
    }
    let running = try Self.logger([records])
    defer { running.logger.stop() }
    let known = try LocalAPITests.ask(running, "GET", "\(path)?trip=\(trip.milliseconds)")
    #expect(known.status == 200 && known.text.contains("52.5"))
    for second in [0, 4, 6, 1000] {
      let time = Self.start + .seconds(second)
      let answer = try LocalAPITests.ask(running, "GET", "\(path)?trip=\(time.milliseconds)")
      #expect(answer.status == 404 && answer.text.contains(time.iso8601()), "\(second): \(answer.text)")
    }
  }

  @Test func recordsOfAWrongClockDoNotCountForTheDayAroundThem() throws {
    let past = Timestamp(milliseconds: 86_400_000 * 365)
    let day = try (0..<100).map { try Self.location(Self.start + .seconds($0)) }
    let wrong = try (0..<50).map { try Self.location(past + .seconds($0)) }
    let corrected = try (0..<50).map { try Self.location(Self.start + .seconds(200 + $0)) }
    let later = try (0..<10).map { try Self.location(Self.start + .seconds(300 + $0)) }
    let running = try Self.logger([day, wrong + corrected, later])
    defer { running.logger.stop() }
    // The logger may store an event of its own at any time.
    let before = running.logger.log.lastID.rawValue
    let days = try #require(try Self.object(running, "/days")["days"] as? [[String: Any]])
    let after = running.logger.log.lastID.rawValue
    #expect(days.count == 1, "\(days)")
    let counted = try #require(days.first?["records"] as? Int64)
    #expect((before - 50...after - 50).contains(counted), "\(days)")
  }
}
