import FleetPolicy
import FleetRecords
import Quantities
import Testing

@Suite struct FleetPolicyTests {
  private static func at(_ milliseconds: Int64) -> Moment { Moment(nanoseconds: milliseconds * 1_000_000) }

  @Test func aGroupIsClosedByRowsBytesOrAge() {
    var queue = GroupQueue<String>(GroupRules(rows: 10, bytes: 1000, delay: .milliseconds(10)))
    #expect(queue.takeGroup(now: Self.at(0)) == nil)
    queue.append("a", rows: 4, bytes: 10, arrival: Self.at(0))
    #expect(queue.takeGroup(now: Self.at(9)) == nil)
    #expect(queue.nextTimeout == Self.at(10))
    #expect(queue.takeGroup(now: Self.at(10)) == ["a"])
    for (name, rows) in [("b", 4), ("c", 4), ("d", 4), ("e", 30)] {
      queue.append(name, rows: rows, bytes: 10, arrival: Self.at(20))
    }
    #expect(queue.takeGroup(now: Self.at(20)) == ["b", "c"])
    #expect(queue.takeGroup(now: Self.at(20)) == ["d"])
    #expect(queue.takeGroup(now: Self.at(20)) == ["e"])
    queue.append("f", rows: 0, bytes: 1000, arrival: Self.at(20))
    #expect(queue.takeGroup(now: Self.at(20)) == ["f"])
    #expect(queue.count == 0 && queue.nextTimeout == nil)
  }

