import Quantities
import Testing

@testable import Settings

/// The forms of `notifications`, and `heartbeat`.
@Suite struct NotificationSettingsTests {
  @Test(arguments: ["/usr/local/bin/tell", "outrider-tell.service", "https://u:p@ntfy.sh/topic?auth=x"])
  func aTextIsAHookWithoutFurtherSettings(text: String) throws {
    for read in [
      try configuration(set: ["notifications=\(text)"]),
      try configuration(file: "{ notifications: '\(text)' }"),
    ] {
      let hook = try #require(read.notifications.first)
      #expect(read.notifications.count == 1 && hook.isPlain)
      #expect(hook.kinds.isEmpty && hook.quiet == nil && hook.atMost == nil && hook.form == .json)
      #expect(Schema.notifications.written(in: read, revealing: true) == .text(text))
    }
  }

  @Test func offIsNone() throws {
    #expect(try configuration(set: ["notifications=off"]).notifications.isEmpty)
  }

  @Test func aGroupHasTheFurtherSettings() throws {
    let group = """
      { to: "https://ntfy.sh/topic", kinds: ["trips", "power", "receiver_lost"], quiet: "22:00-06:00",
        at_most: "1 per 10m", form: "text", headers: { Authorization: "Bearer tk" } }
      """
    for read in [
      try configuration(file: "{ notifications: \(group) }"),
      try configuration(set: ["notifications=\(group)"]),
      try configuration(set: ["notifications= [\(group)]"]),
    ] {
      let hook = try #require(read.notifications.first)
      #expect(!hook.isPlain && hook.kinds == ["trips", "power", "receiver_lost"])
      #expect(hook.quiet == QuietHours("22:00-06:00") && hook.form == .text)
      #expect(hook.atMost?.count == 1 && hook.atMost?.period == .seconds(600))
      #expect(hook.headers.first?.value.revealed == "Bearer tk")
      let shown =
        "\(Schema.notifications.text(in: read)) \(Schema.notifications.written(in: read, revealing: false))"
      #expect(!shown.contains("topic") && !shown.contains("tk\""), "\(shown)")
    }
  }

  @Test func aListHasSeveralHooksInTheirOrder() throws {
    let read = try configuration(file: "{ notifications: [{ to: '/a' }, '/b', { to: 'https://c/' }] }")
    #expect(read.notifications.map(\.to.description) == ["/a", "/b", "https://c/…"])
    #expect(read.notifications.map(\.isPlain) == [false, true, false])
  }

  @Test func anOperatorCanSetAGroup() throws {
    let request = try OperatorRequest(
      json: Array(#"{"notifications": [{"to": "/a", "kinds": ["zones"]}, "/b"]}"#.utf8))
    #expect(request.faults.isEmpty)
    let value = try #require(request.values["notifications"])
    #expect(try configuration(set: ["notifications=\(value)"]).notifications.count == 2)
  }

  static let bad: [(file: String, part: String)] = [
    ("{ kinds: ['trips'] }", "to"), ("{ to: 'tell' }", "notifications.to: expected"),
    ("{ to: '/a', kinds: ['trip'] }", "notifications.kinds[0]: expected a group"),
    ("{ to: '/a', kinds: 'trips' }", "notifications.kinds: expected a list"),
    ("{ to: '/a', quiet: '22-6' }", "22:00-06:00"), ("{ to: '/a', at_most: '10m' }", "1 per 10m"),
    ("{ to: '/a', at_most: '0 per 10m' }", "1 per 10m"),
    ("{ to: '/a', at_most: '101 per 10m' }", "1 per 10m"),
    ("{ to: '/a', at_most: '1 per 2d' }", "1 per 10m"), ("{ to: '/a', at_most: '1 per 10' }", "1 per 10m"),
    ("{ to: '/a', form: 'xml' }", "\"json\" or \"text\""), ("{ to: '/a', headers: { A: 'b' } }", "headers"),
    ("{ to: '/a', url: '/b' }", "url"), ("[]", "notifications: expected"),
    ("['/a', '/b', '/c', '/d', '/e']", "at most 4"), ("['/a', [ '/b' ]]", "notifications[1]: expected"),
    ("['off']", "notifications[0]: expected"), ("{ to: 'https://ntfy.sh/…' }", "notifications.to: expected"),
    ("'https://ntfy.sh/…'", "notifications: expected"),
    ("'mqtt://h'", "notifications: expected"), ("'mqtt://h'", "a program that publishes"),
    ("['/a', 'mqtts://h/t']", "notifications[1]: expected"),
    ("{ to: 'MQTT://h', form: 'text' }", "notifications.to: expected"),
  ]
  @Test(arguments: bad) func aFaultNamesItsPlace(file: String, part: String) {
    let errors = refusals(file: "{ notifications: \(file) }")
    #expect(errors.count == 1 && errors.allSatisfy { $0.contains(part) }, "\(errors)")
  }

  static let addresses = ["mqtt://h", "hc-ping.com/x", "/usr/bin/tell", "https://", "https://hc-ping.com/…"]
  @Test(arguments: addresses) func aHeartbeatRequiresAWebAddress(address: String) {
    #expect(refusals(set: ["heartbeat.url=\(address)"]).count == 1)
  }

  @Test func theAddressOfAHeartbeatIsHidden() throws {
    let read = try configuration(set: ["heartbeat.url=https://hc-ping.com/uuid"])
    #expect(Schema.heartbeatURL.text(in: read) == "https://hc-ping.com/…")
    #expect(refusals(set: ["heartbeat.every=59s"]).count == 1)
  }

  @Test func noServerSetsThem() {
    let declared: [any SettingDeclaration<Configuration>] = [
      Schema.notifications, Schema.heartbeatURL, Schema.heartbeatEvery,
    ]
    #expect(declared.allSatisfy { $0.fromServer == .never })
  }
}
