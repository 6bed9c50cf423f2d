import Foundation
import Settings
import Testing
import TextSnapshots

@testable import outrider

/// Settings without effect are reported at a check, a start and a change.
@Suite struct EffectReportTests {
  static let texts = TextSnapshot("commands")

  @Test func theCheckOfAFileReportsSettingsWithoutEffectAndAMissingProgram() throws {
    let scratch = try Scratch()
    let config = try scratch.write(
      "config.json5",
      "{ main: { pause_delay: '60s' }, notifications: '\(scratch.path("missing"))' }")
    let outcome = try FaultTests.run(["set", "--list", "--config", config], in: scratch)
    #expect(outcome.status == 0)
    let setting = try #require(outcome.errors.line(with: "main.pause_delay: "), "\(outcome.errors)")
    #expect(setting == Self.texts.expected("no effect: check of a setting", setting))
    let program = scratch.anonymous(
      try #require(
        outcome.errors.line(with: "notifications: ", scratch.path("missing")), "\(outcome.errors)"))
    #expect(program == Self.texts.expected("no effect: check of a program", program))
  }

  @Test func theStartAndAChangeReportASettingWithoutEffect() throws {
    let bench = try LoggerBench(url: nil, extra: "main: { accuracy_retry: '30s' },")
    try bench.start()
    let start = try #require(bench.line(with: "main.accuracy_retry: "))
    #expect(start == Self.texts.expected("no effect: start", start))
    #expect(bench.hasEvent("started"))
    let socket = bench.scratch.path("api.sock")
    let words = ["set", "main.pause_delay=60s", "--config", bench.scratch.path("config.json5")]
    let outcome = try FaultTests.run(words + ["--set", "api.socket=\(socket)"], in: bench.scratch)
    #expect(outcome.status == 0)
    let change = try #require(outcome.output.line(with: "main.pause_delay: ", "main.pause_automatically"))
    #expect(change == Self.texts.expected("no effect: change", change))
    #expect(bench.says(change))
    // The response contains only the warnings that the change causes.
    let body = Array(#"{"main.resume_with_geofence": "500m"}"#.utf8)
    let answer = try #require(try LocalCall.ask(socket, .patch, "/settings?queue=keep", body: body))
    let warnings = try #require(SettingsListing(json: answer)?.warnings)
    #expect(warnings.count == 1 && warnings.first?.hasPrefix("main.resume_with_geofence: ") == true)
    let warning = warnings.first ?? ""
    #expect(warning == Self.texts.expected("no effect: response to a change", warning))
    let listing = try #require(try LocalCall.ask(socket, .get, "/settings"))
    #expect(SettingsListing(json: listing)?.warnings == [])
    #expect(bench.stopsInGoodOrder())
  }
}
