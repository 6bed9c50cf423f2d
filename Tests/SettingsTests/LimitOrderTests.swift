import Testing
import TextSnapshots

import Settings

/// Limits of the battery that must be in order.
@Suite struct LimitOrderTests {
  static let texts = TextSnapshot("settings")

  static let limits: [(overrides: [String], isInOrder: Bool)] = [
    ([], true), (["power.critical=14"], true), (["power.low=off", "power.critical=90"], true),
    (["power.critical=off", "power.low=0"], true), (["power.critical_V=11.9"], true),
    (["power.critical_V=11.9", "power.low_V=12.2"], true),
    (["power.critical=30"], false), (["power.low=6"], false),
    (["power.critical_V=12.2", "power.low_V=11.9"], false),
  ]

  @Test(arguments: limits)
  func aLimitThatIsNeverReachedIsRejectedWithBothNames(_ row: (overrides: [String], isInOrder: Bool)) {
    do {
      _ = try Configuration.read(
        board: nil, file: nil, overrides: row.overrides,
        fallbacks: Fallbacks(deviceID: "van", apiSocket: "/run/outrider/api.sock"))
      #expect(row.isInOrder)
    } catch {
      #expect(!row.isInOrder && error.errors.count == 1)
      let name = "order of limits: \(row.overrides.joined(separator: ", "))"
      #expect(error.description == Self.texts.expected(name, error.description))
    }
  }
}
