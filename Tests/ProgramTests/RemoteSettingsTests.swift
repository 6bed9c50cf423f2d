import Foundation
import Glibc
import Quantities
import Synchronization
import System
import Testing
import TextSnapshots

/// Remote settings, which a scripted server sends with its responses.
@Suite struct RemoteSettingsTests {
  static let texts = TextSnapshot("commands")

  /// The next response of a server.
  final class Script: Sendable {
    private let state: Mutex<(answer: ScriptedServer.Answer, isOnce: Bool)>

    init(_ answer: ScriptedServer.Answer = .ok) { state = Mutex((answer, false)) }

    func respond(_ answer: ScriptedServer.Answer) { state.withLock { $0 = (answer, false) } }

    /// Sends a set once, then `ok` again.
    func respondOnce(set: String) { state.withLock { $0 = (.json(#"{"result":"ok","set":\#(set)}"#), true) } }

    func next() -> ScriptedServer.Answer {
      state.withLock { state in
        defer { if state.isOnce { state = (.ok, false) } }
        return state.answer
      }
    }
  }

  static func bench(_ script: Script, extra: String = "") throws -> (LoggerBench, ScriptedServer) {
    let server = try ScriptedServer { _, _ in script.next() }
    let bench = try LoggerBench(url: server.url, extra: extra)
    return (bench, server)
  }

  /// Plays a long drive in the background, five epochs a second.
  static func drive(_ bench: LoggerBench, epochs: Int = 600) {
    bench.feeder.play(Recording.simulated(epochs: epochs).pieces, every: .milliseconds(200))
  }

  static func hasStarted(_ bench: LoggerBench, times count: Int) -> Bool {
    eventually(within: .seconds(20)) { bench.events("started").count >= count }
  }

  /// The values and origins of all settings, by key.
  static func listing(_ bench: LoggerBench) throws -> [String: (value: String, origin: String)] {
    let outcome = try FaultTests.run(
      ["set", "--list", "--json", "--config", bench.scratch.path("config.json5")], in: bench.scratch)
    let array = try #require(
      try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [[String: Any]])
    return Dictionary(
      uniqueKeysWithValues: array.map {
        ("\($0["key"] ?? "")", ("\($0["value"] ?? "")", "\($0["origin"] ?? "")"))
      })
  }

  static func outcomes(_ bench: LoggerBench) throws -> [String: String] {
    let remote = try FaultTests.status(of: bench)["remote"] as? [String: Any]
    let keys = remote?["keys"] as? [[String: Any]] ?? []
    return Dictionary(uniqueKeysWithValues: keys.map { ("\($0["key"] ?? "")", "\($0["outcome"] ?? "")") })
  }

  @Test func validKeysAreAppliedProvenAndSavedAndInvalidOnesReported() throws {
    let script = Script()
    let (bench, server) = try Self.bench(script, extra: "remote: { locked: ['trip_mode'] },")
    defer { server.stop() }
    try bench.start()
    Self.drive(bench)
    script.respondOnce(
      set:
        #"{"send_interval":"2s","main":{"batch_size":"50","min_distance":null,"x":1},"trip_mode":"car","token":"t"}"#
    )
    #expect(bench.hasEvent("remote_applied"), "\(bench.standardError)")
    let listing = try Self.listing(bench)
    #expect(listing["send_interval"]?.value == "2s" && listing["send_interval"]?.origin == "server")
    #expect(listing["main.batch_size"]?.value == "50" && listing["main.batch_size"]?.origin == "server")
    #expect(bench.hasEvent("remote_proved"), "\(bench.standardError)")
    let outcomes = try Self.outcomes(bench)
    #expect(outcomes["send_interval"] == "persisted" && outcomes["main.batch_size"] == "persisted")
    #expect(outcomes["main.min_distance"] == "refused" && outcomes["trip_mode"] == "refused")
    #expect(outcomes["main.x"] == "ignored" && outcomes["token"] == "ignored")
    let line = try #require(bench.line(with: "main.x"), "\(bench.standardError)")
    #expect(line == Self.texts.expected("remote settings: ignored key", line))
    bench.kill()
    try bench.start()
    #expect(Self.hasStarted(bench, times: 2))
    #expect(try Self.listing(bench)["send_interval"]?.origin == "server", "the value survives a kill")
    #expect(bench.stopsInGoodOrder())
    #expect(
      try Self.listing(bench)["main.batch_size"]?.origin == "server", "the value is listed without a logger")
  }

  @Test func aValueThatStopsSendingIsRolledBackIfTheServerFails() throws {
    let script = Script()
    let (bench, server) = try Self.bench(script, extra: "remote: { max_silence: '8s' },")
    defer { server.stop() }
    try bench.start()
    Self.drive(bench)
    #expect(eventually(within: .seconds(20)) { !server.received.isEmpty })
    script.respondOnce(set: #"{"send_interval":"off"}"#)
    #expect(bench.hasEvent("remote_applied"), "\(bench.standardError)")
    let began = SystemClock.moment()
    script.respond(.close)
    let before = server.received.count
    #expect(
      eventually(within: .seconds(6)) { server.received.count > before }, "a check-in after half of the trial"
    )
    #expect(SystemClock.moment() - began > .seconds(2))
    bench.kill()
    try bench.start()
    #expect(
      eventually(within: .seconds(15)) { !bench.events("remote_went_back").isEmpty }, "\(bench.standardError)"
    )
    #expect(SystemClock.moment() - began < .seconds(12), "the trial continues across the kill")
    #expect(try Self.listing(bench)["send_interval"]?.origin == "file")
    script.respond(.ok)
    let last = server.received.count
    #expect(eventually(within: .seconds(20)) { server.received.count > last })
    #expect(bench.stopsInGoodOrder())
  }

