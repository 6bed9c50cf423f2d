import Testing
import TextSnapshots

import Settings

/// The warning about trips that are lost because only position checks detect a departure.
@Suite struct LostTripWarningTests {
  static let texts = TextSnapshot("settings")

  private static let gauge = "gauge: { power_supply: 'BAT0' }"

  /// Configurations with the interval of position checks in the warning, in seconds; nil: no warning.
  static let cases: [(file: String, seconds: Int?)] = [
    ("", nil),
    ("main: { pause_automatically: true }", 180),
    ("main: { tracking_mode: 'both' }", 180),
    ("main: { tracking_mode: 'both', pause_automatically: false }", nil),
    ("main: { tracking_mode: 'significant' }", nil), ("main: { tracking_mode: 'off' }", nil),
    ("tracking: false, main: { tracking_mode: 'both' }", nil),
    ("usage_profile: 'battery-saving'", 180),
    ("usage_profile: 'battery-saving', main: { pause_automatically: false }", nil),
    ("main: { pause_automatically: true, check_interval: '10m' }", 600),
    ("main: { pause_automatically: true }, accelerometer: { chip: 'lis3dh', bus: '/dev/i2c-1' }", nil),
    ("main: { pause_automatically: true }, lines: { ignition: { chip: '/dev/gpiochip0', line: 22 } }", nil),
    ("main: { pause_automatically: true }, motion: { voltage: 13.1 }, \(gauge)", nil),
    ("main: { pause_automatically: true }, motion: { charger: true }, \(gauge)", nil),
    // The voltage is not measured.
    ("main: { pause_automatically: true }, motion: { voltage: 13.1 }", 180),
    ("main: { pause_automatically: true }, \(gauge)", 180),
    ("supply: 'vehicle', main: { pause_automatically: true }", 180),
  ]

  @Test(arguments: cases)
  func theCheckOfAFileReportsLostTrips(file: String, seconds: Int?) throws {
    let warnings = try configuration(file: "{ \(file) }").warnings
      .filter { !$0.contains(": has no effect because ") }
    #expect(warnings.count == (seconds == nil ? 0 : 1), "\(warnings)")
    guard let seconds, let warning = warnings.first else { return }
    #expect(warning.hasPrefix("main.pause_automatically: ") && warning.contains(" \(seconds) s "))
    let name = file.hasPrefix("supply: 'vehicle'") ? "lost trips in a vehicle" : "lost trips, \(seconds) s"
    #expect(warning == Self.texts.expected(name, warning))
  }
}
