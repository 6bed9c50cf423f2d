import FleetStore
import Foundation
import PostgreSQL
import PostgreSQLSupport
import Quantities
import Testing

@testable import outrider_collector

/// The commands below `fleet`, on a real database.
@Suite(.enabled(if: PostgresServer.isInstalled, "requires PostgreSQL"))
struct FleetCommandTests {
  final class Bench {
    let address: String
    let sql: BlockingConnection

    init() throws {
      let server = try PostgresServer.common()
      let name = "command_\(UInt32.random(in: 0...UInt32.max))"
      try BlockingConnection(server.address).run("CREATE DATABASE \(name)")
      address = server.address(of: name)
      sql = try BlockingConnection(address)
    }

    /// Runs a command and returns what it prints.
    @discardableResult
    func run(_ words: String...) throws -> String {
      var output: [String] = []
      let status = try FleetCommand.run(
        words[...], environment: { $0 == "OUTRIDER_DATABASE" ? self.address : nil },
        print: { output.append($0) })
      #expect(status == 0)
      return output.joined(separator: "\n")
    }

    /// The message of a failing command.
    func failure(_ words: String...) -> String {
      do {
        _ = try FleetCommand.run(
          words[...], environment: { $0 == "OUTRIDER_DATABASE" ? self.address : nil }, print: { _ in })
        return "no failure"
      } catch let misuse as Arguments.Misuse {
        return misuse.message
      } catch {
        return "\(error)"
      }
    }

    func rows(_ words: String...) throws -> [[String: Any]] {
      var output: [String] = []
      _ = try FleetCommand.run(
        (words + ["--json", "--database", address])[...], environment: { _ in nil },
        print: { output.append($0) })
      let object = try JSONSerialization.jsonObject(with: Data(output.joined().utf8))
      return try #require(object as? [[String: Any]])
    }
  }

  /// A database with two devices, one of which is silent.
  static func filled() throws -> Bench {
    let bench = try Bench()
    #expect(try bench.run("init").contains("done: "))
    #expect(try bench.run("init") == "the database is up to date")
    try bench.run("enrol", "--device", "van-1", "--cohort", "vans")
    try bench.run("enrol", "--device", "van-2", "--cohort", "vans")
    try bench.run("enrol", "--device", "logger")
    try bench.sql.run(
      """
      SELECT outrider.make_partition('event', (now() - interval '1 hour')::date, 1);
      INSERT INTO outrider.event (time, record, device, kind, detail, value, received_s)
        SELECT now() - interval '1 hour', 7, id, 'receiver_resting', 'the receiver sleeps', 900, 3
        FROM outrider.device WHERE name = 'van-1';
      INSERT INTO outrider.device_state (device, last_seen, next_contact, version, battery_percent, report, report_time)
        SELECT id, now() - interval '9 hours', now() - interval '8 hours', '1.4', 4, '{"board": "field-unit"}', now()
        FROM outrider.device WHERE name = 'van-1';
      INSERT INTO outrider.device_state (device, last_seen, next_contact, version)
        SELECT id, now(), now() + interval '1 hour', '1.5' FROM outrider.device WHERE name = 'van-2';
      """)
    return bench
  }

  @Test func silentDevicesComeFirstWithTheirReason() throws {
    let bench = try Self.filled()
    let rows = try bench.rows("devices")
    #expect(rows.map { $0["device"] as? String } == ["van-1", "logger", "van-2"])
    #expect(rows.map { $0["state"] as? String } == ["silent", "never", "ok"])
    #expect(rows[0]["probable_reason"] as? String == "battery critical")
    #expect(try bench.rows("devices", "--silent").count == 1)
    #expect(try bench.rows("devices", "--cohort", "vans").count == 2)
    #expect(try bench.rows("devices", "--version", "1.5").count == 1)
    #expect(try bench.rows("devices", "--state", "never").count == 1)
    let text = try bench.run("devices")
    #expect(text.split(separator: "\n").count == 4 && text.contains("van-1   vans    silent"))
  }

  @Test func everythingKnownOfADeviceIsShown() throws {
    let bench = try Self.filled()
    let text = try bench.run("device", "van-1")
    for part in ["report.board", "field-unit", "events", "receiver_resting"] {
      #expect(text.contains(part), "\(part) in \(text)")
    }
    let json = try bench.run("device", "van-1", "--json")
    let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    #expect(Set(object?.keys.map { $0 } ?? []) == ["device", "settings", "records", "questions", "events"])
  }