  @Test func aLoggerThatRecordsNothingChecksInWithAFreshPosition() throws {
    let script = Script()
    let (bench, server) = try Self.bench(script, extra: "remote: { max_silence: '6s' },")
    defer { server.stop() }
    try bench.start()
    Self.drive(bench)
    #expect(eventually(within: .seconds(20)) { !server.received.isEmpty })
    script.respondOnce(set: #"{"main":{"tracking_mode":"off"}}"#)
    #expect(bench.hasEvent("remote_applied"), "\(bench.standardError)")
    let before = bench.times.count
    #expect(bench.hasEvent("remote_proved"), "the position of a check-in proves the value")
    // The fixes from before the change, and one position every three seconds.
    #expect(bench.times.count - before < 15)
    let listing = try Self.listing(bench)
    #expect(
      listing["main.tracking_mode"]?.value == "off" && listing["main.tracking_mode"]?.origin == "server")
    let sent = server.received.count
    #expect(eventually(within: .seconds(10)) { server.received.count > sent }, "check-ins continue")
    #expect(bench.stopsInGoodOrder())
  }

  @Test func theOperatorChangesSettingsWithAndWithoutARunningLogger() throws {
    let (bench, server) = try Self.bench(Script())
    defer { server.stop() }
    let config = bench.scratch.path("config.json5")
    func command(_ words: String...) throws -> FaultTests.Outcome {
      try FaultTests.run(words + ["--config", config], in: bench.scratch)
    }
    try bench.start()
    #expect(Self.hasStarted(bench, times: 1))
    let set = try command("set", "main.min_distance=25m", "log.level=debug")
    #expect(set.status == 0, "\(set.errors)")
    #expect(try Self.listing(bench)["main.min_distance"]?.value == "25m")
    #expect(try Self.listing(bench)["main.min_distance"]?.origin == "operator")
    let bad = try command("set", "main.min_distance=far", "log.level=error")
    #expect(bad.status == 2 && bad.errors.contains("main.min_distance: "), "\(bad.errors)")
    #expect(try Self.listing(bench)["log.level"]?.value == "debug", "all or nothing")
    #expect(try command("set", "storage.directory=/x").status == 2)
    #expect(try command("send").status == 0)
    let unknown = try command("send", "nobody").errors
    #expect(unknown.contains("home"))
    #expect(unknown == Self.texts.expected("send to an unknown destination", unknown))
    #expect(try command("trip", "start", "--mode", "rocket").status == 2)
    #expect(try command("stop").status == 0)
    #expect(try FaultTests.status(of: bench)["tracking"] as? Bool == false)
    #expect(try command("send").status == 1)
    bench.kill()
    try bench.start()
    #expect(Self.hasStarted(bench, times: 2))
    #expect(try FaultTests.status(of: bench)["tracking"] as? Bool == false, "kept over a restart")
    Self.drive(bench, epochs: 20)
    #expect(eventually(within: .seconds(20)) { bench.feeder.isFinished })
    #expect(bench.times.isEmpty && server.received.isEmpty, "nothing is stored or sent")
    #expect(try command("start").status == 0)
    Self.drive(bench, epochs: 20)
    #expect(bench.hasStored(1))
    #expect(bench.stopsInGoodOrder())
    let unset = try command("set", "--unset", "main.min_distance")
    #expect(unset.status == 0, "\(unset.errors)")
    #expect(unset.output == Self.texts.expected("unset without a logger", unset.output))
    #expect(try Self.listing(bench)["main.min_distance"]?.origin == "default")
    let mode = try FileManager.default.attributesOfItem(atPath: "\(bench.log)/settings.json")[
      .posixPermissions]
    #expect(mode as? Int == 0o600)
  }

  /// Malformed sets, in successful responses.
  static let unusual = [
    "null", "[]", "5", "\"main\"", "{}", #"{"main":null}"#, #"{"main":[1,2]}"#,
    #"{"main":{"min_time":{"a":1}}}"#,
    #"{"main":{"batch_size":1e999}}"#, #"{"main":{"batch_size":-1}}"#, #"{"send_interval":"0s"}"#,
    #"{"main":{"min_time":"\u0000"}}"#, #"{"\ud800":1}"#, String(repeating: "[", count: 400),
    "{" + (0..<3000).map { "\"k\($0)\":\($0)" }.joined(separator: ",") + "}",
  ]

