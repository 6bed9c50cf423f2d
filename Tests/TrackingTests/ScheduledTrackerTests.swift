import Energy
import Foundation
import Quantities
import Records
import Testing
import GNSSProtocol
@testable import Scheduling
@testable import Tracking

/// A tracker with a receiver schedule, and a receiver that follows it and has a fix two seconds after a start.
final class ScheduledDay {
  var drill: Drill
  var speed = 0.0
  /// Reported accuracy in metres.
  var accuracy = 4.0
  /// Additional metres at the first fix of a start; a third of it is left after six seconds.
  var unsettled = 0.0
  var hasReception = true
  /// True if fixes have no date.
  var isUndated = false
  /// Course in degrees.
  var course = 0.0
  private(set) var state = ReceiverState.tracking
  private(set) var orders = 0
  private var north = 0.0
  private var wokeAt: Moment
  private var seen = 0

  convenience init(_ policy: TrackingPolicy?, hasAccelerometer: Bool = true) {
    var settings = TrackerSettings(deviceID: "van")
    settings.policy = policy
    self.init(settings, hasAccelerometer: hasAccelerometer)
  }

  init(_ settings: TrackerSettings, hasAccelerometer: Bool = true) {
    drill = Drill(settings)
    wokeAt = drill.now
    if hasAccelerometer { handle(.evidence(.accelerometer, isActive: false)) }
    handle(.started(lastLocation: nil))
  }

  func handle(_ event: TrackerEvent) {
    drill.handle(event)
    apply()
  }

  func pass(_ seconds: Int) {
    for _ in 0..<seconds {
      drill.wait(.seconds(1))
      if let due = drill.tracker.summary.scheduleTimeout, due <= drill.now { drill.timeOut() }
      apply()
      north += speed
      if state.isPowered, drill.now - wokeAt >= .seconds(2) { speak() }
    }
  }

  /// Sends an epoch with the present position.
  func speak() {
    var fix = Fix()
    fix.kind = .threeDimensional
    fix.latitude = 52 + north / 111_195
    fix.longitude = 13
    fix.speed = speed
    fix.course = course
    fix.speedAccuracy = 0.1
    let sinceFirst = (drill.now - wokeAt).inSeconds - 2
    fix.horizontalAccuracy = accuracy + unsettled * exp(-max(sinceFirst, 0) / 6)
    fix.timestamp = Timestamp(milliseconds: 1_772_000_000_000 + drill.now.nanoseconds / 1_000_000)
    if isUndated { fix.timestamp = nil }
    if !hasReception { fix = Fix() }
    handle(.epoch(fix, systemClock: Timestamp(milliseconds: 0)))
  }

  private func apply() {
    for action in drill.actions[seen...] {
      guard case .receiver(let next, _) = action else { continue }
      orders += 1
      if next.isPowered, !state.isPowered { wokeAt = drill.now }
      state = next
    }
    seen = drill.actions.count
  }
}

@Suite struct ScheduledTrackerTests {
  @Test func aStationaryReceiverSleepsWithinTwoMinutesAndTheLogHasTheReason() throws {
    let day = ScheduledDay(.high)
    day.pass(120)
    #expect(day.state == .backup)
    #expect(day.drill.locations.count == 1)
    day.pass(3 * 3600)
    let sleeps = day.drill.events.filter { $0.kind == .receiverAsleep }
    #expect(sleeps.count == 1, "a sleep is logged once, despite position checks")
    let sleep = try #require(sleeps.first)
    #expect(sleep.fields == [.cause: "stationary", .wake: 900])
    #expect(day.drill.locations.count == 1)
  }

