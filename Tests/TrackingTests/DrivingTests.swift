import Quantities
import Records
import Testing
import GNSSProtocol
@testable import Tracking

/// Overspeed, idling and tow by fixes, ignition and shaking on a simulated clock.
@Suite struct DrivingTests {
  static func second(_ second: Int64) -> Moment { Moment(nanoseconds: second * 1_000_000_000) }

  /// A fix `north` metres from home, with a speed in m/s.
  static func observation(_ second: Int64, _ speed: Double, north: Double = 0, accuracy: Double = 4)
    -> Observation
  {
    guard let position = Coordinate(latitude: 52 + north / 111_195, longitude: 13) else {
      preconditionFailure("invalid coordinates")
    }
    var observation = Observation(
      timestamp: Timestamp(milliseconds: 1_772_000_000_000 + second * 1000), moment: Self.second(second),
      coordinate: position)
    observation.speed = speed
    observation.speedAccuracy = 0.2
    observation.accuracy = accuracy
    return observation
  }

  // MARK: Overspeed

  /// Fixes at 1 Hz with the given speeds; returns the outcomes with their seconds.
  static func speeding(_ speeds: [Double], limit: Double = 27.78) -> [String] {
    var watch = OverspeedWatch(limit: limit, duration: .seconds(10))
    var reported: [String] = []
    for (at, speed) in speeds.enumerated() {
      for outcome in watch.take(observation(Int64(at), speed), now: second(Int64(at))) {
        switch outcome {
        case .began(let speed): reported.append("began \(at) \(Int(speed))")
        case .ended(let episode, let after):
          reported.append("ended \(at) \(Int(episode.peak)) \(Int(after.inSeconds))")
        }
      }
    }
    return reported
  }

  static func constantSpeed(_ speed: Double, _ seconds: Int) -> [Double] {
    [Double](repeating: speed, count: seconds)
  }

  @Test func overspeedIsReportedOnceItLastsAndItsEndHasThePeak() {
    let drive =
      Self.constantSpeed(25, 20) + Self.constantSpeed(30, 15) + Self.constantSpeed(35, 5)
      + Self.constantSpeed(25, 20)
    #expect(Self.speeding(drive) == ["began 30 30", "ended 43 35 20"])
  }

