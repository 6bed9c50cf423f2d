import Quantities
import Records
import Testing
import GNSSProtocol
import Tracking

@Suite struct TrackerTests {
  @Test func recordsContainTheGaugesReading() throws {
    let drill = Drill()
    drill.handle(Fix.series([0]))
    drill.handle(.battery(Battery(state: .charging, percent: 80)))
    drill.handle(Fix.series([1000]))
    drill.handle(.battery(Battery(state: .unknown, percent: nil)))
    drill.handle(Fix.series([2000]))
    let batteries = drill.locations.map { record -> Battery? in
      guard case .location(let location) = record.body else { return nil }
      return Battery(state: location.batteryState, percent: location.batteryPercent)
    }
    let expected = [
      Battery(state: .full, percent: 100), Battery(state: .charging, percent: 80),
      Battery(state: .unknown, percent: nil),
    ]
    #expect(batteries == expected)
    #expect(Battery(state: .full, percent: 255).percent == 100)
  }

  @Test func everyEpochBecomesARecordMovingOrNot() {
    let drill = Drill()
    drill.handle(Fix.series((0..<3600).map { $0 * 1000 }))
    #expect(drill.locations.count == 3600)
    #expect(drill.tracker.locations.count == 3600)
    #expect(drill.tracker.fixes.epochs == 3600)
    #expect(drill.rejections.isEmpty)
  }

