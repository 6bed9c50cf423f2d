import LoggerConfiguration
import Quantities
import Records
import Scheduling
import Settings
import Testing
import Tracking
import Daemon

/// Recording rules from the configuration file to the records: every rule alone, compared with the same drive without it.
@Suite struct AcquisitionSettingsTests {
  struct Rule: Sendable, CustomTestStringConvertible {
    var promise: String
    /// The content of the profile `always`.
    var rule: String
    /// The drive after ten stationary seconds.
    var run: @Sendable (ConfiguredDrive) -> Void
    /// The reasons of the records after the first one, with and without the rule.
    var kept: [KeepReasons]
    var without: [KeepReasons] = []
    var testDescription: String { promise }
  }

  static let rules = [
    Rule(
      promise: "a period of ten seconds", rule: "period: '10s'", run: { $0.go(35) },
      kept: [.period, .period, .period, .period]),
    Rule(
      promise: "a distance of 100 m", rule: "distance: '100m'", run: { $0.go(35, at: 10, course: 0) },
      kept: [.distance, .distance, .distance]),
    Rule(
      promise: "a turn of 30°", rule: "angle_deg: 30",
      run: {
        $0.go(5, at: 10, course: 0)
        $0.go(5, at: 10, course: 20)
        $0.go(5, at: 10, course: 45)
      }, kept: []),
    Rule(
      promise: "a turn of 30° from a record that has a course", rule: "angle_deg: 30, distance: '20m'",
      run: {
        $0.go(2, at: 10, course: 0)
        $0.go(1, at: 10, course: 45)
      }, kept: [.distance, .angle]),
    Rule(
      promise: "a turn of 45° near the last record stores nothing with two angles",
      rule: "angle_deg: 60, angle_long_deg: 20, angle_within: '50m', speed_kmh: 20",
      run: {
        $0.go(1, at: 10, course: 0)
        $0.go(3, at: 10, course: 45)
      }, kept: [.speed]),
    Rule(
      promise: "a turn of 45° far from the last record stores one",
      rule: "angle_deg: 60, angle_long_deg: 20, angle_within: '50m', speed_kmh: 20",
      run: {
        $0.go(7, at: 10, course: 0)
        $0.go(1, at: 10, course: 45)
      }, kept: [.speed, .angle]),
    Rule(
      promise: "a slow turn counts if configured",
      rule: "angle_deg: 30, angle_min_speed_kmh: 3, speed_kmh: 4",
      run: {
        $0.go(2, at: 1.5, course: 0)
        $0.go(1, at: 1.5, course: 90)
      }, kept: [.speed, .angle]),
    Rule(
      promise: "a slow turn does not count by default", rule: "angle_deg: 30, speed_kmh: 4",
      run: {
        $0.go(2, at: 1.5, course: 0)
        $0.go(1, at: 1.5, course: 90)
      }, kept: [.speed]),
    Rule(
      promise: "braking by 20 km/h", rule: "speed_kmh: 20",
      run: {
        $0.go(5, at: 10, course: 0)
        $0.go(5, at: 8)
        $0.go(5, at: 3)
      }, kept: [.speed, .speed]),
    Rule(
      promise: "SmartBeaconing at speed",
      rule: "beaconing: { fast_rate: '20s', fast_speed_kmh: 80, turn_time: '5s' }",
      run: {
        $0.go(15, at: 25, course: 0)
        $0.go(10, at: 25, course: 45)
        $0.go(25, at: 25)
      }, kept: [.period, .angle, .period]),
    Rule(
      promise: "no more often than min_interval", rule: "distance: '10m', min_interval: '15s'",
      run: { $0.go(35, at: 10, course: 0) }, kept: [.distance, .distance]),
    Rule(
      promise: "the ceiling stores a record", rule: "ceiling: '60s', transition: false",
      run: { $0.go(125) }, kept: [.ceiling, .ceiling]),
    Rule(
      promise: "all rules that apply are recorded", rule: "period: '10s', distance: '85m', speed_kmh: 30",
      run: { $0.go(12, at: 9, course: 0) }, kept: [[.period, .speed], [.period, .distance]]),
  ]

  private static func reasons(_ rule: String, _ run: (ConfiguredDrive) -> Void) throws -> [KeepReasons] {
    let drive = try ConfiguredDrive("{ profiles: [{ when: 'always', \(rule) }] }")
    drive.go(10)
    run(drive)
    return Array(drive.reasons.dropFirst())
  }

  @Test(arguments: rules)
  func aRuleStoresItsRecordsAndNoOthers(_ test: Rule) throws {
    #expect(try Self.reasons(test.rule, test.run) == test.kept)
    #expect(try Self.reasons("transition: false", test.run) == test.without)
  }

  struct Condition: Sendable, CustomTestStringConvertible {
    var when: ProfileCondition
    var more = ""
    /// A low battery has its own policy, which leaves little to the rules.
    var isRecordedThroughout = true
    var begin: @Sendable (ConfiguredDrive) -> Void
    var end: @Sendable (ConfiguredDrive) -> Void
    var testDescription: String { when.rawValue }
  }

