import Foundation
import Settings
import Testing

@testable import outrider

/// Settings without effect are named to whoever gives them.
@Suite struct EffectReportTests {
  private static let reason =
    "main.pause_delay: has no effect because the receiver is always on with main.pause_automatically: false"

  @Test func theCheckOfAFileNamesWhatHasNoEffectAndAProgramThatDoesNotExist() throws {
    let scratch = try Scratch()
    let config = try scratch.write(
      "config.json5",
      "{ main: { pause_delay: '60s' }, notifications: '\(scratch.path("missing"))' }")
    let outcome = try FaultTests.run(["set", "--list", "--config", config], in: scratch)
    #expect(outcome.status == 0)
    let lines = outcome.errors.split(separator: "\n")
    #expect(lines.contains { $0.hasSuffix(Self.reason) }, "\(outcome.errors)")
    #expect(
      lines.contains {
        $0.hasSuffix("notifications: has no effect because \(scratch.path("missing")) does not exist")
      },
      "\(outcome.errors)")
  }

  @Test func theStartAndAChangeNameIt() throws {
    let bench = try LoggerBench(url: nil, extra: "main: { accuracy_retry: '30s' },")
    try bench.start()
    #expect(bench.says("main.accuracy_retry: has no effect because main.max_accuracy is off"))
    #expect(bench.says("started:"))
    let socket = bench.scratch.path("api.sock")
    let change = ["set", "main.pause_delay=60s", "--config", bench.scratch.path("config.json5")]
    let outcome = try FaultTests.run(change + ["--set", "api.socket=\(socket)"], in: bench.scratch)
    #expect(outcome.status == 0 && outcome.output.contains(Self.reason), "\(outcome)")
    #expect(bench.says(Self.reason))
    // The program's answer names what the change brings, and only that.
    let body = Array(#"{"main.resume_with_geofence": "500m"}"#.utf8)
    let answer = try #require(try LocalCall.ask(socket, .patch, "/settings?queue=keep", body: body))
    #expect(
      SettingsListing(json: answer)?.warnings
        == ["main.resume_with_geofence: has no effect because main.pause_automatically is false"])
    let listing = try #require(try LocalCall.ask(socket, .get, "/settings"))
    #expect(SettingsListing(json: listing)?.warnings == [])
    #expect(bench.stopsInGoodOrder())
  }
}
