import Quantities
import Records
import Testing
import GNSSProtocol
@testable import Tracking

/// The filters between validation and recording rules; each counts its rejections.
@Suite struct FilterTests {
  private func count(_ drill: Drill, _ rejection: Rejection) -> Int64 {
    drill.tracker.fixes.rejections.totals[rejection]?.count ?? 0
  }

  private func fix(_ second: Int, north: Double, accuracy: Double? = nil) -> Fix {
    var fix = Fix(Fix.start + .seconds(second), north: north)
    fix.horizontalAccuracy = accuracy
    return fix
  }

  @Test func aSingleJumpIsRejectedWithItsSpeed() {
    let drill = Drill()
    drill.handle(
      (0..<5).map { fix($0, north: 0) } + [fix(5, north: 90_000)] + (6..<9).map { fix($0, north: 0) })
    #expect(drill.locations.count == 8)
    #expect(count(drill, .impossibleSpeed) == 1)
    #expect(drill.tracker.fixes.rejections.totals[.impossibleSpeed]?.lastValue == "89872 m/s")
    drill.wait(.seconds(600))
    #expect(drill.rejections.first?.fields[.rejections] == .counts(["impossible_speed": 1]))
  }

  @Test func aNewPositionIsAcceptedAfterThreeFixesThatAgree() {
    let drill = Drill()
    drill.handle(
      (0..<5).map { fix($0, north: 0) } + (5..<12).map { fix($0, north: 90_000 + Double($0) * 30) })
    #expect(count(drill, .impossibleSpeed) == 2)
    #expect(drill.locations.count == 10)
  }

  @Test func jumpsThatDoNotAgreeAreNeverAccepted() {
    let drill = Drill()
    drill.handle([fix(0, north: 0)])
    drill.handle((1..<60).map { fix($0, north: $0 % 2 == 0 ? 100_000 : 300_000) })
    #expect(drill.locations.count == 1 && count(drill, .impossibleSpeed) == 59)
  }

  @Test(
    arguments: [(8.0, MotionStates.walking), (50, .driving), (83, []), (250, [])] as [(Double, MotionStates)])
  func possibleMovementsAreAccepted(speed: Double, motion: MotionStates) {
    let drill = Drill()
    drill.handle(.motion(motion))
    drill.handle((0..<60).map { fix($0, north: Double($0) * speed, accuracy: 5) })
    #expect(drill.locations.count == 60)
  }

  @Test func afterAGapOfHoursTheDeviceMayBeAnywhere() {
    let drill = Drill()
    drill.handle([fix(0, north: 0)] + (0..<4).map { fix(36_000 + $0, north: 2_000_000) })
    #expect(drill.locations.count == 3, "the first two are unconfirmed")
    #expect(count(drill, .unconfirmed) == 2)
  }

  @Test func maxAccuracyRejectsWorseAndUnknownAccuracies() {
    var settings = TrackerSettings(deviceID: "van")
    settings.maxAccuracy = 50
    let drill = Drill(settings)
    drill.handle([
      fix(0, north: 0, accuracy: 50), fix(1, north: 0, accuracy: 51), fix(2, north: 0, accuracy: nil),
      fix(3, north: 0, accuracy: 3), fix(4, north: 0, accuracy: 300.4),
    ])
    #expect(drill.times.map { ($0 - Fix.start.milliseconds) / 1000 } == [0, 3])
    #expect(count(drill, .accuracy) == 3)
    #expect(drill.tracker.fixes.rejections.totals[.accuracy]?.lastValue == "300 m")
  }

  @Test func afterTheRetryWindowTheBestPoorFixIsRecorded() {
    var settings = TrackerSettings(deviceID: "van")
    settings.maxAccuracy = 50
    settings.accuracyRetryWindow = .seconds(20)
    let drill = Drill(settings)
    drill.handle((0..<30).map { fix($0, north: Double($0), accuracy: $0 == 7 ? 60 : 200) })
    #expect(drill.times.map { ($0 - Fix.start.milliseconds) / 1000 } == [7])
    drill.handle((30..<60).map { fix($0, north: 0, accuracy: 10) })
    #expect(drill.locations.count == 31)
  }

  @Test func aSleepRestartsTheRetryWindow() {
    var settings = TrackerSettings(deviceID: "van")
    settings.maxAccuracy = 50
    settings.accuracyRetryWindow = .seconds(20)
    let drill = Drill(settings)
    drill.handle((0..<10).map { fix($0, north: 0, accuracy: 60) })
    drill.wait(.seconds(3600))
    drill.handle((3600..<3630).map { fix($0, north: 5000, accuracy: $0 == 3605 ? 70 : 200) })
    #expect(drill.times.map { ($0 - Fix.start.milliseconds) / 1000 } == [3605])
  }

