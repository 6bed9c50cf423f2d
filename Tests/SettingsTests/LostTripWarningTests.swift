import Testing

@testable import Settings

/// Recording pauses, and nothing but a position check tells that the box has left: the file check says what is lost.
@Suite struct LostTripWarningTests {
  private static let lost =
    "main.pause_automatically: with automatic pauses and neither accelerometer, ignition line nor supply voltage, trips "
    + "shorter than "
  private static let remedy =
    " s between two position checks are not recorded; add accelerometer, lines.ignition or motion.voltage, or set "
    + "main.pause_automatically: false"

  private static let gauge = "gauge: { power_supply: 'BAT0' }"

  static let cases: [(file: String, says: [String])] = [
    ("", []),
    ("main: { pause_automatically: true }", [lost + "180" + remedy]),
    ("main: { tracking_mode: 'both' }", [lost + "180" + remedy]),
    ("main: { tracking_mode: 'both', pause_automatically: false }", []),
    ("main: { tracking_mode: 'significant' }", []), ("main: { tracking_mode: 'off' }", []),
    ("tracking: false, main: { tracking_mode: 'both' }", []),
    ("usage_profile: 'battery-saving'", [lost + "180" + remedy]),
    ("usage_profile: 'battery-saving', main: { pause_automatically: false }", []),
    ("main: { pause_automatically: true, check_interval: '10m' }", [lost + "600" + remedy]),
    (
      "main: { pause_automatically: true }, accelerometer: { chip: 'lis3dh', bus: '/dev/i2c-1' }",
      []
    ),
    (
      "main: { pause_automatically: true }, lines: { ignition: { chip: '/dev/gpiochip0', line: 22 } }",
      []
    ),
    ("main: { pause_automatically: true }, motion: { voltage: 13.1 }, \(gauge)", []),
    ("main: { pause_automatically: true }, motion: { charger: true }, \(gauge)", []),
    // Nobody measures it.
    ("main: { pause_automatically: true }, motion: { voltage: 13.1 }", [lost + "180" + remedy]),
    ("main: { pause_automatically: true }, \(gauge)", [lost + "180" + remedy]),
    (
      "supply: 'vehicle', main: { pause_automatically: true }",
      [
        lost
          + "180 s between two position checks are not recorded; the supply is a vehicle, so do not pause: set "
          + "main.pause_automatically: false"
      ]
    ),
  ]

  @Test(arguments: cases)
  func theFileCheckSaysWhichTripsAreLost(file: String, says: [String]) throws {
    let warnings = try configuration(file: "{ \(file) }").warnings.filter { !$0.contains("has no effect") }
    #expect(warnings == says, "\(warnings)")
  }
}
