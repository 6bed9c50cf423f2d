import Foundation
import GNSSProtocol
import Quantities
import Records
import Store
import Testing
import TextSnapshots
import outrider

/// The tracks and options of `outrider replay`.
@Suite struct ReplayTests {
  static let texts = TextSnapshot("replay")

  /// Ten minutes of a drive.
  private static let recording = Recording.simulated(epochs: 600)
  private static var bytes: [UInt8] { recording.pieces.flatMap(\.bytes) }

  private static func fixes() -> [Fix] {
    var decoder = ReceiverDecoder()
    var fixes: [Fix] = []
    let take: (Reception) -> Void = { if case .epoch(let fix) = $0, fix.kind != .none { fixes.append(fix) } }
    bytes.withUnsafeBytes { decoder.decode($0, at: .zero, take) }
    decoder.finish(take)
    return fixes
  }

  private static func csv() throws -> String {
    try fixes().reduce(into: "t_unix,lat,lon\n") { text, fix in
      let time = try #require(fix.timestamp)
      text +=
        "\(Double(time.milliseconds) / 1000),\(try #require(fix.latitude)),\(try #require(fix.longitude))\n"
    }
  }

  private static func log(in scratch: Scratch) throws -> String {
    let directory = scratch.path("log")
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let records = try fixes().map { fix in
      let (latitude, longitude) = (try #require(fix.latitude), try #require(fix.longitude))
      let coordinate = try #require(Coordinate(latitude: latitude, longitude: longitude))
      return LogRecord(
        moment: .zero, time: fix.timestamp, timeQuality: .receiver,
        body: .location(LocationRecord(coordinate: coordinate, deviceID: "van")))
    }
    let writer = LogWriter(
      directory: directory, allowVolatile: true, options: LogOptions(bootID: "b", clock: { .zero }))
    _ = writer.handle(.append(records, urgent: false))
    _ = writer.handle(.close)
    return directory
  }

  private static func replay(_ words: [String], in scratch: Scratch) throws -> [String: Any] {
    let outcome = try FaultTests.run(["replay", "--json"] + words, in: scratch)
    #expect(outcome.status == 0, "\(outcome.errors)")
    var row = try #require(
      try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    row["track"] = nil
    return row
  }

  @Test func aTableARecordingAndALogOfTheSameDayGiveTheSameFigures() throws {
    let scratch = try Scratch()
    let table = try scratch.write("day.csv", try Self.csv())
    let recording = scratch.path("day.nmea")
    try Data(Self.bytes).write(to: URL(fileURLWithPath: recording))
    let directory = try Self.log(in: scratch)
    let words = ["--policy", "always-on"]
    let expected = try Self.replay(words + [table], in: scratch)
    #expect((expected["points"] as? Int ?? 0) > 500)
    #expect(try Self.replay(words + [recording], in: scratch) as NSDictionary == expected as NSDictionary)
    for log in [directory, directory + "/", directory + "/outrider.db"] {
      let row = try Self.replay(words + [log], in: scratch)
      // A log has coordinates with a resolution of 1e-7 degrees.
      #expect(row["points"] as? Int == expected["points"] as? Int)
      let pair = ["receiver_mAh_per_day", "track_error_mean_m"].map {
        ((row[$0] as? Double) ?? -1) - ((expected[$0] as? Double) ?? -2)
      }
      #expect(pair.allSatisfy { abs($0) < 0.1 })
    }
  }

  @Test func theChargeIsThatOfTheBoardsCurrents() throws {
    let scratch = try Scratch()
    let table = try scratch.write("day.csv", try Self.csv())
    let words = ["--policy", "always-on", table]
    let plain = try #require(try Self.replay(words, in: scratch)["receiver_track_mAh"] as? Double)
    let board =
      try Self.replay(["--board", "field-unit"] + words, in: scratch)["receiver_track_mAh"] as? Double
    #expect(abs((board ?? 0) / plain - 10.0 / 28) < 1e-3)
  }

  @Test func theConfigurationIsAPolicyOfItsOwn() throws {
    let scratch = try Scratch()
    let table = try scratch.write("day.csv", try Self.csv())
    func row(
      _ words: String, _ policy: String = "config", cyclic: String = "auto"
    ) throws -> NSDictionary {
      let file = try scratch.write("c.json5", "{ main: { \(words) }, receiver: { cyclic: '\(cyclic)' } }")
      var row = try Self.replay(["--config", file, "--policy", policy, table], in: scratch)
      row["policy"] = nil
      return row as NSDictionary
    }
    let best = "pause_automatically: true, desired_accuracy: 'best'"
    #expect(try row(best) == row("", "H-cyclic"))
    #expect(try row(best, cyclic: "off") == row("", "H"))
    #expect(try row("pause_automatically: true, desired_accuracy: 'nav'") == row("", "H"))
    #expect(try row("pause_automatically: false") == row("", "always-on"))
    #expect(try row("tracking_mode: 'significant'") != row("", "H"))
  }

  @Test(arguments: nothingOrSomething)
  func aConfigurationWithoutTrackingIsRejected(_ words: String, isRejected: Bool) throws {
    let scratch = try Scratch()
    let table = try scratch.write("day.csv", try Self.csv())
    let file = try scratch.write("c.json5", "{ main: { tracking_mode: 'off' }, \(words) }")
    let outcome = try FaultTests.run(
      ["replay", "--config", file, "--policy", "config", table], in: scratch)
    #expect(outcome.status == (isRejected ? 1 : 0), "\(outcome.errors)")
    let message = outcome.errors.line(with: file).map(scratch.anonymous)
    #expect((message != nil) == isRejected)
    if let message { #expect(message == Self.texts.expected("configuration without tracking", message)) }
  }

  private static let nothingOrSomething = [
    ("", true), ("trip: { start: 'automatic' }", false),
    ("zones: [{ name: 'yard', latitude: 52, longitude: 13, radius: '80m' }]", false),
  ]

  @Test func theRulesAndZonesOfAConfigurationAreApplied() throws {
    let scratch = try Scratch()
    let table = try scratch.write("day.csv", try Self.csv())
    func places(_ words: String) throws -> [Coordinate] {
      let file = try scratch.write("c.json5", "{ \(words) }")
      let points = scratch.path("points.csv")
      _ = try Self.replay(["--config", file, "--policy", "config", "--points", points, table], in: scratch)
      return try String(contentsOfFile: points, encoding: .utf8).split(separator: "\n").dropFirst().map {
        let numbers = $0.split(separator: ",").map { Double($0) ?? .nan }
        return try #require(Coordinate(latitude: numbers[1], longitude: numbers[2]))
      }
    }
    let all = try places("")
    #expect(all.count > 500)
    #expect((2...all.count / 4).contains(try places("main: { min_distance: '100m' }").count))
    #expect((2...all.count / 8).contains(try places("main: { min_time: '10s' }").count))
    #expect(try places("main: { max_accuracy: '1m' }").count < 3)
    let middle = all[all.count / 2]
    let zone = "name: 'z', latitude: \(middle.latitude), longitude: \(middle.longitude), radius: '150m'"
    let disclosed = try places("privacy_zones: [{ \(zone) }]")
    #expect(disclosed.count > 100 && disclosed.count < all.count)
    #expect(disclosed.allSatisfy { middle.distance(to: $0) >= 150 })
    #expect(try places("zones: [{ \(zone) }]").count == all.count)
  }

  @Test func aRecordedAccelerometerReplacesTheSimulatedOne() throws {
    let scratch = try Scratch()
    let table = try scratch.write("day.csv", try Self.csv())
    // Stationary during the whole drive.
    let still = (0..<7000).map { "\(Double($0) / 10),0,0,1\n" }.joined()
    let motion = try scratch.write("still.csv", "t_s,ax_g,ay_g,az_g\n" + still)
    let words = ["--policy", "H", table]
    let received = try Self.replay(["--accelerometer", motion] + words, in: scratch)
    let modelled = try Self.replay(words, in: scratch)
    #expect((received["points"] as? Int ?? .max) < (modelled["points"] as? Int ?? 0))
    // One of another year.
    let late = still.split(separator: "\n").map { "90000000\($0)\n" }.joined()
    let other = try scratch.write("late.csv", "t_s,ax_g,ay_g,az_g\n" + late)
    let outcome = try FaultTests.run(["replay", "--accelerometer", other] + words, in: scratch)
    let message = scratch.anonymous(outcome.errors)
    #expect(outcome.status == 1 && message == Self.texts.expected("accelerometer of another day", message))
  }

  /// Wrong tracks and options, and a part of the message that is no prose.
  static let bad: [(name: String, text: String, words: [String], part: String)] = [
    ("empty.csv", "", [], "empty.csv: "), ("text.txt", "no track\n", [], "text.txt: "),
    ("silent.nmea", "$GPTXT,01,01,02,hello*00\r\n", [], "silent.nmea: "),
    ("x.db", "SQLite format 3\u{0}", [], "x.db: "),
    ("a.csv", "t_unix,lat,lon\n1,2,3\n", ["--policy", "config"], "--config FILE"),
    ("a.csv", "t_unix,lat,lon\n1,2,3\n", ["--board", "usb-receiver"], "usb-receiver: "),
    ("a.csv", "t_unix,lat,lon\n1,2,3\n", ["--board", "none"], "\"none\""),
    ("a.csv", "t_unix,lat,lon\n1,2,3\n", ["--config", "/none.json5"], "/none.json5"),
    ("a.csv", "t_unix,lat,lon\n1,2,3\n", ["--accelerometer", "/none.csv"], "/none.csv: No such file"),
    ("a.csv", "t_unix,lat,lon\n1,2,3\n", ["--since", "often"], "--since: \"often\""),
  ]

  @Test(arguments: bad)
  func wrongTracksAndOptionsAreRejectedWithTheRemedy(
    name: String, text: String, words: [String], part: String
  ) throws {
    let scratch = try Scratch()
    let path = try scratch.write(name, text)
    let outcome = try FaultTests.run(["replay"] + words + [path], in: scratch)
    #expect(outcome.status != 0)
    let message = scratch.anonymous(try #require(outcome.errors.line(with: part), "\(outcome.errors)"))
    // The directories of board files depend on where the program was built.
    if words.last != "none" {
      #expect(message == Self.texts.expected(([name] + words).joined(separator: " "), message))
    }
  }

  @Test func aDirectoryWithoutALogIsRejected() throws {
    let scratch = try Scratch()
    let outcome = try FaultTests.run(["replay", scratch.url.path], in: scratch)
    let message = scratch.anonymous(outcome.errors)
    #expect(outcome.status == 1 && message.contains("outrider.db"), "\(message)")
    #expect(message == Self.texts.expected("a directory without a log", message))
  }
}
