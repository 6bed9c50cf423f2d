import Testing
import TextSnapshots

import Settings

@Suite struct SetupURLTests {
  static let texts = TextSnapshot("settings")

  static let sound: [(String, url: String?, token: String?, id: String?, unique: Bool, missing: [String])] = [
    (
      "overland://setup?url=https%3A%2F%2Fexample.org%2Fapi%3Fx%3D1&token=a%2Bb&device_id=van%207&unique_id=yes",
      "https://example.org/api?x=1", "a+b", "van 7", true, []
    ),
    (
      "overland://setup?url=http://h/a+b", "http://h/a+b", nil, nil, false,
      ["token", "device_id", "unique_id"]
    ),
    ("OVERLAND://SETUP/?token=x&token=y", nil, "x", nil, false, ["url", "device_id", "unique_id"]),
    ("overland://setup", nil, nil, nil, false, ["url", "token", "device_id", "unique_id"]),
    ("overland://setup?url=&unique_id=YES#x", nil, nil, nil, false, ["url", "token", "device_id"]),
    (
      "overland://setup?device_id=%C3%A9&other=%20&unique_id=no", nil, nil, "é", false, ["url", "token"]
    ),
  ]

  @Test(arguments: sound)
  func everyParameterIsReadOrListedAsMissing(
    text: String, url: String?, token: String?, id: String?, unique: Bool, missing: [String]
  ) throws {
    let setup = try SetupURL(text)
    #expect(setup.url?.text == url && setup.token?.revealed == token && setup.deviceID == id)
    #expect(setup.sendsUniqueID == unique && setup.missing == missing)
  }

  /// (url, token, device_id, unique_id)
  static let devices: [(String, String?, String, Bool)] = [
    ("https://example.org/api?x=1&y=%20#a", "a+b c%&=é\u{1F4E1}", "van 7", true),
    ("http://[::1]:8080/", nil, "", false),
    ("https://é.example/ü", "token", "é", false),
  ]

  @Test(arguments: devices)
  func theURLOfADeviceIsReadBackUnchanged(url: String, token: String?, id: String, unique: Bool) throws {
    let endpoint = try #require(Endpoint(url))
    let setup = SetupURL(url: endpoint, token: token.map(Secret.init), deviceID: id, sendsUniqueID: unique)
    #expect(try SetupURL(setup.revealed) == setup)
    #expect(setup.revealed.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f })
  }

  static let unsound: [(String, SetupURL.Fault)] = [
    ("overland://setup?url=mqtt%3A%2F%2Fh%2F", .url),
    ("https://setup?url=http://h", .notOverland), ("", .notOverland), ("overland:setup", .notOverland),
    ("overland://other?url=http://h", .otherHost("other")), ("overland://?url=http://h", .otherHost("")),
    ("overland://setup.example?url=http://h", .otherHost("setup.example")),
    ("overland://setup?url=ftp://h", .url), ("overland://setup?url=h", .url),
    ("overland://setup?url=http%3A%2F%2F", .url), ("overland://setup?url=http%3A%2F%2Fa%20b", .url),
    ("overland://setup?url=http%3", .encoding(parameter: "url")),
    ("overland://setup?token=%zz", .encoding(parameter: "token")),
    ("overland://setup?token=%", .encoding(parameter: "token")),
    ("overland://setup?token=ab&SECRET%&url=http://h/x", .encoding(parameter: "a parameter")),
    ("overland://setup?device_id=%ff", .encoding(parameter: "device_id")),
    ("overland://setup?token=a%0Ab", .value(parameter: "token", expected: "one line of text")),
    (
      "overland://setup?device_id=a%00b",
      .value(parameter: "device_id", expected: "one line of at most 128 bytes")
    ),
  ]

  @Test(arguments: unsound)
  func anInvalidSetupURLIsRejectedWithItsReason(text: String, fault: SetupURL.Fault) {
    #expect(throws: fault) { try SetupURL(text) }
    #expect(fault.description == Self.texts.expected("setup URL: \(text)", fault.description))
  }

