import Energy
import Foundation
import GNSSProtocol
import Quantities
import Records
import Scheduling
import Tracking

/// A simulated day, phase by phase: the real tracker with a receiver that follows its commands, an accelerometer, an
/// ignition line and a gauge, each of which may be missing.
public final class TrackedDay {
  /// The parts that are fitted.
  public struct Fitting {
    public var hasAccelerometer: Bool
    public var hasIgnition: Bool

    public init(hasAccelerometer: Bool = true, hasIgnition: Bool = false) {
      (self.hasAccelerometer, self.hasIgnition) = (hasAccelerometer, hasIgnition)
    }
  }

  public private(set) var tracker: Tracker
  public private(set) var receiver: DayReceiver
  public private(set) var actions: [TrackerAction] = []
  public private(set) var now = Moment.zero + .seconds(100)
  /// The true position.
  public private(set) var position: Coordinate
  /// The true distance travelled in metres.
  public private(set) var distance = 0.0
  /// The receiver's UTC, minus the moment.
  public var utc: Timestamp
  /// The system's UTC, minus the moment.
  public var systemClock = Timestamp(milliseconds: 0)
  public var hasReception = true
  /// True if the receiver knows the time of day but not the date.
  public var isUndated = false
  /// True if the vehicle rolls so smoothly that the accelerometer detects nothing.
  public var isSmooth = false
  /// Accuracy of a settled fix in metres (68 %), and its true error.
  public var accuracy = 3.0
  public var error = 2.0
  /// False: epochs come from a companion with a receiver of its own.
  public var usesOwnReceiver = true
  /// Puts the host to sleep between two tasks; nil: it is always awake.
  public var host: HostSchedule?
  public private(set) var hostSleeps: [HostSleep] = []
  public private(set) var hostWakings: [HostWaking] = []
  private var isDown = false
  /// Called with the tracker after each of its deadlines.
  public var inspect: ((borrowing Tracker, Moment) -> Void)?
  /// Changes every fix before the tracker gets it.
  public var alterFix: ((Fix) -> Fix)?

  private let fitting: Fitting
  private let dates: DateBounds
  private var random: SplitMix64
  private var wander = (east: 0.0, north: 0.0)
  private var pendingEvents: [(at: Moment, event: TrackerEvent)] = []
  private var companions: [any DayCompanion] = []
  /// The times in motion.
  public private(set) var movements: [Range<Moment>] = []
  private var isMoving = false
  private var speed = 0.0
  private var course = 90.0

  public init(
    _ settings: TrackerSettings = TrackedDay.settings(), fitting: Fitting = Fitting(),
    from start: Coordinate? = Coordinate(latitude: 52.5, longitude: 13.4),
    at time: String = "2026-03-21T06:00:00Z",
    seed: UInt64 = 1, dates: DateBounds = .recording
  ) {
    tracker = Tracker(settings: settings, dates: dates)
    (self.fitting, self.dates) = (fitting, dates)
    random = SplitMix64(seed: seed)
    guard let start, let time = Timestamp(iso8601: time) else {
      preconditionFailure("a day has a position and a date")
    }
    position = start
    utc = time + (.zero - (now - .zero))
    receiver = DayReceiver(settings.policy == nil ? .tracking : .backup, now: now)
    if fitting.hasAccelerometer {
      handle(.evidence(.accelerometer, isActive: false))
      handle(.motion(.stationary))
    }
    if fitting.hasIgnition { handle(.ignition(false)) }
    handle(.started(lastLocation: nil))
  }

  /// Settings with automatic pause, trips, visits, and a location every second while moving.
  public static func settings(_ policy: TrackingPolicy? = .high) -> TrackerSettings {
    var settings = TrackerSettings(deviceID: "van")
    settings.policy = policy
    settings.trips.isAutomatic = true
    settings.visits = VisitRules()
    return settings
  }

  // MARK: Phases

  /// Parked and empty.
  public func stop(_ duration: Duration) {
    halt(with: .stationary)
    pass(duration)
  }

  /// Stands with a driver: a red light, a traffic jam, a petrol pump.
  public func wait(_ duration: Duration) {
    halt(with: [.driving, .stationary])
    pass(duration)
  }

  public func drive(_ metres: Double, at speed: Double, course: Double = 90) {
    travel(metres, at: speed, course: course, as: .driving)
  }

  public func walk(_ metres: Double, course: Double = 90) {
    travel(metres, at: 1.4, course: course, as: .walking)
  }

  /// Moves as carried: neither engine nor accelerometer reacts unless set.
  public func travel(_ metres: Double, at speed: Double, course: Double, as motion: MotionStates?) {
    if let motion {
      if fitting.hasIgnition, !isMoving { handle(.ignition(true)) }
      if fitting.hasAccelerometer, !isSmooth {
        expect(.evidence(.accelerometer, isActive: true), after: 2)
        expect(.motion(motion), after: 6)
      }
    }
    isMoving = true
    (self.speed, self.course) = (speed, course)
    let start = now
    pass(.seconds(metres / speed))
    movements.append(start..<now)
    (self.speed, isMoving) = (0, false)
  }

  private func halt(with motion: MotionStates) {
    guard fitting.hasAccelerometer else {
      if fitting.hasIgnition, motion == .stationary { handle(.ignition(false)) }
      return
    }
    expect(.evidence(.accelerometer, isActive: false), after: 2)
    expect(.motion(motion), after: motion == .stationary ? 20 : 6)
    if fitting.hasIgnition, motion == .stationary { handle(.ignition(false)) }
  }

