import EventLoop
import Foundation
import Quantities
import System
import TestSupport
import Testing
import TextSnapshots

/// `outrider status` with `--units` and `--sky`, against the running program.
@Suite struct StatusOptionsTests {
  static let texts = TextSnapshot("status")

  private static func status(_ bench: LoggerBench, _ words: String...) throws -> FaultTests.Outcome {
    try FaultTests.run(
      ["status"] + words + ["--config", bench.scratch.path("config.json5")], in: bench.scratch)
  }

  private static func object(_ outcome: FaultTests.Outcome, _ key: String) throws -> [String: Any]? {
    let status = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
    return status?[key] as? [String: Any]
  }

  /// The factors from m/s and from m, and the symbols of the units.
  static let systems: [(units: String, speed: Double, sign: String, height: Double, short: String)] = [
    ("metric", 3.6, "km/h", 1, "m"), ("imperial", 3600 / 1609.344, "mph", 1 / 0.3048, "ft"),
    ("nautical", 3600 / 1852.0, "kn", 1, "m"),
  ]

  @Test func theTextHasTheUnitsOfTheOptionAndJSONStaysInSI() throws {
    let bench = try LoggerBench(url: nil)
    try bench.start()
    bench.feeder.play(Recording.simulated(epochs: 20).pieces, every: .milliseconds(2))
    #expect(bench.hasStored(20) && eventually(within: .seconds(20)) { bench.feeder.isFinished })
    let plain = try #require(try Self.object(try Self.status(bench, "--json"), "position"))
    let speed = try #require(plain["speed_mps"] as? Double)
    let altitude = try #require(plain["altitude_m"] as? Double)
    #expect(speed > 1)
    for system in Self.systems {
      let text = try Self.status(bench, "--units", system.units)
      let shown = String(format: "%.1f \(system.sign)", speed * system.speed)
      let height = String(format: "altitude %.0f \(system.short)", altitude * system.height)
      #expect(text.status == 0 && text.output.contains(shown), "\(shown): \(text.output)")
      #expect(text.output.contains(height), "\(height): \(text.output)")
      let json = try Self.object(try Self.status(bench, "--json", "--units", system.units), "position")
      #expect(json?["speed_mps"] as? Double == speed && json?["altitude_m"] as? Double == altitude)
    }
    let bad = try Self.status(bench, "--units", "parsec")
    #expect(bad.status == 2)
    let message = try #require(bad.errors.line(with: "--units", "parsec"))
    #expect(message == Self.texts.expected("unknown units", message))
    #expect(bench.stopsInGoodOrder())
  }

  @Test func skyQueriesTheReceiverAndReportsItsSatellites() throws {
    let bench = try LoggerBench(url: nil)
    let talker = try ModuleTalker(loop: try EventLoop(), .ublox10) { $0.savedSpeed = 115_200 }
    try bench.rewrite {
      $0.replacingOccurrences(of: bench.feeder.path, with: talker.terminal.path)
        .replacingOccurrences(of: "speed: 9600", with: "speed: 115200")
    }
    let answering = talker.answeringOnAThread()
    defer { answering.stop() }
    let nobody = try Self.status(bench, "--sky")
    #expect(nobody.status == 1)
    let message = bench.anonymous(nobody.errors)
    #expect(message == Self.texts.expected("--sky without a logger", message))
    try bench.start()
    #expect(bench.hasStored(1, within: .seconds(60)))
    var last = FaultTests.Outcome(status: nil, output: "", errors: "")
    // Until the receiver is configured, the response is a hint.
    let isAnswered = try eventually(within: .seconds(60)) {
      last = try Self.status(bench, "--sky", "--json")
      return last.status == 0 && last.errors.isEmpty
    }
    #expect(isAnswered, "\(last)")
    let reception = try #require(try Self.object(last, "reception"))
    #expect((reception["satellites_received"] as? Int ?? 0) > 0, "\(reception)")
    #expect((reception["satellites_age_s"] as? Double).map { $0 < 6 } == true, "\(reception)")
    let text = try Self.status(bench, "--sky")
    #expect(text.status == 0)
    let row = try #require(text.output.line(with: "fix "), "\(text.output)")
    #expect(row.contains(" dBHz"), "\(row)")
    #expect(bench.stopsInGoodOrder())
  }

  @Test func aReceiverThatCannotBeOpenedIsReportedWithTheRemedy() throws {
    let bench = try LoggerBench(url: nil)
    let port = bench.scratch.path("no-port")
    try bench.rewrite { $0.replacingOccurrences(of: bench.feeder.path, with: port) }
    try bench.start()
    #expect(bench.hasEvent("receiver_lost"))
    let config = ["--config", bench.scratch.path("config.json5")]
    let outcome = try FaultTests.run(["status"] + config, in: bench.scratch)
    let row = outcome.output.line(with: "not open") ?? ""
    #expect(row.contains("\(port), not open; ") && row.contains("check receiver.port"), "\(outcome)")
    let json = try FaultTests.run(["status", "--json"] + config, in: bench.scratch)
    #expect(json.output.contains(#""trouble""#) && json.output.contains("No such file"), "\(json)")
    #expect(bench.stopsInGoodOrder())
  }
}
