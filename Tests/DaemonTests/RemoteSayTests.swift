import Foundation
import Quantities
import Settings
import Store
import Synchronization
import SystemLoop
import TestSupport
import Testing
import Tracking

@testable import Daemon

/// What becomes of values from afar in a logger whose servers lose their say, want different things, or see a position that
/// was only asked for.
@Suite struct RemoteSayTests {
  /// A logger that can be started again on the same directory, and what it said.
  final class Bench {
    let bench: HTTPBench
    private(set) var logger: Logger
    private let lines: Lines

    final class Lines: Sendable {
      private let lines = Mutex<[String]>([])
      func add(_ line: String) { lines.withLock { $0.append(line) } }
      var all: [String] { lines.withLock { $0 } }
    }

    init(_ overrides: [String]) throws {
      let (bench, lines) = (try HTTPBench(), Lines())
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
      #expect(try bench.run { logger.storeState.isOpen })
      return logger
    }

    static func stored(_ bench: HTTPBench) throws -> StoredSettings {
      let bytes = try SettingsFile.read(in: bench.directory + "/log", limit: StoredSettings.largest)
      return bytes.flatMap { try? StoredSettings(json: $0) } ?? StoredSettings()
    }

    func restart(_ overrides: [String]) throws {
      logger.stop()
      logger = try Self.started(bench, overrides, lines)
    }

    func reload(_ overrides: [String]) { logger.reload(Self.sources(bench, overrides)) }

    func answer(_ set: String, from name: String, provenBy record: Int64? = nil) {
      logger.takeAnswer(Array(#"{"set": \#(set)}"#.utf8), from: name)
      if let record { logger.noteTaken(.init(count: 1, newestLocation: .init(record)), by: name) }
    }

    /// What is on disk once nothing is being written.
    func kept() throws -> StoredSettings {
      let logger = logger
      #expect(try bench.run { logger.book.isDurable })
      return try Self.stored(bench)
    }

    /// Whether what is on disk comes to be so: the first turns of a start write too.
    func comesToKeep(_ isSo: @escaping (StoredSettings) -> Bool) throws -> Bool {
      let bench = bench
      return try bench.run { (try? Self.stored(bench)).map(isSo) ?? false }
    }

    func said(_ word: String) -> [String] { lines.all.filter { $0.contains(word) } }

    var outcomes: [String] {
      (logger.status.remote?.keys ?? []).map { "\($0.key) \($0.destination ?? "-") \($0.outcome)" }
    }
  }

  static let a = #"{ name: "a", kind: "overland", url: "http://127.0.0.1:9/" }"#
  static let b = #"{ name: "b", kind: "overland", url: "http://127.0.0.1:9/", may_set: true }"#
  static let two = ["destinations=[\(a), \(b)]"]

  static let losses: [(name: String, overrides: [String], reason: String)] = [
    ("the destination is gone", ["destinations=[\(a)]"], "no such destination"),
    (
      "it may not set any more",
      ["destinations=[\(a), { name: 'b', kind: 'overland', url: 'http://127.0.0.1:9/' }]"], "may_set"
    ),
    ("the setting is locked", two + ["remote.locked=['main.min_time']"], "remote.locked"),
  ]

  @Test(arguments: losses, [false, true])
  func aValueThatMayNotBeSetAnyMoreIsForgottenForGoodWithAWord(
    loss: (name: String, overrides: [String], reason: String), atStart: Bool
  ) throws {
    let box = try Bench(Self.two)
    box.answer(#"{"main": {"min_time": "7s"}}"#, from: "b", provenBy: 1000)
    #expect(try box.kept().layers.server.count == 1 && box.logger.configuration.main.minTime == .seconds(7))
    if atStart { try box.restart(loss.overrides) } else { box.reload(loss.overrides) }
    #expect(box.logger.configuration.main.minTime == .seconds(1))
    let words = box.said("forgotten")
    #expect(words.count == 1, "\(words)")
    #expect(
      words.allSatisfy {
        $0.contains("destination b") && $0.contains("main.min_time") && $0.contains(loss.reason)
      },
      "\(words)")
    #expect(box.outcomes == ["main.min_time b went back"])
    #expect(box.logger.status.remote?.keys.first?.reason?.contains(loss.reason) == true)
    #expect(try box.comesToKeep { $0.layers.server.isEmpty })
    try box.restart(Self.two)
    #expect(box.logger.configuration.main.minTime == .seconds(1) && box.said("forgotten").count == 1)
  }

  @Test func theOperatorsLockEndsATrialInGoodOrder() throws {
    let box = try Bench(Self.two)
    box.answer(#"{"send_interval": "off", "main": {"min_time": "7s"}}"#, from: "a")
    #expect(box.logger.status.remote?.on_trial?.count == 2)
    var wishes = OperatorWishes()
    wishes.values["remote.locked"] = "['main']"
    #expect(box.logger.change(wishes).isEmpty)
    #expect(box.logger.status.remote?.on_trial?.map(\.key) == ["send_interval"])
    #expect(box.logger.configuration.main.minTime == .seconds(1))
    let kept = try box.kept()
    #expect(kept.layers.server.keys.map(\.path) == ["send_interval"])
  }

  @Test func whatNoServerMaySetIsNotObeyedWhereverItStands() throws {
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
      box.logger.configuration.logLevel == .notice && box.logger.configuration.main.minTime == .seconds(9))
    #expect(
      try box.kept().layers.server.keys.map(\.path) == ["main.min_time"], "nobody knows whose: it stays")
    #expect(box.said("log.level as before: forgotten: servers cannot change it").count == 1)
  }

