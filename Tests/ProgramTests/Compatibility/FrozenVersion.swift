import Foundation
import Quantities
import Records
import TestSupport
import Testing

import Store

/// The files and responses of an earlier version, in `Tests/Compatibility`, and their counterparts of the present program.
///
/// A folder contains `log` (a log directory with its settings file), `configurations`, `boards`, `commands`, `api`,
/// `bodies`, `views.json`, `events.json` and `exit-status.json`. With `OUTRIDER_FREEZE=VERSION` in the environment the
/// suite writes a new folder of that name and compares nothing.
struct FrozenVersion: CustomStringConvertible, Sendable {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Compatibility")
  static let package = root.deletingLastPathComponent().deletingLastPathComponent()

  /// The folder to write; nil while versions are compared.
  static let toBeWritten = ProcessInfo.processInfo.environment["OUTRIDER_FREEZE"].map {
    FrozenVersion(folder: root.appendingPathComponent($0))
  }

  /// All frozen versions.
  static let all: [FrozenVersion] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []
    return names.sorted().map { FrozenVersion(folder: root.appendingPathComponent($0)) }
  }()

  let folder: URL
  var description: String { folder.lastPathComponent }

  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  func text(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

  /// The names of the files in a folder of this version.
  func names(in part: String) throws -> [String] {
    let names = try FileManager.default.contentsOfDirectory(atPath: path(part)).sorted()
    #expect(!names.isEmpty, "\(part) of \(description)")
    return names
  }

  func write(_ texts: [String: String], to part: String) throws {
    let directory = folder.appendingPathComponent(part)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    for (name, text) in texts {
      try text.write(to: directory.appendingPathComponent(name), atomically: true, encoding: .utf8)
    }
  }

  /// Copies the log, so that the present program may change it. Returns the directory of the copy.
  func copyOfLog(in scratch: Scratch) throws -> String {
    let copy = scratch.path("log-\(scratch.nextNumber())")
    try FileManager.default.copyItem(atPath: path("log"), toPath: copy)
    return copy
  }
}

// MARK: Responses of the present program

extension FrozenVersion {
  /// Writes a configuration for a log directory, with these destinations and further lines. Returns its path.
  static func configuration(
    _ scratch: Scratch, log: String, destinations: String = "[]", extra: String = ""
  ) throws -> String {
    try scratch.write(
      "config-\(scratch.nextNumber()).json5",
      """
      {
        device_id: "van",
        destinations: \(destinations),
        storage: { directory: "\(log)", commit_interval: "100ms", allow_volatile: true },
        \(extra)
      }
      """)
  }

  /// The commands with `--json`, by the name of the file for their output.
  ///
  /// `%CONFIG`, `%LOG` and `%URL` stand for paths and the address of a server that accepts everything.
  static let commands: [(name: String, words: [String])] = [
    ("status.json", ["status", "--json", "--config", "%CONFIG"]),
    ("why.json", ["why", "--json", "--longer", "1s", "--config", "%CONFIG"]),
    ("energy.json", ["energy", "--json", "--config", "%CONFIG"]),
    ("settings-listing.json", ["set", "--list", "--json", "--config", "%CONFIG"]),
    ("send-test.json", ["send", "--test", "home", "--json", "--config", "%CONFIG"]),
    ("boards.json", ["boards", "--json"]),
    ("board.json", ["boards", "--json", "cm4-telematics"]),
    ("doctor.json", ["doctor", "i2c", "--json"]),
    ("replay.json", ["replay", "--json", "--policy", "S20", "%LOG"]),
    ("decode.json", ["decode", "--sky", "%RECORDING"]),
  ]