  @Test func itemsPutBackComeFirstAndAloneIfAskedFor() {
    var queue = GroupQueue<String>(GroupRules(rows: 10))
    for name in ["a", "b", "c"] { queue.append(name, rows: 5, bytes: 1, arrival: Self.at(0)) }
    #expect(queue.takeGroup(now: Self.at(0)) == ["a", "b"])
    let returned = [
      (item: "a", rows: 5, bytes: 1, arrival: Self.at(0)),
      (item: "b", rows: 5, bytes: 1, arrival: Self.at(0)),
    ]
    queue.putBack(returned, areAlone: true)
    for expected in [["a"], ["b"], ["c"]] { #expect(queue.takeGroup(now: Self.at(50)) == expected) }
    queue.append("d", rows: 1, bytes: 1, arrival: Self.at(0))
    queue.putBack(returned, areAlone: false)
    #expect(queue.takeGroup(now: Self.at(50)) == ["a", "b"])
    queue.append("e", rows: 1, bytes: 1, arrival: Self.at(0))
    queue.removeAll { $0 == "d" }
    #expect(queue.takeGroup(now: Self.at(50)) == ["e"])
  }

  @Test func uploadsAreRefusedWithoutMemoryTimeOrConnection() {
    let rules = IntakeRules(memory: 100, slowAfter: .seconds(5))
    #expect(rules.admits(bytes: 60, pending: 40, waiting: nil, isConnected: true))
    #expect(!rules.admits(bytes: 61, pending: 40, waiting: nil, isConnected: true))
    #expect(!rules.admits(bytes: .max, pending: .max, waiting: nil, isConnected: true))
    #expect(!rules.admits(bytes: 1, pending: 0, waiting: .seconds(5), isConnected: true))
    #expect(!rules.admits(bytes: 1, pending: 0, waiting: nil, isConnected: false))
  }

  @Test func healthFollowsTheLastWrites() {
    var health = WriteHealth()
    #expect(!health.isHealthy(waiting: nil, now: Self.at(0)))
    #expect(health.isTestDue(now: Self.at(0)))
    health.testBegan(now: Self.at(0))
    #expect(!health.isTestDue(now: Self.at(5000)), "one at a time")
    health.testEnded(nil, now: Self.at(0))
    #expect(!health.isTestDue(now: Self.at(4999)) && health.isTestDue(now: Self.at(5000)))
    #expect(health.isHealthy(waiting: nil, now: Self.at(10_000)))
    #expect(!health.isHealthy(waiting: nil, now: Self.at(10_001)))
    health.testBegan(now: Self.at(12_000))
    health.testEnded(nil, now: Self.at(12_000))
    #expect(health.isHealthy(waiting: .seconds(10), now: Self.at(12_000)))
    #expect(!health.isHealthy(waiting: .seconds(11), now: Self.at(12_000)))
    health.uploadStored(now: Self.at(13_000))
    #expect(health.isHealthy(waiting: .seconds(11), now: Self.at(23_000)))
  }

  /// Without uploads, nobody would know if they succeed again.
  @Test func failedUploadsCountForAMinute() {
    var health = WriteHealth()
    func test(_ milliseconds: Int64) {
      health.testBegan(now: Self.at(milliseconds))
      health.testEnded(nil, now: Self.at(milliseconds))
    }
    test(0)
    health.uploadFailed(now: Self.at(0))
    #expect(!health.isHealthy(waiting: nil, now: Self.at(0)))
    test(60_000)
    #expect(!health.isHealthy(waiting: nil, now: Self.at(60_000)))
    #expect(health.isHealthy(waiting: nil, now: Self.at(60_001)))
    health.uploadStored(now: Self.at(61_000))
    health.uploadFailed(now: Self.at(62_000))
    #expect(health.isHealthy(waiting: nil, now: Self.at(71_000)))
    #expect(!health.isHealthy(waiting: nil, now: Self.at(71_001)))
  }

  @Test func theReasonOfAFailedTestIsKept() {
    var health = WriteHealth()
    health.testBegan(now: Self.at(0))
    health.noteSlowTest(now: Self.at(10_000))
    #expect(health.fault == nil)
    health.noteSlowTest(now: Self.at(10_001))
    #expect(health.fault == .unconfirmed)
    health.testEnded(.readOnly, now: Self.at(11_000))
    #expect(health.fault == .readOnly)
    // A fault of the tables counts although uploads are stored.
    health.uploadStored(now: Self.at(11_000))
    #expect(health.isHealthy(waiting: nil, now: Self.at(11_000)))
    health.testEnded(.oldTables(missing: "0009"), now: Self.at(11_000))
    #expect(!health.isHealthy(waiting: nil, now: Self.at(11_000)))
    health.testEnded(nil, now: Self.at(11_000))
    #expect(health.isHealthy(waiting: nil, now: Self.at(11_000)) && health.fault == nil)
  }

  @Test func faultsHaveTheirRemedy() {
    #expect(WriteFault(state: "25006") == .readOnly)
    #expect(WriteFault(state: "42P01") == .noTables)
    #expect("\(WriteFault(state: "42P01"))".contains("fleet init"))
    #expect("\(WriteFault(state: "53100"))".contains("full"))
    #expect("\(WriteFault(state: "42501"))".contains("42501"))
  }

  static let verdicts: [(String, String, FailureVerdict)] = [
    ("40P01", "", .repeatGroup), ("40001", "", .repeatGroup), ("55P03", "", .repeatGroup),
    ("23514", "", .renewPartitions), ("23514", "device_name_check", .isolate),
    ("23503", "", .renewDevices), ("22P05", "", .isolate), ("22003", "", .isolate), ("54000", "", .isolate),
    ("23505", "", .isolate), ("53100", "", .unavailable), ("57P01", "", .unavailable),
    ("25006", "", .unavailable), ("42P01", "", .unavailable), ("58030", "", .unavailable),
    ("XX000", "", .unavailable), ("", "", .unavailable),
  ]

  @Test func onlyFaultsOfValuesAreBlamedOnUploads() {
    for (state, constraint, verdict) in Self.verdicts {
      #expect(FailureVerdict(state: state, constraint: constraint) == verdict, "\(state)")
    }
  }

  private static func day(_ text: String) -> Int { Timestamp(iso8601: text + "T00:00:00Z")?.day ?? 0 }

  @Test func missingDaysBecomeDaysOrMonthsWithoutOverlap() {
    let today = Self.day("2026-11-22")
    var plan = PartitionPlan(.day)
    let expected = [
      PartitionRange(firstDay: Self.day("2007-01-01"), days: 365), PartitionRange(firstDay: today, days: 1),
      PartitionRange(firstDay: today + 1, days: 1),
    ]
    #expect(plan.missing([today, today + 1, Self.day("2007-02-14")], today: today) == expected)
    #expect(plan.missing([today + 200], today: today).map(\.days) == [30])
    plan.replace([
      (
        Timestamp(iso8601: "2026-11-22T00:00:00Z") ?? noTime,
        Timestamp(iso8601: "2026-11-24T00:00:00Z") ?? noTime
      )
    ])
    #expect(plan.covers(today) && plan.covers(today + 1) && !plan.covers(today + 2))
    #expect(
      plan.missing([today, today + 3, today + 4], today: today)
        == [PartitionRange(firstDay: today + 3, days: 1), PartitionRange(firstDay: today + 4, days: 1)])
    let months = PartitionPlan(.month)
    #expect(
      months.missing([Self.day("2026-12-31"), Self.day("2027-01-01"), Self.day("2028-02-29")], today: today)
        == [
          PartitionRange(firstDay: Self.day("2026-12-01"), days: 31),
          PartitionRange(firstDay: Self.day("2027-01-01"), days: 31),
          PartitionRange(firstDay: Self.day("2028-02-01"), days: 29),
        ])
  }

  /// Days with the partition that they get on 2026-11-22, when 2007-02-14 and 2050-07 have one.
  static let far: [(day: String, first: String, days: Int)] = [
    ("2024-12-31", "2024-01-01", 366), ("2025-03-01", "2025-03-01", 31), ("2025-11-01", "2025-11-01", 1),
    ("2027-02-01", "2027-02-01", 28), ("2036-12-31", "2036-12-01", 31), ("2037-01-01", "2037-01-01", 365),
    ("1980-01-01", "1980-01-01", 366), ("2099-12-31", "2099-01-01", 365), ("2007-01-14", "2007-01-01", 31),
    ("2007-02-15", "2007-02-15", 1), ("2050-08-01", "2050-08-01", 31),
  ]

  @Test func farDaysShareThePartitionOfTheirYear() {
    let today = Self.day("2026-11-22")
    var plan = PartitionPlan(.day)
    plan.replace(
      [("2007-02-14T00:00:00Z", "2007-02-15T00:00:00Z"), ("2050-07-01T00:00:00Z", "2050-08-01T00:00:00Z")].map
      {
        (Timestamp(iso8601: $0) ?? noTime, Timestamp(iso8601: $1) ?? noTime)
      })
    for (day, first, days) in Self.far {
      #expect(
        plan.missing([Self.day(day)], today: today) == [
          PartitionRange(firstDay: Self.day(first), days: days)
        ],
        "\(day)")
    }
  }

  /// A device whose clock is anywhere.
  @Test func allDaysNeedAFewHundredPartitions() {
    let all = Set(Self.day("1980-01-01")...Self.day("2100-12-31"))
    for width in [PartitionWidth.day, .month] {
      for today in ["2026-11-22", "2027-01-01", "2028-02-29", "2031-12-31"].map(Self.day) {
        let ranges = PartitionPlan(width).missing(all, today: today)
        #expect(ranges.count <= (width == .day ? 717 : 270), "\(ranges.count)")
        #expect(ranges.reduce(0) { $0 + $1.days } == all.count)
        #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.firstDay + $0.days == $1.firstDay })
      }
    }
  }

  private let noTime = Timestamp(milliseconds: 0)

  @Test func ageIsJudgedByTheServersClock() {
    let now = Timestamp(milliseconds: 1_795_367_081_250)
    let age = RecordAge(Retention(locationDays: 30), now: now)
    let midnight = Timestamp(milliseconds: Int64(now.day - 30) * 86_400_000)
    #expect(!age.isExpired(location: midnight))
    #expect(age.isExpired(location: midnight + .milliseconds(-1)))
    #expect(!age.isExpired(other: Timestamp(milliseconds: 0)))
    #expect(!age.isDoubtful(now + .seconds(86_400)))
    #expect(age.isDoubtful(now + .seconds(86_401)))
  }

  @Test func theNarrowestScopeCounts() {
    var desired = DesiredSettings()
    #expect(desired.isEmpty && desired.values(device: "a", cohort: "field").isEmpty)
    desired.set("x", "1", for: .all)
    desired.set("y", "1", for: .all)
    desired.set("x", "2", for: .cohort("field"))
    desired.set("x", "3", for: .device("a"))
    #expect(desired.values(device: "a", cohort: "field") == ["x": "3", "y": "1"])
    #expect(desired.values(device: "b", cohort: "field") == ["x": "2", "y": "1"])
    #expect(desired.values(device: "b", cohort: "all") == ["x": "1", "y": "1"])
  }

  @Test func settingsAreOneObjectWithGroups() {
    let answer = SettingsAnswer(
      desired: ["main.min_time": "\"30s\"", "main.a.b": "1", "tracking": "true", "main": "0", "\"": "{}"],
      outcomes: [:])
    #expect(answer?.settings == #"{"\"":{},"main":0,"tracking":true}"#)
    #expect(
      SettingsAnswer(desired: ["main.min_time": "\"30s\"", "main.a.b": "1", "z": "[1]"], outcomes: [:])?
        .settings
        == #"{"main":{"a":{"b":1},"min_time":"30s"},"z":[1]}"#)
    #expect(SettingsAnswer(desired: [:], outcomes: [:]) == nil)
  }

  @Test func valuesThatFailedAreLeftOutUntilTheyChange() {
    for state in SettingState.allCases {
      let answer = SettingsAnswer(desired: ["x": "1"], outcomes: ["x": ("1", state)])
      #expect((answer == nil) == [.rolledBack, .rejected, .ignored].contains(state), "\(state)")
      #expect(SettingsAnswer(desired: ["x": "2"], outcomes: ["x": ("1", state)]) != nil)
    }
    #expect(SettingState(.proven, isStillDesired: false) == .superseded)
    for outcome in SettingOutcome.Outcome.allCases {
      #expect(SettingState(outcome, isStillDesired: true).rawValue == outcome.rawValue)
    }
  }

  @Test func whatIsNotDesiredAnyMoreIsTakenBack() throws {
    for state in SettingState.allCases {
      let answer = SettingsAnswer(desired: ["x": "1"], outcomes: ["x": ("1", .proven), "y": ("2", state)])
      let isInForce = [.sent, .onTrial, .proven, .superseded].contains(state)
      #expect(answer?.unset == (isInForce ? ["y"] : []) && answer?.values == ["x": "1"], "\(state)")
      #expect((SettingsAnswer(desired: [:], outcomes: ["y": ("2", state)]) != nil) == isInForce, "\(state)")
    }
    // A group is desired as a whole, or a part of it.
    let outcomes: [String: (value: String, state: SettingState)] = [
      "main.a": ("1", .proven), "main": ("{}", .proven), "mainly": ("1", .proven),
    ]
    #expect(SettingsAnswer(desired: ["main": "{}"], outcomes: outcomes)?.unset == ["mainly"])
    #expect(SettingsAnswer(desired: ["main.a": "1"], outcomes: outcomes)?.unset == ["mainly"])
    let plain = try #require(SettingsAnswer(desired: ["x": "1"], outcomes: [:]))
    #expect(plain.named == plain.settings, "devices keep the name of what they have")
  }

  @Test func silenceComesAfterTheAnnouncedContactAndSomePatience() {
    let seen = Timestamp(milliseconds: 1_795_367_081_250)
    func state(_ next: Duration?, after: Duration) -> ContactState {
      ContactState(isEnabled: true, lastSeen: seen, nextContact: next.map { seen + $0 }, now: seen + after)
    }
    #expect(state(.seconds(600), after: .seconds(600)) == .ok)
    #expect(state(.seconds(600), after: .seconds(601)) == .due)
    #expect(state(.seconds(600), after: .seconds(1500)) == .due)
    #expect(state(.seconds(600), after: .seconds(1501)) == .silent)
    #expect(state(.seconds(86_400), after: .seconds(129_600)) == .due)
    #expect(state(nil, after: .seconds(129_601)) == .silent)
    #expect(ContactState(isEnabled: true, lastSeen: nil, nextContact: nil, now: seen) == .never)
    #expect(ContactState(isEnabled: false, lastSeen: nil, nextContact: nil, now: seen) == .disabled)
  }
}
