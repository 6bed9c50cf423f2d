import Quantities
import Testing
import TextSnapshots

import Settings

/// The layers of usage profile, servers and operator over the files.
@Suite struct LayerTests {
  static let texts = TextSnapshot("settings")

  static func read(
    file: String? = nil, board: String? = nil, server: [ServerKey: String] = [:],
    setters: [ServerKey: String] = [:], operator: [String: String] = [:],
    set overrides: [String] = []
  ) throws(SettingsErrors) -> Configuration {
    var stored = StoredLayers()
    stored.server = server
    stored.setters = setters
    stored.operator = `operator`
    return try Configuration.read(
      board: board.map { SourceText(name: "board.json5", bytes: Array($0.utf8)) },
      file: file.map { SourceText(name: "config.json5", bytes: Array($0.utf8)) }, stored: stored,
      overrides: overrides, fallbacks: Fallbacks(deviceID: "host", apiSocket: "/s"))
  }

  static let one = "destinations: [{ name: 'a', kind: 'overland', url: 'http://h' }],"
  static let two = """
    destinations: [
      { name: 'a', kind: 'overland', url: 'http://h' }, { name: 'b', kind: 'overland', url: 'http://h' },
    ],
    """

  /// Two servers that may both change settings.
  static let twoServers = two.replacing("{ name: 'b',", with: "{ name: 'b', may_set: true,")

  @Test func aDestinationHasMovedIfItsAddressDiffers() throws {
    let before = try Self.read(file: "{ \(Self.two) }")
    func moved(_ destinations: String) throws -> [String] {
      before.destinationsMoved(in: try Self.read(file: "{ destinations: [\(destinations)] }"))
    }
    let b = "{ name: 'b', kind: 'overland', url: 'http://h', token: 't' }"
    #expect(try moved("\(b), { name: 'a', kind: 'overland', url: 'http://i' }") == ["a"])
    #expect(try moved("\(b), { name: 'c', kind: 'overland', url: 'http://i' }") == [])
    #expect(try moved("") == [])
  }

  @Test func everyLayerOverridesThoseBelow() throws {
    let key = "main.min_time"
    let board = "{ title: 'x', main: { min_time: '2s' } }"
    let file = "{ \(Self.one) main: { min_time: '3s' } }"
    let server = [ServerKey(key): "4s"]
    let `operator` = [key: "5s"]
    let layers: [(Configuration, Int, Origin)] = [
      (try Self.read(), 1, .default), (try Self.read(board: board), 2, .board),
      (try Self.read(file: file, board: board), 3, .file),
      (try Self.read(file: file, board: board, server: server), 4, .server),
      (try Self.read(file: file, board: board, server: server, operator: `operator`), 5, .operator),
      (
        try Self.read(file: file, board: board, server: server, operator: `operator`, set: ["\(key)=6s"]), 6,
        .override
      ),
    ]
    for (read, seconds, origin) in layers {
      #expect(read.main.minTime == .seconds(seconds))
      #expect(read.origins[key] == origin)
    }
  }

  static let profiles: [(word: String, TrackingMode, pauses: Bool, DesiredAccuracy, radius: Double?)] = [
    ("high-resolution", .standard, false, .best, nil), ("battery-saving", .both, true, .metres100, 500),
    ("significant-only", .significant, false, .metres100, nil),
  ]

  @Test(arguments: profiles)
  func aUsageProfileSetsItsSettings(
    word: String, mode: TrackingMode, pauses: Bool, accuracy: DesiredAccuracy, radius: Double?
  ) throws {
    let read = try Self.read(file: "{ usage_profile: '\(word)' }")
    #expect(read.main.trackingMode == mode && read.main.pausesAutomatically == pauses)
    #expect(read.main.desiredAccuracy == accuracy && read.main.resumeRadiusMetres == radius)
    #expect(read.origins["main.tracking_mode"] == .profile)
    #expect(read.rows.first { $0.setting.path == "main.tracking_mode" }?.origin.word.description == "profile")
  }

