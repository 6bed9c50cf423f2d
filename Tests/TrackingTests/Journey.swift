import Foundation
import Quantities
import Records
import GNSSProtocol
import Tracking

/// A simulated journey: fixes at 1 Hz with a wandering error, passed to the tracker.
final class Journey {
  var drill: Drill
  var position: Coordinate
  /// The true time; the receiver reports it in UTC.
  var time = Fix.start
  var random: SplitMix64
  /// Reported accuracy in metres (68 %).
  var accuracy = 4.0
  /// True error in metres.
  var error = 2.5
  /// Seconds between fixes.
  var spacing = 1
  /// True while the receiver does not know the date.
  var isUndated = false
  private var wander = (east: 0.0, north: 0.0)
  /// The true distance travelled in metres.
  private(set) var distance = 0.0

  init(_ settings: TrackerSettings, from position: Coordinate? = nil, seed: UInt64 = 1) {
    drill = Drill(settings)
    random = SplitMix64(seed: seed)
    guard let start = position ?? Coordinate(latitude: 52.5, longitude: 13.4) else {
      preconditionFailure("52.5° and 13.4° lie on the earth")
    }
    self.position = start
  }

  /// Everything is on; a location every five minutes while stationary, every 15 s or 30° while moving.
  static var settings: TrackerSettings {
    var settings = TrackerSettings(deviceID: "van")
    settings.trips.isAutomatic = true
    settings.visits = VisitRules()
    var moving = AcquisitionRules(minPeriod: .seconds(15))
    moving.angle = .fixed(degrees: 30)
    settings.profiles = ProfileRules([
      .moving: moving, .trip: moving, .stop: AcquisitionRules(minPeriod: .seconds(3600)),
    ])
    return settings
  }

  /// Stands with fixes.
  func stop(_ seconds: Int) {
    for _ in stride(from: 0, to: seconds, by: spacing) { step(speed: 0, course: 0) }
  }

  /// Moves in a straight line.
  func go(_ metres: Double, at speed: Double, course: Double = 90) {
    var left = metres
    while left > 0.01 {
      let leg = min(left, speed * Double(spacing))
      move(leg, course)
      left -= leg
      step(speed: speed, course: course)
    }
  }

  /// No fix for a while, moving or not.
  func dark(_ seconds: Int, metres: Double = 0, course: Double = 90) {
    move(metres, course)
    pass(seconds)
  }

  private func move(_ metres: Double, _ course: Double) {
    let bearing = course * .pi / 180
    position = position.moved(east: metres * sin(bearing), north: metres * cos(bearing))
    distance += metres
  }

  func pass(_ seconds: Int) {
    time = time + .seconds(seconds)
    drill.wait(.seconds(seconds))
  }

  private func step(speed: Double, course: Double) {
    pass(spacing)
    let keep = 0.97
    let push = error * (1 - keep * keep).squareRoot()
    wander.east = wander.east * keep + push * normal()
    wander.north = wander.north * keep + push * normal()
    let seen = position.moved(east: wander.east, north: wander.north)
    var fix = Fix(time)
    if isUndated { fix.timestamp = nil }
    fix.latitude = seen.latitude
    fix.longitude = seen.longitude
    fix.horizontalAccuracy = accuracy
    fix.speed = max(speed + 0.1 * normal(), 0)
    fix.speedAccuracy = 0.3
    if speed > 1 {
      fix.course = course
      fix.courseAccuracy = 2
    }
    drill.handle(.epoch(fix, systemClock: drill.systemClock))
  }

  private func normal() -> Double {
    let sum = (0..<12).reduce(0.0) { sum, _ in sum + Double.random(in: 0..<1, using: &random) }
    return sum - 6
  }

  // MARK: Results

  var trips: [TripRecord] {
    drill.records.compactMap { if case .trip(let trip) = $0.body { trip } else { nil } }
  }

  var visits: [VisitRecord] {
    drill.records.compactMap { if case .visit(let visit) = $0.body { visit } else { nil } }
  }

  func events(_ kind: EventKind) -> [EventRecord] { drill.events.filter { $0.kind == kind } }

  var points: [(time: Timestamp, location: LocationRecord)] {
    drill.locations.compactMap { record in
      guard case .location(let location) = record.body, let time = record.time else { return nil }
      return (time, location)
    }
  }

  /// The last saved state.
  var state: String? {
    drill.actions.reduce(nil) { last, action in
      if case .save(let text) = action { text } else { last }
    }
  }
}
