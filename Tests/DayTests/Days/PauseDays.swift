import DaySupport
import LoggerConfiguration
import Quantities
import Records
import Scheduling
import Settings
import Testing
import Tracking
import Daemon

/// The automatic pause, by configuration.
@Suite struct PauseDays {
  private static func configuration(_ text: String) throws -> Configuration {
    try Configuration.read(
      board: nil, file: SourceText(name: "config.json5", bytes: Array(text.utf8)), overrides: [],
      fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
  }

  private static func settings(_ text: String) throws -> TrackerSettings {
    TrackerSettings(try configuration(text))
  }

  struct Case: Sendable, CustomTestStringConvertible {
    /// Settings at the top of the file, and under `main`.
    var file = ""
    var main = ""
    var pauses: Bool
    /// The numbers of records that an hour at rest may have without a pause.
    var records = 3400...3600
    var testDescription: String { "\(file) main: { \(main) }" }
  }

  static let cases = [
    Case(main: "", pauses: false),
    Case(main: "pause_automatically: true", pauses: true),
    Case(main: "tracking_mode: 'both'", pauses: true),
    Case(main: "tracking_mode: 'both', pause_automatically: true", pauses: true),
    Case(main: "tracking_mode: 'both', pause_automatically: false", pauses: false),
    Case(file: "usage_profile: 'battery-saving'", main: "", pauses: true),
    Case(file: "usage_profile: 'battery-saving'", main: "pause_automatically: false", pauses: false),
    Case(file: "usage_profile: 'high-resolution'", main: "", pauses: false, records: 50...60),
    Case(
      file: "usage_profile: 'high-resolution'", main: "tracking_mode: 'both'", pauses: false, records: 50...60
    ),
    Case(file: "usage_profile: 'high-resolution'", main: "pause_automatically: true", pauses: true),
  ]

  private static func text(_ test: Case, _ more: String = "") -> String {
    "{ \([test.file, "main: { \(test.main) }", more].filter { !$0.isEmpty }.joined(separator: ", ")) }"
  }

  /// A drive and a stationary hour, with an accelerometer.
  private static func live(_ settings: TrackerSettings, stop: Int64 = 3600) -> (TrackedDay, Moment) {
    let day = TrackedDay(settings)
    day.stop(.seconds(600))
    day.drive(6000, at: 12)
    let arrival = day.now
    day.stop(.seconds(stop))
    return (day, arrival)
  }

  @Test(arguments: cases)
  func recordingPausesIfConfigured(_ test: Case) throws {
    let configuration = try Self.configuration(Self.text(test))
    #expect(configuration.pausesWhileStationary == test.pauses)
    let (day, arrival) = Self.live(TrackerSettings(configuration))
    let stationary = day.points.count { $0.time > day.utc + (arrival + .seconds(120) - .zero) }
    #expect(
      test.pauses ? stationary <= 1 : test.records.contains(stationary),
      "\(stationary) records while stationary")
    #expect(day.events(.trackingPaused).count == (test.pauses ? 2 : 0))
    #expect(day.receiver.state.isPowered == !test.pauses)
  }

  /// In the file, set with `outrider set`, or sent by a server: a value counts as configured in every layer.
  @Test func storedValuesCountAsConfigured() throws {
    func configuration(_ stored: StoredLayers) throws -> Configuration {
      try ConfigurationSources(
        file: SourceText(name: "config.json5", bytes: Array("{ main: { tracking_mode: 'both' } }".utf8)),
        fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere")
      ).configuration(stored)
    }
    var stored = StoredLayers()
    let unset = try configuration(stored)
    #expect(unset.pausesWhileStationary && !unset.gives("main.pause_delay"))
    stored.operator = ["main.pause_automatically": "false", "main.pause_delay": "10m"]
    let kept = try configuration(stored)
    #expect(!kept.pausesWhileStationary && kept.gives("main.pause_delay"))
  }

  /// Significant changes are few in any case, and a trip has its own settings.
  @Test func significantChangesAndTripsAreUnaffected() throws {
    let significant = try Self.settings(
      "{ main: { tracking_mode: 'significant', pause_automatically: false } }")
    #expect(significant.policy?.stationary == TrackingPolicy.checks && !significant.pausesWhileStationary)
    guard case .own(let seldom?) = significant.tripPolicy else { return #expect(Bool(false), "no plan") }
    #expect(seldom.stationary == TrackingPolicy.checks)
    let both = try Self.settings(
      "{ main: { tracking_mode: 'both', pause_automatically: false }, trip: { start: 'automatic' } }")
    #expect(both.policy == nil && both.tripPolicy == .own(nil))
    let sparse = try Self.settings(
      "{ main: { tracking_mode: 'both', pause_automatically: false, desired_accuracy: '1km' } }")
    #expect(sparse.policy?.stationary == .asMoving)
  }

  /// Seconds from the end of a drive to the pause.
  @Test(arguments: [("", 0...60), ("pause_delay: '10m'", 595...660), ("pause_delay: '2m'", 115...180)])
  func aConfiguredPauseDelayAppliesWithAMotionSensor(delay: String, seconds: ClosedRange<Int>) throws {
    for mode in ["tracking_mode: 'standard'", "tracking_mode: 'both'"] {
      for accuracy in ["best", "100m"] {
        let text =
          "{ main: { \(mode), pause_automatically: true, desired_accuracy: '\(accuracy)', \(delay) } }"
        let (day, arrival) = Self.live(try Self.settings(text))
        let pauses = day.records.filter { record in
          if case .event(let event) = record.body { event.kind == .trackingPaused } else { false }
        }
        let pause = try #require(pauses.last).moment
        #expect(seconds.contains(Int((pause - arrival).inSeconds)), "\(mode) \(accuracy): \(pause - arrival)")
      }
    }
  }

  /// A walk well within the geofence, detected by the accelerometer.
  @Test(arguments: ["best", "100m"]) func aGeofenceDropsNoLocations(accuracy: String) throws {
    var tracks: [[Timestamp]] = []
    for fence in ["off", "2km"] {
      let main =
        "pause_automatically: true, desired_accuracy: '\(accuracy)', resume_with_geofence: '\(fence)'"
      let day = TrackedDay(try Self.settings("{ main: { \(main) } }"))
      day.stop(.seconds(1800))
      let departure = day.time
      day.walk(400)
      tracks.append(day.points.map(\.time).filter { $0 > departure })
      day.stop(.seconds(600))
      #expect(day.events(.trackingPaused).count == 2 && day.events(.trackingResumed).count == 1)
    }
    #expect(tracks[0] == tracks[1] && tracks[0].count > 4)
  }
}