  /// A request within the window: poor fixes before the answer are discarded.
  @Test(arguments: [TrackerEvent.positionRequested, .trip(.start(.car))])
  func aPoorFixIsNotRecordedAfterANewerRecord(_ event: TrackerEvent) {
    var settings = TrackerSettings(deviceID: "van")
    settings.maxAccuracy = 20
    settings.accuracyRetryWindow = .seconds(120)
    settings.visits = VisitRules()
    let drill = Drill(settings)
    drill.handle((0..<100).map { fix($0, north: Double($0), accuracy: 10) })
    drill.handle((100..<160).map { fix($0, north: Double($0), accuracy: $0 == 101 ? 30 : 40) })
    drill.handle(event)
    drill.handle((160..<400).map { fix($0, north: Double($0), accuracy: 40) })
    let times = drill.times.map { ($0 - Fix.start.milliseconds) / 1000 }
    #expect(times == times.sorted() && times.dropFirst(100).first == 160 && times.count == 102, "\(times)")
    #expect(drill.events.allSatisfy { $0.kind != .clockStepped })
    let travelled = drill.tracker.places.lifetime.millimetres / 1000
    #expect(travelled < 400, "\(travelled) m of 400 m")
  }

  @Test func aClockSetBackDiscardsTheBestPoorFix() {
    var settings = TrackerSettings(deviceID: "van")
    settings.maxAccuracy = 50
    settings.accuracyRetryWindow = .seconds(20)
    let drill = Drill(settings)
    drill.handle((3600..<3610).map { fix($0, north: 0, accuracy: 10) })
    drill.handle((3610..<3620).map { fix($0, north: 0, accuracy: 60) })
    drill.handle((0..<60).map { fix($0, north: 0, accuracy: 90) })
    let times = drill.times.map { ($0 - Fix.start.milliseconds) / 1000 }
    #expect(times.dropFirst(10).allSatisfy { $0 < 100 }, "\(times)")
  }

  struct Wrong: Sendable, CustomTestStringConvertible {
    var promise: String
    var counted: Rejection
    var value: String
    var change: @Sendable (inout Fix) -> Void
    var testDescription: String { promise }
  }

  /// A fix at second 60, after 60 s at one position, with these faults; every case has all the faults that follow it.
  static let wrongs = [
    Wrong(promise: "no position", counted: .noFix, value: "2036-01-01T00:00:00Z") { $0.kind = .none },
    Wrong(promise: "an impossible position", counted: .impossiblePosition, value: "0.0, 0.0") { _ in },
    Wrong(promise: "a date of another year", counted: .impossibleTime, value: "2036-01-01T00:00:00Z") {
      ($0.latitude, $0.longitude) = (54, 13.4)
    },
    Wrong(promise: "the time of the last record", counted: .notNewer, value: "2026-03-21T10:00:00Z") {
      $0 = Fix(Fix.start, north: 200_000)
    },
    Wrong(promise: "identical coordinates", counted: .frozen, value: "2026-03-21T10:01:00Z") {
      $0 = Fix(Fix.start + .seconds(60))
    },
    Wrong(promise: "a jump", counted: .impossibleSpeed, value: "199909 m/s") {
      $0 = Fix(Fix.start + .seconds(60), north: 200_000)
    },
    Wrong(promise: "a poor accuracy", counted: .accuracy, value: "unknown") {
      $0 = Fix(Fix.start + .seconds(60), north: 3)
    },
    Wrong(promise: "too near", counted: .minDistance, value: "3.0 m") {
      $0 = Fix(Fix.start + .seconds(60), north: 3.04)
      $0.horizontalAccuracy = 5
    },
  ]