  @Test func midnightLosesNothingAndARepeatedLeapSecondIsOneRecord() {
    let drill = Drill()
    var leap = Fix("2027-01-01T00:00:00Z")
    leap.millisecondOfDay = 86_400_000
    drill.handle([
      Fix("2026-12-31T23:59:58Z"), Fix("2026-12-31T23:59:59Z"), leap, Fix("2027-01-01T00:00:00Z"),
      Fix("2027-01-01T00:00:01Z"),
    ])
    #expect(
      drill.locations.compactMap { $0.time?.iso8601() } == [
        "2026-12-31T23:59:58Z", "2026-12-31T23:59:59Z", "2027-01-01T00:00:00Z", "2027-01-01T00:00:01Z",
      ])
    #expect(drill.tracker.fixes.rejections.totals[.notNewer]?.count == 1)
  }

  @Test func anUndatedLeapSecondIsOneRecordToo() {
    let drill = Drill()
    var leap = Fix("2027-01-01T00:00:00Z").undated
    leap.millisecondOfDay = 86_400_000
    drill.handle([Fix("2026-12-31T23:59:59Z").undated, leap, Fix("2027-01-01T00:00:00Z").undated])
    drill.handle([Fix("2027-01-01T00:00:01Z")])
    #expect(drill.times.map { $0 - 1_798_761_600_000 } == [-1000, 0, 1000])
  }

  @Test func onlyTheFirstLocationIsUrgent() {
    let drill = Drill()
    drill.handle(Fix.series([0, 1000, 2000]))
    let urgencies = drill.actions.compactMap { action -> TrackerAction.Urgency? in
      guard case .keep(let record, let urgency) = action, case .location = record.body else { return nil }
      return urgency
    }
    #expect(urgencies == [.atOnce, .routine, .routine])
  }

  // MARK: Restart

  private func lastLocation(_ time: String) throws -> LogRecord {
    let position = try #require(Coordinate(latitude: 52.5, longitude: 13.4))
    return LogRecord(
      moment: .zero + .seconds(9_999_999), time: Timestamp(iso8601: time), timeQuality: .receiver,
      body: .location(LocationRecord(coordinate: position, deviceID: "van")))
  }

  @Test(
    arguments: [
      // A fix of the second that is in the log already, the next one, and a recording that is hours old.
      ("2026-03-21T10:00:00Z", [1000, 2000]), ("2026-03-21T09:59:59Z", [0, 1000, 2000]),
      ("2026-03-21T10:00:01Z", [2000]), ("2026-03-21T18:00:00Z", [0, 1000, 2000]),
    ] as [(String, [Int64])])
  func afterARestartTheLastRecordIsTheReference(last: String, kept: [Int64]) throws {
    let drill = Drill()
    drill.handle(.started(lastLocation: try lastLocation(last)))
    drill.handle(Fix.series([0, 1000, 2000]))
    #expect(drill.times.map { $0 - Fix.start.milliseconds } == kept)
    #expect(drill.events.first?.kind == .started)
  }

  @Test func aRestoredRecordIsReportedAndDoesNotBlockAnUndatedFix() throws {
    let drill = Drill(minTime: .seconds(60), minDistance: 100)
    let last = try lastLocation("2026-03-21T09:00:00Z")
    drill.handle(.started(lastLocation: last))
    #expect(drill.tracker.locations.last == last)
    drill.handle([Fix(Fix.start).undated])
    #expect(drill.locations.count == 1)
  }

  @Test func aLogThatOpensLateDoesNotReplaceNewerRecords() throws {
    let drill = Drill()
    drill.handle(Fix.series([0]))
    drill.handle(.started(lastLocation: try lastLocation("2026-03-21T10:00:00Z")))
    drill.handle(Fix.series([500, 1000]))
    #expect(drill.times.map { $0 - Fix.start.milliseconds } == [0, 1000])
  }

  // MARK: Rejections

  struct Position: Sendable {
    var latitude: Double, longitude: Double, isKept: Bool
  }

  @Test(arguments: [
    Position(latitude: 0, longitude: 0, isKept: false),
    Position(latitude: 0.00000001, longitude: 0, isKept: false),
    Position(latitude: 0, longitude: 13, isKept: true), Position(latitude: 90, longitude: -180, isKept: true),
    Position(latitude: 90.1, longitude: 0, isKept: false),
    Position(latitude: 50, longitude: 180.1, isKept: false),
    Position(latitude: .nan, longitude: 1, isKept: false),
    Position(latitude: .infinity, longitude: 1, isKept: false),
  ])
  func impossiblePositionsAreNotRecorded(_ position: Position) {
    let drill = Drill()
    drill.handle([Fix(Fix.start).at(position.latitude, position.longitude)])
    #expect(drill.locations.count == (position.isKept ? 1 : 0))
    #expect(
      (drill.tracker.fixes.rejections.totals[.impossiblePosition]?.count ?? 0) == (position.isKept ? 0 : 1))
  }

  @Test func anAcquisitionIsLoggedWithItsCountWhenItEnds() {
    let drill = Drill()
    drill.handle(Fix.series((0..<40).map { $0 * 1000 }).map(\.lost))
    drill.handle([Fix(Fix.start + .seconds(39)).at(0, 0), Fix(Fix.start + .seconds(40))])
    #expect(drill.rejections.map(\.value) == [41])
    #expect(
      drill.rejections.first?.fields == [
        .count: 41, .rejections: .counts(["no_fix": 40, "impossible_position": 1]),
        .lastValues: .texts(["no_fix": "2026-03-21T10:00:39Z", "impossible_position": "0.0, 0.0"]),
      ])
    #expect(drill.tracker.summary.nextTimeout == nil)
  }

  @Test func missingReceptionIsLoggedEveryTenMinutes() {
    let drill = Drill()
    for second in 0..<3600 {
      drill.handle([Fix(Fix.start + .seconds(second)).lost], pause: .zero)
      drill.wait(.seconds(1))
    }
    #expect((5...6).contains(drill.rejections.count))
    drill.handle(.stopping)
    #expect(drill.rejections.reduce(0) { $0 + ($1.value ?? 0) } == 3600)
    #expect(drill.events.last?.kind == .stopped)
  }

  @Test func aFixThatComesAndGoesDoesNotFillTheLog() {
    let drill = Drill()
    for second in 0..<3600 {
      let fix = Fix(Fix.start + .seconds(second))
      drill.handle([second % 2 == 0 ? fix : fix.lost], pause: .seconds(1))
    }
    #expect(drill.locations.count == 1800)
    #expect((50...60).contains(drill.rejections.count))
    drill.wait(.seconds(600))
    #expect(drill.rejections.reduce(0) { $0 + ($1.value ?? 0) } == 1800)
    #expect(drill.tracker.summary.nextTimeout == nil)
  }

  @Test func rejectionsBySettingsAreCountedAndNotReported() {
    let drill = Drill(minTime: .seconds(10))
    drill.handle(Fix.series((0..<1000).map { $0 * 1000 }))
    #expect(drill.tracker.fixes.rejections.totals[.minTime]?.count == 900)
    #expect(drill.rejections.isEmpty)
    #expect(drill.tracker.summary.nextTimeout == nil)
  }

  // MARK: Settings and events

  @Test func withTrackingOffNothingIsRecordedButTheClockIsSet() {
    let drill = Drill()
    var settings = drill.tracker.settings
    settings.keepsLocations = false
    drill.handle(.settings(settings, changed: ["main.tracking_mode"]))
    drill.handle(Fix.series([0, 1000, 2000]))
    #expect(drill.locations.isEmpty)
    #expect(drill.tracker.fixes.rejections.totals[.trackingOff]?.count == 3)
    #expect(drill.events.map(\.kind) == [.configurationChanged, .clockSet])
    settings.keepsLocations = true
    drill.handle(.settings(settings, changed: ["main.tracking_mode"]))
    drill.handle(Fix.series([3000]))
    #expect(drill.locations.count == 1)
  }

  @Test func eventsHaveTheTimeAsSoonAsItIsKnown() {
    let drill = Drill()
    drill.handle(.started(lastLocation: nil))
    drill.handle(Fix.series([0]))
    drill.handle(.occurred(EventRecord(.receiverSilent)))
    #expect(drill.records.first?.time == nil)
    #expect(drill.records.last?.time == Fix.start + .seconds(1))
    #expect(drill.records.last?.timeQuality == .receiver)
    // The undated one is dated by the offset: a hundred seconds after the boot, like the first fix.
    #expect(drill.offset.map { 100_000 + $0 } == Fix.start.milliseconds)
  }

  @Test func aValueTooLargeForItsFieldIsOmitted() throws {
    var fix = Fix(Fix.start)
    fix.altitude = 3e9
    fix.speed = .nan
    fix.course = 359.9999
    fix.horizontalAccuracy = 2.5
    let drill = Drill()
    drill.handle([fix])
    guard case .location(let location) = try #require(drill.locations.first).body else {
      Issue.record("no location")
      return
    }
    #expect(location.altitudeMillimetres == nil)
    #expect(location.speedMillimetresPerSecond == nil)
    #expect(location.courseMillidegrees == 0)
    #expect(location.horizontalAccuracyMillimetres == 2500)
    #expect(location.batteryState == .full)
    #expect(location.deviceID == "van")
  }
}