  @Test func eventsAreThoseOfThePeriod() throws {
    let bench = try Self.filled()
    #expect(try bench.rows("events", "van-1").map { $0["kind"] as? String } == ["receiver_resting"])
    #expect(try bench.rows("events", "van-1", "--from", "2020-01-01", "--to", "2020-01-02").isEmpty)
    #expect(try bench.run("why", "van-2") == "no gaps")
  }

  @Test func aQuestionIsOpenUntilItIsAnsweredOrReplaced() throws {
    let bench = try Self.filled()
    #expect(try bench.run("ask", "van-1") == "van-1 was not asked anything")
    #expect(
      try bench.run("ask", "van-1", "why")
        == "the device gets question 1 with its next request; for the answer: fleet ask van-1")
    #expect(try bench.run("ask", "van-1", "doctor", "--json") == #"{"device":"van-1","id":2}"#)
    let rows = try bench.rows("ask", "van-1")
    #expect(rows.map { $0["what"] as? String } == ["doctor", "why"])
    #expect(rows.map { $0["outcome"] as? String } == ["asked", "superseded"])
    #expect(
      bench.failure("ask", "van-1", "reboot")
        == #"ask: expected position, report, why, doctor, got "reboot""#)
    #expect(bench.failure("ask", "nobody", "why").contains("no device is called"))
    #expect(bench.failure("ask", "nobody").contains("no device is called"))
    #expect(try bench.run("device", "van-1").contains("\nquestions\n"))
    for (answer, shown) in [
      (#"{"gaps":[{"from":"a","to":"b","reason":"c\u001b"},{"from":"d"},7]}"#, "a     b   c?\nd     -   -\n"),
      (
        #"{"findings":[{"check":"a","result":"error","meaning":"c"}]}"#,
        "check  result  meaning\na      error   c"
      ),
      (#"{"gaps":{"from":"a"},"reason":"no date"}"#, "no date"), ("[]", "failed"), ("null", "failed"),
    ] {
      try bench.sql.run("SELECT fleet.ask('van-1', 'why')")
      _ = try bench.sql.query(
        "UPDATE outrider.question SET answered = now(), outcome = 'failed', answer = $1::jsonb WHERE answered IS NULL",
        [.json(answer)])
      let text = try bench.run("ask", "van-1")
      #expect(text.contains(shown), "\(text)")
    }
  }

  @Test func settingsAreDesiredInTheirScope() throws {
    let bench = try Self.filled()
    try bench.run(
      "set", "main.min_time=30s", "main.min_distance=12.5m", "main.visit_tracking=true", "--cohort", "vans")
    try bench.run("set", "main.min_time=5s", "--device", "van-1", "--note", "a test")
    let rows = try bench.rows("settings")
    #expect(
      rows.map { "\($0["scope"] ?? "") \($0["key"] ?? "") \($0["value"] ?? "")" }.sorted() == [
        "cohort main.min_distance 12.5m", "cohort main.min_time 30s", "cohort main.visit_tracking 1",
        "device main.min_time 5s",
      ])
    #expect(try bench.run("unset", "main.min_time", "--device", "van-1") == "")
    #expect(try bench.run("unset", "main.min_time", "--device", "van-1") == "main.min_time was not desired")
    #expect(try bench.rows("settings").count == 3)
  }

  /// Commands on a fleet with the versions 1.4 and 1.5 in the cohort vans and a device without a report, with the
  /// message of the failure, or what is printed.
  static let checked: [(words: [String], failure: String?, output: String)] = [
    (
      ["main.min_distance=20", "--device", "logger"],
      "main.min_distance: expected \"off\" or a distance from 0m to ", ""
    ),
    (["main.min_distance=20m", "--device", "logger"], nil, "1 device without a report: checked as version"),
    (["storage.limit=1GB", "--device", "logger"], "storage.limit: servers cannot change it (version ", ""),
    (
      ["main.min_tme=5s", "--all"], "main.min_tme: unknown setting; did you mean main.min_time? (version ", ""
    ),
    (["main.min_time=5s", "main.batch_size=0", "--all"], "main.batch_size: expected a whole number", ""),
    (["main.pace=30s", "--device", "van-1"], nil, ""),
    (["main.pace=61s", "--device", "van-1"], "main.pace: expected a pace, got \"61s\" (version 1.4)", ""),
    (["main.ports=[1,2]", "--device", "van-1"], nil, ""),
    (
      ["main.ports=1", "--device", "van-1"], "main.ports: expected ports, got the number 1 (version 1.4)", ""
    ),
    (["main.pace=61s", "--device", "van-1", "--force"], nil, "main.pace: expected a pace"),
    (["main.pace=x", "--device", "van-2"], nil, "not checked for 1 device of version 1.5"),
    (["main.pace=30s", "--cohort", "vans"], nil, "not checked for 1 device of version 1.5"),
    (["main.pace=30s", "--all"], "main.pace: unknown setting", ""),
    (["main.min_time=30s", "--cohort", "empty"], nil, ""),
    (["main.min_time=30", "--cohort", "empty"], "main.min_time: expected a duration", ""),
  ]

