import Formats
import LoggerConfiguration
import MQTTClient
import Records
import Settings
import Store
import Testing
import Uplink

@testable import Daemon

/// Endpoint, format and pacing of a destination, from its settings.
@Suite struct DestinationTests {
  static func configuration(_ destination: String, _ overrides: [String] = []) throws -> Configuration {
    try Configuration.read(
      board: nil, file: nil, overrides: ["destinations=[{ name: \"home\", \(destination) }]"] + overrides,
      fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
  }

  static func endpoint(_ destination: String) throws -> HTTPEndpoint {
    HTTPEndpoint(try #require(try configuration(destination).destinations.first))
  }

  static func machine(_ destination: String, _ overrides: [String] = []) throws -> DeliveryMachine.Settings {
    let configuration = try configuration(destination, overrides)
    let destination = try #require(configuration.effectiveDestinations(duringTrip: false).first)
    return DeliveryMachine.Settings(destination, supply: configuration.supply)
  }

  static let home = #"kind: "overland", url: "http://h/""#

  @Test(arguments: ServerProfile.allCases)
  func everySettingProfileHasAnOverlandProfile(profile: ServerProfile) {
    #expect(OverlandProfile.named(profile.rawValue) != nil)
  }

  @Test func everyOverlandProfileHasASetting() {
    #expect(Set(OverlandProfile.all.map(\.name)) == Set(ServerProfile.allCases.map(\.rawValue)))
  }

  static let credentials: [(String, HTTPEndpoint.Credentials)] = [
    ("", .none), (#", token: "t""#, .bearer("t")),
    (#", token: "t", profile: "compass""#, .query(name: "token", token: "t")),
    (#", token: "t", profile: "compass", token_in: "header""#, .bearer("t")),
    (#", token: "t", token_in: "query""#, .query(name: "token", token: "t")),
    (#", token: "t", token_parameter: "api_key""#, .query(name: "api_key", token: "t")),
    (#", user: "u", password: "p""#, .basic(user: "u", password: "p")),
    (#", user: "u", token: "t""#, .bearer("t")),
  ]

  @Test(arguments: credentials)
  func theTokenIsSentWhereTheServerExpectsIt(more: String, expected: HTTPEndpoint.Credentials) throws {
    #expect(try Self.endpoint(Self.home + more).credentials == expected)
  }

  @Test func theFormatFollowsKindAndLoggingMode() throws {
    #expect(try Self.endpoint(Self.home).form == .overland(.overland))
    #expect(try Self.endpoint(Self.home + #", logging_mode: "owntracks""#).form == .ownTracks(trackerID: nil))
    #expect(
      try Self.endpoint(#"kind: "owntracks", url: "http://h/", tid: "v7""#).form
        == .ownTracks(trackerID: "v7"))
    #expect(
      try Self.endpoint(#"kind: "query", url: "http://h/", method: "post", speed_unit: "km/h""#).form
        == .query(isPost: true, speedUnit: .kilometresPerHour))
    guard case .overland(let profile) = try Self.endpoint(Self.home + ", whole_speed: true").form else {
      Issue.record("not overland")
      return
    }
    #expect(profile.hasWholeSpeed)
  }

  @Test(
    arguments: [
      ([], 0, "disabled"), (["main.deferred=100m", "main.tracking_mode=both"], 100, "enabled"),
      (["main.deferred=off", "main.tracking_mode=significant"], 0, "exclusive"),
    ] as [([String], Int, String)])
  func theOldestFormContainsTheSettings(overrides: [String], deferred: Int, word: String) throws {
    let configuration = try Self.configuration(Self.home + #", profile: "gpslogger""#, overrides)
    let destination = try #require(configuration.destinations.first)
    let form = try #require(RecordForm(destination, under: configuration))
    let historic = form.profile(uniqueID: "x").historic
    #expect(historic?.deferredMetres == deferred && historic?.significantChange.rawValue == word)
    let plain = try Self.configuration(Self.home, overrides)
    let usual = try #require(plain.destinations.first)
    #expect(
      RecordForm(usual, under: plain)?.profile(uniqueID: "x") == .overland, "other profiles do not contain it"
    )
  }

  @Test func theStoredStateOfADestinationContainsNoSecret() throws {
    let url = "https://user:secret@example.org:8443/secret/x?key=secret"
    let destination = try #require(
      try Self.configuration(#"kind: "overland", url: "\#(url)", token: "secret""#).destinations.first)
    var stored = StoredSettings()
    stored.destinations = ["home": DestinationState(destination, form: nil)]
    let text = String(decoding: stored.json, as: UTF8.self)
    #expect(!text.contains("secret") && text.contains("https://example.org:8443/…"), "\(text)")
    #expect((try? StoredSettings(json: stored.json)) == stored)
    let elsewhere = try #require(
      try Self.configuration(#"kind: "overland", url: "\#(url)2""#).destinations.first)
    #expect(
      DestinationState(elsewhere, form: nil).isElsewhere(than: DestinationState(destination, form: nil))
    )
  }

  /// At most two batches can have been sent, and none without a stored boundary.
  @Test func sentBatchesEndAtBoundariesThatTheLogKnows() {
    func batch(_ through: Int64, boundary: Batch.Boundary) -> Batch {
      Batch(records: [], through: RecordID(through), boundary: boundary, hasMore: true, isLate: false)
    }
    var sent = SentBatches()
    #expect(sent.take(nil) == nil && sent.ends.isEmpty)
    #expect(sent.take(batch(5, boundary: .missing)) == nil && sent.ends.isEmpty)
    #expect(sent.take(batch(5, boundary: .stored)) == BatchPosition(through: RecordID(5), isLate: false))
    #expect(sent.take(batch(9, boundary: .counted)) == nil && sent.ends == [RecordID(5), RecordID(9)])
  }

  @Test func pacingFollowsTheFormat() throws {
    let plain = try Self.machine(Self.home, ["main.batch_size=50", "send_interval=60s"])
    #expect(plain.batchSize == 50 && plain.pacing == .fullBatches && plain.sendInterval == .seconds(60))
    let own = try Self.machine(Self.home + #", batch_size: 7, send_interval: "off""#)
    #expect(own.batchSize == 7 && own.sendInterval == nil)
    let latest = try Self.machine(#"kind: "owntracks", url: "http://h/""#)
    #expect(latest.isNewestOnly && latest.pacing == .whenDue)
    let every = try Self.machine(#"kind: "owntracks", url: "http://h/", logging_mode: "all""#)
    #expect(!every.isNewestOnly && every.largestRequest == 1 && every.batchSize == 1)
    let messages = try Self.machine(#"kind: "owntracks", url: "mqtt://h", logging_mode: "all", in_flight: 4"#)
    #expect(messages.largestRequest == nil && messages.batchSize == 100 && messages.pacing == .whenDue)
    #expect(try Self.machine(Self.home + #", profile: "trace""#).pacing == .whenDue)
    #expect(!plain.savesEnergy)
    #expect(try Self.machine(Self.home, ["supply=battery"]).savesEnergy)
  }

  @Test func aBrokerIsReadFromTheURL() throws {
    func broker(_ url: String) throws -> MQTTBroker {
      let text = #"kind: "owntracks", url: "\#(url)", user: "u", password: "p", ca_file: "/ca""#
      return MQTTBroker(try #require(try Self.configuration(text).destinations.first), deviceID: "van")
    }
    let plain = try broker("mqtt://h")
    #expect(plain.host == "h" && plain.port == 1883 && !plain.isEncrypted)
    let encrypted = try broker("mqtts://[::1]:9999/x")
    #expect(encrypted.host == "::1" && encrypted.port == 9999 && encrypted.isEncrypted)
    #expect(try broker("mqtts://h").port == 8883)
    #expect(encrypted.user == "u" && encrypted.password == "p" && encrypted.authorityFile == "/ca")
    #expect(encrypted.clientID.utf8.count <= 23 && encrypted.displayURL == "mqtts://[::1]:9999")
  }
}
