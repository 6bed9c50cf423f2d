import Testing

/// `outrider settings KEY` as a person types the key.
@Suite struct SettingsCommandTests {
  static let found: [(name: String, says: [String])] = [
    ("send_interval", ["send_interval\n"]),
    ("destinations.token", ["destinations[].token\n"]),
    ("destinations.home.send_interval", ["destinations[].send_interval\n"]),
    ("zones.dwell", ["zones[].dwell\n"]),
    ("lines", ["lines.ignition\n"]),
  ]

  @Test(arguments: found)
  func aSettingIsExplainedByEachOfItsNames(found: (name: String, says: [String])) throws {
    let outcome = try FaultTests.run(["settings", found.name], in: try Scratch())
    #expect(outcome.status == 0 && outcome.errors.isEmpty)
    for words in found.says { #expect(outcome.output.hasPrefix(words), "\(outcome.output)") }
  }

  static let unknown: [(name: String, says: String)] = [
    ("receiver.prt", #"no setting "receiver.prt"; did you mean receiver.port?"#),
    ("driving.speed_limit", "did you mean driving.speed_limit_kmh or driving.speed_limit_duration?"),
    ("zebra", #"no setting "zebra"; outrider settings lists them"#),
  ]

  @Test(arguments: unknown)
  func oneThatThereIsNotIsToldTheNearest(unknown: (name: String, says: String)) throws {
    let outcome = try FaultTests.run(["settings", "send_interval", unknown.name], in: try Scratch())
    #expect(outcome.status == 2 && outcome.output.isEmpty && outcome.errors.contains(unknown.says))
  }
}