  static let conditions = [
    Condition(
      when: .lowBattery, more: "supply: 'battery',", isRecordedThroughout: false,
      begin: { drive in for _ in 0..<4 { drive.process(.power(PowerReading(.unplugged, percent: 9))) } },
      end: { drive in for _ in 0..<9 { drive.process(.power(PowerReading(.charging, percent: 60))) } }),
    Condition(
      when: .inZone,
      more: "zones: [{ name: 'yard', latitude: 52, longitude: 13, radius: '60m', profile: true }],",
      begin: { _ in }, end: { $0.go(60, at: 10, course: 0) }),
    Condition(
      when: .charging, more: "supply: 'battery',",
      begin: { $0.process(.battery(Battery(state: .charging, percent: 50))) },
      end: { $0.process(.battery(Battery(state: .unplugged, percent: 50))) }),
    Condition(when: .trip, begin: { $0.process(.trip(.start(.car))) }, end: { $0.process(.trip(.stop)) }),
    Condition(when: .moving, begin: { $0.go(20, at: 10, course: 0) }, end: { $0.go(120) }),
    Condition(when: .stop, begin: { $0.go(120) }, end: { $0.go(30, at: 10, course: 0) }),
  ]

  @Test(arguments: conditions)
  func aProfileAppliesWhileItsConditionIsMet(_ test: Condition) throws {
    let others = "{ when: 'always', period: '7s' }"
    let drive = try ConfiguredDrive(
      "{ \(test.more) profiles: [{ when: '\(test.when.rawValue)', period: '2s' }, \(others)] }")
    drive.go(2)
    test.begin(drive)
    drive.go(3)
    #expect(drive.tracker.active.profile == test.when)
    let before = drive.locations.count
    drive.go(28)
    if test.isRecordedThroughout { #expect(drive.locations.count - before == 14) }
    test.end(drive)
    drive.go(3)
    #expect(drive.tracker.active.profile == .always)
    let after = drive.locations.count
    drive.go(28)
    #expect(drive.locations.count - after == 4)
  }

  @Test func onlyTheFirstProfileWhoseConditionIsMetApplies() throws {
    let text = "supply: 'mains', profiles: [{ when: 'moving' }, { when: 'charging' }, { when: 'always' }]"
    let drive = try ConfiguredDrive("{ \(text) }")
    drive.go(120)
    #expect(drive.tracker.active.profile == .charging)
    drive.go(20, at: 10, course: 0)
    #expect(drive.tracker.active.profile == .moving)
  }

  @Test(arguments: [
    ("", [ProfileCondition.trip]), ("{ when: 'moving' }, { when: 'stop' }", [.trip, .moving, .stop]),
    ("{ when: 'charging' }, { when: 'always' }", [.charging, .trip, .always]),
    ("{ when: 'moving' }, { when: 'trip' }", [.moving, .trip]),
  ])
  func tripSettingsPrecedeProfilesThatAlsoApplyOutsideTrips(list: String, order: [ProfileCondition]) throws {
    let settings = try ConfiguredDrive.settings("{ trip: { min_time: '5s' }, profiles: [\(list)] }")
    #expect(settings.profiles.entries.map(\.profile) == order)
    let own = list.contains("trip") ? AcquisitionRules() : AcquisitionRules(minPeriod: .seconds(5))
    #expect(settings.profiles[.trip] == own)
  }

  @Test func transitionsAreStoredUnlessSwitchedOff() throws {
    for (value, count) in [("true", 3), ("false", 1)] {
      let drive = try ConfiguredDrive("{ profiles: [{ when: 'always', transition: \(value) }] }")
      drive.go(100)
      drive.go(60, at: 10, course: 0)
      #expect(drive.locations.count == count, "\(value)")
      #expect(drive.reasons.allSatisfy { $0 == .transition })
    }
  }

  @Test func anEventStoresTheNextPositionIfTheRulesSaySo() throws {
    for value in ["true", "false"] {
      let drive = try ConfiguredDrive(
        "{ profiles: [{ when: 'always', transition: false, event: \(value) }] }")
      drive.go(5)
      drive.process(.occurred(EventRecord(.chargerAttached)))
      drive.go(5)
      drive.process(.occurred(EventRecord(.gaugeLost)))
      drive.go(5)
      #expect(Array(drive.reasons.dropFirst()) == (value == "true" ? [.event] : []))
    }
  }

  @Test func aHeartbeatIsReportedWithoutAnyFix() throws {
    let drive = try ConfiguredDrive("{ profiles: [{ when: 'always', period: '1s', ceiling: '1h' }] }")
    drive.wait(3 * 3600 + 60)
    #expect(drive.events(.heartbeat).count == 3)
    let plain = try ConfiguredDrive("{}")
    plain.wait(3 * 3600 + 60)
    #expect(plain.events(.heartbeat).isEmpty)
  }

  @Test func changedProfilesApplyImmediatelyAndKeepTheReference() throws {
    let drive = try ConfiguredDrive("{ profiles: [{ when: 'always', period: '1m' }] }")
    drive.go(50)
    try drive.change("{ profiles: [{ when: 'always', period: '30s' }] }")
    drive.go(1)
    #expect(drive.reasons == [.transition, .period])
    try drive.change("{}")
    drive.go(10)
    #expect(drive.locations.count == 12)
    try drive.change("{ profiles: [{ when: 'always', ceiling: '60s' }] }")
    drive.wait(130)
    #expect(drive.events(.heartbeat).count == 2)
  }

  @Test func withoutRulesEveryValidEpochIsStored() throws {
    let drive = try ConfiguredDrive("{}")
    drive.go(400)
    drive.go(60, at: 15, course: 0)
    drive.go(400)
    #expect(drive.locations.count == 860)
    #expect(Set(drive.reasons.dropFirst()) == [.period])
    #expect(Set(drive.locations.map(\.coordinate)).count == 61)
    #expect(drive.tracker.active.profile == nil)
  }
}
