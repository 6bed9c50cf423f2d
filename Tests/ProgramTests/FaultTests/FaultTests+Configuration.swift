import Foundation
import Glibc
import Quantities
import Testing
import TextSnapshots

extension FaultTests {
  /// Mistakes in a configuration.
  @Suite struct Configuration {
    static let texts = TextSnapshot("commands")

    /// A text that is rejected, and parts of the message that are no prose; `FILE` stands for its path.
    struct Mistake: Sendable, CustomTestStringConvertible {
      var name: String
      var text: String
      var parts: [String]
      var testDescription: String { name }
    }

    static let mistakes = [
      Mistake(
        name: "a typo in a key", text: "{\n  storage: {\n    directry: \"/tmp\" } }",
        parts: ["FILE:3:", "storage.directry: ", "storage.directory?"]),
      Mistake(
        name: "a missing comma", text: "{\n  device_id: \"a\"\n  supply: \"mains\" }",
        parts: ["FILE:3:"]),
      Mistake(name: "a bracket never closed", text: "{\n  storage: {\n", parts: ["FILE:2:"]),
      Mistake(
        name: "a key given twice", text: "{ device_id: \"a\",\n  device_id: \"b\" }",
        parts: ["FILE:2:", "device_id: ", "line 1"]),
      Mistake(
        name: "no receiver", text: "{ device_id: \"a\" }",
        parts: ["receiver.port: ", "--board"]),
      Mistake(
        name: "an unknown board", text: "{ board: \"nokia\" }",
        parts: ["\"nokia\"", "raspberry-pi-zero-2w, simulator"]),
      Mistake(
        name: "a board file that is not there", text: "{ board: \"./mine.json5\" }",
        parts: ["board: ./mine.json5"]),
      Mistake(
        name: "a value of another sort", text: "{ main: { batch_size: \"many\" } }",
        parts: ["FILE:1:", "main.batch_size: "]),
      Mistake(
        name: "a value out of range", text: "{ main: { batch_size: 5000 } }",
        parts: ["main.batch_size: ", "5000"]),
      Mistake(
        name: "a destination without a url",
        text: "{ destinations: [{ name: \"a\", kind: \"overland\" }] }",
        parts: ["FILE:1:", "destinations[0].url: "]),
      Mistake(name: "an empty file", text: "", parts: ["FILE", "{}"]),
      Mistake(name: "no text", text: "\u{0}\u{1}\u{2}", parts: ["FILE:1:"]),
    ]

    @Test("a mistake is reported with its line and its remedy, and prevents the start", arguments: mistakes)
    func mistakesAreRejected(mistake: Mistake) throws {
      let scratch = try Scratch()
      let file = try scratch.write("config.json5", mistake.text)
      let words = ["run", "--config", file, "--set", "storage.directory=\(scratch.path("log"))"]
      let outcome = try FaultTests.run(words, in: scratch)
      #expect(outcome.status == 2)
      let parts = mistake.parts.map { $0.replacingOccurrences(of: "FILE", with: file) }
      let line = try #require(outcome.errors.line(with: parts), "\(outcome.errors)")
      // The directories of board files depend on where the program was built.
      if mistake.name != "an unknown board" {
        let message = scratch.anonymous(line)
        #expect(message == Self.texts.expected("configuration: \(mistake.name)", message))
      }
      #expect(outcome.output.isEmpty)
      #expect(!scratch.exists("log"))
    }

    @Test func allMistakesAreReportedTogether() throws {
      let scratch = try Scratch()
      let text = "{ devise_id: 1,\n send_intervall: 2,\n supply: 'coal' }"
      let file = try scratch.write("config.json5", text)
      let outcome = try FaultTests.run(["run", "--config", file], in: scratch)
      #expect(outcome.status == 2)
      let message = scratch.anonymous(outcome.errors)
      #expect(message == Self.texts.expected("configuration: several mistakes", message))
      for part in ["device_id?", "send_interval?", "supply: "] {
        #expect(message.contains(part), "\(message)")
      }
    }

