import Testing

@testable import Settings

/// Limits that make sense only in one order.
@Suite struct LimitOrderTests {
  static let limits: [(overrides: [String], message: String?)] = [
    ([], nil), (["power.critical=14"], nil), (["power.low=off", "power.critical=90"], nil),
    (["power.critical=off", "power.low=0"], nil), (["power.critical_V=11.9"], nil),
    (["power.critical_V=11.9", "power.low_V=12.2"], nil),
    (
      ["power.critical=30"],
      "power.critical: 30.0 % is not below power.low, which is 15.0 %; lower the one or raise the other"
    ),
    (
      ["power.low=6"],
      "power.critical: 6.0 % is not below power.low, which is 6.0 %; lower the one or raise the other"
    ),
    (
      ["power.critical_V=12.2", "power.low_V=11.9"],
      "power.critical_V: 12.2 V is not below power.low_V, which is 11.9 V; lower the one or raise the other"
    ),
  ]

  @Test(arguments: limits)
  func aLimitThatWouldNeverBeReachedIsRefusedWithBothNames(_ row: (overrides: [String], message: String?)) {
    do {
      _ = try Configuration.read(
        board: nil, file: nil, overrides: row.overrides,
        fallbacks: Fallbacks(deviceID: "van", apiSocket: "/run/outrider/api.sock"))
      #expect(row.message == nil)
    } catch {
      #expect(error.errors.map { "\($0)" } == [row.message])
    }
  }
}