  /// Shakes for some seconds without moving: a door, a gust, a passing lorry.
  public func shake(_ seconds: Int, as motion: MotionStates? = nil) {
    handle(.evidence(.accelerometer, isActive: true))
    if let motion { handle(.motion(motion)) }
    pass(.seconds(seconds))
    handle(.evidence(.accelerometer, isActive: false))
    if motion != nil { handle(.motion(.stationary)) }
  }

  /// Cuts the power for a while: unsaved state is lost, the receiver sleeps on its backup supply.
  public func cutPower(for pause: Duration) {
    for companion in companions { companion.losePower(now: now) }
    receiver.apply(.backup, now: now)
    pendingEvents = []
    now = now + pause
    tracker = Tracker(settings: tracker.settings, dates: dates)
    let kept = companions.compactMap { $0.regainPower(now: now) }.first ?? everythingKept
    if let text = kept.text { handle(.restored(text)) }
    handle(.started(lastLocation: kept.lastLocation))
    guard fitting.hasAccelerometer else { return }
    handle(.evidence(.accelerometer, isActive: false))
  }

  /// The state of a log that has everything it was given.
  private var everythingKept: KeptState {
    let last = points.last.map {
      LogRecord(moment: .zero, time: $0.time, timeQuality: .receiver, body: .location($0.location))
    }
    for case .save(let text) in actions.reversed() { return KeptState(text: text, lastLocation: last) }
    return KeptState(text: nil, lastLocation: last)
  }

  /// Adds a companion to the rest of the day; it gets the actions of the tracker so far.
  public func add(_ companion: some DayCompanion) {
    companions.append(companion)
    companion.take(actions, now: now)
  }

  private func expect(_ event: TrackerEvent, after seconds: Int) {
    pendingEvents.append((now + .seconds(seconds), event))
  }

  // MARK: Time

  public func handle(_ event: TrackerEvent) { perform(tracker.handle(event, now: now)) }

  /// Shortest step in which a companion's own receiver is simulated.
  private static let shortestStep = Duration.milliseconds(50)

  public func pass(_ duration: Duration) {
    let end = now + duration
    while now < end {
      var step = Duration.seconds(1)
      if !receiver.state.isPowered, !isMoving, pendingEvents.isEmpty {
        var next = earliest(due, isDown ? nil : host?.nextTimeout)
        for companion in companions { next = earliest(next, companion.nextTimeout) }
        step = max(min((earliest(next, end) ?? end) - now, end - now), step)
      }
      if !usesOwnReceiver, let next = companions.compactMap(\.nextTimeout).min() {
        step = min(max(next - now, Self.shortestStep), step)
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
      for sensed in pendingEvents.filter({ $0.at <= now }) { handle(sensed.event) }
      pendingEvents.removeAll { $0.at <= now }
      meetDeadlines()
      if usesOwnReceiver, receiver.state.isPowered { listen() }
      for companion in companions { companion.advance(now: now).forEach { handle($0) } }
      updateHost()
    }
  }

  /// True if the alarm or the next report of a sensor wakes the host.
  private var wakesHost: Bool {
    hostSleeps.last.map { $0.wake <= now } ?? true || pendingEvents.contains { $0.at <= now }
  }

  private func updateHost() {
    let inhibitor = tracker.hostSleepInhibitor(wakesOnMotion: true)
    let situation = HostSituation(inhibitor: inhibitor, needs: inhibitor == nil ? tracker.hostNeeds : [])
    carryOut(host?.look(situation, now: now) ?? [])
  }

  private func carryOut(_ actions: [HostSchedule.Action]) {
    for action in actions {
      switch action {
      case .prepare: carryOut(host?.durable(true, now: now) ?? [])
      case .goDown(let sleep):
        hostSleeps.append(sleep)
        isDown = true
      case .woke(let waking): hostWakings.append(waking)
      case .stayAwake, .alarmMissed: break
      }
    }
  }

  private var due: Moment? { earliest(tracker.summary.nextTimeout, tracker.summary.scheduleTimeout) }

  private func meetDeadlines() {
    var rounds = 0
    while let due, due <= now, rounds < 20 {
      perform(tracker.handleTimeout(now: now))
      inspect?(tracker, now)
      rounds += 1
    }
  }

  private func move(_ step: Duration) {
    let metres = speed * step.inSeconds
    let angle = course * .pi / 180
    position = position.moved(east: metres * sin(angle), north: metres * cos(angle))
    distance += metres
  }

  private func listen() {
    let age = receiver.second(hasReception: hasReception, now: now)
    let fix = age.map { seen(age: $0.inSeconds) } ?? Fix()
    handle(.epoch(alterFix?(fix) ?? fix, systemClock: systemClock))
  }

  private func perform(_ new: [TrackerAction]) {
    actions += new
    for case .receiver(let state, _) in new { receiver.apply(state, now: now) }
    guard !new.isEmpty else { return }
    for companion in companions { companion.take(new, now: now) }
  }

  // MARK: Epochs of the receiver

  private func seen(age: Double) -> Fix {
    let keep = 0.97
    let push = error * (1 - keep * keep).squareRoot()
    wander = (wander.east * keep + push * normal(), wander.north * keep + push * normal())
    let spot = position.moved(east: wander.east, north: wander.north)
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

  private func normal() -> Double {
    let sum = (0..<12).reduce(0.0) { sum, _ in sum + Double.random(in: 0..<1, using: &random) }
    return sum - 6
  }
}
