import Energy
import Foundation
import GNSS
import Quantities
import Records

@testable import Tracking

/// A day of a box, told phase by phase: the real tracker over a receiver that sleeps when it is told to, an
/// accelerometer, an ignition line and a gauge, each of which may be missing.
struct TrackedDay {
  /// What the box is fitted with.
  struct Fitting {
    var hasAccelerometer = true
    var hasIgnition = false
  }

  private(set) var tracker: Tracker
  private(set) var receiver: DayReceiver
  private(set) var actions: [TrackerAction] = []
  private(set) var now = Moment.zero + .seconds(100)
  /// Where the box really is.
  private(set) var place: Coordinate
  /// Metres really travelled.
  private(set) var way = 0.0
  /// What the receiver takes for UTC, less the moment.
  var utc: Timestamp
  /// What the operating system takes for UTC, less the moment.
  var systemClock = Timestamp(milliseconds: 0)
  var hasSky = true
  /// The receiver knows the time of day and not the date.
  var isUndated = false
  /// The vehicle rolls so smoothly that the accelerometer sees nothing.
  var isSmooth = false
  /// m, 68 %, of a settled fix, and how far it wanders really.
  var accuracy = 3.0
  var error = 2.0
  /// Puts the host down between two tasks; nil: it is always up.
  var host: HostPlan?
  private(set) var hostSleeps: [HostSleep] = []
  private(set) var hostWakings: [HostWaking] = []
  private var isDown = false
  /// What becomes of each fix before the tracker is told.
  var spoil: ((Fix) -> Fix)?

  private let fitting: Fitting
  private var random: SplitMix64
  private var wander = (east: 0.0, north: 0.0)
  private var coming: [(at: Moment, event: TrackerEvent)] = []
  private var isMoving = false
  private var speed = 0.0
  private var course = 90.0

  init(
    _ settings: TrackerSettings = TrackedDay.settings(), fitting: Fitting = Fitting(),
    from start: Coordinate? = Coordinate(latitude: 52.5, longitude: 13.4),
    at time: String = "2026-03-21T06:00:00Z",
    seed: UInt64 = 1
  ) {
    tracker = Tracker(settings: settings)
    self.fitting = fitting
    random = SplitMix64(seed: seed)
    guard let start, let time = Timestamp(iso8601: time) else {
      preconditionFailure("a day has a place and a date")
    }
    place = start
    utc = time + (.zero - (now - .zero))
    receiver = DayReceiver(settings.scheme == nil ? .tracking : .backup, now: now)
    if fitting.hasAccelerometer {
      tell(.evidence(.accelerometer, isActive: false))
      tell(.motion(.stationary))
    }
    if fitting.hasIgnition { tell(.ignition(false)) }
    tell(.started(lastLocation: nil))
  }

  /// Pauses when nothing moves, tells trips and visits, and keeps a point a second on the way.
  static func settings(_ scheme: ReceiverScheme? = .high) -> TrackerSettings {
    var settings = TrackerSettings(deviceID: "van")
    settings.scheme = scheme
    settings.trips.isAutomatic = true
    settings.visits = VisitRules()
    return settings
  }

  // MARK: Phases

  /// Parked, and nobody in it.
  mutating func rest(_ duration: Duration) {
    halt(with: .stationary)
    pass(duration)
  }

  /// Stands with somebody at the wheel: a red light, a jam, a pump.
  mutating func wait(_ duration: Duration) {
    halt(with: [.driving, .stationary])
    pass(duration)
  }

  mutating func drive(_ metres: Double, at speed: Double, course: Double = 90) {
    travel(metres, at: speed, course: course, as: .driving)
  }

  mutating func walk(_ metres: Double, course: Double = 90) {
    travel(metres, at: 1.4, course: course, as: .walking)
  }

  /// Moves as somebody carries it: neither the engine nor the accelerometer takes notice unless it is told to.
  mutating func travel(_ metres: Double, at speed: Double, course: Double, as motion: MotionStates?) {
    if let motion {
      if fitting.hasIgnition, !isMoving { tell(.ignition(true)) }
      if fitting.hasAccelerometer, !isSmooth {
        expect(.evidence(.accelerometer, isActive: true), after: 2)
        expect(.motion(motion), after: 6)
      }
    }
    isMoving = true
    (self.speed, self.course) = (speed, course)
    pass(.seconds(metres / speed))
    (self.speed, isMoving) = (0, false)
  }

  private mutating func halt(with motion: MotionStates) {
    guard fitting.hasAccelerometer else {
      if fitting.hasIgnition, motion == .stationary { tell(.ignition(false)) }
      return
    }
    expect(.evidence(.accelerometer, isActive: false), after: 2)
    expect(.motion(motion), after: motion == .stationary ? 20 : 6)
    if fitting.hasIgnition, motion == .stationary { tell(.ignition(false)) }
  }

  /// Shaken for some seconds without being moved: a door, a gust, a lorry that passes.
  mutating func shake(_ seconds: Int, as motion: MotionStates? = nil) {
    tell(.evidence(.accelerometer, isActive: true))
    if let motion { tell(.motion(motion)) }
    pass(.seconds(seconds))
    tell(.evidence(.accelerometer, isActive: false))
    if motion != nil { tell(.motion(.stationary)) }
  }

