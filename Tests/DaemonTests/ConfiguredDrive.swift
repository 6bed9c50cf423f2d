import Foundation
import GNSSProtocol
import LoggerConfiguration
import Quantities
import Records
import Settings
import Tracking
import Daemon

/// A tracker with the settings of a configuration file, and a simulated device with one fix a second.
final class ConfiguredDrive {
  private(set) var tracker: Tracker
  private(set) var now = Moment.zero + .seconds(1000)
  private(set) var records: [LogRecord] = []
  /// Metres from 52° N, 13° E.
  private(set) var east = 0.0
  private(set) var north = 0.0
  /// Accuracy in m; nil if the receiver does not report it.
  var accuracy: Double? = 3
  private var course = 0.0
  private static let start = Int64(1_774_087_200)

  /// A flat map, accurate enough for some kilometres.
  private static let metresPerDegree = 111_195.0

  init(_ text: String) throws {
    tracker = Tracker(settings: try Self.settings(text))
    process(.started(lastLocation: nil))
  }

  static func configuration(_ text: String) throws -> Configuration {
    try Configuration.read(
      board: nil, file: SourceText(name: "config.json5", bytes: Array(text.utf8)), overrides: [],
      fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
  }

  static func settings(_ text: String) throws -> TrackerSettings { TrackerSettings(try configuration(text)) }

  func process(_ event: TrackerEvent) { take(tracker.handle(event, now: now)) }

  /// Changes the settings during the drive.
  func change(_ text: String) throws {
    process(.settings(try Self.settings(text), changed: ["profiles"]))
  }

  /// Moves the device: `speed` in m/s, `course` in degrees; stationary, the course stays the same.
  func go(_ seconds: Int, at speed: Double = 0, course: Double? = nil) {
    if let course { self.course = course }
    for _ in 0..<seconds {
      wait(1)
      let bearing = self.course * .pi / 180
      east += speed * sin(bearing)
      north += speed * cos(bearing)
      var fix = Fix()
      fix.timestamp = Timestamp(milliseconds: (Self.start + now.nanoseconds / 1_000_000_000) * 1000)
      fix.kind = .threeDimensional
      fix.latitude = 52 + north / Self.metresPerDegree
      fix.longitude = 13 + east / (Self.metresPerDegree * 0.615_661)
      fix.horizontalAccuracy = accuracy
      fix.speed = speed
      fix.speedAccuracy = 0.1
      if speed > 0 {
        fix.course = self.course
        fix.courseAccuracy = 1
      }
      process(.epoch(fix, systemClock: Timestamp(milliseconds: 0)))
    }
  }

  /// Lets time pass without fixes.
  func wait(_ seconds: Int) {
    let end = now + .seconds(seconds)
    var rounds = 0
    while let due = Moment.earlier(tracker.summary.nextTimeout, tracker.summary.scheduleTimeout), due <= end,
      rounds < 10_000
    {
      now = max(now, due)
      take(tracker.handleTimeout(now: now))
      rounds += 1
    }
    now = end
  }

  private func take(_ actions: [TrackerAction]) {
    for case .keep(let record, _) in actions { records.append(record) }
  }

  var locations: [LocationRecord] {
    records.compactMap { if case .location(let location) = $0.body { location } else { nil } }
  }

  var reasons: [KeepReasons] { locations.map(\.reasons) }

  func events(_ kind: EventKind) -> [EventRecord] {
    records.compactMap { record in
      if case .event(let event) = record.body, event.kind == kind { event } else { nil }
    }
  }
}

extension Moment {
  fileprivate static func earlier(_ a: Moment?, _ b: Moment?) -> Moment? {
    guard let a else { return b }
    return b.map { min(a, $0) } ?? a
  }
}
