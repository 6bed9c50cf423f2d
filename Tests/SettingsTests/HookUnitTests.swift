import Testing

import Settings

/// Programs and units in settings.
@Suite struct HookUnitTests {
  static let names: [(text: String, name: String?)] = [
    ("outrider-modem-up.service", "modem-up"), ("outrider-x.service", "x"), ("outrider-1-2.service", "1-2"),
    ("outrider--.service", "-"), ("outrider-.service", nil), ("outrider.service", nil), ("ssh.service", nil),
    ("outrider-x", nil), ("outrider-x.timer", nil), ("outrider-X.service", nil),
    ("outrider-x_y.service", nil),
    ("outrider-x@y.service", nil), ("outrider-x.y.service", nil), ("outrider-../x.service", nil),
    ("outrider-x.service ", nil), (" outrider-x.service", nil), ("outrider-x.service\n", nil),
    ("outrider-\n.service", nil), ("outrider-é.service", nil), ("outrider-x;reboot.service", nil),
    ("--outrider-x.service", nil), ("", nil), ("outrider-service", nil),
  ]

  @Test(arguments: names) func onlyUnitsOfTheFormAreAccepted(text: String, name: String?) {
    let unit = HookUnit(text)
    #expect(unit?.name == name)
    if let unit { #expect(unit.file == text) }
  }

  @Test func aNameOfAUnitHasAtMost255Bytes() {
    let rest = "outrider-.service".utf8.count
    for (length, isValid) in [(255 - rest, true), (256 - rest, false)] {
      #expect((HookUnit("outrider-\(String(repeating: "x", count: length)).service") != nil) == isValid)
    }
  }

  static let settings = ["network.up", "network.down", "host.down", "notifications"]

  private static func read(_ key: String, _ value: String) throws -> Configuration {
    try Configuration.read(
      board: nil, file: nil, overrides: ["\(key)=\(value)"],
      fallbacks: Fallbacks(deviceID: "van", apiSocket: "/x"))
  }

  @Test(arguments: settings) func everySettingOfAProgramAcceptsAUnit(key: String) throws {
    _ = try Self.read(key, "/usr/local/bin/program")
    let read = try Self.read(key, "outrider-modem-up.service")
    let value: String? =
      switch key {
      case "network.up": read.network.up
      case "network.down": read.network.down
      case "host.down": read.host.down
      default: read.notifications.first?.to.description
      }
    #expect(value == "outrider-modem-up.service")
  }

  @Test(arguments: settings) func anotherUnitIsRejectedWithTheForm(key: String) {
    do {
      let read = try Self.read(key, "ssh.service")
      Issue.record("accepted: \(read.network.up ?? "")")
    } catch {
      #expect("\(error)".contains("\(key): expected") && "\(error)".contains("outrider-NAME.service"))
    }
  }
}
