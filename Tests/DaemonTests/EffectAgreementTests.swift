import LoggerConfiguration
import Settings
import Testing
import Tracking
import Daemon

/// A setting that is reported to have no effect does not change the settings of the tracker.
@Suite struct EffectAgreementTests {
  private static func configuration(_ overrides: [String]) throws -> Configuration {
    try Configuration.read(
      board: nil, file: nil, overrides: overrides, fallbacks: Fallbacks(deviceID: "van", apiSocket: "/x"))
  }

  /// A setting of tracking, and the value that it is compared with; nil: not configured.
  static let settings: [(key: String, value: String, other: String?)] = [
    ("main.desired_accuracy", "nav", nil), ("main.desired_accuracy", "best", nil),
    ("main.desired_accuracy", "10m", nil), ("trip.desired_accuracy", "nav", nil),
    ("trip.desired_accuracy", "10m", nil), ("main.pause_automatically", "false", "true"),
    ("main.resume_with_geofence", "700m", nil), ("main.pause_delay", "7s", nil),
    ("main.required_motion_duration", "9s", nil), ("main.check_interval", "300s", nil),
    ("main.check_longest", "3h", nil), ("main.check_distance", "700m", nil),
    ("receiver.cyclic", "auto", "off"),
  ]

  /// The other settings that determine if the receiver may sleep.
  static var situations: [[String]] {
    var all: [[String]] = []
    for mode in ["off", "standard", "significant", "both"] {
      for pause in ["true", "false"] {
        for start in ["manual", "automatic"] {
          for tripPause in ["true", "false"] {
            for more in [[], ["main.visit_tracking=true"], ["driving.speed_limit_kmh=100"]] {
              all.append(
                [
                  "main.tracking_mode=\(mode)", "main.pause_automatically=\(pause)", "trip.start=\(start)",
                  "trip.pause_automatically=\(tripPause)",
                ] + more)
            }
          }
        }
      }
    }
    return all
  }

  /// The settings of the tracker, without the policy of automatic trips if there are none.
  private static func rules(_ configuration: Configuration) -> TrackerSettings {
    var settings = TrackerSettings(configuration)
    if !settings.trips.isAutomatic { settings.tripPolicy = .asBefore }
    return settings
  }

  @Test(arguments: settings)
  func aReportedSettingChangesNothing(key: String, value: String, other: String?) throws {
    var reported = 0
    for situation in Self.situations {
      let given = try Self.configuration(situation + ["\(key)=\(value)"])
      guard given.warnings.contains(where: { $0.hasPrefix("\(key): has no effect") }) else { continue }
      reported += 1
      let compared = try Self.configuration(situation + (other.map { ["\(key)=\($0)"] } ?? []))
      #expect(Self.rules(given) == Self.rules(compared), "\(situation)")
    }
    #expect(reported > 0)
  }

  /// A pause delay is reported exactly in the situations in which the receiver never sleeps.
  @Test func aPauseDelayIsReportedExactlyIfNoPolicyUsesIt() throws {
    for situation in Self.situations {
      let given = try Self.configuration(situation + ["main.pause_delay=7s"])
      let changes = Self.rules(given) != Self.rules(try Self.configuration(situation))
      let isReported = given.warnings.contains { $0.hasPrefix("main.pause_delay: has no effect") }
      #expect(isReported != changes, "\(situation)")
    }
  }
}
