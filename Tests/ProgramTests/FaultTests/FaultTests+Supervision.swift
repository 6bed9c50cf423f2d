import Foundation
import Glibc
import Quantities
import System
import Testing
import TextSnapshots

extension FaultTests {
  /// The supervisor, the status and the local socket.
  @Suite struct Supervision {
    static let texts = TextSnapshot("commands")

    @Test func theSupervisorIsNotifiedOfReadinessLifeAndStopWithoutAnyInput() throws {
      let bench = try LoggerBench(url: nil)
      let supervisor = try Supervisor(path: bench.scratch.path("notify"))
      try bench.start(environment: ["NOTIFY_SOCKET": supervisor.path, "WATCHDOG_USEC": "400000"])
      #expect(eventually(within: .seconds(10)) { supervisor.received("READY=1") == 1 })
      let ready = SystemClock.moment()
      // Each within the allowed 400 ms, apart from the delays of a busy machine.
      #expect(eventually(within: .seconds(10)) { supervisor.received("WATCHDOG=1") >= 8 })
      #expect(SystemClock.moment() - ready >= .milliseconds(1000), "more often than half of what is allowed")
      #expect(supervisor.received("STOPPING=1") == 0)
      #expect(bench.stopsInGoodOrder())
      #expect(eventually(within: .seconds(1)) { supervisor.received("STOPPING=1") == 1 })
    }

    /// The test is the parent of the logger, as a supervisor is.
    @Test(arguments: [(SIGABRT, "SIGABRT"), (SIGSEGV, "SIGSEGV"), (SIGKILL, "SIGKILL")])
    func theNextStartDistinguishesTheWatchdogACrashAndAKill(signal: Int32, name: String) throws {
      let bench = try LoggerBench(url: nil)
      for count in 1...2 {
        try bench.start()
        #expect(eventually(within: .seconds(10)) { bench.events("started").count == count })
        bench.program?.send(signal)
        #expect(bench.program?.exitStatus(within: .seconds(5)) == -signal)
      }
      try bench.start()
      #expect(eventually(within: .seconds(10)) { bench.events("started").count == 3 })
      #expect(bench.stopsInGoodOrder())
      try bench.start()
      #expect(eventually(within: .seconds(10)) { bench.events("started").count == 4 })
      #expect(bench.stopsInGoodOrder())
      let causes = bench.events("started").map {
        $0.components(separatedBy: "; ").dropFirst().joined(separator: "; ")
      }
      #expect(causes.count == 4 && causes[1] == causes[2], "\(causes)")
      #expect(causes[0] != causes[1] && causes[3] != causes[1], "\(causes)")
      #expect(causes[1].contains(name) == (signal != SIGKILL), "\(causes)")
      #expect(causes[1] == Self.texts.expected("started after \(name)", causes[1]))
    }

    @Test func aLogThatCannotBeOpenedDoesNotPreventReadiness() throws {
      let bench = try LoggerBench(url: nil)
      let supervisor = try Supervisor(path: bench.scratch.path("notify"))
      let nowhere = bench.scratch.path("no/such/place")
      try bench.start(
        environment: ["NOTIFY_SOCKET": supervisor.path, "WATCHDOG_USEC": "400000"],
        ["--set", "storage.directory=\(nowhere)"])
      #expect(eventually(within: .seconds(10)) { supervisor.received("WATCHDOG=1") >= 3 })
      // A supervisor that times out would kill the logger, with the records in memory.
      #expect(supervisor.received("READY=1") == 1)
      #expect(bench.stopsInGoodOrder())
    }

    @Test func theStatusIsThatOfTheRunningLoggerAndOfItsLogAfterAKill() throws {
      let recording = Recording.simulated(epochs: 12)
      let bench = try LoggerBench(url: nil)
      try bench.start()
      FaultTests.play(recording.pieces[...], on: bench.feeder)
      #expect(bench.hasStored(12))
      let running = try FaultTests.status(of: bench)
      #expect(running["running"] as? Bool == true)
      #expect(running["device_id"] as? String == "bench")
      #expect(running["kept"] as? Int == 12)
      #expect((running["clock"] as? [String: Any])?["quality"] as? String == "receiver")
      let position = running["position"] as? [String: Any]
      #expect(position?["time"] as? String == recording.isoTimes.last)
      bench.kill()
      let dead = try FaultTests.status(of: bench)
      #expect(dead["running"] as? Bool == false)
      #expect((dead["position"] as? [String: Any])?["time"] as? String == recording.isoTimes.last)
      let lastID = try LogFile.column("SELECT max(id) FROM record", of: bench.database).first
      #expect((dead["log"] as? [String: Any])?["last_id"] as? Int == lastID.map(Int.init))
    }

