import Foundation
import Glibc
import Store
import Testing
import TextSnapshots

/// Handling of the file of run-time settings, `settings.json` beside the log.
@Suite struct StoredSettingsFileTests {
  static let texts = TextSnapshot("commands")
  /// The name under which a damaged file is kept.
  static let aside = "settings.json.damaged"

  static func write(_ text: String, _ bench: LoggerBench) throws {
    try FileManager.default.createDirectory(atPath: bench.log, withIntermediateDirectories: true)
    try text.write(toFile: "\(bench.log)/settings.json", atomically: true, encoding: .utf8)
  }

  static let halfBroken = #"{"operator": {"main.min_distance": "25m", "log.level": 5}, "destinations": "x"}"#

  @Test func anUnreadablePartIsReportedAndSetAsideAndTheRestIsUsed() throws {
    let bench = try LoggerBench(url: nil)
    try Self.write(Self.halfBroken, bench)
    try bench.start()
    let kept = try #require(bench.line(with: Self.aside))
    #expect(kept == Self.texts.expected("damaged settings file", kept))
    #expect(RemoteSettingsTests.hasStarted(bench, times: 1))
    for part in ["settings.json: destinations:", "operator.\"log.level\":"] {
      let fault = try #require(bench.line(with: part), "\(bench.standardError)")
      #expect(fault == Self.texts.expected("damaged settings file: \(part)", fault))
    }
    let listing = try RemoteSettingsTests.listing(bench)
    #expect(
      listing["main.min_distance"]?.value == "25m" && listing["main.min_distance"]?.origin == "operator")
    #expect(bench.stopsInGoodOrder())
    let aside = try String(contentsOfFile: "\(bench.log)/settings.json.damaged", encoding: .utf8)
    #expect(aside == Self.halfBroken)
    try bench.start()
    #expect(RemoteSettingsTests.hasStarted(bench, times: 2))
    #expect(
      !bench.standardError.contains(Self.aside), "the next start finds an undamaged file")
    #expect(bench.stopsInGoodOrder())
  }

  @Test func oneBadByteCostsOnlyItsPart() throws {
    let bench = try LoggerBench(url: nil)
    try FileManager.default.createDirectory(atPath: bench.log, withIntermediateDirectories: true)
    let file = URL(fileURLWithPath: "\(bench.log)/settings.json")
    var bytes = Array(#"{"operator": {"main.min_distance": "25m", "log.level": "de"#.utf8)
    bytes += [0x81] + Array(#"bug"}}"#.utf8)
    try Data(bytes).write(to: file)
    try bench.start()
    #expect(bench.says(Self.aside))
    #expect(RemoteSettingsTests.hasStarted(bench, times: 1))
    let fault = try #require(
      bench.line(with: "settings.json: operator.\"log.level\"", "0x81 at byte 58"), "\(bench.standardError)")
    #expect(fault == Self.texts.expected("settings file with a byte that is not UTF-8", fault))
    #expect(try RemoteSettingsTests.listing(bench)["main.min_distance"]?.value == "25m")
    #expect(bench.stopsInGoodOrder())
    #expect(try Data(contentsOf: URL(fileURLWithPath: "\(file.path).damaged")) == Data(bytes))
  }

  enum Unreadable: CaseIterable { case tooLarge, directory, pipe, noSettings, loop }

  /// Creates an unreadable file of this kind at `path`.
  static func make(_ kind: Unreadable, at path: String) throws {
    switch kind {
    case .tooLarge:
      try String(repeating: " ", count: 1 << 21).write(toFile: path, atomically: true, encoding: .utf8)
    case .directory: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    case .pipe: #expect(mkfifo(path, 0o600) == 0)
    case .noSettings: try "[]".write(toFile: path, atomically: true, encoding: .utf8)
    case .loop: #expect(symlink(path, path) == 0)
    }
  }

  static func inode(_ path: String) -> UInt64 {
    var status = stat()
    return lstat(path, &status) == 0 ? UInt64(status.st_ino) : 0
  }

  @Test(arguments: Unreadable.allCases, [false, true])
  func anUnreadableFileIsKeptUnchanged(kind: Unreadable, whileRunning: Bool) throws {
    let bench = try LoggerBench(url: nil)
    try FileManager.default.createDirectory(atPath: bench.log, withIntermediateDirectories: true)
    let file = "\(bench.log)/settings.json"
    try Self.make(kind, at: file)
    let before = Self.inode(file)
    if whileRunning {
      try bench.start()
      #expect(bench.says(Self.aside), "\(bench.standardError)")
      #expect(RemoteSettingsTests.hasStarted(bench, times: 1))
    }
    let config = bench.scratch.path("config.json5")
    let set = try FaultTests.run(["set", "main.min_time=7s", "--config", config], in: bench.scratch)
    #expect(set.status == 0, "\(set.errors)")
    #expect(Self.inode("\(file).damaged") == before)
    #expect(try RemoteSettingsTests.listing(bench)["main.min_time"]?.origin == "operator")
    #expect(try String(contentsOfFile: file, encoding: .utf8).contains("7s"))
    if whileRunning { #expect(bench.stopsInGoodOrder()) }
  }

  @Test func aDamagedFileThatCannotBeSetAsideIsNotOverwritten() throws {
    let bench = try LoggerBench(url: nil)
    try Self.write("[ mine ]", bench)
    let (file, config) = ("\(bench.log)/settings.json", bench.scratch.path("config.json5"))
    try FileManager.default.createDirectory(atPath: "\(file).damaged", withIntermediateDirectories: true)
    let words = ["set", "main.min_time=7s", "--config", config]
    let alone = try FaultTests.run(words, in: bench.scratch)
    #expect(alone.status == 1 && alone.errors.contains("settings.json.damaged"), "\(alone.errors)")
    try bench.start()
    let stays = try #require(bench.line(with: Self.aside))
    #expect(stays == Self.texts.expected("damaged settings file that stays", stays))
    #expect(RemoteSettingsTests.hasStarted(bench, times: 1))
    let set = try FaultTests.run(words, in: bench.scratch)
    #expect(set.status == 1, "\(set.errors)")
    let message = bench.anonymous(set.errors)
    #expect(message == Self.texts.expected("set, but not saved", message))
    #expect(try RemoteSettingsTests.listing(bench)["main.min_time"]?.value == "7s")
    let trouble = bench.anonymous(
      try #require(try FaultTests.status(of: bench)["settings_trouble"] as? String))
    #expect(trouble == Self.texts.expected("settings_trouble: damaged file", trouble))
    #expect(bench.stopsInGoodOrder())
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "[ mine ]")
  }

  enum OutOfReach: CaseIterable { case otherUser, medium }

  @Test(arguments: OutOfReach.allCases)
  func anInaccessibleFileStaysAndIsUsedAgainLater(kind: OutOfReach) throws {
    let bench = try LoggerBench(url: nil)
    let (file, config) = ("\(bench.log)/settings.json", bench.scratch.path("config.json5"))
    let kept = #"{"operator": {"tracking": "false"}}"#
    try Self.write(kept, bench)
    switch kind {
    case .otherUser: #expect(chmod(file, 0) == 0)
    case .medium:
      try FileManager.default.moveItem(atPath: file, toPath: "\(file).whole")
      // The first page of a process is mapped nowhere: EIO.
      try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: "/proc/self/mem")
    }
    // Root can read any file.
    let keeper = try Program(
      Self.withoutRights + [Program.executable, "run", "--config", config], in: bench.scratch,
      executable: "/usr/bin/env")
    let part = kind == .otherUser ? "chown --reference=\(bench.log) \(file)" : "settings.json"
    #expect(
      eventually(within: .seconds(10)) { keeper.standardError.line(with: part) != nil },
      "\(keeper.standardError)")
    let warning = bench.anonymous(try #require(keeper.standardError.line(with: part)))
    #expect(warning == Self.texts.expected("inaccessible settings file: \(kind)", warning))
    #expect(!keeper.standardError.contains(Self.aside))
    #expect(RemoteSettingsTests.hasStarted(bench, times: 1))
    let trouble = bench.anonymous(
      try #require(try FaultTests.status(of: bench)["settings_trouble"] as? String))
    #expect(trouble == Self.texts.expected("settings_trouble: \(kind)", trouble))
    keeper.send(SIGTERM)
    #expect(keeper.exitStatus(within: .seconds(5)) == 0)
    #expect(!FileManager.default.fileExists(atPath: "\(file).damaged"))
    switch kind {
    case .otherUser: #expect(chmod(file, 0o600) == 0)
    case .medium: #expect(rename("\(file).whole", file) == 0)
    }
    #expect(try String(contentsOfFile: file, encoding: .utf8) == kept)
    #expect(try RemoteSettingsTests.listing(bench)["tracking"]?.origin == "operator")
  }

  /// Starts a program without the rights of root to files, also if the tests run as root.
  static let withoutRights =
    geteuid() == 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all"] : []

  static let trackingCommands: [(words: [String], kept: String?)] = [
    (["start"], "true"), (["stop"], "false"), (["set", "--unset", "tracking"], nil),
    (["set", "tracking=true"], "true"),
  ]

  @Test(arguments: trackingCommands)
  func changingTrackingWithoutALoggerEndsTheClaimOfATrip(words: [String], kept: String?) throws {
    let bench = try LoggerBench(url: nil)
    let file = #"{"operator": {"tracking": "true"}, "trip_claim": {"before": "false"}}"#
    try Self.write(file, bench)
    let config = bench.scratch.path("config.json5")
    func stored() throws -> [String: Any] {
      let text = try Data(contentsOf: URL(fileURLWithPath: "\(bench.log)/settings.json"))
      return try #require(try JSONSerialization.jsonObject(with: text) as? [String: Any])
    }
    _ = try FaultTests.run(["set", "main.min_time=5s", "--config", config], in: bench.scratch)
    #expect(try stored()["trip_claim"] != nil, "another setting does not")
    let outcome = try FaultTests.run(words + ["--config", config], in: bench.scratch)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try stored()["trip_claim"] == nil)
    let operators = try stored()["operator"] as? [String: String]
    #expect(operators?["tracking"] == kept)
  }

  @Test func unsettingAServersValueWithoutALoggerRemovesItAndSaysSo() throws {
    let bench = try LoggerBench(url: "http://127.0.0.1:9/")
    let value = #"{"key": {"path": "main.min_distance"}, "value": "25m", "by": "home"}"#
    try Self.write("{\"server\": {\"values\": [\(value)]}}", bench)
    #expect(try RemoteSettingsTests.listing(bench)["main.min_distance"]?.origin == "server")
    let config = bench.scratch.path("config.json5")
    let unset = try FaultTests.run(
      ["set", "--unset", "main.min_distance", "--config", config], in: bench.scratch)
    #expect(unset.status == 0)
    #expect(unset.output == Self.texts.expected("unset of a server's value", unset.output))
    #expect(try RemoteSettingsTests.listing(bench)["main.min_distance"]?.origin == "default")
  }
}
