import Foundation
import Quantities
import Records
import Store
import Testing

@testable import outrider

/// The histories of the local API and `outrider export`, of a log that a running logger continues.
@Suite struct HistoryTests {
  static let start = Timestamp(milliseconds: 1_772_362_800_000)  // 2026-03-01T11:00:00Z

  /// A logger with a log of 4000 locations, with gaps, a trip, a visit and events. It runs at the return.
  private struct Bench {
    let logger: LoggerBench

    init(extra: String = "") throws {
      logger = try LoggerBench(url: nil, extra: extra)
      try FileManager.default.createDirectory(atPath: logger.log, withIntermediateDirectories: true)
      let (log, _) = try LogDatabase.open(
        StorageDirectory(logger.log, allowVolatile: true),
        options: LogOptions(bootID: "before", clock: { .zero }))
      _ = try log.append(HistoryTests.records)
      try log.close()
      try logger.start()
      let socket = logger.scratch.path("api.sock")
      #expect(
        eventually(within: .seconds(20)) { (try? LocalCall.ask(socket, .get, "/track")) != nil })
    }

    func ask(_ target: String) throws -> [UInt8] {
      try #require(try LocalCall.ask(logger.scratch.path("api.sock"), .get, target))
    }

    func object(_ target: String) throws -> [String: Any] {
      try #require(try JSONSerialization.jsonObject(with: Data(try ask(target))) as? [String: Any])
    }