    /// Command lines, and a part of the message that is no prose.
    static let misuses: [(words: [String], part: String)] = [
      (["send", "--set", "main.min_time=x"], "main.min_time: "), (["send", "--set", "nothing=1"], "nothing"),
      (["set", "destinations.home.send_interval=5m"], "destinations"),
      (["set", "--unset", "destinations.home.send_interval"], "send_interval?"),
      (["set", "receiver.baud=9600"], "receiver.speed?"),
      (["trip", "status", "--set", "main.min_time=x"], "main.min_time: "),
      (["set", "main.min_time=5s", "main.min_time=6s"], "main.min_time"),
      (["set", "main.min_time=5s", "main.min_time=5s"], "main.min_time"),
      (["set", "main.min_time=5s", "--unset", "main.min_time"], "main.min_time"),
      (["set", "--list", "--unset", "main.min_time"], "--list"),
      (["set", "--list", "--keep"], "--list"),
    ]

    @Test(arguments: misuses)
    func contradictoryAndInvalidCommandLinesAreMisuse(words: [String], part: String) throws {
      let scratch = try Scratch()
      let log = scratch.path("log")
      let file = try scratch.write(
        "config.json5", "{ storage: { directory: \"\(log)\", allow_volatile: true } }")
      let outcome = try FaultTests.run(words + ["--config", file], in: scratch)
      #expect(outcome.status == 2)
      let message = scratch.anonymous(try #require(outcome.errors.line(with: part), "\(outcome.errors)"))
      #expect(message == Self.texts.expected("misuse: \(words.joined(separator: " "))", message))
      #expect(!scratch.exists("log/settings.json"))
      let missing = try FaultTests.run(["send", "--config", scratch.path("none")], in: scratch)
      #expect(missing.status == 2)
    }

    /// The program is stalled while it prints its warnings, by a full pipe that nobody reads.
    ///
    /// The process of the tests may block signals, which the program inherits.
    @Test func aSignalDuringTheStartIsHandledAndDoesNotKillTheLogger() throws {
      let bench = try LoggerBench(url: nil)
      try StoredSettingsFileTests.write("[]", bench)
      let path = bench.scratch.path("words")
      #expect(mkfifo(path, 0o600) == 0)
      let pipe = Glibc.open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
      defer { close(pipe) }
      var page = [UInt8](repeating: 0x20, count: 4096)
      while write(pipe, page, page.count) > 0 {}
      while write(pipe, page, 1) > 0 {}
      let program = try Program(
        [
          "-c", "exec env --default-signal=HUP,TERM \"$0\" run --config \"$1\" 2>\"$2\"", Program.executable,
          bench.scratch.path("config.json5"), path,
        ], in: bench.scratch, executable: "/bin/sh")
      func fields() -> String {
        (try? String(contentsOfFile: "/proc/\(program.processID)/stat", encoding: .utf8)) ?? ""
      }
      #expect(eventually(within: .seconds(20)) { fields().contains("(outrider) S") }, "\(fields())")
      program.send(SIGHUP)
      program.send(SIGTERM)
      #expect(
        eventually(within: .seconds(20)) {
          _ = read(pipe, &page, page.count)
          return !program.isRunning
        })
      #expect(program.exitStatus(within: .seconds(1)) == 0)
    }

    @Test func aMissingFileIsNamed() throws {
      let scratch = try Scratch()
      let file = scratch.path("nowhere.json5")
      let outcome = try FaultTests.run(["run", "--config", file], in: scratch)
      #expect(outcome.status == 2)
      let message = scratch.anonymous(outcome.errors)
      #expect(message == Self.texts.expected("configuration: missing file", message))
      #expect(outcome.errors.contains("\(file): open: No such file or directory"))
    }

    @Test func aFileWithoutReadPermissionIsReportedWithTheRemedy() throws {
      let scratch = try Scratch()
      let file = try scratch.write("config.json5", "{}")
      #expect(chmod(file, 0) == 0)
      let outcome = try FaultTests.run(
        StoredSettingsFileTests.withoutRights + [Program.executable, "run", "--config", file], in: scratch,
        executable: "/usr/bin/env")
      #expect(outcome.status == 2)
      let message = scratch.anonymous(outcome.errors)
      #expect(message == Self.texts.expected("configuration: no permission", message))
      #expect(outcome.errors.contains("\(file): open: Permission denied"))
    }

