import Foundation
import LocalAPI
import Quantities
import Records
import Store
import Testing

@testable import outrider

/// Trips on the command line: text for people, JSON for programs, and those of the log.
@Suite struct TripCommandTests {
  private static let utc = WallClock { _ in .zero }

  private static func line(_ request: TripRequest, _ json: String) -> String? {
    TripText.line(request, answer: Array(json.utf8), clock: utc)
  }

  @Test func anAnswerThatIsNotUTF8IsNoSentence() {
    for beginning in [#"{"run"#, #"{"ended":{"mo"#] {
      let answer = Array(beginning.utf8) + [0x81] + Array(#"ning":true}}"#.utf8)
      #expect(TripText.line(.status, answer: answer, clock: Self.utc) == nil)
    }
  }

  @Test func answersAreSentences() {
    let running =
      #"{"running":true,"mode":"car","manual":true,"start":"2026-03-01T10:00:00Z","duration_s":720,"distance_m":3400}"#
    #expect(
      Self.line(.status, running)
        == "trip running: car, 12 min, 3.4 km, since 2026-03-01T10:00:00Z, started by hand")
    #expect(Self.line(.start(mode: "car"), running) == "trip started: car")
    #expect(Self.line(.mode("car"), running) == "trip mode is car")
    #expect(Self.line(.status, #"{"running":false}"#)?.hasPrefix("no trip runs") == true)
    #expect(
      Self.line(
        .stop, #"{"running":false,"ended":{"mode":"car","manual":true,"duration_s":90,"distance_m":812}}"#)
        == "trip ended: car, 90 s, 812 m, started by hand")
    #expect(Self.line(.status, "[]") == nil)
  }

  @Test func aReconstructedTripIsListedAsOne() {
    let start = Timestamp(milliseconds: 1_772_000_000_000)
    var trip = TripRecord(
      mode: .car, start: .utc(start), end: .utc(start + .seconds(300)), durationMilliseconds: 300_000,
      distanceMillimetres: 1_400_000, isManual: false, ending: .noFix, device: DeviceState(deviceID: "van"))
    #expect(TripText.line(trip, .metric, clock: Self.utc).hasSuffix("1.4 km  car, ended by no fix"))
    #expect(TripText.json(trip).contains(#""reconstructed":false"#))
    trip.isReconstructed = true
    #expect(
      TripText.line(trip, .metric, clock: Self.utc).hasSuffix(
        "1.4 km  car, reconstructed: straight line, no position on the way"))
    #expect(TripText.json(trip).contains(#""reconstructed":true"#))
  }

  @Test func aTripThatEndsTellsItsDistanceAndDurationAndTheLogListsIt() throws {
    let bench = try LoggerBench(url: nil)
    let config = ["--config", bench.scratch.path("config.json5")]
    func trip(_ words: String...) throws -> FaultTests.Outcome {
      try FaultTests.run(["trip"] + words + config, in: bench.scratch)
    }
    try bench.start()
    #expect(bench.says("started:"))
    bench.feeder.play(Recording.simulated(epochs: 40).pieces, every: .milliseconds(50))
    #expect(bench.hasStored(3))
    #expect(try trip("start", "--mode", "bicycle").output == "trip started: bicycle\n")
    #expect(bench.hasStored(30))
    #expect(try trip("status").output.hasPrefix("trip running: bicycle, "))
    let json = try trip("status", "--json").output
    #expect(json.contains(#""running":true,"mode":"bicycle","manual":true"#), "\(json)")
    let stop = try trip("stop", "--json").output
    let answer = try #require(try JSONSerialization.jsonObject(with: Data(stop.utf8)) as? [String: Any])
    let ended = try #require(answer["ended"] as? [String: Any])
    #expect(answer["running"] as? Bool == false && ended["distance_m"] as? Double ?? 0 > 0, "\(stop)")
    #expect(ended["duration_s"] != nil)
    #expect(
      try eventually(within: .seconds(20)) { try trip("list").output.contains("bicycle, ended by asked") },
      "\((try? trip("list"))?.output ?? "")")
    let rows = try trip("list", "--json").output.split(separator: "\n")
    let row = try JSONSerialization.jsonObject(with: Data((rows.first ?? "").utf8)) as? [String: Any]
    #expect(rows.count == 1 && row?["mode"] as? String == "bicycle" && row?["distance_m"] != nil, "\(rows)")
    #expect(try trip("list", "--since", "2027-01-01").output.hasPrefix("no trip since 2027-01-01T00:00:00"))
    #expect(try trip("stop", "--since", "1h").status == 2)
    #expect(bench.stopsInGoodOrder())
  }
}