    func run(_ words: [String]) throws -> (status: Int32, output: String, errors: String) {
      let outcome = try FaultTests.run(
        words + ["--config", logger.scratch.path("config.json5")], in: logger.scratch)
      return (outcome.status ?? -1, outcome.output, outcome.errors)
    }
  }

  private static var records: [LogRecord] {
    var records: [LogRecord] = []
    func add(_ second: Int, _ body: LogRecord.Body) {
      records.append(
        LogRecord(
          moment: Moment(nanoseconds: Int64(records.count) * 1_000_000_000), time: start + .seconds(second),
          timeQuality: .receiver, body: body))
    }
    let device = DeviceState(deviceID: "van")
    add(0, .event(EventRecord(.started, [.version: "1.0", .cause: "first_start"])))
    for index in 0..<4000 {
      let pause = index >= 3000 ? 1200 : index >= 2000 ? 600 : index >= 1000 ? 300 : 0
      let second = index + pause
      switch index {
      case 1000: add(second - 200, .event(EventRecord(.receiverAsleep, [.cause: "stationary"])))
      case 2000:
        add(second - 290, .event(EventRecord(.receiverLost, [.port: "/dev/ttyACM0", .reason: "unplugged"])))
      default: break
      }
      guard let coordinate = Coordinate(latitude: 52 + Double(index) * 1e-4, longitude: 13) else { continue }
      var location = LocationRecord(coordinate: coordinate, deviceID: "van")
      location.horizontalAccuracyMillimetres = 3000
      location.motion = .driving
      if (1500..<1900).contains(index) { location.trip = .utc(start + .seconds(1800)) }
      add(second, .location(location))
      if index == 1900 {
        add(
          second,
          .trip(
            TripRecord(
              mode: .car, start: .utc(start + .seconds(1800)), end: .utc(start + .seconds(2199)),
              durationMilliseconds: 399_000, distanceMillimetres: 4_400_000, isManual: false, ending: .stop,
              device: device)))
        let visit = VisitRecord(coordinate: coordinate, arrival: .utc(start + .seconds(2200)), device: device)
        add(second, .visit(visit))
        var departed = visit
        departed.departure = .utc(start + .seconds(2300))
        add(second + 1, .visit(departed))
      }
    }
    return records
  }

  private static func milliseconds(_ text: Any?) -> Int64? {
    (text as? String).flatMap(Timestamp.init(iso8601:))?.milliseconds
  }

  @Test func theGapsOfAllHistoriesAreThoseOfWhy() throws {
    let bench = try Bench()
    let period = "from=2026-03-01T00:00:00Z&to=2026-03-02T00:00:00Z"
    let lines = try bench.run(["why", "--json", "--since", "2026-03-01T00:00:00Z"]).output
    let why = lines.split(separator: "\n").compactMap { line -> String? in
      let gap = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return gap?["to"] == nil ? nil : String(line)
    }
    #expect(why.count == 3)
    let answer = String(decoding: try bench.ask("/why?\(period)"), as: UTF8.self)
    for line in why { #expect(answer.contains(line), "\(line) is not in \(answer)") }
    let wanted = try why.map { line in
      let gap = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      return [
        "\(Self.milliseconds(gap["from"]) ?? 0)", "\(Self.milliseconds(gap["to"]) ?? 0)",
        gap["sentence"] as? String,
      ]
    }
    let track = try bench.object("/track?\(period)")["gaps"] as? [[String: Any]]
    let inTrack = track?.filter { $0["to"] is Int }.map { gap in
      ["\(gap["from"] as? Int64 ?? 0)", "\(gap["to"] as? Int64 ?? 0)", gap["sentence"] as? String]
    }
    #expect(inTrack == wanted)
    let rows = try bench.object("/timeline?\(period)")["rows"] as? [[String: Any]]
    let spans = rows?.first { $0["name"] as? String == "gaps" }?["spans"] as? [[Any]]
    let inTimeline = spans?.filter { $0[1] is Int }.map { span in
      ["\(span[0] as? Int64 ?? 0)", "\(span[1] as? Int64 ?? 0)", span[3] as? String]
    }
    #expect(inTimeline == wanted)
  }

  /// The points of a response, with differences added up.
  private static func points(_ track: [String: Any]) -> [[Int64]] {
    ((track["points"] as? [[String: Any]]) ?? []).flatMap { chunk -> [[Int64]] in
      func sums(_ name: String) -> [Int64] {
        var sum: Int64 = 0
        return ((chunk[name] as? [Any]) ?? []).map { value in
          sum += value as? Int64 ?? 0
          return sum
        }
      }
      let columns = ["id", "t", "lat", "lon"].map(sums)
      #expect(Set(columns.map(\.count) + [((chunk["kept"] as? [Any]) ?? []).count]).count == 1)
      return (0..<columns[0].count).map { index in columns.map { $0[index] } }
    }
  }

  @Test func thePagesOfATrackAreItsWholeTrack() throws {
    let bench = try Bench()
    let period = "from=2026-03-01T00:00:00Z&to=2026-03-02T00:00:00Z"
    let whole = try bench.object("/track?\(period)")
    let points = Self.points(whole)
    #expect(points.count == 4000 && whole["count"] as? Int == 4000 && whole["next"] is NSNull)
    #expect(points.first?.dropFirst() == [Self.start.milliseconds, 520_000_000, 130_000_000])
    #expect((whole["trips"] as? [[String: Any]])?.first?["mode"] as? String == "car")
    let visits = whole["visits"] as? [[String: Any]]
    #expect(visits?.count == 1 && visits?.first?["open"] as? Bool == false)
    var paged: [[Int64]] = []
    var gaps: [Int64] = []
    var after = ""
    for _ in 0..<20 {
      let page = try bench.object("/track?\(period)&limit=999\(after)")
      paged += Self.points(page)
      gaps += ((page["gaps"] as? [[String: Any]]) ?? []).compactMap { $0["from"] as? Int64 }
      guard let next = page["next"] as? Int64 else { break }
      after = "&after=\(next)"
    }
    #expect(paged == points)
    #expect(gaps == ((whole["gaps"] as? [[String: Any]]) ?? []).compactMap { $0["from"] as? Int64 })
    let thin = try bench.object("/track?\(period)&resolution_m=5")
    #expect(
      Self.points(thin).count < 100 && (thin["gaps"] as? [Any])?.count == (whole["gaps"] as? [Any])?.count)
    #expect(Set(Self.points(thin)).isSubset(of: Set(points)))
    #expect(Self.points(thin).last == points.last && Self.points(thin).first == points.first)
  }

  @Test func aGapInProgressAtTheStartOfAPeriodIsFound() throws {
    let bench = try Bench()
    let from = Self.start + .seconds(1100)
    let gaps = try bench.object("/track?from=\(from.milliseconds)&to=\((from + .seconds(10)).milliseconds)")[
      "gaps"]
    #expect((gaps as? [[String: Any]])?.first?["from"] as? Int64 == (Self.start + .seconds(999)).milliseconds)
  }

  @Test func daysListsAndTheTimelineAreFound() throws {
    let bench = try Bench()
    let days = try bench.object("/days")["days"] as? [[String: Any]]
    #expect(days?.first?["day"] as? String == "2026-03-01" && days?.first?["first_id"] as? Int == 1)
    #expect((days?.first?["records"] as? Int ?? 0) >= 4006 && days?.first?["distance_m"] as? Int == 4400)
    let trips = try bench.object("/trips/past?from=2026-03-01T00:00:00Z")["trips"] as? [[String: Any]]
    #expect(trips?.count == 1 && trips?.first?["distance_m"] as? Int == 4400)
    #expect((try bench.object("/visits")["visits"] as? [Any])?.count == 1)
    let rows =
      try bench.object("/timeline?from=2026-03-01T00:00:00Z&to=2026-03-02T00:00:00Z")["rows"]
      as? [[String: Any]]
    let states = Dictionary(
      uniqueKeysWithValues: (rows ?? []).map { row in
        (row["name"] as? String ?? "", ((row["spans"] as? [[Any]]) ?? []).map { $0[2] as? String ?? "" })
      })
    #expect(states["receiver"] == ["acquiring", "tracking", "asleep", "tracking", "off", "tracking"])
    #expect(states["trips"] == ["car"] && states["motion"]?.first == "driving")
    #expect(states["gaps"]?.prefix(3) == ["receiver_resting", "receiver_lost", "unknown"])
    #expect(try bench.object("/energy?by=day")["days"] is [Any])
  }

  @Test func nothingInsideAPrivacyZoneIsDisclosed() throws {
    let bench = try Bench(
      extra: #"privacy_zones: [{ name: "home", latitude: 52.2, longitude: 13, radius: "3km" }],"#)
    let period = "from=2026-03-01T00:00:00Z&to=2026-03-02T00:00:00Z"
    let track = try bench.object("/track?\(period)")
    let isInside = { (latitude: Int64) in abs(latitude - 522_000_000) * 111_195 < 2_990 * 10_000_000 }
    #expect(Self.points(track).count > 3000 && !Self.points(track).contains { isInside($0[2]) })
    for list in ["gaps", "events", "visits"] {
      for entry in (track[list] as? [[String: Any]]) ?? [] {
        for key in ["lat", "lat_from", "lat_to"] { #expect(!((entry[key] as? Int64).map(isInside) ?? false)) }
      }
    }
    // The gap of 300 s begins and ends in the middle of the track, outside; the one of 600 s inside.
    for (name, pattern) in [
      ("a.csv", #"52\.200[1-9]"#), ("a.gpx", #"lat="52\.200[1-9]"#), ("a.geojson", #",52\.200[1-9]"#),
    ] {
      let path = bench.logger.scratch.path(name)
      let outcome = try bench.run(["export", path])
      #expect(outcome.status == 0, "\(outcome.errors)")
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(text.range(of: pattern, options: .regularExpression) == nil, "\(name)")
      let target = "/export.\(name.dropFirst(2))"
      let answer = String(decoding: try bench.ask(target), as: UTF8.self)
      #expect(answer.range(of: pattern, options: .regularExpression) == nil)
      if name == "a.csv" { #expect(answer == text) }
    }
  }

  static let hostile = [
    "/track?from=x", "/track?from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z", "/track?limit=0",
    "/track?limit=20001", "/track?limit=9223372036854775808", "/track?resolution_m=-1", "/track?after=-1",
    "/track?x=1", "/days?x=1", "/timeline?from=99999999999999999999", "/why?longer=0s", "/why?longer=x",
    "/why?longer=99999999999d", "/export.gpx?gap=0m", "/export.gpx?trip=x", "/export.csv?simplify=0",
    "/export.kml?with=x", "/energy?by=week", "/visits?after=x",
  ]

  @Test func invalidRequestsAreRejectedWithTheRemedy() throws {
    let bench = try Bench()
    for target in Self.hostile {
      #expect(throws: (any Error).self, "\(target)") { _ = try bench.ask(target) }
    }
    let far = "from=-253402300799999&to=253402300799999"
    for path in ["/track", "/timeline", "/why", "/visits", "/export.gpx", "/export.nmea"] {
      _ = try bench.ask("\(path)?\(far)")
    }
  }

  @Test func exportRefusesToOverwriteAndReportsThatNothingMatched() throws {
    let bench = try Bench()
    let path = bench.logger.scratch.path("track.gpx")
    #expect(try bench.run(["export", path, "--day", "2026-03-01"]).status == 0)
    let first = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(try bench.run(["export", path]).status == 1)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == first)
    #expect(try bench.run(["export", path, "--force", "--trip", "last"]).status == 0)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count < first.count / 2)
    let none = bench.logger.scratch.path("none.gpx")
    let outcome = try bench.run(["export", none, "--day", "2020-01-01"])
    #expect(outcome.status == 1 && outcome.errors.contains("no location matched"))
    let unknown = try bench.run(["export", none, "--trip", "2020-01-01T10:00:00Z"])
    #expect(unknown.status == 1 && unknown.errors.contains("no trip that started at"))
    let names = try FileManager.default.contentsOfDirectory(atPath: bench.logger.scratch.url.path)
    #expect(!names.contains("none.gpx") && !names.contains { $0.hasPrefix(".outrider-") })
    for words in [
      ["export"], ["export", "a"], ["export", "a.gpx", "--day", "x"], ["export", "a.csv", "--fields", "x"],
    ] {
      #expect(try bench.run(words).status == 2, "\(words)")
    }
  }
}