  @Test func levelSRecordsTheEndOfAShortStopWhenItEnds() {
    let day = ScheduledDay(.within(metres: 20))
    day.pass(120)
    day.speed = 15
    day.handle(.evidence(.accelerometer, isActive: true))
    day.pass(300)
    day.speed = 0
    day.handle(.evidence(.accelerometer, isActive: false))
    day.pass(120)
    let arrivals = day.drill.locations.count
    #expect(day.state == .backup)
    day.speed = 15
    day.handle(.evidence(.accelerometer, isActive: true))
    #expect(day.state == .backup, "no fix is required for the departure")
    let kept = day.drill.locations.dropFirst(arrivals - 1).map(\.body)
    guard case .location(let arrival)? = kept.first, case .location(let stopRecord)? = kept.last else {
      return #expect(Bool(false), "no location")
    }
    #expect(
      kept.count == 2 && stopRecord.coordinate == arrival.coordinate && stopRecord.motion == .stationary)
    #expect(day.drill.locations.last?.moment == day.drill.now)
  }

  @Test func aDepartureJustBeforeAFixMakesNoTwoRecordsInOneSecond() {
    let day = ScheduledDay(.high)
    day.pass(10)
    day.drill.wait(.milliseconds(700))
    day.speed = 15
    day.handle(.evidence(.accelerometer, isActive: true))
    day.drill.wait(.milliseconds(300))
    day.speak()
    let times = day.drill.locations.compactMap { $0.time?.milliseconds }
    // The first fix, the position at the end of the stop, and the departure.
    #expect(times.count == 3)
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= 1000 }, "\(times)")
  }

  /// 400 s stationary with a geofence of 100 m around the pause position.
  private static func sleptDay(pauses: Bool) -> ScheduledDay {
    var settings = TrackerSettings(deviceID: "van")
    settings.policy = .high
    settings.policy?.resumeDistance = 100
    settings.statistics = TrackingStatistics(
      pauses: pauses, activity: .other, desiredAccuracy: .best, mode: .standard)
    let day = ScheduledDay(settings)
    day.pass(400)
    return day
  }

  private static func actions(_ day: ScheduledDay) -> [ActionRecord.Action] {
    day.drill.records.compactMap { if case .action(let action) = $0.body { action.action } else { nil } }
  }

  @Test(arguments: [true, false])
  func anAutomaticPauseMakesOverlandsActionRecordsIfEnabled(pauses: Bool) {
    let day = Self.sleptDay(pauses: pauses)
    day.speed = 15
    day.handle(.evidence(.accelerometer, isActive: true))
    day.pass(120)
    let start = ActionRecord.Action.applicationLaunchedWithLocation
    #expect(
      Self.actions(day) == [start] + (pauses ? [.pausedLocationUpdates, .resumedLocationUpdates] : []),
      "resumed by motion; the geofence was not left")
  }

  @Test func leavingTheGeofenceUnnoticedMakesOverlandsActionRecordToo() {
    let day = Self.sleptDay(pauses: true)
    // No sensor detects it.
    day.speed = 15
    day.pass(1000)
    #expect(
      Self.actions(day) == [
        .applicationLaunchedWithLocation, .pausedLocationUpdates, .exitedPauseRegion, .resumedLocationUpdates,
      ])
  }

  @Test func theAutomaticPauseEndsATripByHandAndTerminationIsAnAction() {
    var settings = TrackerSettings(deviceID: "van")
    settings.policy = .high
    settings.manualTripPolicy = .high
    settings.statistics = TrackingStatistics(
      pauses: true, activity: .other, desiredAccuracy: .best, mode: .standard)
    let day = ScheduledDay(settings)
    day.pass(60)
    day.handle(.trip(.start(.car)))
    day.speed = 15
    day.handle(.evidence(.accelerometer, isActive: true))
    day.pass(120)
    day.speed = 0
    day.handle(.evidence(.accelerometer, isActive: false))
    day.pass(900)
    day.handle(.stopping)
    var endings: [TripRecord.Ending] = []
    var actions: [ActionRecord.Action] = []
    var statistics: [TrackingStatistics?] = []
    for case .keep(let record, _) in day.drill.actions {
      switch record.body {
      case .trip(let trip): endings.append(trip.ending)
      case .action(let action): actions.append(action.action)
      case .location(let location): statistics.append(location.statistics)
      case .visit, .event: break
      }
    }
    #expect(endings == [.pause])
    #expect(actions.contains(.pausedLocationUpdates) && actions.last == .willTerminate)
    #expect(actions.first == .applicationLaunchedWithLocation, "with the first fix")
    #expect(actions.count { $0 == .applicationLaunchedWithLocation } == 1, "once per start")
    #expect(!statistics.isEmpty && statistics.allSatisfy { $0 == settings.statistics })
  }

  @Test(arguments: [true, false])
  func aTripByHandThatMayPauseEndsWithThePause(mayPause: Bool) throws {
    var settings = TrackerSettings(deviceID: "van")
    settings.policy = .high
    settings.manualTripPolicy = mayPause ? .high : nil
    let day = ScheduledDay(settings)
    day.handle(.trip(.start(.car)))
    day.speed = 15
    day.handle(.evidence(.accelerometer, isActive: true))
    day.pass(300)
    day.speed = 0
    day.handle(.evidence(.accelerometer, isActive: false))
    day.pass(600)
    #expect((day.drill.tracker.places.trips.running == nil) == mayPause)
    let trips = day.drill.actions.compactMap { action -> TripRecord? in
      guard case .keep(let record, _) = action, case .trip(let trip) = record.body else { return nil }
      return trip
    }
    #expect(trips.map(\.ending) == (mayPause ? [.pause] : []))
  }

  @Test func aStatusRequestContainsThePresentBatteryAndMotion() throws {
    let day = ScheduledDay(nil)
    day.pass(10)
    let kept = try #require(day.drill.tracker.locations.last)
    day.handle(.battery(Battery(state: .unplugged, percent: 41)))
    day.handle(.motion([.stationary]))
    day.handle(.network(JoinedNetwork(name: "net", accessPoint: nil)))
    let answer = day.drill.tracker.current(at: day.drill.now)
    let current = try #require(answer)
    guard case .location(let location) = current.body else { return #expect(Bool(false), "no location") }
    #expect(location.batteryPercent == 41 && location.wifi == "net" && location.motion == .stationary)
    #expect(current.time == kept.time && day.drill.tracker.locations.last == kept)
  }

  @Test func aTripHasTheModeSetWhileItRuns() {
    var settings = TrackerSettings(deviceID: "van")
    settings.trips.mode = .walk
    let day = ScheduledDay(settings)
    day.handle(.trip(.start(.walk)))
    settings.trips.mode = .car
    day.handle(.settings(settings, changed: ["trip_mode"]))
    #expect(day.drill.tracker.places.trips.running?.mode == .car)
  }

  @Test func motionWakesTheReceiverAndTheStopBeforeIsRecorded() throws {
    let day = ScheduledDay(.high)
    day.pass(1000)
    let before = day.drill.locations.count
    day.speed = 10
    day.handle(.evidence(.accelerometer, isActive: true))
    day.pass(60)
    #expect(day.state == .tracking)
    let times = day.drill.times
    #expect(times.count > before + 50)
    #expect(zip(times, times.dropFirst()).allSatisfy { $0.0 < $0.1 })
    let stopRecord = try #require(day.drill.locations.dropFirst(before).first)
    guard case .location(let position) = stopRecord.body else {
      Issue.record("no location")
      return
    }
    #expect(position.speedMillimetresPerSecond == 0 && position.motion == .stationary)
    let departure = try #require(day.drill.locations.dropFirst(before + 1).first?.time)
    let stopTime = try #require(stopRecord.time)
    #expect(departure - stopTime <= .seconds(10))
    day.speed = 0
    day.handle(.evidence(.accelerometer, isActive: false))
    day.pass(120)
    #expect(day.state == .backup)
  }

  @Test func aTripByHandIsRecordedWithoutPauseAndItsEndLetsTheReceiverSleep() {
    let day = ScheduledDay(.high)
    day.pass(300)
    #expect(day.state == .backup)
    let before = day.drill.locations.count
    day.handle(.trip(.start(.car)))
    day.pass(600)
    #expect(day.state.isPowered)
    #expect(day.drill.locations.count >= before + 590)
    day.handle(.trip(.stop))
    day.pass(120)
    #expect(day.state == .backup)
  }

  /// A receiver that is on tracks at full power.
  @Test func aTripByHandWithTheReceiverOnLeavesCyclicTracking() {
    let day = ScheduledDay(.highInCyclicMode)
    day.handle(.cyclicMode(isOffered: true))
    day.pass(100)
    day.speed = 15
    day.handle(.evidence(.accelerometer, isActive: true))
    day.pass(120)
    #expect(day.state == .cyclic)
    day.handle(.trip(.start(.car)))
    #expect(day.state == .tracking && day.drill.tracker.summary.receiverState == nil)
  }

  @Test(
    arguments: [.nan, .infinity, -.infinity, 1e300] as [Double], [TrackingPolicy.high, .within(metres: 20)])
  func anInvalidCourseIsNotUsed(_ course: Double, _ policy: TrackingPolicy) {
    let day = ScheduledDay(policy)
    day.pass(300)
    day.course = course
    day.speed = 15
    day.handle(.evidence(.accelerometer, isActive: true))
    let before = day.drill.locations.count
    day.pass(300)
    #expect(day.drill.locations.count > before + 5)
  }

  @Test func aCheckInWakesASleepingReceiverForOnePosition() {
    let day = ScheduledDay(.high)
    day.pass(300)
    let before = day.drill.locations.count
    day.handle(.checkIn)
    day.pass(60)
    #expect(day.drill.locations.count == before + 1)
    #expect(day.state == .backup)
  }

  @Test func changedSettingsStartAndEndTheSchedule() {
    let day = ScheduledDay(.high)
    day.pass(300)
    var settings = day.drill.tracker.settings
    settings.policy = nil
    day.handle(.settings(settings, changed: ["main.pause_automatically"]))
    day.pass(60)
    #expect(day.state.isPowered)
    #expect(day.drill.locations.count > 50)
    settings.policy = .high
    day.handle(.settings(settings, changed: ["main.pause_automatically"]))
    day.pass(120)
    #expect(day.state == .backup)
  }

  @Test func withoutAScheduleTheReceiverIsNotSwitchedAndEveryFixIsRecorded() {
    let day = ScheduledDay(nil)
    day.pass(100)
    #expect(day.orders == 0)
    #expect(day.drill.locations.count == 99)
  }

  @Test func fixesThatTheScheduleDoesNotNeedAreCountedOnly() {
    let day = ScheduledDay(.high)
    day.pass(120)
    #expect((day.drill.tracker.fixes.rejections.totals[.notPlanned]?.count ?? 0) > 10)
    #expect(Rejection.notPlanned.isByRule)
  }
}

@Suite struct TrackerAndReceiverTests {
  @Test func theTrackerPassesTheSignalToItsScheduleIfItHasOne() {
    let day = ScheduledDay(.high)
    day.handle(.received(strongest: 40))
    #expect(day.drill.tracker.receiver.schedule?.reportsSignal == true)
    let without = ScheduledDay(nil)
    without.handle(.received(strongest: 40))
    #expect(without.drill.actions.allSatisfy { if case .receiver = $0 { false } else { true } })
  }

  @Test func theTrackerUsesCyclicTrackingOnceOffered() {
    let day = ScheduledDay(.highInCyclicMode)
    day.pass(100)
    day.speed = 15
    day.handle(.evidence(.accelerometer, isActive: true))
    day.pass(120)
    #expect(day.state == .tracking)
    day.handle(.cyclicMode(isOffered: true))
    #expect(day.drill.tracker.summary.hasCyclicMode)
    day.pass(5)
    #expect(day.state == .cyclic)
  }
}
