import Testing
import TextSnapshots

@testable import Settings

@Suite struct MessageTests {
  static let texts = TextSnapshot("settings")

  /// A text with errors, and their number.
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String, text: String, errors: Int
    var testDescription: String { name }

    init(_ name: String, _ text: String, errors: Int = 1) {
      (self.name, self.text, self.errors) = (name, text, errors)
    }
  }

  static let destination = #"{ name: "home", kind: "overland", url: "https://example.org/" }"#

  static let files = [
    Case("no settings", "{}", errors: 0),
    Case("misspelt key", "{\n  storage: { directry: '/x' } }"),
    Case("misspelt group", "{ strage: {} }"),
    Case("key of another group", "{ min_time: '5s' }"),
    Case("dotted path as a key", "{ 'main.min_time': '5s' }"),
    Case("control characters in a key", "{ 'x\\n\\u001b[31m': 1 }"),
    Case("unknown key", "{ zebra: 1 }"),
    Case("wrong words", "{ supply: 'mians', log: { level: 5 } }", errors: 2),
    Case("number without a unit", "{ main: { min_time: 5 } }"),
    Case("text too long", "{ device_id: '\(String(repeating: "é", count: 65))' }"),
    Case("text of the largest length", "{ device_id: '\(String(repeating: "é", count: 64))' }", errors: 0),
    Case("number too large", "{ main: { batch_size: 1e400 } }"),
    Case(
      "numbers too large",
      "{ main: { batch_size: -0x\(String(repeating: "f", count: 400)), min_distance: 1e400 }, supply: 5 }",
      errors: 3),
    Case("number too large in a profile", "{ profiles: [{ when: 'moving', angle_deg: 1e400 }] }"),
    Case("unquoted value with a unit", "{ main: { min_time: 5s } }"),
    Case("unquoted word", "{ supply: mains }"),
    Case("unquoted word for a list", "{ profiles: x }"),
    Case("text for a list", "{ profiles: 'x' }"),
    Case("unquoted member of a list", "{ profiles: [x] }"),
    Case("condition twice", "{ profiles: [{ when: 'stop' }, { when: 'stop' }] }"),
    Case("interval without a unit", "{ send_interval: '5' }"),
    Case("null", "{ send_interval: null }"),
    Case("number for a group", "{ main: 5 }"),
    Case("key twice", "{ supply: 'mains',\n  'supply': 'battery' }"),
    Case("port and gpsd", "{ receiver: { gpsd: 'localhost', port: '/dev/a' } }"),
    Case("invalid port of gpsd", "{ receiver: { gpsd: 'localhost:gps' } }"),
    Case("key of a board file", "{ title: 'x' }"),
    Case("control character in a path", "{ storage: { directory: '/x\\u0007y' } }"),
    Case("destination name twice", "{ destinations: [\(destination), \(destination)] }"),
    Case("faulty destination", "{ destinations: [{ name: '', tokn: 'hunter2' }] }", errors: 3),
    Case("unknown kind", "{ destinations: [{ name: 'a', kind: 'postcard', url: 'http://h' }] }"),
    Case("destination without a URL", "{ destinations: [{ name: 'a', kind: 'overland' }] }"),
    Case("broker for a query", "{ destinations: [{ name: 'a', kind: 'query', url: 'mqtt://h' }] }"),
    Case("file destination without a directory", "{ destinations: [{ name: 'a', kind: 'file' }] }"),
    Case(
      "certificate without a key",
      "{ destinations: [{ name: 'a', kind: 'query', url: 'http://h', client_certificate: '/c' }] }"),
    Case(
      "header of the length",
      "{ destinations: [{ name: 'a', kind: 'query', url: 'http://h', headers: { 'Content-Length': '5' } }] }"),
    Case(
      "invalid header name",
      "{ destinations: [{ name: 'a', kind: 'query', url: 'http://h', headers: { 'X Y': 'hunter2' } }] }"),
    Case("text for a destination", "{ destinations: ['a'] }"),
  ]

  @Test(arguments: files)
  func everyErrorOfAFileIsReportedWithPositionKeyAndRemedy(_ file: Case) {
    let messages = refusals(file: file.text)
    #expect(messages.count == file.errors)
    guard file.errors > 0 else { return }
    let text = ProfileKeys.shortened(messages)
    #expect(text == Self.texts.expected("file: \(file.name)", text))
  }

  static let overrides = [
    Case("misspelt key", "main.min_tme=5s"),
    Case("no value", "storage.directory"),
    Case("no key", "=5"),
    Case("empty part of a path", "main..min_time=5s"),
    Case("empty end of a path", "main.min_time.=5s"),
    Case("word for a switch", "storage.allow_volatile=yes"),
    Case("number out of range", "main.batch_size=0"),
    Case("open list", "destinations=["),
    Case("text for a list", "profiles=x"),
    Case("number too large", "main.batch_size=1e400"),
    Case("key of a board file", "title=x"),
    Case("value for a group", "main=5s"),
    Case(
      "misspelt key of a destination",
      "destinations=[{name:'a',kind:'overland',url:'http://h',tokn:'hunter2'}]"),
  ]

  @Test(arguments: overrides)
  func everyErrorOfAnOverrideIsReported(_ override: Case) {
    let messages = refusals(set: [override.text])
    #expect(messages.count == override.errors)
    let text = ProfileKeys.shortened(messages)
    #expect(text == Self.texts.expected("override: \(override.name)", text))
  }

  static let secrets = [
    "{ destinations: [{ name: 'a', kind: 'overland', url: 'ftp://me:hunter2@h/hunter2', token: 4471 }] }",
    "{ destinations: [{ name: 'a', kind: 'overland', url: 5, token: 'hunter2\\n' }] }",
    "{ destinations: [{ name: 'a', kind: 'overland', url: 'http://h', tokn: 'hunter2', token: ['hunter2'] }] }",
    "{ destinations: 'hunter2' }", "{ destinations: [hunter2] }", "{ destinations: [{ token: 'hunter2 }] }",
    "{ destinations: [{ token: 'hunter2' }, { token: 'hunter2' 'hunter2' }] }",
    "{ destinations: ['hunter2'] }",
    "{ destinations: [{ name: 'a', kind: 'overland', url: 'http://h', headers: { a: ['hunter2'] } }] }",
    "{ destinations: [{ name: 'a', kind: 'overland', url: 'http://h', headers: 'hunter2', proxy: 'hunter2' }] }",
    "{ destinations: [{ name: 'a', kind: 'owntracks', url: 'http://h', password: 'hunter2\\n' }] }",
    "{ destinations: [{ name: 'a', kind: 'overland', url: 'http://h', headers: { 'X: hunter2': '1' } }] }",
    "{ destinations: [{ name: 'a', kind: 'overland', url: 'http://h', headers: { 'hunter2 ': 1, 'hunter2 ': 2 } }] }",
    "{ destinations: [{ name: 'a', kind: 'overland', url: 'http://h', headers: { 'X\"hunter2': loud } }] }",
  ]

  @Test(arguments: secrets)
  func noMessageRepeatsASecret(file: String) {
    let inFile = refusals(file: file)
    let onCommandLine = refusals(set: ["destinations=" + file.dropFirst(16).dropLast(2)])
    #expect(!inFile.isEmpty && !onCommandLine.isEmpty)
    for message in inFile + onCommandLine {
      #expect(!message.contains("hunter2") && !message.contains("4471"), "\(message)")
    }
  }

  static let secretHooks = [
    "'http://u:hunter2@ho st/'", "'ftp://u:hunter2@host/'", "['hunter2']", "4471", "'http://u:hunter2@/'",
  ]

  @Test(arguments: secretHooks)
  func noMessageRepeatsTheURLOfNotifications(hook: String) throws {
    let request = try OperatorRequest(json: Array(#"{"notifications": \#(hook)}"#.utf8))
    let sources = ConfigurationSources(fallbacks: Fallbacks(deviceID: "", apiSocket: ""))
    let messages = [
      refusals(file: "{ notifications: \(hook) }"), refusals(set: ["notifications=\(hook)"]),
      sources.faults(of: request, over: StoredLayers()).map(\.description),
    ]
    for reported in messages {
      #expect(
        reported.count == 1
          && reported.allSatisfy {
            $0.replacing("[0]", with: "").contains("notifications: expected") && !$0.contains("hunter2")
              && !$0.contains("4471")
          }, "\(reported)")
    }
  }

  @Test func anInvalidHeaderNameIsHidden() {
    #expect(SettingLocation(file: "", path: "destinations[0].headers.X-Key").path.hasSuffix(".headers.X-Key"))
    #expect(
      SettingLocation(file: "", path: #"destinations[0].headers."X Key""#).path
        == "destinations[0].headers.(hidden)")
    #expect(SettingLocation(file: "", path: #""headers.x".y"#).path == #""headers.x".y"#)
  }

  @Test func thePlaceholderOfASecretIsRejectedAsAValue() {
    #expect(refusals(set: ["api.token=(hidden)"]).count == 1)
    let file =
      "{ destinations: [{ name: 'a', kind: 'overland', url: 'http://h', headers: { a: '(hidden)' } }] }"
    #expect(refusals(file: file).count == 1)
  }

  @Test func errorsOfAllSourcesAreReportedInTheirOrder() {
    let messages = refusals(board: "{ a: 1 }", file: "{ supply: 1, supply: 'x'", set: ["b=1", "c"])
    let sources = messages.map { String($0.prefix { $0 != ":" }) }
    #expect(sources == ["board.json5", "board.json5", "config.json5", "--set", "--set"])
    let text = messages.joined(separator: "\n")
    #expect(text == Self.texts.expected("all sources", text))
  }

  @Test func theNumberOfErrorsOfAFileIsLimited() {
    let keys = (0..<5000).map { "key_\($0): 1" }.joined(separator: ",")
    #expect(refusals(file: "{\(keys)}").count == 50)
  }

  @Test func theErrorForAMissingBoardListsTheAvailableOnes() {
    let known = ["simulator", "raspberry-pi-zero-2w"]
    let errors = [("simulater", known), ("nix", ["simulator"]), ("nix", [])].map {
      SettingsError.boardNotFound(name: $0, known: $1).description
    }
    #expect(errors[0].contains("simulator?") && errors[0].hasSuffix("raspberry-pi-zero-2w, simulator"))
    let text = errors.joined(separator: "\n")
    #expect(text == Self.texts.expected("missing board", text))
  }

  @Test(arguments: [
    ("", "abc", 3), ("abc", "", 3), ("directry", "directory", 1), ("mian", "main", 1), ("a", "a", 0),
  ])
  func theEditDistanceIsComputed(a: String, b: String, edits: Int) {
    #expect(NearestKey.edits(Array(a.utf8), Array(b.utf8)) == edits)
  }
}

/// The keys of a profile as a message lists them.
enum ProfileKeys {
  static let list =
    "a list of { "
    + ProfileSettings.Field.table.settings.map { $0.isRequired ? $0.path : "\($0.path)?" }
    .joined(separator: ", ") + " }"

  /// The messages as one text, with the lists of keys of profiles and destinations shortened.
  static func shortened(_ messages: [String]) -> String {
    messages.joined(separator: "\n").replacing(list, with: "a list of profiles")
      .replacing("{ \(DestinationKeys.all) }", with: "a destination")
  }
}

/// The keys of a destination as a message lists them.
enum DestinationKeys {
  static let all = DestinationSettings.Field.table.settings.map { $0.isRequired ? $0.path : "\($0.path)?" }
    .joined(separator: ", ")
}