    @Test("a file that is not regular is rejected at the start", arguments: ["--config", "--board"])
    func onlyRegularFilesAreRead(option: String) throws {
      let scratch = try Scratch()
      let pipe = scratch.path("pipe.json5")
      #expect(mkfifo(pipe, 0o600) == 0)
      for (path, kind) in [(pipe, "pipe"), ("/dev/zero", "device"), (scratch.url.path + "/", "directory")] {
        let outcome = try FaultTests.run(["run", option, path], in: scratch)
        #expect(outcome.status == 2)
        let message = scratch.anonymous(
          try #require(outcome.errors.line(with: path, kind), "\(outcome.errors)"))
        #expect(message == Self.texts.expected("configuration: \(kind) with \(option)", message))
      }
    }

    @Test func aPipeInsteadOfTheConfigurationIsRejectedAndTheOldOneStaysInForce() throws {
      let recording = Recording.simulated(epochs: 20)
      let bench = try LoggerBench(url: nil)
      try bench.start()
      FaultTests.play(recording.pieces[..<10], on: bench.feeder)
      #expect(bench.hasStored(10))
      let file = bench.scratch.path("config.json5")
      try FileManager.default.removeItem(atPath: file)
      #expect(mkfifo(file, 0o600) == 0)
      bench.program?.send(SIGHUP)
      #expect(bench.hasEvent("configuration_refused"))
      let message = try #require(bench.line(with: file, "pipe"), "\(bench.standardError)")
      #expect(message == Self.texts.expected("reload: a pipe", message))
      FaultTests.play(recording.pieces[10...], on: bench.feeder)
      #expect(bench.hasStored(20))
      #expect(bench.stopsInGoodOrder())
    }

    @Test func aChangedConfigurationAppliesToNewRecordsOnly() throws {
      let recording = Recording.simulated(epochs: 20)
      let bench = try LoggerBench(url: nil)
      try bench.start()
      FaultTests.play(recording.pieces[..<10], on: bench.feeder)
      #expect(bench.hasStored(10))
      try bench.rewrite { $0.replacingOccurrences(of: #"device_id: "bench""#, with: #"device_id: "van""#) }
      bench.program?.send(SIGHUP)
      #expect(bench.hasEvent("configuration_changed"))
      #expect(bench.events("configuration_changed") == ["device_id: van (file)"])
      FaultTests.play(recording.pieces[10...], on: bench.feeder)
      #expect(bench.hasStored(20))
      #expect(bench.stopsInGoodOrder())
      let names = try LogFile.texts("SELECT device_id FROM location ORDER BY id", of: bench.database)
      #expect(names == Array(repeating: "bench", count: 10) + Array(repeating: "van", count: 10))
    }

    @Test func aFaultyConfigurationIsRejectedAndTheOldOneStaysInForce() throws {
      let recording = Recording.simulated(epochs: 20)
      let bench = try LoggerBench(url: nil)
      try bench.start()
      FaultTests.play(recording.pieces[..<10], on: bench.feeder)
      #expect(bench.hasStored(10))
      try bench.rewrite { $0.replacingOccurrences(of: #"device_id: "bench""#, with: #"devise_id: "van""#) }
      bench.program?.send(SIGHUP)
      #expect(bench.hasEvent("configuration_refused"))
      let detail = bench.anonymous(bench.events("configuration_refused").joined())
      #expect(detail.contains("config.json5:2:") && detail.contains("device_id?"), "\(detail)")
      #expect(detail == Self.texts.expected("configuration_refused", detail))
      #expect(bench.line(with: "warning: ", "config.json5:2:") != nil, "\(bench.standardError)")
      FaultTests.play(recording.pieces[10...], on: bench.feeder)
      #expect(bench.hasStored(20))
      #expect(bench.stopsInGoodOrder())
      let names = Set(try LogFile.texts("SELECT device_id FROM location", of: bench.database))
      #expect(names == ["bench"])
    }

    @Test func aDestinationThatIsAddedWhileRunningReceivesTheWholeLog() throws {
      let recording = Recording.simulated(epochs: 10)
      let server = try ScriptedServer { _, _ in .ok }
      defer { server.stop() }
      let bench = try LoggerBench(url: nil)
      try bench.start()
      FaultTests.play(recording.pieces[...], on: bench.feeder)
      #expect(bench.hasStored(10))
      let destination = #"destinations: [{ name: "new", kind: "overland", url: "\#(server.url)" }]"#
      try bench.rewrite { $0.replacingOccurrences(of: "destinations: []", with: destination) }
      bench.program?.send(SIGHUP)
      #expect(eventually(within: .seconds(20)) { server.sentTimes.count >= 10 })
      #expect(bench.stopsInGoodOrder())
      #expect(server.sentTimes == recording.isoTimes)
    }
  }
}
