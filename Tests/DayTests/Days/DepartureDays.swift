import DaySupport
import LoggerConfiguration
import Quantities
import Records
import Scheduling
import Settings
import Testing
import Tracking

/// The first location of a departure, whatever the pause delay and the length of the stop. A stop that is shorter than
/// the pause delay ends without a pause; its departure is no slower than one after a pause.
@Suite struct DepartureDays {
  /// The motion sensors of the device.
  enum Sensor: String, CaseIterable, Sendable {
    case none = "no sensor"
    case accelerometer
    case ignition
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var sensor: Sensor
    /// The file without the pause delay: settings at the top, and under `main`.
    var file: String
    var main: String
    var testDescription: String { "\(sensor.rawValue), \(file) main: { \(main) }" }
  }

  /// Settings at the top of the file, and under `main`.
  static let settings = [
    ("", "tracking_mode: 'both', desired_accuracy: 'best'"),
    ("", "tracking_mode: 'both', desired_accuracy: '10m'"),
    ("", "tracking_mode: 'both', desired_accuracy: '100m', resume_with_geofence: '100m'"),
    ("", "pause_automatically: true, desired_accuracy: '10m', activity_type: 'car'"),
    ("receiver: { cyclic: 'off' }", "pause_automatically: true, desired_accuracy: '100m'"),
    ("usage_profile: 'battery-saving'", ""),
    ("usage_profile: 'high-resolution'", "pause_automatically: true"),
  ]

  static let cases = Sensor.allCases.flatMap { sensor in
    settings.map { Case(sensor: sensor, file: $0.0, main: $0.1) }
  }

  /// The cases with a motion sensor.
  static let sensed = cases.filter { $0.sensor != .none }

  /// Pause delays and lengths of stops in minutes. The delay nil is the default.
  static let delays: [Int?] = [nil, 1, 5, 10, 15, 70]
  static let stops = [2, 6, 12, 20, 30, 60, 180]
  /// The longest time from a departure to its first location in seconds.
  private static func longest(_ sensor: Sensor, stop: Int) -> Double {
    switch sensor {
    // The receiver wakes every three minutes to check, or as rarely at level S.
    case .none: 190
    // After a stop of less than five minutes, level S needs no separate fix of the departure.
    case .accelerometer, .ignition: stop < 5 ? 21 : 12
    }
  }

  private static func day(_ test: Case, _ delay: Int?) throws -> TrackedDay {
    let main = [test.main, delay.map { "pause_delay: '\($0)m'" } ?? ""].filter { !$0.isEmpty }
    let parts = [test.file, "main: { \(main.joined(separator: ", ")) }"].filter { !$0.isEmpty }
    let configuration = try Configuration.read(
      board: nil,
      file: SourceText(name: "config.json5", bytes: Array("{ \(parts.joined(separator: ", ")) }".utf8)),
      overrides: [], fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
    return TrackedDay(
      TrackerSettings(configuration),
      fitting: TrackedDay.Fitting(
        hasAccelerometer: test.sensor == .accelerometer, hasIgnition: test.sensor == .ignition))
  }

  /// Seconds from each departure to the first location in motion, one for each length of the stop before it.
  private static func latencies(
    _ test: Case, _ delay: Int?, stops: [Duration], hasReception: Bool = true
  ) throws -> [Double] {
    let day = try day(test, delay)
    day.stop(.seconds(3600))
    day.drive(3000, at: 12)
    return stops.map { length in
      day.hasReception = hasReception
      day.stop(length)
      day.hasReception = true
      let departure = day.time
      day.drive(3000, at: 12)
      let first = day.points.first {
        $0.time > departure && ($0.location.speedMillimetresPerSecond ?? 0) > 2000
      }
      return first.map { ($0.time - departure).inSeconds } ?? .infinity
    }
  }

  @Test(arguments: cases) func aDepartureIsRecordedAsFastWithAnyPauseDelay(_ test: Case) throws {
    for delay in Self.delays {
      let lengths = Self.stops.map { Duration.seconds(60 * $0) }
      for (stop, found) in zip(Self.stops, try Self.latencies(test, delay, stops: lengths)) {
        let longest = Self.longest(test.sensor, stop: stop)
        #expect(found <= longest, "delay \(delay.map { "\($0) min" } ?? "not given"), stop of \(stop) min")
      }
    }
  }

  /// The departure and the end of the delay meet within seconds.
  @Test(arguments: sensed)
  func aDepartureInTheSecondInWhichTheDelayEndsIsRecordedAsFast(_ test: Case) throws {
    for delay in [5, 10, 15] {
      let offsets = Array(-3...3)
      let lengths = offsets.map { Duration.seconds(60 * delay + $0) }
      for (offset, found) in zip(offsets, try Self.latencies(test, delay, stops: lengths)) {
        #expect(found <= 12, "delay \(delay) min, stop \(offset) s longer")
      }
    }
  }

  /// A garage: the searches back off while the pause delay runs, and the first one after the departure follows at once.
  @Test(arguments: [Sensor.accelerometer, .ignition]) func aDepartureFromAGarageIsSearchedAtOnce(
    _ sensor: Sensor
  )
    throws
  {
    for main in ["desired_accuracy: 'best'", "desired_accuracy: '10m'"] {
      let test = Case(sensor: sensor, file: "", main: "pause_automatically: true, \(main)")
      for (stop, found) in zip(
        [20, 170],
        try Self.latencies(test, 180, stops: [.seconds(1200), .seconds(10_200)], hasReception: false))
      {
        #expect(found <= 45, "\(main), stop of \(stop) min")
      }
    }
  }
}