  /// The order: position, time, order, frozen, speed, accuracy, recording rules.
  @Test(arguments: wrongs)
  func everyRejectedFixIsCountedByItsFirstFilterWithItsValue(_ wrong: Wrong) {
    var settings = TrackerSettings(deviceID: "van")
    settings.maxAccuracy = 50
    settings.decimation = Decimation(minTime: .seconds(1), minDistance: 10)
    let drill = Drill(settings)
    drill.handle(.motion(.driving))
    drill.handle((0..<60).map { fix($0, north: 0, accuracy: 5) })
    var bad = Fix("2036-01-01T00:00:00Z").at(0, 0)
    wrong.change(&bad)
    let before = drill.tracker.fixes.rejections.totals.mapValues(\.count)
    let clock = drill.tracker.fixes.clock.device
    drill.handle([bad])
    if wrong.counted == .impossiblePosition { #expect(drill.tracker.fixes.clock.device == clock) }
    drill.handle([fix(61, north: 20, accuracy: 5)])
    let after = drill.tracker.fixes.rejections.totals
    let counted = after.filter { $0.value.count != before[$0.key] ?? 0 }
    #expect(counted.mapValues(\.count) == [wrong.counted: (before[wrong.counted] ?? 0) + 1])
    #expect(after[wrong.counted]?.lastValue == wrong.value)
  }

  @Test func anImpossiblePositionDoesNotSetTheClock() {
    let drill = Drill()
    drill.handle([Fix("2026-03-21T09:00:00Z").at(0, 0)])
    #expect(drill.tracker.fixes.clock.offsetMilliseconds == nil)
    drill.handle([Fix("2026-03-21T09:00:01Z")])
    #expect(drill.tracker.fixes.clock.offsetMilliseconds != nil)
  }

  @Test func theAccelerometerRevealsAFrozenReceiver() {
    let drill = Drill()
    drill.handle(.motion(.stationary))
    drill.handle((0..<60).map { fix($0, north: 0) })
    #expect(count(drill, .frozen) == 0)
    drill.handle(.motion(.driving))
    drill.handle((60..<120).map { fix($0, north: 0) })
    #expect((45...50).contains(count(drill, .frozen)))
    drill.handle((120..<130).map { fix($0, north: Double($0)) })
    #expect(drill.locations.last?.time == Fix.start + .seconds(129))
  }

  @Test func aFixRequestedByAnEventPassesTheFilters() {
    var settings = TrackerSettings(deviceID: "van")
    settings.maxAccuracy = 50
    settings.decimation = Decimation(minTime: .seconds(600))
    let drill = Drill(settings)
    drill.handle([fix(0, north: 0, accuracy: 5)])
    drill.handle(.positionRequested)
    drill.handle([fix(1, north: 0, accuracy: 500), fix(2, north: 0, accuracy: 5)])
    #expect(drill.locations.count == 2)
    guard case .location(let location)? = drill.locations.last?.body else {
      Issue.record("no location")
      return
    }
    #expect(location.reasons == .event)
  }

  @Test func afterAnOutageFixesMustProveReliable() throws {
    var stability = Stability()
    func observation(_ second: Double, _ north: Double, _ accuracy: Double) throws -> Observation {
      try RulesTests.observation(second, north: north, accuracy: accuracy)
    }
    #expect(!stability.isStable(try observation(0, 0, 60)))
    #expect(!stability.isStable(try observation(1, 20, 60)))
    #expect(stability.isStable(try observation(2, 10, 60)))
    #expect(!stability.isStable(try observation(100, 10, 60)))
    #expect(!stability.isStable(try observation(101, 900, 60)))
    #expect(!stability.isStable(try observation(102, -900, 60)))
    #expect(stability.isStable(try observation(103, 0, 6)))
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func forAnyInputTimeRunsForwardAndEveryFixIsCounted(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var settings = Journey.settings
    settings.maxAccuracy = 80
    settings.accuracyRetryWindow = .seconds(30)
    settings.parking = ParkingRules()
    settings.freezesWhenParked = true
    let drill = Drill(settings)
    var north = 0.0
    var second = 0
    for _ in 0..<3000 {
      second += Int.random(in: 0..<100, using: &random) == 0 ? Int.random(in: 1...9000, using: &random) : 1
      drill.wait(.seconds(1))
      switch Int.random(in: 0..<60, using: &random) {
      case 0: drill.handle(.motion(MotionStates(rawValue: UInt8.random(in: 0...31, using: &random))))
      case 1: drill.handle(.ignition(Bool.random(using: &random)))
      case 2: drill.handle(.positionRequested)
      case 3: drill.handle(.trip(Bool.random(using: &random) ? .start(.boat) : .stop))
      default: break
      }
      north += Double.random(in: -1...1, using: &random) * (Bool.random(using: &random) ? 2 : 40)
      if Int.random(in: 0..<80, using: &random) == 0 {
        north += Double.random(in: -5e5...5e5, using: &random)
      }
      var fix = fix(second, north: north, accuracy: Double.random(in: 1...120, using: &random))
      if Int.random(in: 0..<20, using: &random) == 0 { fix.horizontalAccuracy = .nan }
      if Int.random(in: 0..<20, using: &random) == 0 {
        fix.speed = Double.random(in: -1...90, using: &random)
      }
      if Int.random(in: 0..<20, using: &random) == 0 { fix.kind = .none }
      if Int.random(in: 0..<30, using: &random) == 0 { fix.latitude = .infinity }
      drill.handle(.epoch(fix, systemClock: drill.systemClock))
    }
    #expect(drill.times == drill.times.sorted())
    let rejected = drill.tracker.fixes.rejections.totals.values.reduce(0) { $0 + $1.count }
    // Fixes returned by the ring and the retry window were counted when they came.
    #expect(rejected + Int64(drill.locations.count) >= 3000)
    // Every trip has one start and one end.
    let kinds = drill.events.map(\.kind).filter { $0 == .tripStarted || $0 == .tripEnded }
    for (index, kind) in kinds.enumerated() { #expect(kind == (index % 2 == 0 ? .tripStarted : .tripEnded)) }
    #expect(kinds.count % 2 == (drill.tracker.places.trips.running == nil ? 0 : 1))
  }
}
