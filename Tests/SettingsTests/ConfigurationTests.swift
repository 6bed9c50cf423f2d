import Testing
import TextSnapshots

import Settings

@Suite struct ConfigurationTests {
  static let texts = TextSnapshot("settings")

  @Test func withoutSourcesEverySettingHasItsDefault() throws {
    let read = try configuration()
    #expect(read.board == nil)
    #expect(read.deviceID == "host")
    #expect(read.destinations.isEmpty)
    #expect(read.sendInterval == .seconds(300))
    #expect(read.storage.directory == "/var/lib/outrider")
    #expect(read.storage.commitInterval == .seconds(10))
    #expect(read.storage.retention == .seconds(30 * 86_400))
    #expect(read.storage.limitBytes == 512_000_000)
    #expect(!read.storage.allowsVolatile)
    #expect(read.main.trackingMode == .standard)
    #expect(read.main.minTime == .seconds(1))
    #expect(read.main.minDistanceMetres == nil)
    #expect(read.main.batchSize == 200)
    #expect(read.trip.desiredAccuracy == .metres100)
    #expect(read.receiver.port == nil)
    #expect(read.receiver.gpsd == nil)
    #expect(read.receiver.speed == .automatic)
    #expect(read.receiver.control == .full)
    #expect(read.supply == .mains)
    #expect(read.api == APISettings(socket: "/run/outrider/api.sock"))
    #expect(read.logLevel == .notice)
    #expect(Set(read.origins.values) == [.default])
  }

  @Test func everyDefaultIsAValidValue() {
    // The default that a listing shows is valid in a file.
    for setting in Configuration.settings
    where !setting.defaultText.contains(" ") && setting.defaultText != "[]" {
      #expect(refusals(set: ["\(setting.path)=\(setting.defaultText)"]) == [], "\(setting.path)")
    }
  }

  @Test func aHigherLayerOverridesALower() throws {
    let read = try configuration(
      board:
        "{ title: 'Box', notes: ['a', 'b'], supply: 'vehicle', receiver: { port: '/dev/a', speed: 9600 } }",
      file: "{ receiver: { port: '/dev/b' }, main: { min_time: '5s' }, supply: 'vehicle' }",
      set: ["main.min_time=7s", "main.min_time=90s", "device_id=van=1"])
    #expect(read.boardTitle == "Box")
    #expect(read.boardNotes == ["a", "b"])
    #expect(read.receiver.port == "/dev/b")
    #expect(read.receiver.speed == .fixed(9600))
    #expect(read.main.minTime == .seconds(90))
    #expect(read.deviceID == "van=1")
    let expected: [String: Origin] = [
      "receiver.port": .file, "receiver.speed": .board, "main.min_time": .override, "device_id": .override,
      "supply": .file,
    ]
    #expect(read.origins.filter { $0.value != .default } == expected)
  }

  @Test(arguments: [
    ("localhost", "localhost", 2947, "localhost:2947"), ("gps.lan:1", "gps.lan", 1, "gps.lan:1"),
    ("[fe80::1%eth0]", "fe80::1%eth0", 2947, "[fe80::1%eth0]:2947"), ("[::1]:99", "::1", 99, "[::1]:99"),
  ])
  func anAddressOfGpsdIsParsed(text: String, host: String, port: UInt16, shown: String) throws {
    let gpsd = try #require(GPSDAddress(text))
    #expect(gpsd.host == host && gpsd.port == port)
    #expect("\(gpsd)" == shown)
    #expect(GPSDAddress(shown) == gpsd)
  }

  /// The board has the receiver on a port, but gpsd shares it on this device; and vice versa.
  @Test func aHigherLayerReplacesTheInterfaceToTheReceiver() throws {
    let shared = try configuration(
      board: "{ title: 'Box', receiver: { port: '/dev/a' } }", file: "{ receiver: { gpsd: 'localhost' } }")
    #expect(shared.receiver.gpsd?.port == 2947)
    #expect(shared.receiver.port == nil)
    #expect(shared.origins["receiver.port"] == .default && shared.origins["receiver.gpsd"] == .file)
    let own = try configuration(
      file: "{ receiver: { gpsd: 'localhost' } }", set: ["receiver.gpsd=other", "receiver.port=/dev/b"])
    #expect(own.receiver.port == "/dev/b")
    #expect(own.receiver.gpsd == nil)
    #expect(shared.changes(to: own).afterRestart == ["receiver.port", "receiver.gpsd"])
  }