  @Test func aUsageProfileOverridesTheBoardButNotSingleSettings() throws {
    let board = "{ title: 'x', main: { tracking_mode: 'both', pause_automatically: true } }"
    let read = try Self.read(
      file: "{ main: { desired_accuracy: '10m' } }", board: board,
      operator: ["usage_profile": "high-resolution"])
    #expect(read.main.trackingMode == .standard && !read.main.pausesAutomatically)
    #expect(read.main.desiredAccuracy == .metres10)
    #expect(read.origins["main.desired_accuracy"] == .file)
  }

  @Test func aServersValueForItsDestinationIsTheSettingIfThereIsOneDestination() throws {
    let server = [ServerKey("main.batch_size", destination: "a"): "50"]
    let alone = try Self.read(file: "{ \(Self.one) }", server: server)
    #expect(alone.main.batchSize == 50 && alone.origins["main.batch_size"] == .server)
    let beside = try Self.read(file: "{ \(Self.two) }", server: server)
    #expect(beside.main.batchSize == 200 && beside.origins["main.batch_size"] == .default)
    #expect(beside.delivery(to: "a").batchSize == 50 && beside.delivery(to: "b").batchSize == 200)
    #expect(try Self.read(file: "{ \(Self.two) }").changes(to: beside).atOnce == ["main.batch_size of a"])
  }

  /// Values that a server sets, with the single destination's own values in the file.
  static let owns: [(key: String, value: String, own: String, kind: String)] = [
    ("send_interval", "10s", "send_interval: '2s'", "overland"),
    ("send_interval", "off", "send_interval: '2s'", "overland"),
    // The same value as the general one.
    ("send_interval", "5m", "send_interval: '2s'", "overland"),
    ("main.batch_size", "3", "batch_size: 50", "overland"),
    ("trip.batch_size", "3", "batch_size: 50", "overland"),
    ("main.logging_mode", "latest", "logging_mode: 'all'", "overland"),
    ("trip.logging_mode", "all", "logging_mode: 'latest'", "overland"),
    ("main.logging_mode", "all", "may_set: true", "owntracks"),
  ]

  @Test(arguments: owns)
  func aServersValueOverridesItsDestinationInTheFile(
    key: String, value: String, own: String, kind: String
  ) throws {
    let a = "{ name: 'a', kind: '\(kind)', url: 'http://h', \(own) }"
    let server = [ServerKey(key, destination: "a"): value]
    let aloneBefore = try Self.read(file: "{ destinations: [\(a)] }")
    let alone = try Self.read(file: "{ destinations: [\(a)] }", server: server)
    let pair = "destinations: [\(a), { name: 'b', kind: 'overland', url: 'http://h' }]"
    let beside = try Self.read(file: "{ \(pair) }", server: server)
    #expect(alone.delivery(to: "a") == beside.delivery(to: "a"))
    #expect(alone.delivery(to: "a") != aloneBefore.delivery(to: "a"))
    #expect(!aloneBefore.changes(to: alone).isEmpty)
    #expect(alone.has(value, for: ServerKey(key, destination: "a")))
    let shown = SettingsListing(alone).rows.filter { $0.origin == "server" }
    #expect(shown.map(\.key) == [key], "the setting itself")
    #expect(shown.map(\.json) == [value == "3" ? value : "\"\(value)\""])
    #expect(alone.origins[key] == .server)
    for configuration in [alone, beside] {
      let warnings = configuration.warnings(on: EffectTests.machine)
      #expect(!warnings.contains { $0.hasPrefix("\(key): has no effect") }, "\(warnings)")
    }
  }

  @Test func aServerDoesNotOverrideTheOperatorsDestinations() throws {
    let destinations = "[{ name: 'a', kind: 'overland', url: 'http://h', send_interval: '1s' }]"
    let server = [
      ServerKey("send_interval", destination: "a"): "9s", ServerKey("main.batch_size", destination: "a"): "7",
    ]
    let read = try Self.read(file: "{}", server: server, operator: ["destinations": destinations])
    #expect(read.delivery(to: "a").sendInterval == .seconds(1))
    #expect(read.delivery(to: "a").batchSize == 7, "not given by the operator")
  }

