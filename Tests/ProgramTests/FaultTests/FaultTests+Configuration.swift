import Foundation
import Glibc
import Quantities
import SystemLoop
import Testing

extension FaultTests {
  /// What a person can write into a configuration.
  @Suite struct Configuration {
    /// A text that is refused, and what is said about it; `FILE` stands for its path.
    struct Mistake: Sendable, CustomTestStringConvertible {
      var name: String
      var text: String
      var said: [String]
      var testDescription: String { name }
    }

    static let mistakes = [
      Mistake(
        name: "a typo in a key", text: "{\n  storage: {\n    directry: \"/tmp\" } }",
        said: ["FILE:3:", "storage.directry: unknown setting; did you mean storage.directory?"]),
      Mistake(
        name: "a missing comma", text: "{\n  device_id: \"a\"\n  supply: \"mains\" }",
        said: ["FILE:3:", "expected a comma or }"]),
      Mistake(name: "a bracket never closed", text: "{\n  storage: {\n", said: ["FILE:2:", "never closed"]),
      Mistake(
        name: "a key given twice", text: "{ device_id: \"a\",\n  device_id: \"b\" }",
        said: ["FILE:2:", "device_id: given twice, first on line 1; remove one of them"]),
      Mistake(
        name: "no receiver", text: "{ device_id: \"a\" }",
        said: ["receiver.port: no serial device is named", "--board"]),
      Mistake(
        name: "an unknown board", text: "{ board: \"nokia\" }",
        said: ["no board \"nokia\"", "there are: ", "raspberry-pi-zero-2w, simulator"]),
      Mistake(
        name: "a board file that is not there", text: "{ board: \"./mine.json5\" }",
        said: ["board: ./mine.json5 is not there"]),
      Mistake(
        name: "a value of another sort", text: "{ main: { batch_size: \"many\" } }",
        said: ["FILE:1:", "main.batch_size: expected"]),
      Mistake(
        name: "a value out of range", text: "{ main: { batch_size: 5000 } }",
        said: ["main.batch_size: expected", "got the number 5000"]),
      Mistake(
        name: "a destination without a place",
        text: "{ destinations: [{ name: \"a\", kind: \"overland\" }] }",
        said: ["FILE:1:", "destinations[0].url: missing"]),
      Mistake(name: "an empty file", text: "", said: ["FILE", "write {} for no settings"]),
      Mistake(name: "no text", text: "\u{0}\u{1}\u{2}", said: ["FILE:1:"]),
    ]

    @Test("a mistake ends the start with its place and its remedy", arguments: mistakes)
    func mistakesAreRefused(mistake: Mistake) throws {
      let scratch = try Scratch()
      let file = try scratch.write("config.json5", mistake.text)
      let words = ["run", "--config", file, "--set", "storage.directory=\(scratch.path("log"))"]
      let outcome = try FaultTests.run(words, in: scratch)
      #expect(outcome.status == 2)
      for words in mistake.said {
        let expected = words.replacingOccurrences(of: "FILE", with: file)
        #expect(outcome.errors.contains(expected), "\(outcome.errors)")
      }
      #expect(outcome.output.isEmpty)
      #expect(!scratch.exists("log"))
    }

    @Test func everyMistakeIsToldAtOnce() throws {
      let scratch = try Scratch()
      let text = "{ devise_id: 1,\n send_intervall: 2,\n supply: 'coal' }"
      let file = try scratch.write("config.json5", text)
      let outcome = try FaultTests.run(["run", "--config", file], in: scratch)
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains("did you mean device_id?"))
      #expect(outcome.errors.contains("did you mean send_interval?"))
      #expect(outcome.errors.contains("supply: expected"))
    }

    static let misuses: [(words: [String], said: String)] = [
      (["send", "--set", "main.min_time=x"], "main.min_time: expected"),
      (["send", "--set", "nothing=1"], "unknown setting"),
      (["set", "destinations.home.send_interval=5m"], "destinations can only be set as a whole"),
      (["set", "--unset", "destinations.home.send_interval"], "did you mean send_interval?"),
      (["set", "receiver.baud=9600"], "did you mean receiver.speed?"),
      (["trip", "status", "--set", "main.min_time=x"], "main.min_time: expected"),
      (["set", "main.min_time=5s", "main.min_time=6s"], "main.min_time is given twice"),
      (["set", "main.min_time=5s", "main.min_time=5s"], "main.min_time is given twice"),
      (["set", "main.min_time=5s", "--unset", "main.min_time"], "main.min_time is to be set and unset"),
      (["set", "--list", "--unset", "main.min_time"], "--list changes nothing"),
      (["set", "--list", "--keep"], "--list changes nothing"),
    ]