  @Test(arguments: checked)
  func aValueIsCheckedByTheVersionsOfItsDevices(
    test: (words: [String], failure: String?, output: String)
  ) throws {
    let bench = try Self.filled()
    let file = "/tmp/outrider-schema-\(UInt32.random(in: 0...UInt32.max)).json"
    defer { try? FileManager.default.removeItem(atPath: file) }
    let schema = #"""
      {"version": "1.4", "settings": [
        {"key": "main.pace", "kind": "duration", "maximum": 60, "expected": "a pace", "remote": true},
        {"key": "main.ports", "kind": "list", "expected": "ports", "remote": true}]}
      """#
    try schema.write(toFile: file, atomically: false, encoding: .utf8)
    #expect(try bench.run("schema", "--add", file) == "settings of version 1.4 added")
    var output: [String] = []
    var message = ""
    do {
      _ = try FleetCommand.run(
        (["set"] + test.words)[...], environment: { _ in bench.address }, print: { output.append($0) })
    } catch { message = "\(error)" }
    if let failure = test.failure {
      #expect(message.contains(failure))
      #expect(try bench.rows("settings").isEmpty)
    } else {
      #expect(message.isEmpty)
      #expect(try bench.rows("settings").count == 1)
      #expect(test.output.isEmpty ? output.isEmpty : output.joined().contains(test.output), "\(output)")
    }
  }

  @Test func theSettingsOfThisVersionAreKnownFromTheStart() throws {
    let bench = try Self.filled()
    let rows = try bench.rows("schema")
    #expect(rows.map { $0["version"] as? String } == [Release.version])
    #expect(rows.first?["settings"] as? Int ?? 0 > 200)
    #expect(bench.failure("schema", "--add", "/dev/null").contains("/dev/null"))
  }

  @Test func everyCommandThatChangesSomethingPrintsJSON() throws {
    let bench = try Self.filled()
    func reply(_ words: String...) throws -> [String: Any] {
      var output: [String] = []
      _ = try FleetCommand.run(
        (words + ["--json", "--database", bench.address])[...], environment: { _ in nil },
        print: { output.append($0) })
      let object = try JSONSerialization.jsonObject(with: Data(output.joined().utf8))
      return try #require(object as? [String: Any])
    }
    #expect(try reply("init")["done"] as? [String] == [])
    #expect(try (reply("enrol")["token"] as? String)?.isEmpty == false)
    #expect(try reply("enrol", "--device", "van-3")["device"] as? String == "van-3")
    #expect(try reply("enrol", "--renew", "van-1")["may_enrol"] as? Bool == true)
    #expect(try reply("token", "read")["role"] as? String == "read")
    #expect(try reply("disable", "van-1")["enabled"] as? Bool == false)
    #expect(try reply("enable", "van-1")["enabled"] as? Bool == true)
    #expect(try reply("rename", "van-1", "van-9")["device"] as? String == "van-9")
    #expect(try reply("move", "van-9", "--cohort", "city")["cohort"] as? String == "city")
    #expect(
      try reply("set", "main.min_time=30s", "--device", "van-9", "--force")["keys"] as? [String] == [
        "main.min_time"
      ])
    let unset = try reply("unset", "main.min_time", "main.level", "--device", "van-9")
    #expect(unset["keys"] as? [String] == ["main.min_time"])
    #expect(unset["not_desired"] as? [String] == ["main.level"])
    #expect(try (reply("ask", "van-9", "why")["id"] as? Int) ?? 0 > 0)
    #expect(try reply("erase", "van-9")["deleted"] as? Int != nil)
  }

  /// Names that are not permitted, with the message; and options that exclude each other.
  static let misuses: [(words: [String], message: String)] = [
    (["rename", "van-1", ""], "rename NEW: the name is empty; give one such as van-17"),
    (["rename", "van-1", " \t"], "rename NEW: the name is empty; give one such as van-17"),
    (["rename", "van-1", "a\nb"], "rename NEW: the name contains control characters; leave them out"),
    (
      ["rename", "van-1", String(repeating: "ü", count: 101)],
      "rename NEW: the name has 202 bytes; use at most 200"
    ),
    (["rename", "van-1", "van-2"], #"rename NEW: another device is called "van-2"; choose another name"#),
    (["enrol", "--device", ""], "--device: the name is empty; give one such as van-17"),
    (["enrol", "--device", "\u{1B}[31m"], "--device: the name contains control characters; leave them out"),
    (
      ["enrol", "--device", "van-1"],
      #"--device: another device is called "van-1"; choose another name, or let it enrol once more: "#
        + "fleet enrol --renew van-1"
    ),
    (["enrol", "--cohort", ""], "--cohort: the name is empty; give one such as van-17"),
    (
      ["enrol", "--cohort", String(repeating: "c", count: 5000)],
      "--cohort: the name has 5000 bytes; use at most 200"
    ),
    (
      ["enrol", "--device", "a", "--cohort", "\u{2028}"],
      "--cohort: the name is empty; give one such as van-17"
    ),
    (
      ["move", "van-1", "--cohort", "a\u{7F}"],
      "--cohort: the name contains control characters; leave them out"
    ),
    (
      ["enrol", "--renew", "van-1", "--cohort", "z"],
      "enrol: --renew keeps the cohort; to change it: fleet move van-1 --cohort C"
    ),
    (["enrol", "--renew", "van-1", "--device", "z"], "enrol: give one of --device and --renew"),
    (
      ["erase", "van-1", "--from", "2026-03-02", "--to", "2026-03-01"],
      "erase: --from must be earlier than --to; nothing was deleted"
    ),
    (
      ["erase", "--apply", "/nowhere", "--from", "2026-03-02"],
      "erase: --apply takes the periods of its file; leave out --from and --to"
    ),
  ]

  @Test func aMisuseIsRefusedBeforeAnythingIsChanged() throws {
    let bench = try Self.filled()
    let before = try bench.run("devices", "--json")
    for (words, message) in Self.misuses {
      #expect(throws: Arguments.Misuse.self) {
        _ = try FleetCommand.run(words[...], environment: { _ in bench.address }, print: { _ in })
      }
      var output: [String] = []
      let status = try FleetCommand.run(
        (words + ["--json"])[...], environment: { _ in bench.address }, print: { output.append($0) })
      let object = try JSONSerialization.jsonObject(with: Data(output.joined().utf8)) as? [String: String]
      #expect(status == 2 && object == ["error": message], "\(output)")
    }
    #expect(try bench.run("devices", "--json") == before)
    // The longest name, and one beyond ASCII.
    let name = String(repeating: "ü", count: 100)
    try bench.run("rename", "van-1", name)
    #expect(try bench.run("enrol", "--device", "Grün 7 ✓", "--cohort", name).count == 64)
  }

  @Test func aFailureIsAnObjectWithJSON() throws {
    let bench = try Self.filled()
    var output: [String] = []
    for words in [
      ["rename", "nobody", "x"], ["disable", "nobody"], ["why", "nobody"],
      ["init", "--database", "host=/no"],
    ] {
      output = []
      let status = try FleetCommand.run(
        (words + ["--json"])[...], environment: { _ in bench.address }, print: { output.append($0) })
      let object = try JSONSerialization.jsonObject(with: Data(output.joined().utf8)) as? [String: String]
      #expect(status == 1 && object?.keys.sorted() == ["error"], "\(output)")
    }
  }

  @Test func aCommandFailsIfItsOutputCannotBeWritten() throws {
    struct FullDisk: Error {}
    let bench = try Self.filled()
    #expect(throws: FullDisk.self) {
      try FleetCommand.run(
        ["devices", "--database", bench.address], environment: { _ in nil }, print: { _ in throw FullDisk() })
    }
  }

  @Test func devicesAreChanged() throws {
    let bench = try Self.filled()
    try bench.run("rename", "logger", "station")
    try bench.run("move", "station", "--cohort", "field")
    try bench.run("disable", "station")
    var row = try #require(try bench.rows("devices", "--cohort", "field").first)
    #expect(row["device"] as? String == "station" && row["state"] as? String == "disabled")
    try bench.run("enable", "station")
    row = try #require(try bench.rows("devices", "--cohort", "field").first)
    #expect(row["state"] as? String == "never")
    #expect(try bench.run("erase", "van-1") == "1 records deleted")
    let file = "/tmp/erasures-\(UInt32.random(in: 0...UInt32.max)).json"
    try bench.run("erasures", "--json").write(toFile: file, atomically: false, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: file) }
    #expect(try bench.rows("erasures").map { $0["device"] as? String } == ["van-1"])
    #expect(try bench.run("erase", "--apply", file) == "0 records deleted")
    #expect(bench.failure("erase").contains("usage: erase NAME"))
    #expect(bench.failure("erase", "--apply", "/nowhere").contains("/nowhere"))
    #expect(try bench.rows("events", "van-1").isEmpty)
  }

  @Test func tokensAreShownOnceAndStoredAsHashes() throws {
    let bench = try Self.filled()
    let token = try bench.run("enrol", "--cohort", "vans")
    #expect(token.count == 64)
    let found = try bench.sql.query(
      "SELECT role, cohort FROM outrider.token WHERE hash = sha256($1::text::bytea)", [.text(token)])
    #expect(found?.text(0, 0) == "enrol" && found?.text(0, 1) == "vans")
    #expect(try bench.run("token", "read").count == 64)
    #expect(try bench.run("enrol", "--renew", "van-1") == "van-1 may enrol once more")
  }

  @Test(
    arguments: [
      (["fly"], "no command \"fly\"; available: "), ([], "a command is required"),
      (["device"], "usage: device NAME"), (["device", "a", "b"], "usage: device NAME"),
      (["device", "nobody"], "no device is called \"nobody\""), (["why", "nobody"], "no device is called"),
      (["disable", "nobody"], "no device is called"), (["rename", "nobody", "x"], "no device is called"),
      (["erase", "nobody"], "no device is called"), (["enrol", "--renew", "nobody"], "no device is called"),
      (["set", "a=1"], "give one of --device, --cohort and --all"),
      (["set", "a=1", "--all", "--cohort", "c"], "give one of --device, --cohort and --all"),
      (["set", "a", "--all"], "set: expected KEY=VALUE, got \"a\""),
      (["set", "=1", "--all"], "set: expected KEY=VALUE, got \"=1\""),
      (["set", "a=1", "--device", "nobody"], "no device is called \"nobody\""),
      (
        ["devices", "--state", "asleep"], "--state: expected ok, due, silent, never, disabled, got \"asleep\""
      ),
      (
        ["why", "van-1", "--from", "soon"],
        "--from: expected a time such as 2026-11-28T06:00:00Z, got \"soon\""
      ),
      (["token", "enrol"], "token: expected read or operator, got \"enrol\""),
      (["move", "van-1"], "move: --cohort is required"),
    ] as [([String], String)])
  func aWrongCommandSaysWhatToDo(words: [String], message: String) throws {
    let bench = try Self.filled()
    var text = ""
    do {
      _ = try FleetCommand.run(words[...], environment: { _ in bench.address }, print: { _ in })
    } catch let misuse as Arguments.Misuse {
      text = misuse.message
    } catch {
      text = "\(error)"
    }
    #expect(text.contains(message), "\(text)")
  }

  @Test(arguments: [
    ("true", "true"), ("false", "false"), ("5", "5"), ("-1.5", "-1.5"), ("0", "0"), ("0.5", "0.5"),
    ("30s", "\"30s\""),
    ("", "\"\""), ("007", "\"007\""), (".5", "\".5\""), ("5.", "\"5.\""), ("1e3", "\"1e3\""),
    ("nan", "\"nan\""),
    ("[1, 'a']", #"[1, "a"]"#), ("{a: 1}", #"{"a": 1}"#), ("[1", #""[1""#),
    ("a\"b", #""a\"b""#), ("null", "\"null\""), ("-", "\"-\""), ("-.5", "\"-.5\""), ("1-2", "\"1-2\""),
  ])
  func valuesBecomeValidJSON(text: String, json: String) throws {
    #expect(FleetChanges.jsonValue(text) == json)
    #expect(throws: Never.self) {
      try JSONSerialization.jsonObject(with: Data("[\(json)]".utf8))
    }
  }

  @Test func textsOfDevicesCannotForgeLines() {
    let text = FleetCommand.aligned([["a\nb", "c"], ["\u{1B}[31m", "\u{202E}x"]])
    #expect(text == "a?b    c\n?[31m  ?x")
  }
}
