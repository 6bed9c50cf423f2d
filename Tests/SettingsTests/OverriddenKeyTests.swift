import Testing
import TextSnapshots

import Settings

/// A key of the file that a stored value overrides is reported with the command that removes the stored value.
@Suite struct OverriddenKeyTests {
  static let texts = TextSnapshot("settings")

  private static func keys(
    _ file: String, server: [ServerKey: String] = [:], setters: [ServerKey: String] = [:],
    operator: [String: String] = [:], set: [String] = []
  ) throws -> [OverriddenKey] {
    try LayerTests.read(file: file, server: server, setters: setters, operator: `operator`, set: set)
      .overriddenKeys
  }

  @Test func anOverriddenKeyIsReportedWithBothValuesAndTheCommand() throws {
    let keys = try Self.keys("{ main: { min_time: '5s' } }", operator: ["main.min_time": "7s"])
    let key = try #require(keys.first)
    #expect(keys.count == 1 && key.key == "main.min_time" && key.origin == .operator)
    #expect(key.fileJSON == #""5s""# && key.json == #""7s""#)
    #expect(key.command == "outrider set --unset main.min_time")
    let text = key.description
    #expect(text == Self.texts.expected("overridden key", text))
  }

  @Test func aServersValueIsReportedWithTheServer() throws {
    let key = ServerKey("main.min_time")
    let file = "{ \(LayerTests.one) main: { min_time: '5s' } }"
    let keys = try Self.keys(file, server: [key: "9s"], setters: [key: "a"])
    #expect(keys.map(\.setterText) == ["the server of a"] && keys.map(\.unset) == ["main.min_time"])
  }

  static let silent: [(file: String, operator: [String: String], set: [String])] = [
    ("{ main: { min_time: '5s' } }", ["main.min_time": "5s"], []),
    ("{ main: { min_time: '5s' } }", ["main.min_distance": "5m"], []),
    ("{}", ["main.min_time": "5s"], []),
    ("{ main: { min_time: '5s' } }", [:], ["main.min_time=7s"]),
    ("{ main: { min_time: '5s' } }", ["main.min_time": "7s"], ["main.min_time=9s"]),
    (
      "{ energy: { host_idle: { mA: 1, V: 5, source: 'x' } } }",
      ["energy": "{ modem_tail_lasts: '9s' }"], []
    ),
  ]

  @Test(arguments: silent)
  func aKeyThatNoStoredValueOverridesIsNotReported(file: String, operator: [String: String], set: [String])
    throws
  {
    #expect(try Self.keys(file, operator: `operator`, set: set) == [])
  }

  @Test func aMergedGroupIsReportedOnlyIfAMemberIsOverridden() throws {
    let file = "{ energy: { host_idle: { mA: 1, V: 5, source: 'x' } } }"
    let keys = try Self.keys(file, operator: ["energy": "{ host_idle: { mA: 2, V: 5, source: 'y' } }"])
    #expect(keys.map(\.key) == ["energy"])
  }

  @Test func destinationsOfASetupURLAreReportedWithoutSecrets() throws {
    let file = "{ destinations: [{ name: 'a', kind: 'overland', url: 'http://h', token: 'sesame' }] }"
    let kept = "[{ name: 'a', kind: 'overland', url: 'http://i', token: 'secret' }]"
    let keys = try Self.keys(file, operator: ["destinations": kept])
    #expect(keys.map(\.unset) == ["destinations"])
    let text = keys.map { "\($0) \($0.json) \($0.fileJSON)" }.joined()
    #expect(!text.contains("sesame") && !text.contains("secret"))
  }

  @Test func aReceiverThatAStoredSettingExcludesIsReportedWithThatSetting() throws {
    let keys = try Self.keys(
      "{ receiver: { port: '/dev/ttyS0' } }", operator: ["receiver.gpsd": "localhost"])
    #expect(keys.map(\.key) == ["receiver.port"] && keys.map(\.unset) == ["receiver.gpsd"])
  }

  @Test func aServersValueForItsDestinationIsReportedForThatDestination() throws {
    let key = ServerKey("main.batch_size", destination: "a")
    let two = "{ \(LayerTests.two) main: { batch_size: 20 } }"
    #expect(try Self.keys(two, server: [key: "50"]).map(\.key) == ["destinations.a.main.batch_size"])
    let own = LayerTests.two.replacing("name: 'a',", with: "name: 'a', batch_size: 30,")
    let keys = try Self.keys("{ \(own) }", server: [key: "50"])
    #expect(keys.map(\.key) == ["destinations.a.batch_size"] && keys.map(\.fileJSON) == ["30"])
    #expect(keys.map(\.command) == ["outrider set --unset main.batch_size"])
    let ownOfOne = LayerTests.one.replacing("name: 'a',", with: "name: 'a', batch_size: 30,")
    #expect(try Self.keys("{ \(ownOfOne) }", server: [key: "50"]).map(\.key) == ["main.batch_size"])
    let single = "{ \(LayerTests.one) main: { batch_size: 20 } }"
    let alone = try Self.keys(single, server: [key: "50"])
    #expect(alone.map(\.key) == ["main.batch_size"] && alone.map(\.setter) == ["a"])
  }

  // MARK: The listing

  private static func listing(_ operator: [String: String]) throws -> SettingsListing {
    SettingsListing(
      try LayerTests.read(
        file: "{ main: { min_time: '5s', min_distance: '3m' }, send_interval: '300s' }", operator: `operator`)
    )
  }

  @Test func theListingContainsTheFilesValueAndTheCommand() throws {
    let listing = try Self.listing(["main.min_time": "7s"])
    let row = try #require(listing.rows.first { $0.key == "main.min_time" })
    #expect(row.fileJSON == #""5s""# && row.command == "outrider set --unset main.min_time")
    #expect(listing.rows.filter { $0.command != nil }.count == 1)
    #expect(SettingsListing(json: Array(listing.json.utf8)) == listing)
  }

  @Test func aListingOfChangesOmitsDefaults() throws {
    let fallbacks = Fallbacks(deviceID: "host", apiSocket: "/s")
    let listing = try Self.listing(["main.min_time": "7s"]).changed(from: fallbacks)
    #expect(listing.rows.map(\.key).sorted() == ["main.min_distance", "main.min_time"])
    #expect(
      try Self.listing(["main.min_time": "1s"]).changed(from: fallbacks).rows.map(\.key).sorted()
        == ["main.min_distance", "main.min_time"], "a default that overrides the file is a change")
  }
}
