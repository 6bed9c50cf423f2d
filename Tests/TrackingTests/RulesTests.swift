import Quantities
import Records
import Testing
@testable import Tracking

/// Every recording rule by itself, and all together.
@Suite struct RulesTests {
  static let position = Coordinate(latitudeE7: 525_000_000, longitudeE7: 134_000_000)

  /// A fix so many seconds after the start, so many metres to the north.
  static func observation(
    _ seconds: Double, north: Double = 0, speed: Double? = nil, course: Double? = nil,
    accuracy: Double? = nil,
    courseAccuracy: Double? = nil, speedAccuracy: Double? = nil
  ) throws -> Observation {
    let milliseconds = Int64((seconds * 1000).rounded())
    var observation = Observation(
      timestamp: Timestamp(milliseconds: 1_774_087_200_000 + milliseconds),
      moment: Moment(nanoseconds: milliseconds * 1_000_000),
      coordinate: try #require(position).moved(east: 0, north: north))
    observation.speed = speed
    observation.course = course
    observation.accuracy = accuracy
    observation.courseAccuracy = courseAccuracy
    observation.speedAccuracy = speedAccuracy
    return observation
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var promise: String
    var rules: AcquisitionRules
    var from: @Sendable () throws -> Observation
    var to: @Sendable () throws -> Observation
    var reasons: KeepReasons
    var testDescription: String { promise }

    init(
      _ promise: String, _ reasons: KeepReasons,
      from: @autoclosure @escaping @Sendable () throws -> Observation,
      to: @autoclosure @escaping @Sendable () throws -> Observation,
      _ change: (inout AcquisitionRules) -> Void
    ) {
      self.promise = promise
      self.reasons = reasons
      self.from = from
      self.to = to
      rules = AcquisitionRules()
      change(&rules)
    }
  }

  static let cases = [
    Case("the period has passed", .period, from: try observation(0), to: try observation(60)) {
      $0.minPeriod = .seconds(60)
    },
    Case("the period has not passed", [], from: try observation(0), to: try observation(59)) {
      $0.minPeriod = .seconds(60)
    },
    Case("no rule at all", [], from: try observation(0), to: try observation(9e5, north: 1e5)) { _ in },
    Case("far enough", .distance, from: try observation(0), to: try observation(1, north: 101)) {
      $0.minDistance = 100
    },
    Case("not far enough", [], from: try observation(0), to: try observation(1, north: 99)) {
      $0.minDistance = 100
    },
    Case(
      "far, but within the uncertainty of both", [], from: try observation(0, accuracy: 80),
      to: try observation(1, north: 110, accuracy: 80)
    ) { $0.minDistance = 100 },
    Case(
      "beyond the uncertainty of both", .distance, from: try observation(0, accuracy: 60),
      to: try observation(1, north: 110, accuracy: 80)
    ) { $0.minDistance = 100 },
    Case(
      "a turn over north is small", [], from: try observation(0, speed: 10, course: 359),
      to: try observation(1, speed: 10, course: 1)
    ) { $0.angle = .fixed(degrees: 10) },
    Case(
      "a turn over north", .angle, from: try observation(0, speed: 10, course: 355),
      to: try observation(1, speed: 10, course: 5)
    ) { $0.angle = .fixed(degrees: 10) },
    Case(
      "no course at low speed", [], from: try observation(0, speed: 2, course: 0),
      to: try observation(1, speed: 2, course: 90)
    ) { $0.angle = .fixed(degrees: 10) },
    Case(
      "an inaccurate course", [], from: try observation(0, speed: 10, course: 0),
      to: try observation(1, speed: 10, course: 30, courseAccuracy: 20)
    ) { $0.angle = .fixed(degrees: 20) },
    Case(
      "a city corner", .angle, from: try observation(0, speed: 10, course: 0),
      to: try observation(9, north: 60, speed: 10, course: 70)
    ) { $0.angle = .cornersAndBends },
    Case(
      "no corner, and near", [], from: try observation(0, speed: 10, course: 0),
      to: try observation(9, north: 60, speed: 10, course: 30)
    ) { $0.angle = .cornersAndBends },
    Case(
      "a motorway bend", .angle, from: try observation(0, speed: 30, course: 0),
      to: try observation(9, north: 300, speed: 30, course: 25)
    ) { $0.angle = .cornersAndBends },
    Case("braking", .speed, from: try observation(0, speed: 20), to: try observation(1, speed: 14)) {
      $0.minSpeedDelta = 5
    },
    Case(
      "a change within its uncertainty", [], from: try observation(0, speed: 20, speedAccuracy: 6),
      to: try observation(1, speed: 14, speedAccuracy: 6)
    ) { $0.minSpeedDelta = 5 },
    Case("an unknown speed", [], from: try observation(0), to: try observation(1, speed: 14)) {
      $0.minSpeedDelta = 5
    },
    Case("the ceiling", .ceiling, from: try observation(0), to: try observation(3600)) {
      $0.maxPeriod = .seconds(3600)
    },
    Case(
      "all rules that hold are named", [.period, .distance, .angle, .speed, .ceiling],
      from: try observation(0, speed: 10, course: 0),
      to: try observation(100, north: 500, speed: 20, course: 90)
    ) {
      $0.minPeriod = .seconds(50)
      $0.minDistance = 100
      $0.angle = .fixed(degrees: 20)
      $0.minSpeedDelta = 5
      $0.maxPeriod = .seconds(90)
    },
    Case(
      "the rate is limited", [], from: try observation(0), to: try observation(5, north: 500)
    ) {
      $0.minDistance = 100
      $0.minInterval = .seconds(10)
    },
    Case("slow: the slow rate", [], from: try observation(0, speed: 1), to: try observation(1799, speed: 1)) {
      $0.beaconing = SmartBeaconing()
    },
    Case(
      "fast: the fast rate", .period, from: try observation(0, speed: 30), to: try observation(180, speed: 30)
    ) {
      $0.beaconing = SmartBeaconing()
    },
    Case(
      "in between: inversely proportional to the speed", .period, from: try observation(0, speed: 12.5),
      to: try observation(360, speed: 12.5)
    ) { $0.beaconing = SmartBeaconing() },
    Case(
      "a corner for its speed", .angle, from: try observation(0, speed: 10, course: 0),
      to: try observation(20, speed: 10, course: 41)
    ) { $0.beaconing = SmartBeaconing() },
    Case(
      "no corner for its speed", [], from: try observation(0, speed: 5, course: 0),
      to: try observation(20, speed: 5, course: 41)
    ) { $0.beaconing = SmartBeaconing() },
    Case(
      "a corner too soon", [], from: try observation(0, speed: 10, course: 0),
      to: try observation(10, speed: 10, course: 90)
    ) { $0.beaconing = SmartBeaconing() },
  ]

  @Test(arguments: cases)
  func anyRuleThatHoldsMakesARecord(_ test: Case) throws {
    let verdict = test.rules.verdict(on: try test.to(), reference: try test.from())
    if test.reasons.isEmpty {
      guard case .drop = verdict else {
        Issue.record("\(verdict)")
        return
      }
    } else {
      #expect(verdict == .keep(test.reasons))
    }
  }

  @Test func requestedFixesAreRecordedWithTheirReasons() throws {
    var rules = AcquisitionRules(minPeriod: .seconds(60), minDistance: 10)
    rules.minInterval = .seconds(600)
    let verdict = rules.verdict(
      on: try Self.observation(120, north: 100), reference: try Self.observation(0),
      asked: [.transition, .event])
    #expect(verdict == .keep([.event, .transition]))
    #expect(KeepReasons([.event, .transition]).first == .event)
    #expect(KeepReasons([.speed, .distance]).first == .distance && KeepReasons().first == nil)
  }

  @Test func withoutALastRecordTheFirstFixIsRecorded() throws {
    let verdict = AcquisitionRules().verdict(on: try Self.observation(0), reference: nil)
    #expect(verdict == .keep(.transition))
  }

  @Test func anOmittedFixIsCountedByItsRule() throws {
    let near = try Self.observation(5, north: 5)
    let reference = try Self.observation(0)
    func rejection(_ rules: AcquisitionRules) -> AcquisitionRules.Verdict {
      rules.verdict(on: near, reference: reference)
    }
    #expect(
      rejection(AcquisitionRules(minTime: .seconds(10), minDistance: nil))
        == .drop(.minTime, .pause(.seconds(5))))
    #expect(
      rejection(AcquisitionRules(minTime: .seconds(1), minDistance: 10))
        == .drop(.minDistance, .distance(near.distance(to: reference))))
    #expect(
      rejection(AcquisitionRules(minTime: .seconds(10), minDistance: 10))
        == .drop(.minTime, .pause(.seconds(5))))
    #expect(
      rejection(AcquisitionRules(minPeriod: .seconds(10), minDistance: 10))
        == .drop(.noRule, .pause(.seconds(5))))
    #expect(rejection(AcquisitionRules()) == .drop(.noRule, .pause(.seconds(5))))
  }

  /// Overland's two filters as in its manual: a fix must pass both.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func minTimeAndMinDistanceAreRecordingRules(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let minTime = Duration.seconds([0, 2, 5, 30].randomElement(using: &random) ?? 0)
    let minDistance = [nil, 5.0, 50.0].randomElement(using: &random) ?? nil
    let rules = AcquisitionRules(minTime: minTime, minDistance: minDistance)
    var reference = try Self.observation(0, accuracy: 1)
    var north = 0.0
    for second in 1...500 {
      north += Double.random(in: -2...6, using: &random)
      let observation = try Self.observation(Double(second), north: north, accuracy: 1)
      let isLate = try #require(observation.elapsed(since: reference)) >= minTime
      let isFar = minDistance.map { observation.distance(to: reference) >= $0 } ?? true
      switch rules.verdict(on: observation, reference: reference) {
      case .keep:
        #expect(isLate && isFar, "second \(second)")
        reference = observation
      case .drop: #expect(!isLate || !isFar, "second \(second)")
      }
    }
  }

  @Test func theProfileWithTheHighestPriorityApplies() {
    let some = AcquisitionRules(minPeriod: .seconds(1))
    let all = ProfileRules(Dictionary(uniqueKeysWithValues: ProfileCondition.allCases.map { ($0, some) }))
    #expect(all.active([.moving, .trip, .charging]) == .charging)
    #expect(all.active([.moving, .trip]) == .trip)
    #expect(all.active([.stop, .inZone, .lowBattery]) == .lowBattery)
    #expect(ProfileRules([.stop: some]).active([.moving, .trip]) == nil)
    #expect(ProfileRules().active(Set(ProfileCondition.allCases)) == nil)
  }

  @Test func theProfileChangesTheRulesAndTheChangeIsARecord() {
    var settings = Journey.settings
    settings.trips.isAutomatic = false
    settings.visits = nil
    settings.batteryWithoutGauge = .unknown
    settings.profiles = ProfileRules([
      .moving: AcquisitionRules(minPeriod: .seconds(10)), .stop: AcquisitionRules(minPeriod: .seconds(600)),
      .charging: AcquisitionRules(minPeriod: .seconds(2)),
    ])
    let day = Journey(settings)
    day.stop(1260)
    // One in ten seconds before the stop is certain.
    #expect((7...10).contains(day.points.count))
    var count = day.points.count
    day.go(1000, at: 10)
    #expect((8...13).contains(day.points.count - count))
    #expect(day.points.contains { $0.location.reasons.first == .transition })
    day.drill.handle(.battery(Battery(state: .charging, percent: 50)))
    day.go(50, at: 10)
    count = day.points.count
    day.go(400, at: 10)
    #expect((19...21).contains(day.points.count - count))
    #expect(day.drill.tracker.active.profile == .charging)
  }

  @Test func aLongTimeWithoutARecordIsAHeartbeat() {
    var settings = TrackerSettings(deviceID: "van")
    var stop = AcquisitionRules(minDistance: 1000)
    stop.maxPeriod = .seconds(3600)
    settings.profiles = ProfileRules([.stop: stop, .moving: stop])
    let day = Journey(settings)
    day.drill.handle(.started(lastLocation: nil))
    day.stop(100)
    day.pass(3 * 3600 + 60)
    #expect(day.events(.heartbeat).count == 3)
    #expect(day.points.count <= 3)
    let count = day.points.count
    day.stop(2)
    #expect(day.points.count == count + 1)
    #expect(day.points.last?.location.reasons.contains(.ceiling) == true)
  }
}
