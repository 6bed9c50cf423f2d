import Foundation
import Glibc
import Testing

/// Edits of the configuration file do nothing to a key that `outrider set` has set: every place where that matters says so.
@Suite struct OverriddenKeysTests {
  private static let said =
    #"main.min_time: the value "5s" has no effect because outrider set has set "7s"; to use the file's value, "#
    + "run outrider set --unset main.min_time"

  @Test func aStartAReloadTheListingAndTheStatusNameTheKeyAndTheCommandHelps() throws {
    let bench = try LoggerBench(url: nil, extra: "main: { min_time: '5s' },")
    let config = ["--config", bench.scratch.path("config.json5")]
    let set = try FaultTests.run(["set", "main.min_time=7s"] + config, in: bench.scratch)
    #expect(set.status == 0 && set.output.contains(Self.said), "\(set)")
    let stopped = try FaultTests.run(["status"] + config, in: bench.scratch)
    #expect(stopped.status == 1, "there is no log yet: \(stopped)")

    try bench.start()
    #expect(bench.says(Self.said))
    #expect(RemoteSettingsTests.hasStarted(bench, times: 1))
    let status = try FaultTests.run(["status"] + config, in: bench.scratch)
    #expect(status.output.contains("main.min_time"), "\(status.output)")
    #expect(status.output.contains("outrider set --unset main.min_time"), "\(status.output)")
    let keys = try FaultTests.status(of: bench)["overridden_keys"] as? [[String: String]]
    #expect(keys?.map { $0["key"] } == ["main.min_time"])

    try bench.rewrite { $0.replacingOccurrences(of: "'5s'", with: "'9s'") }
    bench.program?.send(SIGHUP)
    #expect(bench.says(#"main.min_time: the value "9s" has no effect"#))

    let list = try FaultTests.run(["set", "--list"] + config, in: bench.scratch)
    let row = list.output.split(separator: "\n").first { $0.hasPrefix("main.min_time") }
    #expect(row?.contains("\"9s\"; outrider set --unset main.min_time gives it back") == true, "\(row ?? "")")
    let changed = try FaultTests.run(["set", "--list", "--changed"] + config, in: bench.scratch)
    let listed = changed.output.split(separator: "\n").map { $0.prefix { $0 != " " } }
    #expect(listed.contains("main.min_time") && listed.contains("device_id"))
    #expect(!listed.contains("main.min_distance"), "\(changed.output)")

    let unset = try FaultTests.run(["set", "--unset", "main.min_time"] + config, in: bench.scratch)
    #expect(unset.status == 0 && unset.output.hasPrefix("main.min_time: unset in the running logger"))
    #expect(try RemoteSettingsTests.listing(bench)["main.min_time"]?.value == "9s")
    #expect(try FaultTests.status(of: bench)["overridden_keys"] == nil)
    #expect(bench.stopsInGoodOrder())
  }

  @Test func onlyAListingTakesChanged() throws {
    let outcome = try FaultTests.run(["set", "--changed", "main.min_time=5s"], in: try Scratch())
    #expect(outcome.status == 2 && outcome.errors.contains("--changed goes with --list"))
  }
}