  @Test func overtakingAndASpeedometersErrorAreNoOverspeed() {
    #expect(
      Self.speeding(Self.constantSpeed(25, 5) + Self.constantSpeed(33, 9) + Self.constantSpeed(25, 20))
        .isEmpty)
    #expect(Self.speeding(Self.constantSpeed(28.3, 200)).isEmpty)
  }

  @Test func oneSlowFixDoesNotEndIt() {
    let drive = Self.constantSpeed(33, 20) + [26] + Self.constantSpeed(33, 20)
    #expect(Self.speeding(drive) == ["began 10 33"])
  }

  @Test func aTunnelEndsOverspeedAtTheLastFix() {
    var watch = OverspeedWatch(limit: 20, duration: .seconds(5))
    for at in Int64(0)...30 { _ = watch.take(Self.observation(at, 30), now: Self.second(at)) }
    #expect(watch.nextTimeout == Self.second(150))
    guard case .ended(let episode, let after)? = watch.handleTimeout(now: Self.second(150)).first else {
      Issue.record("the episode continues")
      return
    }
    #expect(after == .seconds(30) && episode.peak == 30)
    #expect(watch.nextTimeout == nil)
  }

  // MARK: Idling

  @Test func idlingIsReportedAfterItsDelayAndEndsWithMotion() {
    var watch = IdlingWatch(delay: .seconds(300), end: .seconds(5))
    #expect(watch.ignition(true, at: nil, now: Self.second(0)).isEmpty)
    var reported: [String] = []
    for at in Int64(1)...500 {
      let moves = at > 400
      for outcome in watch.take(Self.observation(at, moves ? 8 : 0), now: Self.second(at)) {
        switch outcome {
        case .began(let after): reported.append("began \(at) \(Int(after.inSeconds))")
        case .ended(_, let after): reported.append("ended \(at) \(Int(after.inSeconds))")
        }
      }
    }
    #expect(reported == ["began 300 300", "ended 406 401"])
  }

  @Test func aCrawlingQueueIsNoIdlingAndIgnitionOffEndsIt() {
    var watch = IdlingWatch(delay: .seconds(300), end: .seconds(5))
    _ = watch.ignition(true, at: nil, now: Self.second(0))
    var outcomes: [IdlingWatch.Outcome] = []
    for at in Int64(1)...1000 {
      // It rolls for ten seconds of every minute.
      let rolls = at % 60 < 10
      outcomes += watch.take(Self.observation(at, rolls ? 3 : 0), now: Self.second(at))
    }
    #expect(outcomes.isEmpty)
    for at in Int64(1001)...1400 { outcomes += watch.take(Self.observation(at, 0), now: Self.second(at)) }
    #expect(outcomes.count == 1 && watch.episode != nil)
    #expect(watch.ignition(false, at: nil, now: Self.second(1400)).count == 1 && watch.episode == nil)
  }

  @Test func withoutFixesTheDisplacementIsUnknown() {
    var watch = IdlingWatch(delay: .seconds(900), end: .seconds(5))
    _ = watch.ignition(true, at: nil, now: Self.second(0))
    _ = watch.take(Self.observation(1, 0), now: Self.second(1))
    #expect(watch.nextTimeout == nil)
    // A receiver with periodic fixes knows the displacement.
    var sampled = IdlingWatch(delay: .seconds(300), end: .seconds(5))
    _ = sampled.ignition(true, at: nil, now: Self.second(0))
    _ = sampled.take(Self.observation(100, 0), now: Self.second(100))
    #expect(sampled.nextTimeout == Self.second(300))
    #expect(sampled.handleTimeout(at: nil, now: Self.second(300)) == [.began(after: .seconds(300))])
  }

  // MARK: Tow

  /// Parked at home at second 0, armed at 300.
  static func parked() -> TowWatch {
    var watch = TowWatch(delay: .seconds(300), duration: .seconds(60))
    watch.ignition(true, now: second(-100))
    watch.ignition(false, now: second(0))
    for at in Int64(1)...60 { _ = watch.take(observation(at, 0), now: second(at)) }
    return watch
  }

  @Test func aTowIsReportedOnceWithItsDistance() {
    var watch = Self.parked()
    watch.shaken(true, now: Self.second(1000))
    var alarms: [(Int64, TowWatch.Alarm)] = []
    for at in Int64(1005)...1400 {
      let alarm = watch.take(Self.observation(at, 10, north: Double(at - 1000) * 10), now: Self.second(at))
      if let alarm { alarms.append((at, alarm)) }
    }
    #expect(alarms.map(\.0) == [1090])
    #expect(alarms.first?.1.metres.map { abs($0 - 900) < 2 } == true)
  }

  @Test func aDriverWhoGetsInCausesNoAlarm() {
    var watch = Self.parked()
    watch.shaken(true, now: Self.second(1000))
    #expect(watch.nextTimeout == Self.second(1090))
    watch.ignition(true, now: Self.second(1085))
    #expect(watch.nextTimeout == nil && watch.handleTimeout(now: Self.second(1090)) == nil)
  }

  @Test func aFixShowsThatAShakenCarIsNotTowed() {
    var watch = Self.parked()
    watch.shaken(true, now: Self.second(1000))
    #expect(watch.take(Self.observation(1010, 0), now: Self.second(1010)) == nil)
    #expect(watch.nextTimeout == nil)
  }

  @Test func withoutReceptionLastingShakingIsEnoughButAKnockIsNot() {
    var watch = Self.parked()
    watch.shaken(true, now: Self.second(1000))
    watch.shaken(false, now: Self.second(1020))
    #expect(watch.nextTimeout == Self.second(1035))
    #expect(watch.handleTimeout(now: Self.second(1035)) == nil && watch.nextTimeout == nil)
    watch.shaken(true, now: Self.second(2000))
    watch.shaken(false, now: Self.second(2040))
    watch.shaken(true, now: Self.second(2050))
    #expect(watch.handleTimeout(now: Self.second(2090)) == TowWatch.Alarm(metres: nil))
    #expect(watch.isReported && watch.nextTimeout == nil)
  }

  @Test func aPositionCheckElsewhereIsEnough() {
    var watch = Self.parked()
    #expect(watch.take(Self.observation(4000, 0, north: 2000), now: Self.second(4000)) == nil)
    let alarm = watch.handleTimeout(now: Self.second(4090))
    #expect(alarm?.metres.map { abs($0 - 2000) < 2 } == true)
  }

  @Test func motionBeforeTheDelayAndDriftAreNoTow() {
    var watch = Self.parked()
    watch.shaken(true, now: Self.second(100))
    #expect(watch.nextTimeout == nil)
    watch.shaken(false, now: Self.second(110))
    #expect(watch.take(Self.observation(1000, 0, north: 80), now: Self.second(1000)) == nil)
    #expect(watch.take(Self.observation(1001, 0, north: 250, accuracy: 100), now: Self.second(1001)) == nil)
    #expect(watch.nextTimeout == nil)
    watch.ignition(nil, now: Self.second(1100))
    watch.shaken(true, now: Self.second(2000))
    #expect(watch.nextTimeout == nil, "a line that cannot be read arms nothing")
  }
}

