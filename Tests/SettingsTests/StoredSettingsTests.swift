import JSON
import Quantities
import Testing
import TextSnapshots

@testable import Settings

/// Reads stored settings from a file with a damaged part.
@Suite struct StoredSettingsTests: MadeUpServers {
  static let texts = TextSnapshot("settings")

  static var whole: StoredSettings {
    var changes = changes(silenced: ["a"])
    _ = changes.handle(.requested([size: "50"], by: "b", afterRecord: 10), now: at(1))
    _ = changes.handle(.answered(by: "b", newestLocation: 11), now: at(2))
    _ = changes.handle(.requested([mode: "off"], by: "a", afterRecord: 11), now: at(3))
    var stored = StoredSettings()
    stored.operator = ["main.min_time": "5s", "log.level": "debug"]
    stored.server = changes.record(now: at(4), boot: "one", utc: utc)
    stored.tripOverride = TripOverride(before: "false")
    let home = DestinationSettings(name: "home", kind: .overland, url: .unset)
    stored.destinations = [
      "home": DestinationState(home, form: nil), "away": DestinationState(home, form: nil),
    ]
    stored.newcomers = ["away": 7, "fresh": 9]
    stored.departed = ["gone"]
    var tokens = DeviceTokens()
    var fleet = DestinationSettings(name: "fleet", kind: .overland, url: .unset)
    fleet.enrols = true
    _ = tokens.take("own", for: fleet)
    stored.tokens = tokens.entries
    return stored
  }

  @Test func storedSettingsAreReadBack() {
    let stored = Self.whole
    #expect((try? StoredSettings(json: stored.json)) == stored)
    #expect((try? StoredSettings(json: Array("{}".utf8))) == StoredSettings())
    for text in ["", "[]", "5", "{", "{\"operator\": {", "\u{0}"] {
      #expect((try? StoredSettings(json: Array(text.utf8))) == nil, "\(text)")
    }
  }

  /// The seventh change within an hour is postponed, even after a restart.
  @Test func aPostponedChangeIsReadBack() throws {
    var changes = Self.changes(silenced: ["a"])
    for number in 1...7 as ClosedRange<Int64> {
      _ = changes.handle(
        .requested([Self.size: "\(number * 10)"], by: "b", afterRecord: 10), now: Self.at(number))
    }
    var stored = StoredSettings()
    stored.server = changes.record(now: Self.at(8), boot: "one", utc: Self.utc)
    let waiting = try #require(stored.server.waiting)
    #expect(waiting.map(\.value) == ["70"])
    #expect(try StoredSettings(json: stored.json).server.waiting == waiting)
  }

  @Test func aTripThatSwitchedTrackingOnIsReadFromTheOldFormat() throws {
    func read(_ text: String) throws -> TripOverride? {
      try #require(try? StoredSettings(json: Array(text.utf8))).tripOverride
    }
    #expect(try read(#"{"trip_switched_tracking_on": true}"#) == TripOverride(before: "false"))
    #expect(try read(#"{"trip_switched_tracking_on": false}"#) == nil)
    #expect(try read(#"{"trip_switched_tracking_on": true, "trip_claim": {}}"#) == TripOverride(before: nil))
  }

  /// A damaged part of the file, and the values that remain.
  struct Damage: Sendable, CustomTestStringConvertible {
    var path: [String]
    var text: String
    var named: [String]
    var operators = ["log.level", "main.min_time"]
    var values = ["main.batch_size", "main.tracking_mode"]
    var trials = ["main.tracking_mode"]
    var destinations = ["away", "home"]
    var newcomers: [String: Int64] = ["away": 7, "fresh": 9]
    var departed = ["gone"]
    var testDescription: String { "\(path.joined(separator: ".")): \(text)" }
  }

  static let damages: [Damage] = [
    Damage(path: ["destinations"], text: "5", named: ["destinations"], destinations: []),
    Damage(path: ["destinations", "home"], text: "{}", named: ["destinations.home"], destinations: ["away"]),
    Damage(
      path: ["destinations", "home"], text: "{\"place\": 5, \"address\": \"x\", \"held\": []}",
      named: ["destinations.home"], destinations: ["away"]),
    Damage(path: ["newcomers", "away"], text: "\"x\"", named: ["newcomers.away"], newcomers: ["fresh": 9]),
    Damage(path: ["newcomers"], text: "[]", named: ["newcomers"], newcomers: [:]),
    Damage(path: ["tokens", "fleet"], text: "{\"token\": 5}", named: ["tokens.fleet"]),
    Damage(path: ["departed"], text: "[5, \"late\"]", named: ["departed[0]"], departed: ["late"]),
    Damage(path: ["operator"], text: "[1]", named: ["operator"], operators: []),
    Damage(
      path: ["operator", "log.level"], text: "1e999", named: ["operator.\"log.level\""],
      operators: ["main.min_time"]),
    Damage(path: ["server"], text: "\"x\"", named: ["server"], values: [], trials: []),
    Damage(path: ["server", "values"], text: "{}", named: ["server.values"], values: []),
    Damage(
      path: ["server", "values"],
      text: "[5, {\"key\": {\"path\": \"main.tracking_mode\"}, \"value\": \"off\"}]",
      named: ["server.values[0]"], values: ["main.tracking_mode"]),
    Damage(path: ["server", "trials"], text: "[{}]", named: ["server.trials[0]"], values: [], trials: []),
    Damage(path: ["server", "failures"], text: "5", named: ["server.failures"]),
    Damage(
      path: ["server", "contacts"], text: "[5, 6]", named: ["server.contacts[0]", "server.contacts[1]"]),
    Damage(path: ["server", "boot"], text: "5", named: ["server.boot"]),
    Damage(path: ["server", "moment_ms"], text: "1e400", named: ["server.moment_ms"]),
    Damage(path: ["server", "utc_ms"], text: "\"x\"", named: ["server.utc_ms"]),
    Damage(path: ["trip_claim"], text: "\"yes\"", named: ["trip_claim"]),
  ]