  @Test(arguments: [false, true])
  func theOperatorTakesBackAServersValueToo(isProven: Bool) throws {
    let box = try Bench(Self.two)
    box.answer(#"{"send_interval": "1m"}"#, from: "a", provenBy: isProven ? 1000 : nil)
    box.answer(#"{"send_interval": "2m"}"#, from: "b", provenBy: isProven ? 1000 : nil)
    var wishes = OperatorWishes()
    wishes.values["send_interval"] = "3m"
    #expect(box.logger.change(wishes).isEmpty)
    wishes = OperatorWishes()
    wishes.unset = ["send_interval", "main.min_time"]
    #expect(box.logger.change(wishes).isEmpty)
    #expect(box.logger.configuration.delivery(to: "a").sendInterval == .seconds(300))
    #expect(box.logger.configuration.delivery(to: "b").sendInterval == .seconds(300))
    #expect(box.logger.status.remote?.on_trial == nil)
    #expect(box.said("as the operator wants it").count == 2)
    #expect(try box.kept().layers.server.isEmpty && box.kept().operator.isEmpty)
  }

  @Test func twoServersThatWantDifferentThingsNeitherFightNorWearTheMedium() throws {
    let box = try Bench(Self.two)
    box.answer(#"{"main": {"min_time": "5s"}}"#, from: "a", provenBy: 1000)
    let kept = try box.kept()
    for _ in 0..<50 {
      box.answer(#"{"main": {"min_time": "7s"}}"#, from: "b", provenBy: 2000)
      box.answer(#"{"main": {"min_time": "5s"}}"#, from: "a", provenBy: 2000)
      #expect(box.logger.book.writesUnderWay == 0, "nothing is written")
    }
    #expect(try box.kept() == kept && box.logger.configuration.main.minTime == .seconds(5))
    #expect(box.outcomes == ["main.min_time a persisted", "main.min_time b refused"])
    let refusals = box.said("is refused")
    #expect(
      refusals.count == 1 && refusals.allSatisfy { $0.contains("destination b") && $0.contains("7s, and a,") }
    )
    box.answer(#"{"main": {"min_time": "9s"}}"#, from: "b")
    #expect(box.said("is refused").count == 2, "another value is worth another word")
    box.answer(#"{"main": {"min_time": "6s"}}"#, from: "a")
    #expect(box.logger.configuration.main.minTime == .seconds(6), "the first may always change it")
  }

  /// The server sends its wish with each answer.
  @Test func aValueThatWentBackIsRefusedOnceAndTriedAgainAfterAnotherOne() throws {
    let box = try Bench(Self.two + ["remote.max_silence=1s"])
    let wish = #"{"main": {"min_time": "7s"}}"#
    func minTime() -> Duration { box.logger.configuration.main.minTime }
    box.answer(wish, from: "a")
    #expect(minTime() == .seconds(7))
    #expect(
      try box.bench.run(for: .seconds(30)) { box.said("went back").count == 1 || minTime() == .seconds(1) })
    for _ in 0..<3 {
      box.answer(wish, from: "a")
      #expect(minTime() == .seconds(1))
    }
    #expect(
      box.said("on trial").count == 1 && box.said("is refused").count == 1, "\(box.said("main.min_time"))")
    #expect(box.outcomes == ["main.min_time a refused"])
    // Another wish, and then the first one anew.
    box.answer(#"{"main": {"min_time": "8s"}}"#, from: "a")
    #expect(minTime() == .seconds(8))
    box.answer(wish, from: "a")
    #expect(minTime() == .seconds(7))
  }

  @Test func aServerThatWantsSomethingElseEachTimeDoesNotWearTheMedium() throws {
    let box = try Bench(Self.two)
    for seconds in 2...7 { box.answer("{\"main\": {\"min_time\": \"\(seconds)s\"}}", from: "a") }
    let kept = try box.kept()
    let changes = box.said("on trial").count
    for seconds in 8...40 {
      box.answer("{\"main\": {\"min_time\": \"\(seconds)s\"}}", from: "a")
      box.answer(#"{"main": {"min_time": "7s"}}"#, from: "a")
      #expect(box.logger.book.writesUnderWay == 0, "nothing is written")
    }
    #expect(try box.kept() == kept && box.logger.configuration.main.minTime == .seconds(7))
    #expect(changes == 6 && box.said("on trial").count == changes)
    #expect(box.said("changed 6 times within an hour; what it wants last is taken later").count == 1)
    box.answer(#"{"main": {"min_time": "8s"}}"#, from: "a")
    #expect(box.outcomes == ["main.min_time a refused"])
  }

  @Test func anOutcomeHasItsAgeButForWhatWasBeforeTheStart() throws {
    let box = try Bench(Self.two)
    box.answer(#"{"main": {"min_time": "7s"}, "x": 1, "main.min_time": "9s"}"#, from: "a", provenBy: 1000)
    let keys = box.logger.status.remote?.keys ?? []
    #expect(keys.count == 3 && keys.allSatisfy { ($0.age_s ?? -1) >= 0 && ($0.age_s ?? 60) < 60 }, "\(keys)")
    #expect(box.said(#"is ignored: unknown setting; write it as {"main": {"min_time": …}}"#).count == 1)
    #expect(try box.kept().layers.server.count == 1)
    try box.restart(Self.two)
    let after = box.logger.status.remote?.keys ?? []
    #expect(after.map(\.key) == ["main.min_time"] && after.first?.age_s == nil, "\(after)")
  }

  @Test func aServerThatSendsFreshKeysWithEachAnswerDoesNotFillTheJournal() throws {
    let box = try Bench(Self.two)
    func flood(_ round: Int) -> String {
      "{\((0..<100).map { "\"k\(round)-\($0)\": 1" }.joined(separator: ",")), \"main\": {\"batch_size\": 50}}"
    }
    box.answer(flood(0), from: "a")
    let said = box.said("ignored")
    #expect(said.count == 1, "\(said)")
    #expect(
      said.first?.contains("k0-0, k0-1, k0-10 and 96 more are ignored: unknown setting") == true, "\(said)")
    #expect(box.outcomes.contains("main.batch_size a applied"))
    for round in 1...200 { box.answer(flood(round), from: "a") }
    #expect(box.said("ignored").count == ServerComplaints.mostLines)
    #expect(box.said("is counted for an hour").count == 1)
    box.answer(flood(0), from: "b")
    #expect(box.said("destination b: its server's").count == 1, "another server is heard")
  }

  // MARK: What is written, and said

  @Test(arguments: ["{}", #"{"main.min_time": "5s"}"#, #"{"trip_mode": null}"#])
  func whatChangesNothingIsNotWritten(body: String) throws {
    let box = try Bench(Self.two)
    _ = box.logger.changeSettings(Array(#"{"main.min_time": "5s"}"#.utf8), queue: nil)
    _ = try box.kept()
    guard case .done = box.logger.changeSettings(Array(body.utf8), queue: nil) else {
      return #expect(Bool(false))
    }
    #expect(box.logger.book.isDurable && box.logger.book.writesUnderWay == 0)
    #expect(box.logger.configuration.main.minTime == .seconds(5))
  }

  @Test func writesThatWaitAreMergedIntoOne() throws {
    let box = try Bench(Self.two)
    _ = try box.kept()
    for seconds in 1...50 {
      _ = box.logger.changeSettings(Array("{\"main.min_time\": \"\(seconds + 1)s\"}".utf8), queue: nil)
      #expect(box.logger.book.writesUnderWay == 1 && !box.logger.book.isDurable)
    }
    #expect(try box.kept().operator == ["main.min_time": "51s"])
    for seconds in 1...5 {
      _ = box.logger.changeSettings(Array("{\"main.min_time\": \"\(seconds)m\"}".utf8), queue: nil)
    }
    box.logger.stop()
    #expect(try Bench.stored(box.bench).operator == ["main.min_time": "5m"], "also at the end")
  }

  @Test func whatCountsWithTheNextStartIsSaidOnce() throws {
    let box = try Bench(Self.two)
    func set(_ body: String) { _ = box.logger.changeSettings(Array(body.utf8), queue: nil) }
    func words() -> Int { box.said("with the next start").count }
    set(#"{"api.token": "sesame"}"#)
    for seconds in 2...9 { set("{\"main.min_time\": \"\(seconds)s\"}") }
    #expect(words() == 1)
    set(#"{"api.listen": "127.0.0.1:1"}"#)
    #expect(words() == 2, "others are worth another word")
    set(#"{"api.listen": null, "api.token": null}"#)
    set(#"{"api.token": "sesame"}"#)
    #expect(words() == 3, "and so is what was as before meanwhile")
  }

  @Test func aCheckInsPoorPositionDoesNotProveTheLimitThatWouldHaveLeftItOut() throws {
    let bench = try HTTPBench()
    let server = try ScriptedServer(bench.loop, [])
    var requests = 0
    server.answer = { _ in
      requests += 1
      let set = #","set":{"main":{"max_accuracy":"10m","tracking_mode":"off"}}"#
      return .answer(200, body: "{\"result\":\"ok\"\(requests == 1 ? set : "")}")
    }
    let logger = try AfarTests.logger(
      bench,
      ["destinations=[{ name: \"a\", kind: \"overland\", url: \"\(server.url())\" }]", "send_interval=1s"])
    defer { logger.stop() }
    #expect(try bench.run { logger.storeState.isOpen })
    func fix(_ second: Int64, accuracy: Double) {
      var fix = PowerTests.fix(second)
      fix.horizontalAccuracy = accuracy
      logger.tell(
        .epoch(fix, systemClock: Timestamp(milliseconds: 0)), now: bench.loop.now + .seconds(second))
      logger.commit(now: bench.loop.now)
    }
    /// As a check-in takes it.
    func checkIn(_ second: Int64, accuracy: Double) throws {
      let before = requests
      logger.checkIn.waiting = ["a"]
      logger.tell(.checkIn, now: bench.loop.now + .seconds(second))
      // As long as a fix may take to settle.
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
