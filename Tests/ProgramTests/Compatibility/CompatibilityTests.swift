import Foundation
import Records
import TestSupport
import Testing

/// Files, formats and interfaces of earlier versions, which the present version must support.
///
/// Values that are left out here changed on purpose; `docs/changelog.md` lists them under "Changes on upgrade".
@Suite(.enabled(if: FrozenVersion.toBeWritten == nil, "a version is being frozen"))
struct CompatibilityTests {
  @Test func thereIsAFrozenVersion() { #expect(!FrozenVersion.all.isEmpty) }

  @Test(arguments: FrozenVersion.all)
  func theLogOfAnEarlierVersionOpensWithAllItsRecords(_ version: FrozenVersion) throws {
    let scratch = try Scratch()
    let counts = "SELECT count(*) FROM record WHERE kind <> 1 GROUP BY kind ORDER BY kind"
    let directory = try version.copyOfLog(in: scratch)
    let before = try LogFile.column(counts, of: "\(directory)/outrider.db")
    let feeder = try Feeder()
    defer { feeder.stop() }
    let configuration = try FrozenVersion.configuration(
      scratch, log: directory, extra: #"receiver: { port: "\#(feeder.path)" }, api: { enabled: false },"#)
    let program = try Program(["run", "--config", configuration], in: scratch)
    defer { program.send(SIGKILL) }
    let database = "\(directory)/outrider.db"
    let starts = try LogFile.count("event WHERE kind = 'started'", in: database)
    #expect(
      eventually(within: .seconds(20)) {
        (try? LogFile.count("event WHERE kind = 'started'", in: database)) == starts + 1
      }, "\(program.standardError)")
    program.send(SIGTERM)
    #expect(program.exitStatus(within: .seconds(5)) == 0, "\(program.standardError)")
    #expect(try LogFile.column(counts, of: database) == before, "only events may be added")
  }

  @Test(arguments: FrozenVersion.all)
  func settingsOfAnEarlierVersionAreStillSet(_ version: FrozenVersion) throws {
    let rows = try Self.listing(try version.answersOfCommands()["settings-listing.json"] ?? "")
    for (key, row) in try Self.listing(try version.text("commands/settings-listing.json"))
    where row.origin != "default" {
      #expect(rows[key]?.value == row.value && rows[key]?.origin == row.origin, "\(key)")
    }
  }

  @Test(arguments: FrozenVersion.all)
  func everyKeyKeepsItsDefault(_ version: FrozenVersion) throws {
    let rows = try Self.listing(try version.answersOfCommands()["settings-listing.json"] ?? "")
    for (key, row) in try Self.listing(try version.text("commands/settings-listing.json")) {
      #expect(rows[key]?.value == row.value, "\(key)")
    }
  }

  @Test(arguments: FrozenVersion.all)
  func configurationsAndBoardsOfAnEarlierVersionAreValid(_ version: FrozenVersion) throws {
    let scratch = try Scratch()
    for name in try version.names(in: "configurations") {
      let outcome = try FaultTests.run(
        ["set", "--list", "--config", version.path("configurations/\(name)")], in: scratch,
        environment: ["OUTRIDER_BOARDS": version.path("boards")])
      #expect(outcome.status == 0, "\(name): \(outcome.errors)")
    }
    for name in try version.names(in: "boards") {
      let outcome = try FaultTests.run(["boards", version.path("boards/\(name)")], in: scratch)
      #expect(outcome.status == 0, "\(name): \(outcome.errors)")
    }
  }

  @Test(arguments: FrozenVersion.all)
  func theJSONOfCommandsOnlyGainsKeys(_ version: FrozenVersion) throws {
    let answers = try version.answersOfCommands()
    for name in try version.names(in: "commands") {
      try Self.expectPromise(
        of: try version.text("commands/\(name)"), in: answers[name],
        by: name == "decode.json" ? .values : .shape, name)
    }
  }

  @Test(arguments: FrozenVersion.all)
  func theJSONOfTheAPIOnlyGainsKeys(_ version: FrozenVersion) throws {
    let answers = try version.answersOfAPI()
    for name in try version.names(in: "api") {
      try Self.expectPromise(of: try version.text("api/\(name)"), in: answers[name], by: .shape, name)
    }
  }

  @Test(arguments: FrozenVersion.all)
  func requestBodiesOfAnOldLogAreUnchanged(_ version: FrozenVersion) throws {
    let bodies = try version.bodies()
    for name in try version.names(in: "bodies") where !Self.others.contains(name) {
      let frozen = try version.text("bodies/\(name)")
      if name.hasSuffix(".txt") {
        #expect(bodies[name] == frozen, "\(name)")
      } else {
        try Self.expectPromise(of: frozen, in: bodies[name], by: .values, name)
      }
    }
  }

  /// Bodies that are not HTTP requests.
  private static let others = ["file.geojson", "file.gpx", "owntracks-mqtt.txt"]

  /// Numbers have more digits, and points more elements, than before.
  @Test(arguments: FrozenVersion.all)
  func filesOfAnOldLogKeepTheirKeysAndPoints(_ version: FrozenVersion) throws {
    let files = try version.files()
    try Self.expectPromise(
      of: try version.text("bodies/file.geojson"), in: files["file.geojson"], by: .shape, "file.geojson")
    let points = (files["file.gpx"] ?? "").components(separatedBy: "<trkpt ").dropFirst()
    let frozen = try version.text("bodies/file.gpx").components(separatedBy: "<trkpt ").dropFirst()
    #expect(!frozen.isEmpty && points.count >= frozen.count)
    for (old, new) in zip(frozen, points) {
      let parts = old.components(separatedBy: "</trkpt>")[0].components(separatedBy: "<").dropFirst()
      #expect(parts.allSatisfy { new.contains("<" + $0) }, "\(old) \(new)")
      #expect(new.hasPrefix(old.prefix { $0 != ">" }), "\(old) \(new)")
    }
  }

  @Test(
    .enabled(
      if: MosquittoProgram.isInstalled,
      "mosquitto or openssl is absent: sudo apt-get install mosquitto openssl"),
    arguments: FrozenVersion.all)
  func messagesOfAnOldLogToBrokersAreUnchanged(_ version: FrozenVersion) throws {
    #expect(try version.message() == version.text("bodies/owntracks-mqtt.txt"))
  }

  @Test(arguments: FrozenVersion.all)
  func viewsOnlyGainColumns(_ version: FrozenVersion) throws {
    let views = try version.views()
    let frozen = try JSONDecoder().decode(
      [String: [String]].self, from: Data(try version.text("views.json").utf8))
    #expect(!frozen.isEmpty)
    for (view, columns) in frozen {
      #expect(Set(views[view] ?? []).isSuperset(of: columns), "\(view)")
    }
  }

  @Test(arguments: FrozenVersion.all)
  func noEventKindIsRemoved(_ version: FrozenVersion) throws {
    let frozen = try JSONDecoder().decode([String].self, from: Data(try version.text("events.json").utf8))
    #expect(Set(EventKind.allCases.map(\.rawValue)).isSuperset(of: frozen))
  }

  @Test(arguments: FrozenVersion.all)
  func commandLinesKeepTheirExitStatus(_ version: FrozenVersion) throws {
    let statuses = try version.exitStatuses()
    let frozen = try JSONDecoder().decode(
      [String: Double].self, from: Data(try version.text("exit-status.json").utf8))
    #expect(!frozen.isEmpty)
    for (words, status) in frozen { #expect(statuses[words] == status, "outrider \(words)") }
  }

  private static func expectPromise(
    of frozen: String, in answer: String?, by comparison: PromisedJSON.Comparison, _ name: String
  ) throws {
    let promised = try PromisedJSON(text: frozen)
    let breaks = try PromisedJSON(text: answer ?? "").breaks(of: promised, by: comparison)
    #expect(breaks.isEmpty, "\(name):\n\(breaks.joined(separator: "\n"))")
  }

  private static func listing(_ text: String) throws -> [String: (value: PromisedJSON, origin: String)] {
    struct Row: Decodable {
      var key: String
      var value: PromisedJSON
      var origin: String
    }
    let rows = try JSONDecoder().decode([Row].self, from: Data(text.utf8))
    #expect(!rows.isEmpty)
    return Dictionary(uniqueKeysWithValues: rows.map { ($0.key, ($0.value, $0.origin)) })
  }
}

/// Writes the folder of a version: `OUTRIDER_FREEZE=0.2.0 swift test --filter FreezeTests`.
@Suite(.enabled(if: FrozenVersion.toBeWritten != nil, "OUTRIDER_FREEZE names no version"))
struct FreezeTests {
  @Test func aVersionIsWritten() throws {
    let version = try #require(FrozenVersion.toBeWritten)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    func json(_ value: some Encodable) throws -> String {
      String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
    }
    try FrozenLog.make(at: version.folder.appendingPathComponent("log"))
    let boards = FrozenVersion.package.appendingPathComponent("boards").path
    try version.write(
      Dictionary(
        uniqueKeysWithValues: try FileManager.default.contentsOfDirectory(atPath: boards).map {
          ($0, try String(contentsOfFile: "\(boards)/\($0)", encoding: .utf8))
        }), to: "boards")
    try version.write(try version.answersOfCommands(), to: "commands")
    try version.write(try version.answersOfAPI(), to: "api")
    try version.write(try version.bodies(), to: "bodies")
    try version.write(try version.files(), to: "bodies")
    try version.write(["owntracks-mqtt.txt": try version.message()], to: "bodies")
    try version.write(
      [
        "views.json": try json(try version.views()),
        "events.json": try json(EventKind.allCases.map(\.rawValue)),
        "exit-status.json": try json(try version.exitStatuses()),
      ], to: ".")
  }
}

/// The comparison with promised JSON.
@Suite struct PromisedJSONTests {
  static let rows: [(old: String, new: String, breaks: Int, comparison: PromisedJSON.Comparison)] = [
    (#"{"a": 1}"#, #"{"a": 2, "b": 3}"#, 0, .shape), (#"{"a": 1}"#, #"{"a": 2}"#, 1, .values),
    (#"{"a": 1}"#, #"{"b": 1}"#, 1, .shape), (#"{"a": 1}"#, #"{"a": "1"}"#, 1, .shape),
    (#"{"a": true}"#, #"{"a": 1}"#, 1, .shape), (#"{"a": null}"#, "{}", 0, .values),
    (#"[{"a": 1}, {"b": 2}]"#, #"[{"b": 1, "a": 2}]"#, 0, .shape),
    (#"[{"a": 1}, {"b": 2}]"#, #"[{"a": 1}]"#, 1, .shape), ("[1, 2]", "[1]", 1, .values),
    ("[1]", "[]", 1, .shape), ("{\"a\": 1}\n{\"b\": 1}\n", "{\"a\": 1}\n{\"c\": 1}\n", 1, .shape),
  ]

  @Test(arguments: rows)
  func removedAndChangedValuesAreReported(
    _ row: (old: String, new: String, breaks: Int, comparison: PromisedJSON.Comparison)
  )
    throws
  {
    let breaks = try PromisedJSON(text: row.new).breaks(
      of: try PromisedJSON(text: row.old), by: row.comparison)
    #expect(breaks.count == row.breaks, "\(row): \(breaks)")
  }
}
