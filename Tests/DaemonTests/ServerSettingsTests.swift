import Foundation
import Quantities
import Settings
import Store
import Synchronization
import TestSupport
import Testing
import TextSnapshots
@testable import Daemon

/// Remote settings of servers that lose their permission, disagree, send changing values, or get the location of a check-in.
@Suite struct ServerSettingsTests {
  /// A logger that can be restarted on the same directory, with its log lines.
  final class Bench {
    let bench: HTTPBench
    private(set) var logger: Logger
    private let lines: Lines

    final class Lines: Sendable {
      private let lines = Mutex<[String]>([])
      func add(_ line: String) { lines.withLock { $0.append(String(line.dropLast())) } }
      var all: [String] { lines.withLock { $0 } }
    }

    init(_ overrides: [String]) throws {
      let (bench, lines) = (try HTTPBench.simulated(), Lines())
      (self.bench, self.lines) = (bench, lines)
      logger = try Self.started(bench, overrides, lines)
    }

    deinit { logger.stop() }

    private static func sources(_ bench: HTTPBench, _ overrides: [String]) -> ConfigurationSources {
      ConfigurationSources(
        overrides: [
          "storage.directory=\(bench.directory)/log", "storage.allow_volatile=true", "api.enabled=false",
          "storage.commit_interval=0s",
        ] + overrides, fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
    }

    private static func started(_ bench: HTTPBench, _ overrides: [String], _ lines: Lines) throws -> Logger {
      let sources = sources(bench, overrides)
      let stored = try self.stored(bench)
      let logger = try Logger(
        loop: bench.loop, configuration: try sources.configuration(stored.layers), sources: sources,
        stored: stored, journal: Journal(threshold: .notice, hasPriorities: false) { lines.add($0) })
      logger.start()
      #expect(try bench.run { logger.log.isOpen })
      return logger
    }

    static func stored(_ bench: HTTPBench) throws -> StoredSettings {
      let bytes = try SettingsFile.read(in: bench.directory + "/log", limit: StoredSettings.largest)
      return bytes.flatMap { try? StoredSettings(json: $0) } ?? StoredSettings()
    }

    /// Restarts the logger; with `settings` as after a power cut, with this file of stored settings.
    func restart(_ overrides: [String], with settings: Data? = nil) throws {
      logger.stop()
      if let settings { try settings.write(to: URL(fileURLWithPath: bench.directory + "/log/settings.json")) }
      logger = try Self.started(bench, overrides, lines)
    }

    func reload(_ overrides: [String]) { logger.reload(Self.sources(bench, overrides)) }

    func answer(_ set: String, from name: String, provenBy record: Int64? = nil) {
      logger.settingsController.handleResponse(Array(#"{"set": \#(set)}"#.utf8), from: name)
      if let record {
        logger.settingsController.handleAcceptedRecords(
          .init(count: 1, newestLocation: .init(record)), by: name)
      }
    }

    /// The stored settings after all writes.
    func kept() throws -> StoredSettings {
      let logger = logger
      #expect(try bench.run { logger.settingsController.isDurable })
      return try Self.stored(bench)
    }

    /// True if the stored settings meet a condition within the time limit; a start writes them in its first turns, too.
    func comesToKeep(_ isSo: @escaping (StoredSettings) -> Bool) throws -> Bool {
      let bench = bench
      return try bench.run { (try? Self.stored(bench)).map(isSo) ?? false }
    }

    /// The lines of the journal that contain a text.
    func logged(_ text: String) -> [String] { lines.all.filter { $0.contains(text) } }

    /// The number of trials of one day that began.
    var trials: Int { logged(" rolled back after 1 d ").count }

    var outcomes: [String] {
      (logger.status.remote?.keys ?? []).map { "\($0.key) \($0.destination ?? "-") \($0.outcome)" }
    }
  }

  static let texts = TextSnapshot("daemon")
  static let a = #"{ name: "a", kind: "overland", url: "http://127.0.0.1:9/" }"#
  static let b = #"{ name: "b", kind: "overland", url: "http://127.0.0.1:9/", may_set: true }"#
  static let two = ["destinations=[\(a), \(b)]"]

  static let losses: [(name: String, overrides: [String])] = [
    ("the destination was removed", ["destinations=[\(a)]"]),
    (
      "the destination lost may_set",
      ["destinations=[\(a), { name: 'b', kind: 'overland', url: 'http://127.0.0.1:9/' }]"]
    ),
    ("the setting was locked", two + ["remote.locked=['main.min_time']"]),
  ]

  @Test(arguments: losses, [false, true])
  func aValueThatItsServerMayNoLongerSetIsDiscardedForGoodAndReported(
    loss: (name: String, overrides: [String]), atStart: Bool
  ) throws {
    let box = try Bench(Self.two)
    box.answer(#"{"main": {"min_time": "7s"}}"#, from: "b", provenBy: 1000)
    #expect(
      try box.kept().layers.server.count == 1 && box.logger.context.configuration.main.minTime == .seconds(7))
    if atStart { try box.restart(loss.overrides) } else { box.reload(loss.overrides) }
    #expect(box.logger.context.configuration.main.minTime == .seconds(1))
    let rollbacks = box.logged("warning: remote settings ")
    #expect(rollbacks.count == 1, "\(rollbacks)")
    let line = try #require(rollbacks.first)
    #expect(line.contains(" b: ") && line.contains("main.min_time"), "\(line)")
    #expect(line == Self.texts.expected("rollback: \(loss.name)", line))
    #expect(box.outcomes == ["main.min_time b went back"])
    let reason = try #require(box.logger.status.remote?.keys.first?.reason)
    #expect(reason == Self.texts.expected("reason of a rollback: \(loss.name)", reason))
    #expect(try box.comesToKeep { $0.layers.server.isEmpty })
    try box.restart(Self.two)
    #expect(box.logger.context.configuration.main.minTime == .seconds(1))
    #expect(box.logged("warning: remote settings ").count == 1)
  }

  @Test func aLockOfTheOperatorEndsATrial() throws {
    let box = try Bench(Self.two)
    box.answer(#"{"send_interval": "off", "main": {"min_time": "7s"}}"#, from: "a")
    #expect(box.logger.status.remote?.on_trial?.count == 2)
    var request = OperatorRequest()
    request.values["remote.locked"] = "['main']"
    #expect(box.logger.settingsController.change(request).isEmpty)
    #expect(box.logger.status.remote?.on_trial?.map(\.key) == ["send_interval"])
    #expect(box.logger.context.configuration.main.minTime == .seconds(1))
    let kept = try box.kept()
    #expect(kept.layers.server.keys.map(\.path) == ["send_interval"])
  }

  @Test func aStoredValueThatNoServerMaySetIsIgnored() throws {
    let box = try Bench(Self.two)
    _ = try box.kept()
    box.logger.stop()
    let file = #"""
      {"operator": {}, "server": {"values": [{"key": {"path": "log.level"}, "value": "error", "by": "a"},
        {"key": {"path": "main.min_time"}, "value": "9s"}], "failures": [], "contacts": [], "boot": "",
        "moment_ms": 0, "utc_ms": 0}}
      """#
    try SettingsFile.write(Array(file.utf8), in: box.bench.directory + "/log")
    try box.restart(Self.two)
    #expect(
      box.logger.context.configuration.logLevel == .notice
        && box.logger.context.configuration.main.minTime == .seconds(9))
    #expect(
      try box.kept().layers.server.keys.map(\.path) == ["main.min_time"], "a value of an unknown server stays"
    )
    let lines = box.logged("warning: remote settings ").filter { $0.contains("log.level") }
    #expect(lines.count == 1, "\(lines)")
    let line = try #require(lines.first)
    #expect(line == Self.texts.expected("rollback: a setting that no server may change", line))
  }

  @Test(arguments: [false, true])
  func theOperatorCanUnsetAServersValue(isProven: Bool) throws {
    let box = try Bench(Self.two)
    box.answer(#"{"send_interval": "1m"}"#, from: "a", provenBy: isProven ? 1000 : nil)
    box.answer(#"{"send_interval": "2m"}"#, from: "b", provenBy: isProven ? 1000 : nil)
    var request = OperatorRequest()
    request.values["send_interval"] = "3m"
    #expect(box.logger.settingsController.change(request).isEmpty)
    request = OperatorRequest()
    request.unset = ["send_interval", "main.min_time"]
    #expect(box.logger.settingsController.change(request).isEmpty)
    #expect(box.logger.context.configuration.delivery(to: "a").sendInterval == .seconds(300))
    #expect(box.logger.context.configuration.delivery(to: "b").sendInterval == .seconds(300))
    #expect(box.logger.status.remote?.on_trial == nil)
    #expect(box.logged("outrider set --unset").count == 2)
    #expect(try box.kept().layers.server.isEmpty && box.kept().operator.isEmpty)
  }

  @Test func conflictingServersCauseNoRepeatedWrites() throws {
    let box = try Bench(Self.two)
    box.answer(#"{"main": {"min_time": "5s"}}"#, from: "a", provenBy: 1000)
    let kept = try box.kept()
    for _ in 0..<50 {
      box.answer(#"{"main": {"min_time": "7s"}}"#, from: "b", provenBy: 2000)
      box.answer(#"{"main": {"min_time": "5s"}}"#, from: "a", provenBy: 2000)
      #expect(box.logger.settingsController.isBeingSaved == false, "nothing is written")
    }
    #expect(try box.kept() == kept && box.logger.context.configuration.main.minTime == .seconds(5))
    #expect(box.outcomes == ["main.min_time a persisted", "main.min_time b refused"])
    let refusals = box.logged("remote settings b: main.min_time")
    #expect(refusals.count == 1, "\(refusals)")
    let refusal = try #require(refusals.first)
    #expect(refusal.contains("7s") && refusal.contains("outrider set --unset main.min_time"), "\(refusal)")
    #expect(refusal == Self.texts.expected("a value that loses against that of another server", refusal))
    box.answer(#"{"main": {"min_time": "9s"}}"#, from: "b")
    #expect(
      box.logged("remote settings b: main.min_time").count == 2, "another value is reported, too")
    box.answer(#"{"main": {"min_time": "6s"}}"#, from: "a")
    #expect(
      box.logger.context.configuration.main.minTime == .seconds(6),
      "the first destination may always change it")
  }

  /// The server repeats its value in every response.
  @Test func aRolledBackValueIsRefusedUntilTheServerSendsAnotherOne() throws {
    let box = try Bench(Self.two + ["remote.max_silence=1s"])
    let values = #"{"main": {"min_time": "7s"}}"#
    func minTime() -> Duration { box.logger.context.configuration.main.minTime }
    box.answer(values, from: "a")
    #expect(minTime() == .seconds(7))
    #expect(try box.bench.run(for: .seconds(30)) { minTime() == .seconds(1) })
    for _ in 0..<3 {
      box.answer(values, from: "a")
      #expect(minTime() == .seconds(1))
    }
    let lines = box.logged("main.min_time")
    #expect(lines.count { $0.contains("remote settings a: main.min_time=7s: ") } == 1, "\(lines)")
    let refusals = box.logged("remote settings a: main.min_time rejected: ")
    #expect(refusals.count == 1, "\(lines)")
    let refusal = try #require(refusals.first)
    #expect(refusal == Self.texts.expected("a value that was rolled back before", refusal))
    #expect(box.outcomes == ["main.min_time a refused"])
    // Another value, and then the first one again.
    box.answer(#"{"main": {"min_time": "8s"}}"#, from: "a")
    #expect(minTime() == .seconds(8))
    box.answer(values, from: "a")
    #expect(minTime() == .seconds(7))
  }

  @Test func everChangingValuesOfAServerCauseFewWrites() throws {
    let box = try Bench(Self.two)
    for seconds in 2...7 { box.answer("{\"main\": {\"min_time\": \"\(seconds)s\"}}", from: "a") }
    let kept = try box.kept()
    let changes = box.trials
    for seconds in 8...40 {
      box.answer("{\"main\": {\"min_time\": \"\(seconds)s\"}}", from: "a")
      box.answer(#"{"main": {"min_time": "7s"}}"#, from: "a")
      #expect(box.logger.settingsController.isBeingSaved == false, "nothing is written")
    }
    #expect(try box.kept() == kept && box.logger.context.configuration.main.minTime == .seconds(7))
    #expect(changes == 6 && box.trials == changes)
    let refusals = box.logged("remote settings a: main.min_time rejected: ")
    #expect(refusals.count == 1, "\(refusals)")
    let refusal = try #require(refusals.first)
    #expect(refusal == Self.texts.expected("a setting changed too often within an hour", refusal))
    box.answer(#"{"main": {"min_time": "8s"}}"#, from: "a")
    #expect(box.outcomes == ["main.min_time a refused"])
  }

  @Test func anOutcomeHasItsAgeUnlessItIsOlderThanTheStart() throws {
    let box = try Bench(Self.two)
    box.answer(#"{"main": {"min_time": "7s"}, "x": 1, "main.min_time": "9s"}"#, from: "a", provenBy: 1000)
    let keys = box.logger.status.remote?.keys ?? []
    #expect(keys.count == 3 && keys.allSatisfy { ($0.age_s ?? -1) >= 0 && ($0.age_s ?? 60) < 60 }, "\(keys)")
    let ignored = box.logged(#"{"main": {"min_time": …}}"#)
    #expect(ignored.count == 1, "\(ignored)")
    let line = try #require(ignored.first)
    #expect(line == Self.texts.expected("a key with a dot in a response", line))
    #expect(try box.kept().layers.server.count == 1)
    try box.restart(Self.two)
    let after = box.logger.status.remote?.keys ?? []
    #expect(after.map(\.key) == ["main.min_time"] && after.first?.age_s == nil, "\(after)")
  }

  @Test func everNewKeysOfAServerDoNotFillTheJournal() throws {
    let box = try Bench(Self.two)
    func flood(_ round: Int) -> String {
      "{\((0..<100).map { "\"k\(round)-\($0)\": 1" }.joined(separator: ",")), \"main\": {\"batch_size\": 50}}"
    }
    box.answer(flood(0), from: "a")
    let logged = box.logged(" ignored: ")
    #expect(logged.count == 1, "\(logged)")
    let line = try #require(logged.first)
    #expect(line.contains("k0-0, k0-1, k0-10") && line.contains(" 96 "), "\(line)")
    #expect(line == Self.texts.expected("many unknown keys in a response", line))
    #expect(box.outcomes.contains("main.batch_size a applied"))
    for round in 1...200 { box.answer(flood(round), from: "a") }
    let lines = box.logged("remote settings a: ").filter { !$0.contains("on trial") }
    #expect(lines.count == SettingsLogLimiter.mostLines + 1)
    let last = try #require(lines.last)
    #expect(last == Self.texts.expected("further settings of a server are only counted", last))
    box.answer(flood(0), from: "b")
    #expect(
      box.logged("remote settings b: ").count { $0.contains(" ignored: ") } == 1,
      "the limit is that of one server")
  }

  // MARK: Writes and log lines

  @Test(arguments: ["{}", #"{"main.min_time": "5s"}"#, #"{"trip_mode": null}"#])
  func anUnchangedValueIsNotWritten(body: String) throws {
    let box = try Bench(Self.two)
    _ = box.logger.changeSettings(Array(#"{"main.min_time": "5s"}"#.utf8), queue: nil)
    _ = try box.kept()
    guard case .done = box.logger.changeSettings(Array(body.utf8), queue: nil) else {
      return #expect(Bool(false))
    }
    #expect(box.logger.settingsController.isDurable && box.logger.settingsController.isBeingSaved == false)
    #expect(box.logger.context.configuration.main.minTime == .seconds(5))
  }

  @Test func waitingWritesAreMergedIntoOne() throws {
    let box = try Bench(Self.two)
    _ = try box.kept()
    for seconds in 1...50 {
      _ = box.logger.changeSettings(Array("{\"main.min_time\": \"\(seconds + 1)s\"}".utf8), queue: nil)
      #expect(box.logger.settingsController.isBeingSaved && !box.logger.settingsController.isDurable)
    }
    #expect(try box.kept().operator == ["main.min_time": "51s"])
    for seconds in 1...5 {
      _ = box.logger.changeSettings(Array("{\"main.min_time\": \"\(seconds)m\"}".utf8), queue: nil)
    }
    box.logger.stop()
    #expect(try Bench.stored(box.bench).operator == ["main.min_time": "5m"], "also at the end")
  }

  @Test func settingsThatRequireARestartAreReportedOnce() throws {
    let box = try Bench(Self.two)
    func set(_ body: String) { _ = box.logger.changeSettings(Array(body.utf8), queue: nil) }
    func lines() -> [String] { box.logged("warning: settings: ") }
    set(#"{"network.settling": "8s"}"#)
    for seconds in 2...9 { set("{\"main.min_time\": \"\(seconds)s\"}") }
    let first = lines()
    #expect(first.count == 1, "\(first)")
    let line = try #require(first.first)
    #expect(line.contains("network.settling"), "\(line)")
    #expect(line == Self.texts.expected("setting that requires a restart", line))
    set(#"{"network.patience": "9s"}"#)
    #expect(lines().count == 2, "another setting is reported")
    set(#"{"network.patience": null, "network.settling": null}"#)
    set(#"{"network.settling": "8s"}"#)
    #expect(lines().count == 3, "a setting that was reset meanwhile is reported again")
  }

  @Test func anInaccurateCheckInDoesNotProveAnAccuracyLimit() throws {
    let bench = try HTTPBench.simulated()
    let server = try ScriptedServer(bench.loop, [])
    var requests = 0
    server.answer = { _ in
      requests += 1
      let set = #","set":{"main":{"max_accuracy":"10m","tracking_mode":"off"}}"#
      return .answer(200, body: "{\"result\":\"ok\"\(requests == 1 ? set : "")}")
    }
    let logger = try RemoteLoggingModeTests.logger(
      bench,
      ["destinations=[{ name: \"a\", kind: \"overland\", url: \"\(server.url())\" }]", "send_interval=1s"])
    defer { logger.stop() }
    #expect(try bench.run { logger.log.isOpen })
    func fix(_ second: Int64, accuracy: Double) {
      var fix = PowerTests.fix(second)
      fix.horizontalAccuracy = accuracy
      logger.tracking.process(
        .epoch(fix, systemClock: Timestamp(milliseconds: 0)), now: bench.loop.now + .seconds(second))
      logger.log.commit(now: bench.loop.now)
    }
    /// Simulates a check-in.
    func checkIn(_ second: Int64, accuracy: Double) throws {
      let before = requests
      logger.delivery.checkIn(with: ["a"], now: bench.loop.now + .seconds(second))
      // The longest time that a fix takes to settle.
      for later in Int64(0)..<15 { fix(second + later, accuracy: accuracy) }
      #expect(try bench.run { requests > before })
    }
    func trials() -> [String] { logger.status.remote?.on_trial?.map(\.key) ?? [] }
    fix(0, accuracy: 3)
    fix(1, accuracy: 3)
    #expect(try bench.run { trials().count == 2 })
    try checkIn(100, accuracy: 50)
    #expect(try bench.run { trials() == ["main.max_accuracy"] })
    try checkIn(200, accuracy: 5)
    #expect(try bench.run { trials().isEmpty })
  }
}