  /// Requests to the local API of a running logger, in this order, with the name of the file for each response.
  static let requests: [(name: String, method: String, target: String, body: String?)] = [
    ("status.json", "GET", "/status", nil), ("energy.json", "GET", "/energy", nil),
    ("settings.json", "GET", "/settings", nil), ("trips.json", "GET", "/trips", nil),
    ("trip-start.json", "POST", "/trips", #"{"action": "start", "mode": "car"}"#),
    ("trip-mode.json", "POST", "/trips", #"{"action": "mode", "mode": "bicycle"}"#),
    ("trip-running.json", "GET", "/trips", nil), ("status-in-trip.json", "GET", "/status", nil),
    ("trip-stop.json", "POST", "/trips", #"{"action": "stop"}"#),
    ("settings-changed.json", "PATCH", "/settings", #"{"main.min_time": "3s"}"#),
    ("send.json", "POST", "/send", nil), ("send-one.json", "POST", "/send?destination=home", nil),
    ("drop.json", "POST", "/drop?destination=home", nil),
    ("coordinates.json", "GET", "/coordinates?lookback_hours=24", nil),
    ("events.json", "GET", "/events?after=0", nil), ("problem.json", "GET", "/nowhere", nil),
    ("problem-settings.json", "PATCH", "/settings", #"{"main.min_time": 5, "x": 1}"#),
  ]

  /// Destinations of each kind and server profile, by the name of the file that holds their first body.
  static let destinations: [(name: String, words: String)] =
    ["overland", "compass", "wayfinder", "trace", "trace_hourly", "gpslogger", "open_humans"].map {
      ("\($0).json", #"kind: "overland", profile: "\#($0)", token: "t""#)
    } + [
      ("owntracks.json", #"kind: "owntracks", logging_mode: "all""#),
      ("owntracks-latest.json", #"kind: "owntracks""#), ("query.txt", #"kind: "query""#),
      ("query-post.txt", #"kind: "query", method: "post""#),
    ]

  /// Command lines whose exit status is stable.
  static let misuses: [[String]] = [
    [], ["--help"], ["--version"], ["nothing"], ["run", "--nothing"], ["run", "--config", "/nowhere/file"],
    ["run", "--set", "x=1", "--config", "%CONFIG"], ["decode", "/nowhere"], ["decode", "%RECORDING"],
    ["decode", "--nothing"], ["classify"], ["classify", "/nowhere"], ["replay"], ["replay", "/nowhere"],
    ["replay", "--policy", "x", "%LOG"], ["status", "--config", "%CONFIG"], ["status", "x"],
    ["start", "--config", "%CONFIG"], ["stop", "--config", "%CONFIG"], ["send", "--config", "%CONFIG"],
    ["send", "nobody", "--config", "%CONFIG"], ["send", "--test", "nobody", "--config", "%CONFIG"],
    ["drop", "--config", "%CONFIG"], ["drop", "nobody", "--config", "%CONFIG"],
    ["trip", "--config", "%CONFIG"], ["trip", "status", "--config", "%CONFIG"], ["trip", "fly"],
    ["set", "--config", "%CONFIG"], ["set", "main.min_time=x", "--config", "%CONFIG"],
    ["set", "main.min_time=3s", "--config", "%CONFIG"], ["set", "x=1", "--config", "%CONFIG"],
    ["set", "--list", "--config", "%CONFIG"], ["set", "--list", "--config", "%BAD"],
    ["settings"], ["settings", "main.min_time"], ["settings", "nothing"],
    ["setup", "http://x", "--config", "%CONFIG"], ["setup"], ["energy", "--config", "%CONFIG"],
    ["energy", "--since", "x"], ["why", "--config", "%CONFIG"], ["why", "--longer", "x"], ["doctor"],
    ["doctor", "i2c"], ["doctor", "nothing"], ["boards"], ["boards", "simulator"], ["boards", "nothing"],
    ["demo", "--for", "x"], ["collect", "--listen", "x"],
  ]

  /// The environment of the program: a configuration for a log, a server, and a recording of a minute.
  struct Stage {
    let scratch: Scratch
    let server: ScriptedServer
    let log: String
    private let configuration: String
    private let recording: String
    private let bad: String

    init(log source: FrozenVersion) throws {
      scratch = try Scratch()
      server = try ScriptedServer { _, _ in .ok }
      log = try source.copyOfLog(in: scratch)
      configuration = try FrozenVersion.configuration(
        scratch, log: log, destinations: #"[{ name: "home", kind: "overland", url: "\#(server.url)" }]"#)
      recording = scratch.path("recording.nmea")
      let bytes = Recording.simulated(epochs: 5).pieces.flatMap(\.bytes)
      try Data(bytes).write(to: URL(fileURLWithPath: recording))
      bad = try scratch.write("bad.json5", "{ destinations: 7 }")
    }

    func outcome(_ words: [String]) throws -> FaultTests.Outcome {
      let places = [
        "%CONFIG": configuration, "%LOG": log, "%RECORDING": recording, "%BAD": bad,
      ]
      return try FaultTests.run(
        words.map { places[$0] ?? $0 }, in: scratch,
        environment: ["OUTRIDER_BOARDS": FrozenVersion.package.appendingPathComponent("boards").path])
    }

    /// Replaces the paths and addresses of this stage by placeholders.
    func neutral(_ text: String) -> String {
      text.replacingOccurrences(of: scratch.url.path, with: "/scratch")
        .replacingOccurrences(of: "127.0.0.1:\(server.port)", with: "server")
    }
  }

  /// The output of each of ``commands`` for a copy of this version's log.
  func answersOfCommands() throws -> [String: String] {
    let stage = try Stage(log: self)
    defer { stage.server.stop() }
    var answers: [String: String] = [:]
    for (name, words) in Self.commands {
      let outcome = try stage.outcome(words)
      #expect(!outcome.output.isEmpty, "\(words): \(outcome.errors)")
      answers[name] = stage.neutral(outcome.output)
    }
    return answers
  }

  /// The responses of the local API to ``requests``, for a logger with a copy of this version's log.
  func answersOfAPI() throws -> [String: String] {
    let scratch = try Scratch()
    let feeder = try Feeder()
    defer { feeder.stop() }
    let server = try ScriptedServer { _, _ in .ok }
    defer { server.stop() }
    let port = try freePort()
    let configuration = try Self.configuration(
      scratch, log: try copyOfLog(in: scratch),
      destinations: #"[{ name: "home", kind: "overland", url: "\#(server.url)" }]"#,
      extra: """
        receiver: { port: "\(feeder.path)", speed: 9600 },
        send_interval: "1s", api: { listen: "127.0.0.1:\(port)", token: "sesame" },
        """)
    let program = try Program(["run", "--recorded", "--config", configuration], in: scratch)
    defer { program.send(SIGKILL) }
    feeder.play(
      Recording.simulated(epochs: 30, from: "2026-03-01T12:00:00Z").pieces, every: .milliseconds(10))
    let client = try HTTPBench()
    var answers: [String: String] = [:]
    func ask(_ method: String, _ target: String, _ body: String?) throws -> HTTPAnswer {
      try client.ask(
        port, method, target, headers: ["Authorization: Bearer sesame"], body: body.map { Array($0.utf8) })
    }
    var last = ""
    let isUp = eventually(within: .seconds(20), every: 50) {
      guard feeder.isFinished, let answer = try? ask("GET", "/status", nil) else { return false }
      last = answer.text
      return answer.text.contains("2026-03-01T12:00:2") && !server.received.isEmpty
    }
    try #require(isUp, "\(last) \(program.standardError)")
    for (name, method, target, body) in Self.requests {
      let answer = try ask(method, target, body)
      answers[name] = answer.text.replacingOccurrences(of: scratch.url.path, with: "/scratch")
        .replacingOccurrences(of: "127.0.0.1:\(server.port)", with: "server")
        .replacingOccurrences(of: feeder.path, with: "/dev/ttyS0")
    }
    program.send(SIGTERM)
    #expect(program.exitStatus(within: .seconds(5)) == 0, "\(program.standardError)")
    return answers
  }

  /// The first body that each of ``destinations`` receives from a copy of this version's log; the request line if there is
  /// no body.
  func bodies() throws -> [String: String] {
    let feeder = try Feeder()
    defer { feeder.stop() }
    var bodies: [String: String] = [:]
    for (name, words) in Self.destinations {
      let scratch = try Scratch()
      let server = try ScriptedServer { _, request in
        request.head.contains("gpslogger") ? .json("") : .ok
      }
      defer { server.stop() }
      let configuration = try Self.configuration(
        scratch, log: try copyOfLog(in: scratch),
        destinations: #"[{ name: "new", url: "\#(server.url)", batch_size: 10, \#(words) }]"#,
        extra: #"receiver: { port: "\#(feeder.path)" }, api: { enabled: false }, send_interval: "1s","#)
      let program = try Program(["run", "--config", configuration], in: scratch)
      defer { program.send(SIGKILL) }
      let isSent = eventually(within: .seconds(20)) { !server.received.isEmpty }
      try #require(isSent, "\(name): \(program.standardError)")
      let first = try #require(server.received.first)
      let line = first.head.prefix { $0 != "\r\n" }
      bodies[name] =
        first.body.isEmpty ? "\(line)\n" : String(decoding: first.body, as: UTF8.self)
    }
    return bodies
  }

  /// The files that a destination of kind file writes for the last hour of this version's log.
  func files() throws -> [String: String] {
    let feeder = try Feeder()
    defer { feeder.stop() }
    let scratch = try Scratch()
    let directory = scratch.path("tracks")
    let configuration = try Self.configuration(
      scratch, log: try copyOfLog(in: scratch),
      destinations: #"[{ name: "new", kind: "file", directory: "\#(directory)", file_format: "both" }]"#,
      extra: #"receiver: { port: "\#(feeder.path)" }, api: { enabled: false }, send_interval: "1s","#)
    let program = try Program(["run", "--config", configuration], in: scratch)
    defer { program.send(SIGKILL) }
    var files: [String: String] = [:]
    for form in ["geojson", "gpx"] {
      let path = "\(directory)/2026-03-01T11.\(form)"
      let isWritten = eventually(within: .seconds(20)) { FileManager.default.fileExists(atPath: path) }
      try #require(isWritten, "\(program.standardError)")
      files["file.\(form)"] = try String(contentsOfFile: path, encoding: .utf8)
    }
    return files
  }

  /// Topic and payload of the first message that a broker receives from a copy of this version's log.
  func message() throws -> String {
    let feeder = try Feeder()
    defer { feeder.stop() }
    let scratch = try Scratch()
    let broker = try MosquittoProgram()
    let listener = try #require(MQTTListener(port: broker.port))
    let configuration = try Self.configuration(
      scratch, log: try copyOfLog(in: scratch),
      destinations:
        #"[{ name: "new", kind: "owntracks", url: "mqtt://127.0.0.1:\#(broker.port)", logging_mode: "all" }]"#,
      extra: #"receiver: { port: "\#(feeder.path)" }, api: { enabled: false }, send_interval: "1s","#)
    let program = try Program(["run", "--config", configuration], in: scratch)
    defer { program.send(SIGKILL) }
    let isSent = eventually(within: .seconds(20)) { !listener.messages.isEmpty }
    try #require(isSent, "\(program.standardError)")
    let first = try #require(listener.messages.first)
    return "\(first.topic) \(first.payload)\n"
  }

  /// The columns of each view of the log after the present program has opened it.
  func views() throws -> [String: [String]] {
    let scratch = try Scratch()
    let directory = try copyOfLog(in: scratch)
    let (log, _) = try LogDatabase.open(
      try StorageDirectory(directory, allowVolatile: true),
      options: LogOptions(bootID: "boot", clock: { .zero }))
    _ = log
    var views: [String: [String]] = [:]
    for view in ["location", "visit", "trip", "action", "event"] {
      views[view] = try LogFile.texts(
        "SELECT name FROM pragma_table_info('\(view)') ORDER BY cid", of: "\(directory)/outrider.db")
    }
    return views
  }

  /// The exit status of each of ``misuses``.
  func exitStatuses() throws -> [String: Double] {
    let stage = try Stage(log: self)
    defer { stage.server.stop() }
    var statuses: [String: Double] = [:]
    for words in Self.misuses {
      statuses[words.joined(separator: " ")] = try stage.outcome(words).status.map(Double.init)
    }
    return statuses
  }
}
