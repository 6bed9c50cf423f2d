import History
import Foundation
import LocalAPI
import Quantities
import Records
import Store
import Testing
import TextSnapshots

@testable import outrider

/// Trips on the command line: the running trip and the trips of the log, as text and JSON.
@Suite struct TripCommandTests {
  static let texts = TextSnapshot("trip")
  private static let utc = WallClock { _ in .zero }

  private static func line(_ request: TripRequest, _ json: String) -> String? {
    TripText.line(request, answer: Array(json.utf8), clock: utc)
  }

  @Test func aResponseThatIsNotUTF8HasNoText() {
    for beginning in [#"{"run"#, #"{"ended":{"mo"#] {
      let answer = Array(beginning.utf8) + [0x81] + Array(#"ning":true}}"#.utf8)
      #expect(TripText.line(.status, answer: answer, clock: Self.utc) == nil)
    }
  }

  @Test func responsesAreText() throws {
    let running =
      #"{"running":true,"mode":"car","manual":true,"start":"2026-03-01T10:00:00Z","duration_s":720,"distance_m":3400}"#
    let ended =
      #"{"running":false,"ended":{"mode":"car","manual":true,"duration_s":90,"distance_m":812}}"#
    let lines: [(name: String, request: TripRequest, answer: String)] = [
      ("status", .status, running), ("start", .start(mode: "car"), running), ("mode", .mode("car"), running),
      ("status without a trip", .status, #"{"running":false}"#), ("stop", .stop, ended),
    ]
    for (name, request, answer) in lines {
      let line = try #require(Self.line(request, answer))
      #expect(line == Self.texts.expected(name, line))
    }
    #expect(Self.line(.status, running)?.contains("12 min, 3.4 km") == true)
    #expect(Self.line(.stop, ended)?.contains("90 s, 812 m") == true)
    #expect(Self.line(.status, "[]") == nil)
  }

  @Test func aReconstructedTripIsMarkedInTheList() {
    let start = Timestamp(milliseconds: 1_772_000_000_000)
    var trip = TripRecord(
      mode: .car, start: .utc(start), end: .utc(start + .seconds(300)), durationMilliseconds: 300_000,
      distanceMillimetres: 1_400_000, isManual: false, ending: .noFix, device: DeviceState(deviceID: "van"))
    let line = TripText.line(trip, .metric, clock: Self.utc)
    #expect(line == Self.texts.expected("listed trip", line))
    #expect(TripText.json(trip).contains(#""reconstructed":false"#))
    trip.isReconstructed = true
    let reconstructed = TripText.line(trip, .metric, clock: Self.utc)
    #expect(reconstructed == Self.texts.expected("listed reconstructed trip", reconstructed))
    #expect(TripText.json(trip).contains(#""reconstructed":true"#))
  }

  @Test func anEndedTripIsReportedWithDistanceAndDurationAndListed() throws {
    let bench = try LoggerBench(url: nil)
    let config = ["--config", bench.scratch.path("config.json5")]
    func trip(_ words: String...) throws -> FaultTests.Outcome {
      try FaultTests.run(["trip"] + words + config, in: bench.scratch)
    }
    try bench.start()
    #expect(bench.hasEvent("started"))
    bench.feeder.play(Recording.simulated(epochs: 40).pieces, every: .milliseconds(50))
    #expect(bench.hasStored(3))
    let start = try FaultTests.runOnTerminal(
      ["trip", "start", "--mode", "bicycle"] + config, in: bench.scratch)
    #expect(start.output == Self.texts.expected("start on a terminal", start.output))
    #expect(bench.hasStored(30))
    let status = try FaultTests.runOnTerminal(["trip", "status"] + config, in: bench.scratch).output
    #expect(status.contains(" bicycle, ") && !status.contains("{"), "\(status)")
    let piped = try trip("status").output
    for json in [
      piped, try FaultTests.runOnTerminal(["trip", "status", "--json"] + config, in: bench.scratch).output,
    ] {
      #expect(json.contains(#""running":true,"mode":"bicycle","manual":true"#), "\(json)")
    }
    let stop = try trip("stop", "--json").output
    let answer = try #require(try JSONSerialization.jsonObject(with: Data(stop.utf8)) as? [String: Any])
    let ended = try #require(answer["ended"] as? [String: Any])
    #expect(answer["running"] as? Bool == false && ended["distance_m"] as? Double ?? 0 > 0, "\(stop)")
    #expect(ended["duration_s"] != nil)
    #expect(
      try eventually(within: .seconds(20)) { try trip("list").output.contains("bicycle, ") },
      "\((try? trip("list"))?.output ?? "")")
    let rows = try trip("list", "--json").output.split(separator: "\n")
    let row = try JSONSerialization.jsonObject(with: Data((rows.first ?? "").utf8)) as? [String: Any]
    #expect(rows.count == 1 && row?["mode"] as? String == "bicycle" && row?["distance_m"] != nil, "\(rows)")
    let none = try trip("list", "--since", "2027-01-01").output
    #expect(!none.contains("bicycle") && none.contains(" 2027-01-01T00:00:00"), "\(none)")
    #expect(try trip("stop", "--since", "1h").status == 2)
    #expect(bench.stopsInGoodOrder())
  }
}