  @Test func overridesTakeTextLiterallyAndTheRestAsJSON5() throws {
    let read = try configuration(
      set: [
        "storage.allow_volatile=true", "receiver.speed=0x2580", "receiver.port=", "device_id=",
      ].filter { $0 != "receiver.port=" } + [
        "destinations=[{name:\"a\",kind:\"overland\",url:\"http://h\",timeout:'5s'}]", "storage.limit=2 GiB",
        "log.level=debug", "board=simulator",
      ])
    #expect(read.storage.allowsVolatile)
    #expect(read.receiver.speed == .fixed(9600))
    #expect(read.deviceID == "")
    #expect(read.destinations.map(\.timeout) == [.seconds(5)])
    #expect(read.storage.limitBytes == 2 << 30)
    #expect(read.logLevel == .debug)
    #expect(read.board == .named("simulator"))
    #expect(
      try configuration(file: "{ receiver: { speed: 9600 } }", set: ["receiver.speed=auto"]).receiver.speed
        == .automatic)
  }

  @Test func aDestinationIsReadCompletely() throws {
    let file = """
      { destinations: [{ name: "home", kind: "overland", url: "https://example.org/api?x=1", token: "s",
        ca_file: "/etc/ca.pem" }] }
      """
    let home = try #require(try configuration(file: file).destinations.first)
    #expect(home.name == "home")
    #expect(home.url.text == "https://example.org/api?x=1")
    #expect(home.token?.revealed == "s")
    #expect(home.caFile == "/etc/ca.pem")
    #expect(home.timeout == .seconds(60))
  }

  @Test func listingsAndDumpsContainNoSecrets() throws {
    let read = try configuration(
      file:
        "{ destinations: [{ name: 'a', kind: 'overland', url: 'http://u:hunter2@h:80/hunter2', token: 'hunter2' }] }"
    )
    var dumped = ""
    dump(read, to: &dumped)
    let shown = "\(read.rows) \(read) \(String(reflecting: read)) \(dumped)"
    #expect(!shown.contains("hunter2"))
    #expect(
      read.rows.first { $0.setting.path == "destinations" }?.value
        == "[{ name: a, kind: overland, url: http://h:80/…, token: (hidden) }]")
  }

  @Test func headersAreListedAsAGroupWithoutTheirValues() throws {
    let read = try configuration(
      file: "{ destinations: [{ name: 'a', kind: 'query', url: 'http://h', headers: { Key: 'hunter2' } }] }")
    let json = try #require(read.rows.first { $0.setting.path == "destinations" }?.json)
    #expect(
      json.contains(#""headers":{"Key":"(hidden)"}"#) || json.contains(#""headers": {"Key": "(hidden)"}"#),
      "\(json)")
  }

  @Test func theListingShowsValueDefaultAndOrigin() throws {
    let rows = try configuration(file: "{ main: { min_distance: '25m' } }").rows
    #expect(rows.count == Configuration.settings.count)
    let row = try #require(rows.first { $0.setting.path == "main.min_distance" })
    #expect(row.value == "25m" && row.setting.defaultText == "off" && row.origin == .file)
    #expect(Set(rows.map(\.setting.path)).count == rows.count)
    #expect(rows.allSatisfy { $0.setting.sentence.hasSuffix(".") })
    #expect(!rows.contains { $0.setting.path == "title" })
  }

  @Test func aChangeReportsIfItRequiresARestart() throws {
    let old = try configuration(file: "{ storage: { directory: '/a' }, supply: 'vehicle' }")
    let new = try configuration(
      file: "{ receiver: { port: '/dev/x' }, destinations: [], main: { min_time: '5s' } }",
      set: ["storage.directory=/b", "supply=vehicle"])
    #expect(old.changes(to: old).isEmpty)
    let changes = old.changes(to: new)
    #expect(changes.atOnce == ["main.min_time"])
    #expect(changes.afterRestart == ["storage.directory", "receiver.port"])
  }

  static let boards: [(file: String?, overrides: [String], board: BoardChoice?)] = [
    (nil, [], nil),
    ("{ supply: 'wrong' }", [], nil),
    ("{ board: 'pi-4' }", [], .named("pi-4")),
    ("{ board: './a' }", [], .file(path: "./a")),
    ("{ board: 'a.json5' }", ["supply=x"], .file(path: "a.json5")),
    ("{ board: 5 }", ["board=x", "board=y"], .named("y")),
  ]

  @Test(arguments: boards.indices)
  func theBoardIsReadBeforeOtherSettings(index: Int) throws {
    let (file, overrides, board) = Self.boards[index]
    let source = file.map { SourceText(name: "config.json5", bytes: Array($0.utf8)) }
    #expect(try BoardChoice.named(in: source, overrides: overrides) == board)
  }

  /// (configuration file, overrides, place of the board)
  static let boardLocations: [(String?, [String], String?)] = [
    ("{\n  board: 'x' }", [], "config.json5:2:10: board"),
    ("{\n  board: 'x' }", ["supply=battery"], "config.json5:2:10: board"),
    ("{\n  board: 'x' }", ["board=y"], nil),
    ("{ supply: 'battery' }", [], nil),
    ("{", [], nil),
    (nil, [], nil),
  ]

  @Test(arguments: boardLocations.indices)
  func aMessageAboutTheBoardCanNameItsLine(index: Int) {
    let (file, overrides, location) = Self.boardLocations[index]
    let source = file.map { SourceText(name: "config.json5", bytes: Array($0.utf8)) }
    #expect(BoardChoice.location(in: source, overrides: overrides).map { "\($0)" } == location)
  }

  @Test(arguments: ["", "..", "a b", "a\nb", "é", ".hidden"])
  func aBoardNameCannotLeaveTheDirectory(name: String) {
    #expect(BoardChoice(name) == nil)
  }

  @Test func aBoardFileCannotChooseTheBoard() {
    let messages = refusals(board: "{ title: 'x', board: 'y' }")
    #expect(messages == [Self.texts.expected("board in a board file", messages.joined(separator: "\n"))])
  }
}