    @Test func aLoggerThatDoesNotRespondIsNotReportedAsStopped() throws {
      let bench = try LoggerBench(url: nil)
      try bench.start()
      FaultTests.play(Recording.simulated(epochs: 3).pieces[...], on: bench.feeder)
      #expect(bench.hasStored(3))
      bench.program?.send(SIGSTOP)
      let words = ["status", "--config", bench.scratch.path("config.json5")]
      let text = try FaultTests.run(words, in: bench.scratch)
      #expect(text.status == 0)
      let row = bench.anonymous(
        try #require(text.output.line(with: bench.scratch.path("api.sock")), "\(text.output)"))
      let state = String(row.dropFirst("logger".count).drop { $0 == " " })
      #expect(state == Self.texts.expected("logger not responding", state))
      let object = try FaultTests.run(words + ["--json"], in: bench.scratch)
      #expect(object.output.hasPrefix("{"))
      #expect(bench.anonymous(object.errors).contains(state), "\(object.errors)")
      bench.program?.send(SIGCONT)
      #expect(try FaultTests.status(of: bench)["running"] as? Bool == true)
      bench.kill()
      let dead = try FaultTests.run(words, in: bench.scratch)
      let first = try #require(dead.output.split(separator: "\n").first)
      let stopped = String(first.dropFirst("logger".count).drop { $0 == " " })
      #expect(stopped == Self.texts.expected("logger stopped", stopped))
    }

    @Test func theStatusWithoutLoggerAndLogNamesSocketAndLog() throws {
      let scratch = try Scratch()
      let file = try scratch.write("config.json5", "{ storage: { directory: \"\(scratch.path("log"))\" } }")
      let outcome = try FaultTests.run(["status", "--json", "--config", file], in: scratch)
      #expect(outcome.status == 1)
      #expect(outcome.output.isEmpty)
      #expect(outcome.errors.contains(scratch.path("api.sock")))
      #expect(outcome.errors.contains(scratch.path("log/outrider.db")))
      #expect(outcome.errors.contains("--config"))
      let message = scratch.anonymous(outcome.errors)
      #expect(message == Self.texts.expected("status without logger and log", message))
    }

    @Test(
      "a local socket that cannot be created causes a warning",
      arguments: ["config.json5/api.sock", "config.json5"])
    func impossibleSocket(name: String) throws {
      let recording = Recording.simulated(epochs: 5)
      let bench = try LoggerBench(url: nil)
      let socket = bench.scratch.path(name)
      try bench.start(["--set", "api.socket=\(socket)"])
      FaultTests.play(recording.pieces[...], on: bench.feeder)
      #expect(bench.hasStored(5))
      #expect(bench.stopsInGoodOrder())
      let warning = try #require(
        bench.line(with: "warning: ", socket, "api.socket"), "\(bench.standardError)")
      #expect(warning == Self.texts.expected("no local API: \(name)", warning))
      #expect(bench.scratch.exists("config.json5"))
    }

    @Test func theSocketOfAKilledLoggerIsReplaced() throws {
      let bench = try LoggerBench(url: nil)
      try bench.start()
      #expect(eventually(within: .seconds(10)) { bench.scratch.exists("api.sock") })
      #expect(eventually(within: .seconds(10)) { bench.events("started").count == 1 })
      bench.kill()
      #expect(bench.scratch.exists("api.sock"))
      try bench.start()
      #expect(eventually(within: .seconds(10)) { bench.events("started").count == 2 })
      #expect(try FaultTests.status(of: bench)["running"] as? Bool == true)
      #expect(bench.stopsInGoodOrder())
      #expect(!bench.scratch.exists("api.sock"))
    }
  }

  /// Commands that end by themselves.
  @Suite struct Ending {
    static let texts = TextSnapshot("commands")

    @Test("noise is decoded to nothing", arguments: [1, 2, 3] as [UInt64])
    func noise(seed: UInt64) throws {
      let scratch = try Scratch()
      let file = scratch.path("noise")
      let bytes = FaultTests.noise(bytes: 200_000, seed: seed)
      try Data(bytes).write(to: URL(fileURLWithPath: file))
      let outcome = try FaultTests.run(["decode", file], in: scratch)
      #expect(outcome.status == 0)
      #expect(outcome.output.isEmpty)
      #expect(outcome.errors.isEmpty)
    }

    @Test func anEmptyRecordingIsDecodedToNothing() throws {
      let scratch = try Scratch()
      let outcome = try FaultTests.run(["decode", "-"], in: scratch)
      #expect(outcome.status == 0)
      #expect(outcome.output.isEmpty && outcome.errors.isEmpty)
    }

    /// A command line that is rejected, its exit status, and a part of the message that is no prose.
    struct Misuse: Sendable, CustomTestStringConvertible {
      var words: [String]
      var status: Int32
      var part: String
      /// The command whose usage follows the message.
      var usage: String?
      var testDescription: String { words.joined(separator: " ") }
    }

