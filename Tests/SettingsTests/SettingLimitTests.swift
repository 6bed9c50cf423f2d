import Testing

@testable import Settings

/// Texts and lists have limits, and an error names the key, what was found and what is allowed.
@Suite struct SettingLimitTests {
  private static func text(_ bytes: Int) -> String { String(repeating: "x", count: bytes) }

  private static func list(_ count: Int, _ member: (Int) -> String) -> String {
    "[\((0..<count).map(member).joined(separator: ","))]"
  }

  private static func destination(_ more: String, name: String = "home") -> String {
    "destinations: [{ name: '\(name)', kind: 'overland', url: 'https://example.org/', \(more) }]"
  }

  private static func zone(_ number: Int) -> String { "{ name: 'z\(number)', latitude: 1, longitude: 2 }" }

  private static func wifi(_ number: Int) -> String {
    "{ name: 'w\(number)', ssid: 's', latitude: 1, longitude: 2 }"
  }

  private static func server(_ number: Int) -> String {
    "{ name: 'd\(number)', kind: 'overland', url: 'http://example.org/' }"
  }

  /// A key, its value of a length, the limit, and the parts of the error besides the key.
  struct Case: CustomTestStringConvertible, Sendable {
    var key: String
    var limit: Int
    var file: @Sendable (Int) -> String
    var unit = "bytes"
    var testDescription: String { key }
  }

  static let cases: [Case] = [
    Case(key: "device_id", limit: 128) { "device_id: '\(text($0))'" },
    Case(key: "destinations[0].name", limit: 128) { destination("", name: text($0)) },
    Case(key: "destinations[0].user", limit: 128) { destination("user: '\(text($0))', password: 'x'") },
    Case(key: "destinations[0].token", limit: 8192) { destination("token: '\(text($0))'") },
    Case(key: "destinations[0].proxy", limit: 1024) { destination("proxy: 'http://u:\(text($0 - 11))@h'") },
    Case(key: "destinations[0].ca_file", limit: 4095) { destination("ca_file: '/\(text($0 - 1))'") },
    Case(key: "destinations[0].headers.X-A", limit: 8192) {
      destination("headers: { 'X-A': '\(text($0))' }")
    },
    Case(key: "destinations[0].url", limit: 8192) {
      "destinations: [{ name: 'h', kind: 'overland', url: 'https://a/\(text($0 - 10))' }]"
    },
    Case(key: "destinations[0].url", limit: 253) {
      "destinations: [{ name: 'h', kind: 'overland', url: 'https://\(text($0))/' }]"
    },
    Case(key: "destinations[0].proxy", limit: 253) { destination("proxy: 'socks5h://u:p@\(text($0)):1080'") },
    Case(key: "heartbeat.url", limit: 253) { "heartbeat: { url: 'https://\(text($0))/ping' }" },
    Case(key: "map.tiles", limit: 253) { "map: { tiles: 'https://\(text($0))/{z}/{x}/{y}.png' }" },
    Case(key: "map.tiles", limit: 500) {
      "map: { tiles: 'https://a/\(text($0 - 22))/{z}/{x}/{y}' }"
    },
    Case(key: "notifications[0]", limit: 253) { "notifications: ['https://\(text($0))/hook']" },
    Case(key: "storage.directory", limit: 4095) { "storage: { directory: '/\(text($0 - 1))' }" },
    Case(key: "rtc", limit: 4095) { "rtc: '/\(text($0 - 1))'" },
    Case(key: "zones[0].name", limit: 128) {
      "zones: [{ name: '\(text($0))', latitude: 1, longitude: 2 }]"
    },
    Case(key: "wifi_zones[0].ssid", limit: 128) {
      "wifi_zones: [{ name: 'w', ssid: '\(text($0))', latitude: 1, longitude: 2 }]"
    },
    Case(key: "destinations", limit: 100, file: { "destinations: \(list($0, server))" }, unit: "members"),
    Case(key: "zones", limit: 2000, file: { "zones: \(list($0, zone))" }, unit: "members"),
    Case(key: "privacy_zones", limit: 2000, file: { "privacy_zones: \(list($0, zone))" }, unit: "members"),
    Case(
      key: "wifi_zones", limit: 1900, file: { "wifi_zones: \(list($0 == 1900 ? 1900 : 2001, wifi))" },
      unit: ""),
    Case(
      key: "api.names", limit: 500, file: { "api: { names: \(list($0) { "'n\($0)'" }) }" }, unit: "members"),
    Case(
      key: "destinations[0].headers", limit: 500,
      file: { count in
        destination("headers: { \((0..<count).map { "'X-\($0)': 'x'" }.joined(separator: ",")) }")
      }, unit: "members"),
  ]

  @Test(arguments: cases)
  func theLimitIsAllowedAndOneMoreIsNamed(limit: Case) throws {
    #expect(refusals(file: "{ \(limit.file(limit.limit)) }") == [], "\(limit.key)")
    let errors = refusals(file: "{ \(limit.file(limit.limit + 1)) }")
    let error = try #require(errors.first, "\(limit.key)")
    #expect(errors.count == 1)
    guard !limit.unit.isEmpty else { return }
    #expect(error.contains(" \(limit.key): "), "\(error)")
    #expect(error.contains("at most \(limit.limit) \(limit.unit)"), "\(error)")
    #expect(error.contains("\(limit.limit + 1)") && error.utf8.count < 300, "\(error)")
    #expect(!error.contains("xxxx"), "a long text is not repeated: \(error)")
  }

  @Test func aListThatIsTooLongIsOneErrorAndNotOneForEachMember() {
    let members = (0..<600).map { "{ name: 5, kind: \($0) }" }.joined(separator: ",")
    #expect(
      refusals(file: "{ destinations: [\(members)] }")
        == ["config.json5:1:17: destinations: expected at most 100 members, got 600"])
  }
}
