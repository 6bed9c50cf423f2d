import Foundation
import Glibc
import Testing
import TextSnapshots

/// A key of the configuration file that `outrider set` overrides is reported at set, start, reload, listing and status.
@Suite struct OverriddenKeysTests {
  static let texts = TextSnapshot("commands")
  /// The remedy, which every message contains.
  private static let remedy = "outrider set --unset main.min_time"

  @Test func everyReportNamesTheOverriddenKeyAndACommandThatRestoresIt() throws {
    let bench = try LoggerBench(url: nil, extra: "main: { min_time: '5s' },")
    let config = ["--config", bench.scratch.path("config.json5")]
    let set = try FaultTests.run(["set", "main.min_time=7s"] + config, in: bench.scratch)
    #expect(set.status == 0, "\(set)")
    let message = bench.scratch.anonymous(try #require(set.output.line(with: Self.remedy)))
    #expect(message == Self.texts.expected("overridden key: set", message))
    let stopped = try FaultTests.run(["status"] + config, in: bench.scratch)
    #expect(stopped.status == 1, "there is no log yet: \(stopped)")

    try bench.start()
    let warning = try #require(bench.line(with: Self.remedy))
    #expect(warning == Self.texts.expected("overridden key: start", warning))
    #expect(RemoteSettingsTests.hasStarted(bench, times: 1))
    let status = try FaultTests.run(["status"] + config, in: bench.scratch)
    let row = try #require(status.output.line(with: Self.remedy), "\(status.output)")
    #expect(row == Self.texts.expected("overridden key: status", row))
    let keys = try FaultTests.status(of: bench)["overridden_keys"] as? [[String: String]]
    #expect(keys?.map { $0["key"] } == ["main.min_time"])

    try bench.rewrite { $0.replacingOccurrences(of: "'5s'", with: "'9s'") }
    bench.program?.send(SIGHUP)
    let reload = try #require(bench.line(with: Self.remedy, #""9s""#))
    #expect(reload == Self.texts.expected("overridden key: reload", reload))

    let list = try FaultTests.run(["set", "--list"] + config, in: bench.scratch)
    let entry = try #require(list.output.line(with: Self.remedy, #""9s""#), "\(list.output)")
    #expect(entry.hasPrefix("main.min_time "))
    let origin = entry.dropFirst("main.min_time".count).drop { $0 == " " }
    #expect(origin == Self.texts.expected("overridden key: listing", String(origin)))
    let changed = try FaultTests.run(["set", "--list", "--changed"] + config, in: bench.scratch)
    let listed = changed.output.split(separator: "\n").map { $0.prefix { $0 != " " } }
    #expect(listed.contains("main.min_time") && listed.contains("device_id"))
    #expect(!listed.contains("main.min_distance"), "\(changed.output)")

    let unset = try FaultTests.run(["set", "--unset", "main.min_time"] + config, in: bench.scratch)
    #expect(unset.status == 0)
    #expect(unset.output == Self.texts.expected("unset in the running logger", unset.output))
    #expect(try RemoteSettingsTests.listing(bench)["main.min_time"]?.value == "9s")
    #expect(try FaultTests.status(of: bench)["overridden_keys"] == nil)
    #expect(bench.stopsInGoodOrder())
  }

  @Test func changedRequiresList() throws {
    let outcome = try FaultTests.run(["set", "--changed", "main.min_time=5s"], in: try Scratch())
    #expect(outcome.status == 2)
    let message = try #require(outcome.errors.line(with: "--changed"))
    #expect(message == Self.texts.expected("--changed without --list", message))
  }
}