  @Test func theFirstOverlandDestinationGetsTheAddressAndKeepsItsName() throws {
    let plan = try SetupURL("overland://setup?url=https://new/x&token=t").plan(
      under: LayerTests.read(file: "{ \(LayerTests.two) }"))
    let read = try LayerTests.read(file: "{ \(LayerTests.two) }", operator: plan.request.values)
    #expect(read.storedFaults == [])
    #expect(read.destinations.map(\.name) == ["a", "b"])
    #expect(read.destinations[0].url.text == "https://new/x" && read.destinations[0].token?.revealed == "t")
    #expect(read.destinations[1].url.text == "http://h")
    #expect(read.deviceID.isEmpty && !read.sendsUniqueID)
    #expect(plan.cleared.map { $0.prefix { $0 != ":" } } == ["device_id", "unique_id"])
    #expect(!"\(plan.set) \(plan.cleared)".contains("\"t\""))
  }

  @Test func withoutAnAddressTheDestinationIsRemoved() throws {
    let plan = try SetupURL("overland://setup?device_id=van").plan(
      under: LayerTests.read(file: "{ \(LayerTests.one) }"))
    let read = try LayerTests.read(file: "{ \(LayerTests.one) }", operator: plan.request.values)
    #expect(read.destinations.isEmpty && read.deviceID == "van")
    let text = (plan.set + plan.cleared).joined(separator: "\n")
    #expect(plan.cleared.first?.hasPrefix("url: ") == true)
    #expect(text == Self.texts.expected("setup without an address", text))
  }

  @Test func aDestinationIsAddedIfThereIsNone() throws {
    let plan = try SetupURL("overland://setup?url=http://h/%25TS%3Fq&unique_id=yes").plan(
      under: LayerTests.read())
    let read = try LayerTests.read(operator: plan.request.values)
    #expect(read.destinations.map(\.name) == ["overland"] && read.sendsUniqueID)
    #expect(read.destinations.first?.url.text == "http://h/%TS?q")
  }

  @Test func storedSettingsAreReadBackFromTheirFile() throws {
    var stored = StoredSettings()
    stored.operator = ["main.min_time": "5s", "destinations": #"[{"name":"ä\"b"}]"#]
    stored.tripOverride = TripOverride(before: nil)
    let changes = ServerChangesTests.onTrial([
      ServerChangesTests.interval: "off", ServerChangesTests.mode: "both",
    ])
    stored.server = changes.record(now: .zero, boot: "one", utc: ServerChangesTests.utc)
    #expect((try? StoredSettings(json: stored.json)) == stored)
    #expect(stored.layers.server == changes.values)
    let bytes = stored.json
    for end in 0..<bytes.count - 2 { #expect((try? StoredSettings(json: Array(bytes[..<end]))) == nil) }
  }

  @Test func theListingIsReadBackWithTheValuesOfDestinations() throws {
    let server = [ServerKey("send_interval", destination: "b"): "off"]
    let listing = SettingsListing(try LayerTests.read(file: "{ \(LayerTests.twoServers) }", server: server))
    #expect(SettingsListing(json: Array(listing.json.utf8)) == listing)
    let own = listing.rows.filter { $0.key == "destinations.b.send_interval" }
    #expect(own == [.init(key: "destinations.b.send_interval", json: "\"off\"", origin: "server")])
  }

  @Test func requestsOfTheOperatorAreReadFromGroupsAndDottedKeys() throws {
    let request = try OperatorRequest(
      json: Array(#"{"main": {"min_time": "5s", "batch_size": 50}, "send_interval": null, "zones": []}"#.utf8)
    )
    #expect(request.values == ["main.min_time": "5s", "main.batch_size": "50", "zones": "[]"])
    #expect(request.unset == ["send_interval"])
    let again = try OperatorRequest(json: Array(request.json.utf8))
    #expect(again == request)
  }

  @Test func theReferenceHasEverySettingOnce() {
    let page = SettingsReference.markdown
    for setting in Configuration.settings {
      #expect(page.components("\n### \(setting.path)\n") == 1, "\(setting.path)")
    }
    #expect(page.contains("\n### destinations[].may_set\n") && page.contains("## main"))
    let headings = page.split(separator: "\n").filter { $0.hasPrefix("## ") }
    #expect(headings.first == "## General" && Set(headings).count == headings.count, "\(headings)")
    #expect(page.contains("instead of a circle") && !page.contains("0 corners"))
    #expect(Configuration.settings.allSatisfy { $0.sentence.hasSuffix(".") })
  }
}

extension String {
  fileprivate func components(_ part: String) -> Int { ranges(of: part).count }
}