    @Test(arguments: misuses)
    func whatCannotBeMeantIsMisuse(words: [String], said: String) throws {
      let scratch = try Scratch()
      let log = scratch.path("log")
      let file = try scratch.write(
        "config.json5", "{ storage: { directory: \"\(log)\", allow_volatile: true } }")
      let outcome = try FaultTests.run(words + ["--config", file], in: scratch)
      #expect(outcome.status == 2 && outcome.errors.contains(said), "\(outcome.errors)")
      #expect(!scratch.exists("log/settings.json"))
      let missing = try FaultTests.run(["send", "--config", scratch.path("none")], in: scratch)
      #expect(missing.status == 2)
    }

    /// The tests' own process may block signals, which a program inherits. The program is held up where it tells what it read, by a pipe that nobody empties.
    @Test func aSignalDuringTheStartIsHeardAndEndsNothing() throws {
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

    @Test func aFileThatIsNotThereIsNamed() throws {
      let scratch = try Scratch()
      let file = scratch.path("nowhere.json5")
      let outcome = try FaultTests.run(["run", "--config", file], in: scratch)
      #expect(outcome.status == 2)
      #expect(
        outcome.errors.contains(
          "\(file): open: No such file or directory; check the path after --config"))
    }

    @Test func aFileOfSomebodyElseIsNotAskedForAgain() throws {
      let scratch = try Scratch()
      let file = try scratch.write("config.json5", "{}")
      #expect(chmod(file, 0) == 0)
      let outcome = try FaultTests.run(
        StoredSettingsFileTests.withoutRights + [Program.executable, "run", "--config", file], in: scratch,
        executable: "/usr/bin/env")
      #expect(outcome.status == 2)
      #expect(
        outcome.errors
          == "outrider: \(file): open: Permission denied; let this user read it (chgrp, chmod 640)\n")
    }

    @Test("what is no regular file is refused at the start", arguments: ["--config", "--board"])
    func onlyRegularFilesAreRead(option: String) throws {
      let scratch = try Scratch()
      let pipe = scratch.path("pipe.json5")
      #expect(mkfifo(pipe, 0o600) == 0)
      for (path, kind) in [(pipe, "pipe"), ("/dev/zero", "device"), (scratch.url.path + "/", "directory")] {
        let outcome = try FaultTests.run(["run", option, path], in: scratch)
        #expect(outcome.status == 2)
        #expect(
          outcome.errors.contains("\(path): is a \(kind), not a regular file"), "\(outcome.errors)")
      }
    }

    @Test func aPipeInThePlaceOfTheConfigurationIsRefusedAndTheOldOneGoesOn() throws {
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
      #expect(bench.standardError.contains("\(file): is a pipe, not a regular file"))
      FaultTests.play(recording.pieces[10...], on: bench.feeder)
      #expect(bench.hasStored(20))
      #expect(bench.stopsInGoodOrder())
    }

    @Test func aGoodConfigurationComesIntoForceForNewRecordsOnly() throws {
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

    @Test func aBadConfigurationIsRefusedAndTheOldOneGoesOn() throws {
      let recording = Recording.simulated(epochs: 20)
      let bench = try LoggerBench(url: nil)
      try bench.start()
      FaultTests.play(recording.pieces[..<10], on: bench.feeder)
      #expect(bench.hasStored(10))
      try bench.rewrite { $0.replacingOccurrences(of: #"device_id: "bench""#, with: #"devise_id: "van""#) }
      bench.program?.send(SIGHUP)
      #expect(bench.hasEvent("configuration_refused"))
      let said = bench.events("configuration_refused").joined()
      #expect(said.contains("config.json5:2:") && said.contains("did you mean device_id?"), "\(said)")
      #expect(said.contains("the present configuration goes on"))
      #expect(bench.standardError.contains("warning: configuration refused: "))
      FaultTests.play(recording.pieces[10...], on: bench.feeder)
      #expect(bench.hasStored(20))
      #expect(bench.stopsInGoodOrder())
      let names = Set(try LogFile.texts("SELECT device_id FROM location", of: bench.database))
      #expect(names == ["bench"])
    }

    @Test func aDestinationThatIsAddedWhileRunningGetsTheWholeLog() throws {
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
