import Energy
import Quantities
import Records
import Testing
@testable import Scheduling
@testable import Tracking

/// A schedule whose receiver gets no fix of the accuracy that `max_accuracy` requires.
@Suite struct UnacceptableFixTests {
  private static func drive(_ policy: TrackingPolicy, window: Duration? = nil) -> ScheduledDay {
    var settings = TrackerSettings(deviceID: "van")
    settings.policy = policy
    settings.policy?.acceptableFixTimeout = max(.seconds(60), window ?? .zero)
    settings.maxAccuracy = 20
    settings.accuracyRetryWindow = window
    let day = ScheduledDay(settings)
    day.pass(300)
    day.speed = 15
    day.handle(.evidence(.accelerometer, isActive: true))
    day.pass(120)
    return day
  }

  private static func park(_ day: ScheduledDay) {
    day.speed = 0
    day.handle(.evidence(.accelerometer, isActive: false))
  }

  static let policies: [(String, TrackingPolicy)] = [("H", .high), ("S", .within(metres: 20))]

  @Test(arguments: policies)
  func anArrivalWaitsForAFixOfSufficientAccuracy(_ row: (name: String, policy: TrackingPolicy)) throws {
    let day = Self.drive(row.policy)
    day.accuracy = 60
    Self.park(day)
    day.pass(45)
    let moving = day.drill.locations.count
    #expect(day.state.isPowered, "the arrival still waits for its record")
    day.accuracy = 10
    day.pass(20)
    #expect(day.drill.locations.count == moving + 1)
    #expect(day.drill.tracker.receiver.schedule?.isStopPositionKnown == true)
    day.pass(120)
    #expect(day.state == .backup)
  }

  @Test(arguments: policies)
  func anArrivalWithoutAGoodFixTimesOutAndDoesNotCountAsRecorded(
    _ row: (name: String, policy: TrackingPolicy)
  ) throws {
    let day = Self.drive(row.policy)
    let recordsMoving = day.drill.locations.count
    day.accuracy = 60
    Self.park(day)
    day.pass(240)
    #expect(day.state == .backup)
    #expect(day.drill.locations.count <= recordsMoving + 1)
    let schedule = try #require(day.drill.tracker.receiver.schedule)
    #expect(!schedule.isStopPositionKnown, "the stationary position is unknown")
    let last = try #require(day.drill.locations.last)
    guard case .location(let location) = last.body else {
      Issue.record("no location")
      return
    }
    #expect(schedule.lastKept?.coordinate == location.coordinate, "the schedule has the last record")
    // The next departure does not record a stop at an unrecorded position.
    let before = day.drill.locations.count
    day.accuracy = 4
    day.speed = 15
    day.handle(.evidence(.accelerometer, isActive: true))
    day.pass(30)
    let next = day.drill.locations[before...].compactMap { record -> LocationRecord? in
      if case .location(let location) = record.body { location } else { nil }
    }
    #expect(!next.isEmpty && next.allSatisfy { $0.speedMillimetresPerSecond != 0 })
  }

  @Test func theBestPoorFixEndsTheLeg() {
    let window = Duration.seconds(90)
    let day = Self.drive(.high, window: window)
    day.accuracy = 60
    Self.park(day)
    day.pass(30)
    day.accuracy = 40
    day.pass(1)
    day.accuracy = 60
    day.pass(80)
    guard case .location(let location)? = day.drill.locations.last?.body else {
      return #expect(Bool(false), "no location")
    }
    #expect(location.horizontalAccuracyMillimetres == 40_000)
    #expect(day.drill.tracker.receiver.schedule?.isStopPositionKnown == true)
    day.pass(90)
    #expect(day.state == .backup)
  }

  @Test func aPositionCheckNeedsNoRecord() {
    var settings = TrackerSettings(deviceID: "van")
    settings.policy = .high
    settings.maxAccuracy = 20
    let day = ScheduledDay(settings)
    day.pass(300)
    let before = day.drill.tracker.fixes.epochs
    day.accuracy = 30
    day.pass(4 * 3600)
    // Every position check ends when it has settled.
    #expect(day.drill.tracker.fixes.epochs - before < 100)
    #expect(day.drill.locations.count == 1 && day.state == .backup)
  }
}