  @Test func aValueOfTheOnlyServerIsOneChange() throws {
    let before = try Self.read(file: "{ \(Self.one) }")
    let after = try Self.read(
      file: "{ \(Self.one) }", server: [ServerKey("main.batch_size", destination: "a"): "50"])
    #expect(before.changes(to: after).atOnce == ["main.batch_size"])
  }

  @Test func theOperatorsValueOverridesThatOfAServerForItsDestination() throws {
    let server = [ServerKey("send_interval", destination: "a"): "off"]
    for file in ["{ \(Self.one) }", "{ \(Self.two) }"] {
      let read = try Self.read(file: file, server: server, operator: ["send_interval": "1m"])
      #expect(read.delivery(to: "a").sendInterval == .seconds(60))
      #expect(read.silencedByServer.isEmpty)
    }
  }

  @Test func destinationsWithReducedSendingAreDetected() throws {
    let off = [ServerKey("send_interval", destination: "b"): "off"]
    #expect(try Self.read(file: "{ \(Self.twoServers) }", server: off).silencedByServer == ["b"])
    let still = [ServerKey("main.tracking_mode"): "off"]
    #expect(try Self.read(file: "{ \(Self.two) }", server: still).silencedByServer == ["a"])
    for (key, value) in [
      ("main.min_distance", "100km"), ("main.max_accuracy", "1m"), ("main.min_time", "1d"),
    ] {
      #expect(
        try Self.read(file: "{ \(Self.two) }", server: [ServerKey(key): value]).silencedByServer == ["a"])
    }
    let mute = "destinations: [{ name: 'a', kind: 'overland', url: 'http://h', may_set: false }],"
    let muted = try Self.read(file: "{ \(mute) }", server: still)
    #expect(muted.silencedByServer.isEmpty && muted.main.trackingMode == .standard)
    let seldom = [ServerKey("send_interval", destination: "b"): "1d"]
    #expect(try Self.read(file: "{ \(Self.twoServers) }", server: seldom).silencedByServer == ["b"])
    let harmless = [ServerKey("trip_mode"): "car", ServerKey("main.visit_tracking"): "true"]
    #expect(try Self.read(file: "{ \(Self.two) }", server: harmless).silencedByServer.isEmpty)
    #expect(
      try Self.read(file: "{ \(Self.two) send_interval: 'off', main: { tracking_mode: 'off' } }")
        .silencedByServer.isEmpty, "values of the operator do not count")
  }

  @Test func onlyTheFirstDestinationMayChangeSettingsByDefault() throws {
    let read = try Self.read(file: "{ \(Self.two) }")
    #expect(read.maySet("a") && !read.maySet("b") && !read.maySet("c"))
    let turned = try Self.read(
      file: """
        { destinations: [
          { name: 'a', kind: 'overland', url: 'http://h', may_set: false },
          { name: 'b', kind: 'overland', url: 'http://h', may_set: true },
        ] }
        """)
    #expect(!turned.maySet("a") && turned.maySet("b"))
  }

  @Test func onlyTheInvalidStoredValueIsIgnored() throws {
    let read = try Self.read(
      file: "{ \(Self.one) }",
      server: [ServerKey("main.min_time"): "soon", ServerKey("main.min_distance"): "far"],
      operator: ["supply": "vehicle", "log.level": "loud"])
    #expect(read.main.minTime == .seconds(1) && read.supply == .vehicle && read.logLevel == .notice)
    #expect(
      read.storedFaults.map { "\($0)".prefix(27) } == [
        "set by a server: main.min_d", "set by a server: main.min_t", "outrider set: log.level: ex",
      ])
  }

  @Test func theAPIServesOtherMachinesOnlyWithAToken() throws {
    let messages =
      refusals(file: "{ api: { listen: '0.0.0.0:80' } }") + refusals(set: ["api.listen=0.0.0.0:80"])
    #expect(messages.count == 2 && messages[0].hasPrefix("config.json5: api.token: "))
    let text = messages.joined(separator: "\n")
    #expect(text == Self.texts.expected("api.listen without a token", text))
    let read = try configuration(file: "{ api: { listen: '[::]:80', token: 'hunter2' } }")
    #expect(read.api.listen == "[::]:80" && read.api.token?.revealed == "hunter2")
  }
}