/// The same in the tracker: events, settings and restarts.
@Suite struct DrivingTrackerTests {
  static func settings() -> TrackerSettings {
    var settings = TrackerSettings(deviceID: "van")
    settings.driving.speedLimit = 25
    settings.driving.idlingDelay = .seconds(120)
    settings.driving.towDelay = .seconds(300)
    return settings
  }

  static func kinds(_ drill: Drill) -> [EventKind] {
    drill.events.map(\.kind).filter {
      [.overspeedStarted, .overspeedEnded, .idlingStarted, .idlingEnded, .towed].contains($0)
    }
  }

  @Test func everyDrivingEventOfADayHasItsEnd() {
    let day = ScheduledDay(Self.settings())
    day.handle(.ignition(true))
    day.pass(200)
    day.speed = 30
    day.pass(60)
    day.speed = 0
    day.pass(10)
    day.handle(.ignition(false))
    day.pass(600)
    day.speed = 8
    day.pass(300)
    #expect(
      Self.kinds(day.drill) == [
        .idlingStarted, .idlingEnded, .overspeedStarted, .overspeedEnded, .towed,
      ])
    let ended = day.drill.events.first { $0.kind == .overspeedEnded }
    #expect(ended?.value == 60 && ended?.fields.number(.speed) == 30_000)
    #expect((ended?.fields.number(.started) ?? 0) > 1_577_836_800_000, "in 2020 or later")
  }

  @Test func eventsThatAreOffAreNotReported() {
    let day = ScheduledDay(TrackerSettings(deviceID: "van"))
    day.handle(.ignition(true))
    day.pass(300)
    day.speed = 60
    day.pass(60)
    #expect(Self.kinds(day.drill).isEmpty && day.drill.tracker.driving == nil)
  }

  @Test func anEventThatBeganBeforeARestartEndsAfterIt() {
    let day = ScheduledDay(Self.settings())
    day.handle(.ignition(true))
    day.pass(200)
    #expect(Self.kinds(day.drill) == [.idlingStarted])
    let saved = day.drill.actions.compactMap { if case .save(let text) = $0 { text } else { nil } }.last
    let next = Drill(Self.settings(), now: day.drill.now)
    next.handle(.restored(saved ?? ""))
    next.handle(.started(lastLocation: nil))
    next.handle(.ignition(true))
    next.handle((0..<200).map { Fix(Timestamp(milliseconds: 1_772_000_400_000 + $0 * 1000)) })
    #expect(Self.kinds(next).isEmpty, "reported already")
    next.handle(.ignition(false))
    #expect(Self.kinds(next) == [.idlingEnded])
    #expect(next.events.last { $0.kind == .idlingEnded }.map { $0.value ?? 0 > 400 } == true)
  }

  @Test func changedSettingsApplyDuringAnEvent() {
    let day = ScheduledDay(TrackerSettings(deviceID: "van"))
    // A receiver that repeats identical coordinates counts as frozen.
    day.speed = 0.02
    day.handle(.ignition(true))
    day.pass(60)
    day.handle(.settings(Self.settings(), changed: ["driving.idling"]))
    day.pass(130)
    #expect(Self.kinds(day.drill) == [.idlingStarted])
    day.handle(.settings(TrackerSettings(deviceID: "van"), changed: ["driving.idling"]))
    #expect(day.drill.tracker.driving == nil)
  }

  @Test func theDrivingStateIsRestoredFromItsText() {
    var state = TrackerState()
    state.driving = DrivingState(
      speeding: DrivingEpisode(time: Timestamp(milliseconds: 5), peak: 31.5), isTowed: true)
    #expect(TrackerState(text: state.text, now: .zero)?.driving == state.driving)
    state.driving = DrivingState(idling: DrivingEpisode(time: Timestamp(milliseconds: 7)))
    #expect(TrackerState(text: state.text, now: .zero)?.driving == state.driving)
    #expect(
      TrackerState(text: "outrider 1\ndriving\tx\t-\t99999999999999999999\t2", now: .zero)?.driving
        == DrivingState())
  }
}