  static func replaced(_ value: JSONValue, at path: ArraySlice<String>, by text: String) -> String {
    guard let first = path.first, case .group(let members) = value else { return text }
    let rows = members.sorted { $0.key < $1.key }.map { key, member in
      "\"\(key)\": \(key == first ? replaced(member, at: path.dropFirst(), by: text) : member.json)"
    }
    return "{\(rows.joined(separator: ", "))}"
  }

  @Test(arguments: damages)
  func onlyTheUnreadablePartIsIgnoredAndReported(_ damage: Damage) throws {
    let whole = try #require(JSONValue(json5: Self.whole.json))
    let text = Self.replaced(whole, at: damage.path[...], by: damage.text)
    let read = try #require(try? StoredSettings(json: Array(text.utf8)), "\(text)")
    #expect(read.faults.map(\.path) == damage.named)
    let messages = read.faults.map { "\($0)" }.joined(separator: "\n")
    #expect(messages == Self.texts.expected("stored: \(damage.testDescription)", messages))
    #expect(read.operator.keys.sorted() == damage.operators)
    #expect(read.layers.server.keys.map(\.path).sorted() == damage.values)
    let changes = ServerChanges(
      read.server, rules: Self.changes().rules, now: Self.at(5), boot: "one", utc: Self.utc)
    #expect(changes.trials.keys.map(\.path) == damage.trials)
    #expect((read.destinations ?? [:]).keys.sorted() == damage.destinations)
    #expect((read.newcomers ?? [:]) == damage.newcomers && read.departed == damage.departed)
    #expect((try? StoredSettings(json: read.json))?.faults == [], "the file without it is valid")
  }

  /// An invalid byte that is inserted after the first occurrence of `behind`, and its message.
  struct BadByte: Sendable, CustomTestStringConvertible {
    var behind: String, byte: UInt8 = 0x81, named: String, expectedText: String
    var operators = ["log.level", "main.min_time"]
    var hasValues = true
    var destinations = ["away", "home"]
    var testDescription: String { named }
  }

  static let badBytes = [
    BadByte(
      behind: "\"main.min_t", named: "operator.\"main.min_t\u{FFFD}ime\"",
      expectedText: "expected UTF-8, got 0x81 at byte",
      operators: ["log.level"]),
    BadByte(
      behind: "\"deb", named: "operator.\"log.level\"", expectedText: "expected UTF-8, got 0x81 at byte",
      operators: ["main.min_time"]),
    BadByte(
      behind: "\"deb", byte: 0, named: "operator.\"log.level\"",
      expectedText: "expected no control character in a string, got 0x00 at byte",
      operators: ["main.min_time"]),
    BadByte(
      behind: "\"oper", named: "\"oper\u{FFFD}ator\"", expectedText: "expected UTF-8, got 0x81 at byte",
      operators: []
    ),
    BadByte(
      behind: "\"tri", named: "server.\"tri\u{FFFD}als\"", expectedText: "expected UTF-8", hasValues: false),
    BadByte(
      behind: "\"boo", named: "server.\"boo\u{FFFD}t\"", expectedText: "expected UTF-8"),
    BadByte(
      behind: "\"addr", named: "destinations.away", expectedText: "expected UTF-8, got 0x81 at byte",
      destinations: ["home"]),
  ]

  @Test(arguments: badBytes)
  func onlyThePartWithAnInvalidByteIsIgnored(_ bad: BadByte) throws {
    var bytes = Self.whole.json
    let offset = try #require(bytes.firstRange(of: Array(bad.behind.utf8)))
    bytes.insert(bad.byte, at: offset.upperBound)
    let read = try StoredSettings(json: bytes)
    #expect(read.faults.map(\.path) == [bad.named])
    let line = 1 + bytes[..<offset.upperBound].count { $0 == UInt8(ascii: "\n") }
    let description = try #require(read.faults.first).description
    #expect(
      description.contains(bad.expectedText)
        && description.contains("\(offset.upperBound), line \(line); ignored; "),
      "\(description)")
    #expect(read.operator.keys.sorted() == bad.operators)
    #expect(read.layers.server.isEmpty != bad.hasValues)
    #expect((read.destinations ?? [:]).keys.sorted() == bad.destinations)
  }

  @Test func anUnreadableFileIsReportedWithThePosition() {
    for (text, expectedText) in [
      (
        "{\n\"operator\": {",
        "expected a bracket that closes this one, got the end of the text at byte 14, line 2"
      ),
      ("[]", "expected a group { … } of settings, got something else at byte 0"),
      ("{\u{0}", "expected a key in quotes, got 0x00 at byte 1"),
    ] {
      do throws(JSONFault) {
        _ = try StoredSettings(json: Array(text.utf8))
        Issue.record("taken: \(text)")
      } catch {
        #expect(error.description == expectedText)
      }
    }
  }

  /// Every third change of one byte leaves a readable part; none prevents the start of the logger.
  @Test(arguments: 0..<30)
  func noChangeOfOneByteTraps(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var readable = 0
    for _ in 0..<60 {
      var bytes = Self.whole.json
      bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
      guard let read = try? StoredSettings(json: bytes) else { continue }
      readable += 1
      #expect((try? StoredSettings(json: read.json))?.faults == [], "seed \(seed)")
    }
    #expect(readable > 3, "seed \(seed)")
  }
}