    static let misuses = [
      Misuse(words: ["fly"], status: 2, part: "\"fly\""),
      Misuse(words: ["run", "--bord", "x"], status: 2, part: "--bord", usage: "run"),
      Misuse(words: ["run", "--config"], status: 2, part: "--config", usage: "run"),
      Misuse(words: ["run", "now"], status: 2, part: "\"now\"", usage: "run"),
      Misuse(words: ["run", "--set", "nonsense"], status: 2, part: "--set: "),
      Misuse(words: ["run", "--set", "main.min_tme=1s"], status: 2, part: "main.min_time?"),
      Misuse(words: ["status", "--jsn"], status: 2, part: "--jsn", usage: "status"),
      Misuse(words: ["decode", "a", "b"], status: 2, part: "\"b\"", usage: "decode"),
      Misuse(words: ["decode", "--now", "soon"], status: 2, part: "--now", usage: "decode"),
      Misuse(words: ["decode", "--summary=1", "a"], status: 2, part: "--summary", usage: "decode"),
      Misuse(words: ["decode", "/no/such/file"], status: 1, part: "/no/such/file: open: "),
      Misuse(words: ["set", "main.min_time=x"], status: 2, part: "outrider set: main.min_time: "),
      Misuse(words: ["collect", "--data", "/proc/x"], status: 1, part: "/proc/x: mkdir: "),
      Misuse(words: ["collect", "--listen", "nowhere"], status: 2, part: "--listen", usage: "collect"),
      Misuse(words: ["demo", "--for", "soon"], status: 2, part: "--for", usage: "demo"),
    ]

    @Test("misuse and failures of commands are explained", arguments: misuses)
    func misuse(misuse: Misuse) throws {
      let scratch = try Scratch()
      let outcome = try FaultTests.run(misuse.words, in: scratch)
      #expect(outcome.status == misuse.status)
      #expect(outcome.output.isEmpty)
      let message = try #require(outcome.errors.line(with: misuse.part), "\(outcome.errors)")
      #expect(message == Self.texts.expected("misuse: \(misuse.words.joined(separator: " "))", message))
      #expect(!message.hasPrefix("outrider: outrider"))
      if let command = misuse.usage { #expect(outcome.errors.contains("\nUsage: outrider \(command) ")) }
    }

    @Test func argumentsThatAreNotUTF8AreRejected() throws {
      let scratch = try Scratch()
      let script = #"exec "$0" run --set device_id="$(printf '\377')""#
      let outcome = try FaultTests.run([], script, in: scratch)
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains("\"device_id=\u{FFFD}\""))
      #expect(outcome.errors == Self.texts.expected("argument that is not UTF-8", outcome.errors))
    }

    @Test(.enabled(if: access("/usr/share/outrider/boards", F_OK) != 0, "boards are installed"))
    func theBuiltInBoardIsNamedIfNoneIsInstalled() throws {
      let scratch = try Scratch()
      let program = scratch.path("outrider")
      try FileManager.default.copyItem(atPath: Program.executable, toPath: program)
      let outcome = try FaultTests.run(
        ["run", "--board", "nokia", "--config", try scratch.write("config.json5", "{}")], in: scratch,
        executable: program)
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains(": simulator; "), "\(outcome.errors)")
    }

    @Test func aCollectorOnAPortInUseNamesIt() throws {
      let server = try ScriptedServer { _, _ in .close }
      defer { server.stop() }
      let scratch = try Scratch()
      let words = ["collect", "--listen", "127.0.0.1:\(server.port)", "--data", scratch.path("collected")]
      let outcome = try FaultTests.run(words, in: scratch)
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("127.0.0.1:\(server.port)"), "\(outcome.errors)")
    }

    @Test func theDemoRemovesItsFiles() throws {
      let scratch = try Scratch()
      let outcome = try FaultTests.run(
        ["demo", "--for", "3s"], in: scratch, environment: ["TMPDIR": scratch.url.path])
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.errors.isEmpty, "\(outcome.errors)")
      #expect(outcome.output.contains("locations stored"))
      let left = try FileManager.default.contentsOfDirectory(atPath: scratch.url.path)
      #expect(left.filter { !$0.hasPrefix("std") } == [])
      #expect(try Self.processes(withTemporaryFolder: scratch.url.path) == [])
    }

    /// The processes that were started with this `TMPDIR`.
    private static func processes(withTemporaryFolder path: String) throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { name in
        guard Int32(name) != nil, let bytes = FileManager.default.contents(atPath: "/proc/\(name)/environ")
        else {
          return false
        }
        return String(decoding: bytes, as: UTF8.self).contains("TMPDIR=\(path)\0")
      }
    }
  }
}

/// The other end of `NOTIFY_SOCKET` (sd_notify(3)).
private final class Supervisor {
  let path: String
  private let socket: Int32
  private var messages: [String] = []

  init(path: String) throws {
    self.path = path
    let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    socket = try check("socket", Glibc.socket(AF_UNIX, type, 0))
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    let descriptor = socket
    let bound = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try check("bind", on: path, bound)
  }

  deinit { close(socket) }

  /// The number of messages with this line up to now.
  func received(_ line: String) -> Int {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(socket, &buffer, buffer.count, 0)
      guard count > 0 else { break }
      messages.append(String(decoding: buffer[..<count], as: UTF8.self))
    }
    return messages.count { $0.split(separator: "\n").contains { $0 == line } }
  }
}
