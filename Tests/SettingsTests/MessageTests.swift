import Testing

@testable import Settings

@Suite struct MessageTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let file: String, messages: [String]
    var testDescription: String { file }
    init(_ file: String, _ messages: String...) { (self.file, self.messages) = (file, messages) }
  }

  static let destination = #"{ name: "home", kind: "overland", url: "https://example.org/" }"#

  static let files = [
    Case("{}"),
    Case(
      "{\n  storage: { directry: '/x' } }",
      "config.json5:2:14: storage.directry: unknown setting; did you mean storage.directory?"),
    Case("{ strage: {} }", "config.json5:1:3: strage: unknown setting; did you mean storage?"),
    Case(
      "{ min_time: '5s' }",
      "config.json5:1:3: min_time: unknown setting; did you mean main.min_time or trip.min_time?"),
    Case(
      "{ 'main.min_time': '5s' }",
      "config.json5:1:3: \"main.min_time\": unknown setting; did you mean main: { min_time: … }?"),
    Case("{ 'x\\n\\u001b[31m': 1 }", #"config.json5:1:3: "x\n\u{1B}[31m": unknown setting"#),
    Case("{ zebra: 1 }", "config.json5:1:3: zebra: unknown setting"),
    Case(
      "{ supply: 'mians', log: { level: 5 } }",
      #"config.json5:1:11: supply: expected "mains", "vehicle" or "battery", got "mians""#,
      #"config.json5:1:34: log.level: expected "error", "warning", "notice" or "debug", got the number 5"#),
    Case(
      "{ main: { min_time: 5 } }",
      "config.json5:1:21: main.min_time: expected a duration from 0s to 1d with its unit (ms, s, m, h, d), "
        + "got the number 5"),
    Case(
      "{ device_id: '\(String(repeating: "é", count: 65))' }",
      "config.json5:1:14: device_id: expected a text of one line of at most 128 bytes, "
        + "got \"\(String(repeating: "é", count: 60))…\""),
    Case("{ device_id: '\(String(repeating: "é", count: 64))' }"),
    Case(
      "{ main: { batch_size: 1e400 } }",
      "config.json5:1:23: main.batch_size: expected a whole number from 1 to 1000, got a number that is too large or too long to read"
    ),
    Case(
      "{ main: { batch_size: -0x\(String(repeating: "f", count: 400)), min_distance: 1e400 }, supply: 5 }",
      "config.json5:1:23: main.batch_size: expected a whole number from 1 to 1000, got a number that is too large or too long to read",
      "config.json5:1:442: main.min_distance: expected \"off\" or a distance from 0m to 100km with its unit (mm, m, km), "
        + "got a number that is too large or too long to read",
      #"config.json5:1:459: supply: expected "mains", "vehicle" or "battery", got the number 5"#),
    Case(
      "{ profiles: [{ when: 'moving', angle_deg: 1e400 }] }",
      "config.json5:1:43: profiles[0].angle_deg: expected \"off\" or a number from 1 to 180, in °, "
        + "got a number that is too large or too long to read"),
    Case(
      "{ main: { min_time: 5s } }",
      "config.json5:1:21: main.min_time: expected a duration from 0s to 1d with its unit (ms, s, m, h, d), "
        + "got a number or escape that cannot be read; text must stand in quotes"),
    Case(
      "{ supply: mains }",
      #"config.json5:1:11: supply: expected "mains", "vehicle" or "battery", got text without quotes"#),
    Case(
      "{ profiles: x }", "config.json5:1:13: profiles: expected \(ProfileKeys.list), got text without quotes"),
    Case("{ profiles: 'x' }", "config.json5:1:13: profiles: expected \(ProfileKeys.list), got a text"),
    Case(
      "{ profiles: [x] }", "config.json5:1:14: profiles[0]: text must stand in quotes"),
    Case(
      "{ profiles: [{ when: 'stop' }, { when: 'stop' }] }",
      "config.json5:1:40: profiles[1].when: expected a when of its own, got \"stop\" a second time"),
    Case(
      "{ send_interval: '5' }",
      "config.json5:1:18: send_interval: expected \"off\" or a duration from 1s to 1d with its unit "
        + "(ms, s, m, h, d), got \"5\""),
    Case(
      "{ send_interval: null }",
      "config.json5:1:18: send_interval: expected \"off\" or a duration from 1s to 1d with its unit "
        + "(ms, s, m, h, d), got null"),
    Case(
      "{ main: 5 }",
      "config.json5:1:9: main: expected a group with main.tracking_mode, main.visit_tracking, "
        + "main.desired_accuracy, …, got a number"
    ),
    Case(
      "{ supply: 'mains',\n  'supply': 'battery' }",
      "config.json5:2:3: supply: given twice, first on line 1; remove one of them"),
    Case(
      "{ receiver: { gpsd: 'localhost', port: '/dev/a' } }",
      "config.json5:1:15: receiver.gpsd: not together with receiver.port; remove one of them"),
    Case(
      "{ receiver: { gpsd: 'localhost:gps' } }",
      "config.json5:1:21: receiver.gpsd: expected HOST or HOST:PORT, an IPv6 address in brackets, as in "
        + "\"localhost:2947\", got \"localhost:gps\""),
    Case("{ title: 'x' }", "config.json5:1:3: title: not here; it belongs in a board file"),
    Case(
      "{ storage: { directory: '/x\\u0007y' } }",
      #"config.json5:1:25: storage.directory: expected a path, got "/x\u{07}y""#),
    Case(
      "{ destinations: [\(destination), \(destination)] }",
      "config.json5:1:91: destinations[1].name: expected a name of its own, got \"home\" a second time"),
    Case(
      "{ destinations: [{ name: '', tokn: 'hunter2' }] }",
      "config.json5:1:18: destinations[0].kind: missing; give \"overland\", \"owntracks\", \"query\" or \"file\"",
      "config.json5:1:26: destinations[0].name: expected a text of one line, not empty, got \"\"",
      "config.json5:1:30: destinations[0].tokn: unknown setting; did you mean destinations[0].token?"),
    Case(
      "{ destinations: [{ name: 'a', kind: 'postcard', url: 'http://h' }] }",
      "config.json5:1:37: destinations[0].kind: expected \"overland\", \"owntracks\", \"query\" or \"file\", "
        + "got \"postcard\""),
    Case(
      "{ destinations: [{ name: 'a', kind: 'overland' }] }",
      "config.json5:1:18: destinations[0].url: missing; give an address https://HOST/…, "
        + "http://HOST/…, mqtts://HOST or mqtt://HOST"
    ),
    Case(
      "{ destinations: [{ name: 'a', kind: 'query', url: 'mqtt://h' }] }",
      "config.json5:1:51: destinations[0].url: expected an address https://HOST/… or http://HOST/…, got the address "
        + "of a broker"),
    Case(
      "{ destinations: [{ name: 'a', kind: 'file' }] }",
      "config.json5:1:18: destinations[0].directory: missing; give a path"),
    Case(
      "{ destinations: [{ name: 'a', kind: 'query', url: 'http://h', client_certificate: '/c' }] }",
      "config.json5:1:18: destinations[0].client_key: missing; give the key of client_certificate"),
    Case(
      "{ destinations: [{ name: 'a', kind: 'query', url: 'http://h', headers: { 'Content-Length': '5' } }] }",
      "config.json5:1:74: destinations[0].headers.Content-Length: expected a header that does not say where a request ends, "
        + "got Content-Length"),
    Case(
      "{ destinations: [{ name: 'a', kind: 'query', url: 'http://h', headers: { 'X Y': 'hunter2' } }] }",
      "config.json5:1:74: destinations[0].headers.(hidden): expected the name of a header: letters, digits and -, "
        + "got another character"
    ),
    Case(
      "{ destinations: ['a'] }",
      "config.json5:1:18: destinations[0]: expected { \(DestinationKeys.all) }, got a text"
    ),
  ]

  @Test(arguments: files)
  func everyFaultOfAFileIsNamedWithPlaceKeyAndRemedy(_ file: Case) {
    #expect(refusals(file: file.file) == file.messages)
  }

  static let overrides = [
    Case("main.min_tme=5s", "--set: main.min_tme: unknown setting; did you mean main.min_time?"),
    Case(
      "storage.directory", "--set: expected KEY=VALUE, as in log.level=debug; no = follows storage.directory"),
    Case("=5", "--set: expected KEY=VALUE, as in log.level=debug"),
    Case("main..min_time=5s", #"--set: main."".min_time: unknown setting; did you mean main.min_time?"#),
    Case("main.min_time.=5s", #"--set: main.min_time."": unknown setting; did you mean main.min_time?"#),
    Case(
      "storage.allow_volatile=yes", "--set: storage.allow_volatile: expected true or false, got \"yes\""),
    Case(
      "main.batch_size=0", "--set: main.batch_size: expected a whole number from 1 to 1000, got the number 0"),
    Case("destinations=[", "--set:1:1: destinations: this [ is never closed"),
    Case("profiles=x", "--set: profiles: expected \(ProfileKeys.list), got a text"),
    Case(
      "main.batch_size=1e400",
      "--set: main.batch_size: expected a whole number from 1 to 1000, got a number that is too large or too long to read"
    ),
    Case("title=x", "--set: title: not here; it belongs in a board file"),
    Case(
      "main=5s",
      "--set: main: expected a group with main.tracking_mode, main.visit_tracking, "
        + "main.desired_accuracy, …, got a text"
    ),
    Case(
      "destinations=[{name:'a',kind:'overland',url:'http://h',tokn:'hunter2'}]",
      "--set:1:43: destinations[0].tokn: unknown setting; did you mean destinations[0].token?"),
  ]

  @Test(arguments: overrides)
  func everyFaultOfAnOverrideIsNamed(_ override: Case) {
    #expect(refusals(set: [override.file]) == override.messages)
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
  func noMessageRepeatsTheAddressThatIsToldOfEvents(hook: String) throws {
    let wishes = try OperatorWishes(json: Array(#"{"notifications": \#(hook)}"#.utf8))
    let sources = ConfigurationSources(fallbacks: Fallbacks(deviceID: "", apiSocket: ""))
    let messages = [
      refusals(file: "{ notifications: \(hook) }"), refusals(set: ["notifications=\(hook)"]),
      sources.faults(of: wishes, over: StoredLayers()).map(\.description),
    ]
    for told in messages {
      #expect(
        told.count == 1
          && told.allSatisfy {
            $0.contains("notifications: expected") && !$0.contains("hunter2") && !$0.contains("4471")
          }, "\(told)")
    }
  }

  @Test func theNameOfAHeaderIsHiddenOnlyWhereItIsNone() {
    #expect(SettingsPlace(file: "", path: "destinations[0].headers.X-Key").path.hasSuffix(".headers.X-Key"))
    #expect(
      SettingsPlace(file: "", path: #"destinations[0].headers."X Key""#).path
        == "destinations[0].headers.(hidden)")
    #expect(SettingsPlace(file: "", path: #""headers.x".y"#).path == #""headers.x".y"#)
  }

  @Test func whatAListingShowsForASecretIsNone() {
    #expect(refusals(set: ["api.token=(hidden)"]).count == 1)
    let file =
      "{ destinations: [{ name: 'a', kind: 'overland', url: 'http://h', headers: { a: '(hidden)' } }] }"
    #expect(refusals(file: file).count == 1)
  }

  @Test func faultsOfAllSourcesAreCollectedInTheirOrder() {
    #expect(
      refusals(board: "{ a: 1 }", file: "{ supply: 1, supply: 'x'", set: ["b=1", "c"]) == [
        "board.json5:1:1: title: missing; give a text of one line, not empty",
        "board.json5:1:3: a: unknown setting",
        "config.json5:1:1: this { is never closed",
        "--set: b: unknown setting",
        "--set: expected KEY=VALUE, as in log.level=debug; no = follows c",
      ])
  }

  @Test func aFileOfNothingButFaultsIsCutShort() {
    let keys = (0..<5000).map { "key_\($0): 1" }.joined(separator: ",")
    #expect(refusals(file: "{\(keys)}").count == 50)
  }

  @Test func aMissingBoardNamesThoseThatExist() {
    let error = SettingsError.boardNotFound(name: "simulater", known: ["simulator", "raspberry-pi-zero-2w"])
    #expect(
      error.description
        == "board \"simulater\": not found; did you mean simulator? There are: raspberry-pi-zero-2w, simulator"
    )
  }

  @Test func aMissingBoardThatIsLikeNoneIsASentenceOfItsOwn() {
    #expect(
      SettingsError.boardNotFound(name: "nix", known: ["simulator"]).description
        == "board \"nix\": not found. There are: simulator")
    #expect(SettingsError.boardNotFound(name: "nix", known: []).description == "board \"nix\": not found.")
  }

  @Test(arguments: [
    ("", "abc", 3), ("abc", "", 3), ("directry", "directory", 1), ("mian", "main", 1), ("a", "a", 0),
  ])
  func editsAreCounted(a: String, b: String, edits: Int) {
    #expect(NearestKey.edits(Array(a.utf8), Array(b.utf8)) == edits)
  }
}

/// What a message says of `profiles`.
enum ProfileKeys {
  static let list =
    "a list of { "
    + ProfileSettings.Field.table.settings.map { $0.isRequired ? $0.path : "\($0.path)?" }
    .joined(separator: ", ") + " }"
}

/// The keys of a destination as a message lists them.
enum DestinationKeys {
  static let all = DestinationSettings.Field.table.settings.map { $0.isRequired ? $0.path : "\($0.path)?" }
    .joined(separator: ", ")
}