  @Test func aMalformedSetCostsNoRecordAndNothingIsSentTwice() throws {
    let recording = Recording.simulated(epochs: 60)
    let server = try ScriptedServer { number, _ in
      .json(#"{"result":"ok","set":\#(Self.unusual[number % Self.unusual.count])}"#)
    }
    defer { server.stop() }
    let bench = try LoggerBench(url: server.url, extra: "main: { batch_size: 4 },")
    try bench.start()
    FaultTests.play(recording.pieces[...], on: bench.feeder)
    // Responses that are not JSON are failures: their batch is sent again.
    let times = { Set(server.received.flatMap(\.times)) }
    #expect(eventually(within: .seconds(60)) { times() == Set(recording.isoTimes) }, "\(bench.standardError)")
    #expect(bench.stopsInGoodOrder())
    #expect(bench.times == recording.times)
    #expect(bench.events("remote_applied").isEmpty)
  }

  @Test func aCrashLoopDuringATrialRollsTheValueBack() throws {
    let script = Script()
    let (bench, server) = try Self.bench(script)
    defer { server.stop() }
    try bench.start()
    Self.drive(bench)
    #expect(eventually(within: .seconds(20)) { !server.received.isEmpty })
    script.respondOnce(set: #"{"send_interval":"off"}"#)
    #expect(bench.hasEvent("remote_applied"), "\(bench.standardError)")
    #expect(eventually(within: .seconds(5)) { bench.scratch.exists("log/settings.json") })
    var starts = 0
    while bench.events("remote_went_back").isEmpty, starts < 14 {
      starts += 1
      bench.kill()
      try bench.start()
      #expect(Self.hasStarted(bench, times: starts + 1))
      // Wait until the count of this start is saved.
      _ = eventually(within: .seconds(1)) { (try? Self.briefStarts(bench)) ?? starts >= starts }
    }
    #expect(bench.hasEvent("remote_went_back"), "\(bench.standardError)")
    #expect((9...12).contains(starts), "\(starts)")
    #expect(try Self.listing(bench)["send_interval"]?.origin == "file")
    #expect(bench.stopsInGoodOrder())
  }

  /// The saved number of short starts; nil if there is no trial.
  static func briefStarts(_ bench: LoggerBench) throws -> Int? {
    let object = try JSONSerialization.jsonObject(
      with: Data(contentsOf: URL(fileURLWithPath: "\(bench.log)/settings.json")))
    let server = (object as? [String: Any])?["server"] as? [String: Any]
    return (server?["trial"] as? [String: Any])?["brief_starts"] as? Int
  }

  static let setups: [(name: String, url: String, status: Int32)] = [
    ("without device_id", "overland://setup?url=https%3A%2F%2Fh%2Fx&token=sesame&unique_id=yes", 0),
    ("other host", "overland://other?url=https%3A%2F%2Fh", 2),
    ("other scheme of url", "overland://setup?url=ftp%3A%2F%2Fh", 2),
    ("bad percent-encoding", "overland://setup?url=https%3", 2), ("other scheme", "http://setup", 2),
  ]

  @Test(arguments: setups)
  func aSetupURLWorksWithoutATerminal(name: String, url: String, status: Int32) throws {
    let bench = try LoggerBench(url: "http://127.0.0.1:9/")
    let outcome = try FaultTests.run(
      ["setup", url, "--config", bench.scratch.path("config.json5")], in: bench.scratch)
    #expect(outcome.status == status, "\(outcome.errors)")
    let line = String(try #require((outcome.output + outcome.errors).split(separator: "\n").first))
    #expect(line == Self.texts.expected("setup: \(name)", line))
    if status == 0 { #expect(line.contains("device_id")) }
    #expect(!(outcome.output + outcome.errors).contains("sesame"))
    guard status == 0 else { return #expect(!bench.scratch.exists("log/settings.json")) }
    let listing = try Self.listing(bench)
    #expect(listing["device_id"]?.value == "" && listing["device_id"]?.origin == "operator")
    #expect(listing["unique_id"]?.value == "1" && listing["destinations"]?.origin == "operator")
  }

  @Test func aDamagedSettingsFileIsSetAsideAndTheLoggerStarts() throws {
    let bench = try LoggerBench(url: nil)
    try FileManager.default.createDirectory(atPath: bench.log, withIntermediateDirectories: true)
    try "{\"operator\": {".write(toFile: "\(bench.log)/settings.json", atomically: true, encoding: .utf8)
    try bench.start()
    #expect(bench.says("settings.json.damaged"))
    #expect(Self.hasStarted(bench, times: 1))
    #expect(bench.stopsInGoodOrder())
    #expect(bench.scratch.exists("log/settings.json.damaged"))
  }
}