  /// The plug is pulled, and put back after a while: what was not kept is lost, the receiver sleeps on its backup supply.
  mutating func cutPower(for pause: Duration) {
    let last = points.last.map {
      LogRecord(moment: .zero, time: $0.time, timeQuality: .receiver, body: .location($0.location))
    }
    receiver.obey(.backup, now: now)
    coming = []
    now = now + pause
    tracker = Tracker(settings: tracker.settings)
    if let state { tell(.restored(state)) }
    tell(.started(lastLocation: last))
    guard fitting.hasAccelerometer else { return }
    tell(.evidence(.accelerometer, isActive: false))
  }

  /// The last text that was to be kept.
  private var state: String? {
    for case .save(let text) in actions.reversed() { return text }
    return nil
  }

  private mutating func expect(_ event: TrackerEvent, after seconds: Int) {
    coming.append((now + .seconds(seconds), event))
  }

  // MARK: Time

  mutating func tell(_ event: TrackerEvent) { perform(tracker.handle(event, now: now)) }

  mutating func pass(_ duration: Duration) {
    let end = now + duration
    while now < end {
      var step = Duration.seconds(1)
      if !receiver.state.isPowered, !isMoving, coming.isEmpty {
        let next = Moment.earliest(due, isDown ? nil : host?.nextTimeout)
        step = max(min((Moment.earliest(next, end) ?? end) - now, end - now), step)
      }
      if isDown, let wake = hostSleeps.last?.wake { step = min(step, max(wake - now, .seconds(1))) }
      now = now + step
      if isMoving { move(step) }
      if isDown {
        guard wakesHost else { continue }
        isDown = false
        let slept = hostSleeps.last.map { now - $0.since }
        carryOut(host?.resumed(after: slept ?? .zero, now: now) ?? [])
      }
      for sensed in coming.filter({ $0.at <= now }) { tell(sensed.event) }
      coming.removeAll { $0.at <= now }
      meetDeadlines()
      if receiver.state.isPowered { listen() }
      lookAtHost()
    }
  }

  /// By its alarm, or by what a sensor is about to say.
  private var wakesHost: Bool {
    hostSleeps.last.map { $0.wake <= now } ?? true || coming.contains { $0.at <= now }
  }

  private mutating func lookAtHost() {
    let hold = tracker.hostHold(wakesOnMotion: true)
    carryOut(
      host?.look(HostSituation(hold: hold, needs: hold == nil ? tracker.hostNeeds : []), now: now) ?? [])
  }

  private mutating func carryOut(_ actions: [HostPlan.Action]) {
    for action in actions {
      switch action {
      case .prepare: carryOut(host?.durable(true, now: now) ?? [])
      case .goDown(let sleep):
        hostSleeps.append(sleep)
        isDown = true
      case .woke(let waking): hostWakings.append(waking)
      case .stayUp: break
      }
    }
  }

  private var due: Moment? { Moment.earliest(tracker.nextTimeout, tracker.planTimeout) }

  private mutating func meetDeadlines() {
    var rounds = 0
    while let due, due <= now, rounds < 20 {
      perform(tracker.handleTimeout(now: now))
      rounds += 1
    }
  }

  private mutating func move(_ step: Duration) {
    let metres = speed * step.inSeconds
    let angle = course * .pi / 180
    place = place.moved(east: metres * sin(angle), north: metres * cos(angle))
    way += metres
  }

  private mutating func listen() {
    let age = receiver.second(hasSky: hasSky, now: now)
    let fix = age.map { seen(age: $0.inSeconds) } ?? Fix()
    tell(.epoch(spoil?(fix) ?? fix, systemClock: systemClock))
  }

  private mutating func perform(_ new: [TrackerAction]) {
    actions += new
    for case .receiver(let state, _) in new { receiver.obey(state, now: now) }
  }

  // MARK: What the receiver sees

  private mutating func seen(age: Double) -> Fix {
    let keep = 0.97
    let push = error * (1 - keep * keep).squareRoot()
    wander = (wander.east * keep + push * normal(), wander.north * keep + push * normal())
    let spot = place.moved(east: wander.east, north: wander.north)
    let time = utc + (now - .zero)
    var fix = Fix()
    fix.kind = .threeDimensional
    fix.timestamp = isUndated ? nil : time
    fix.millisecondOfDay = Int32(time.millisecondOfDay)
    (fix.latitude, fix.longitude) = (spot.latitude, spot.longitude)
    fix.horizontalAccuracy = accuracy + 15 * exp(-age / 4)
    fix.speed = max(speed + 0.1 * normal(), 0)
    fix.speedAccuracy = 0.1
    if speed > 1 { (fix.course, fix.courseAccuracy) = (course, 2) }
    return fix
  }

  private mutating func normal() -> Double {
    let sum = (0..<12).reduce(0.0) { sum, _ in sum + Double.random(in: 0..<1, using: &random) }
    return sum - 6
  }
}
