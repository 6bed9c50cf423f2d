import Testing
import TextSnapshots

/// The keys that `outrider settings` accepts.
@Suite struct SettingsCommandTests {
  static let texts = TextSnapshot("commands")

  static let found: [(name: String, expectedText: [String])] = [
    ("send_interval", ["send_interval\n"]),
    ("destinations.token", ["destinations[].token\n"]),
    ("destinations.home.send_interval", ["destinations[].send_interval\n"]),
    ("zones.dwell", ["zones[].dwell\n"]),
    ("lines", ["lines.ignition\n"]),
  ]

  @Test(arguments: found)
  func aSettingIsDescribedForEachOfItsNames(found: (name: String, expectedText: [String])) throws {
    let outcome = try FaultTests.run(["settings", found.name], in: try Scratch())
    #expect(outcome.status == 0 && outcome.errors.isEmpty)
    for words in found.expectedText { #expect(outcome.output.hasPrefix(words), "\(outcome.output)") }
  }

  /// Unknown keys, with the suggested ones.
  static let unknown: [(name: String, suggested: [String])] = [
    ("receiver.prt", ["receiver.port"]),
    ("driving.speed_limit", ["driving.speed_limit_kmh", "driving.speed_limit_duration"]), ("zebra", []),
  ]

  @Test(arguments: unknown)
  func anUnknownKeyIsReportedWithTheNearestOnes(unknown: (name: String, suggested: [String])) throws {
    let outcome = try FaultTests.run(["settings", "send_interval", unknown.name], in: try Scratch())
    #expect(outcome.status == 2 && outcome.output.isEmpty)
    let message = try #require(outcome.errors.line(with: unknown.suggested + ["\"\(unknown.name)\""]))
    #expect(message == Self.texts.expected("settings \(unknown.name)", message))
  }
}
