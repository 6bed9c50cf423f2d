import DaySupport
import Quantities
import Records
import Testing
import Scheduling
@testable import Tracking

/// A parked device with automatic trips: arrival, stop and departure.
@Suite struct ParkedDays {
  enum Level: String, CaseIterable, Sendable {
    case high, within20m, cyclic, alwaysOn, off

    var settings: TrackerSettings {
      var settings = TrackedDay.settings(policy)
      settings.keepsLocations = self != .off
      if self == .off { settings.tripPolicy = .own(.high) }
      return settings
    }

    private var policy: TrackingPolicy? {
      switch self {
      case .high: .high
      case .within20m: .within(metres: 20)
      case .cyclic: .highInCyclicMode
      case .alwaysOn: nil
      case .off: .stopsOnly
      }
    }
  }

  /// Seconds from a moment of the day to a time.
  private static func seconds(_ day: TrackedDay, from moment: Moment, to time: Timestamp?) -> Double {
    time.map { ($0 - day.utc).inSeconds - (moment - .zero).inSeconds } ?? .infinity
  }

  /// Arrives, parks and leaves: the last metres at `approach` m/s, `parked` seconds of stop.
  private static func live(
    _ level: Level, approach: Double, parked: Int, hasAccelerometer: Bool, seed: UInt64
  ) -> (day: TrackedDay, arrival: Moment, departure: Moment) {
    let day = TrackedDay(level.settings, fitting: .init(hasAccelerometer: hasAccelerometer), seed: seed)
    day.stop(.seconds(900))
    day.drive(9000, at: 14)
    day.drive(120, at: approach)
    let arrival = day.now
    day.stop(.seconds(parked))
    let departure = day.now
    day.drive(5000, at: 14)
    day.stop(.seconds(900))
    return (day, arrival, departure)
  }

  @Test(arguments: Level.allCases, [720, 1800, 8 * 3600])
  func theNextTripBeginsWithTheDepartureHoweverSlowTheArrivalWas(level: Level, parked: Int) throws {
    for (seed, approach) in [1.5, 3, 5, 8, 14].enumerated() {
      for hasAccelerometer in level == .alwaysOn ? [true] : [true, false] {
        let (day, arrival, departure) = Self.live(
          level, approach: approach, parked: parked, hasAccelerometer: hasAccelerometer,
          seed: UInt64(seed + 1))
        let comment: Comment = "came at \(approach) m/s, accelerometer: \(hasAccelerometer)"
        #expect(day.trips.count == 2 && day.events(.tripStarted).count == 2, comment)
        let trip = try #require(day.trips.last, comment)
        // Without an accelerometer a position check every three minutes detects it.
        let start = Self.seconds(day, from: departure, to: trip.start.time)
        #expect((-60...(hasAccelerometer ? 60 : 200)).contains(start), "\(start) s: \(comment)")
        let metres = Double(trip.distanceMillimetres) / 1000
        #expect(abs(metres - (5000 - 14 * max(start, 0))) < 150, "\(metres) m, \(start) s: \(comment)")
        guard level != .alwaysOn else { continue }
        let checkRecords = day.points.filter { Self.seconds(day, from: arrival, to: $0.time) > 240 }
          .prefix { Self.seconds(day, from: departure, to: $0.time) < -1 }
        #expect(checkRecords.isEmpty, "\(checkRecords.count) position checks became records: \(comment)")
      }
    }
  }

  /// The receiver sleeps and checks the position at times; a door is slammed.
  @Test(arguments: Level.allCases, [true, false])
  func aParkedDeviceRemainsParkedUntilItsDeparture(level: Level, hasAccelerometer: Bool) {
    var settings = level.settings
    settings.freezesWhenParked = true
    settings.profiles = ProfileRules([
      .moving: AcquisitionRules(minPeriod: .seconds(1)),
      .stop: AcquisitionRules(minPeriod: .seconds(300)),
    ])
    let day = TrackedDay(settings, fitting: .init(hasAccelerometer: hasAccelerometer), seed: 3)
    day.stop(.seconds(900))
    day.drive(9000, at: 14)
    day.stop(.seconds(240))
    func isParked(_ day: TrackedDay) -> Bool {
      day.tracker.places.stop.isStopped == true && day.tracker.places.stop.position != nil
        && [.stop, .trip].contains(day.tracker.active.profile)
    }
    #expect(isParked(day))
    let before = day.points.count
    var wrong: [Int] = []
    for minute in 0..<90 {
      if hasAccelerometer, minute % 60 == 15 { day.shake(5, as: .driving) }
      if !isParked(day) { wrong.append(minute) }
      day.stop(.seconds(60))
    }
    #expect(wrong.isEmpty, "not parked in minutes \(wrong)")
    #expect(day.tracker.active.profile == .stop)
    if level != .alwaysOn { #expect(day.points.count == before, "a position check became a record") }
    day.drive(6000, at: 14)
    #expect(day.tracker.places.stop.isStopped == false && day.tracker.places.stop.position == nil)
  }

  /// Only the profile uses the stop, and no fix shows it.
  @Test func theStopProfileAppliesAMinuteAfterTheReceiverFellAsleep() {
    var settings = TrackerSettings(deviceID: "van")
    settings.policy = .high
    settings.profiles = ProfileRules([.moving: AcquisitionRules(), .stop: AcquisitionRules()])
    settings.profiles[.moving]?.maxPeriod = .seconds(60)
    settings.profiles[.stop]?.maxPeriod = .seconds(3600)
    let day = TrackedDay(settings)
    day.stop(.seconds(600))
    day.drive(5000, at: 14)
    let beats = day.events(.heartbeat).count
    day.stop(.seconds(120))
    #expect(day.tracker.active.profile == .stop)
    let records = day.points.count
    day.stop(.seconds(1800))
    #expect(day.events(.heartbeat).count <= beats + 1)
    #expect(day.points.count == records, "a position check became a record")
  }

  /// Ephemerides age meanwhile: the receiver may need a warm start when a hot one is more likely, and does not report
  /// satellites.
  @Test(arguments: [1800, 3600, 7200, 9000, 3 * 3600, 4 * 3600, 6 * 3600, 10 * 3600])
  func aDepartureAfterALongStopIsRecordedWithinTwoMinutes(parked: Int) {
    for seed in UInt64(1)...6 {
      let (day, _, departure) = Self.live(
        .high, approach: 8, parked: parked, hasAccelerometer: true, seed: seed)
      let first = day.points.map { Self.seconds(day, from: departure, to: $0.time) }.first { $0 > 0 }
      #expect(first.map { $0 < 120 } == true, "\(first ?? .infinity) s, seed \(seed)")
    }
  }
}
