import Energy
import Quantities
import Records
import Scheduling

/// Decides what is recorded: clock, filters, recording rules, trips, visits, zones, receiver schedule and power level.
///
/// Inputs are ``TrackerEvent``s with their time, outputs are ``TrackerAction``s. It performs nothing itself: the owner
/// carries out the actions and calls ``handleTimeout(now:)`` no earlier than ``Summary/nextTimeout``. The daemon, a replay and the
/// tests use the same value.
///
/// Its parts decide; it passes what one of them finds to the others. They are stored properties that the owner reads
/// directly. It is not copyable: a copy is 11 KiB.
public struct Tracker: ~Copyable, Sendable {
  /// The settings in effect.
  public private(set) var settings: TrackerSettings
  /// The recording rules in effect.
  public internal(set) var active: ActiveRules
  /// The way of a fix to the rules, with the clock that dates records.
  public internal(set) var fixes: FixPipeline
  public internal(set) var locations = RecordedLocations()
  /// What records say about the device besides its position.
  public internal(set) var facts = RecordFactory()
  /// What is asked of the next position.
  var request = PositionRequest()
  public internal(set) var motion: DeviceMotion
  public internal(set) var places: PlaceTracker
  /// The privacy zones.
  public internal(set) var privacy: Privacy
  public internal(set) var network: NetworkLocation
  var receiver: ScheduledReceiver
  /// The power level and the battery budget.
  public internal(set) var power: PowerPolicy
  /// Detects overspeed, idling and tow; nil if none of them is set.
  var driving: DrivingWatches?
  var saving = StateSaving()
  /// What the owner needs after each event.
  public private(set) var summary = Summary()
  /// A type that the compiler handles only by its address, and therefore the tracker, too. Otherwise the checks of a value of
  /// this size that is not copyable take four minutes of each build (Swift 6.0 and 6.3).
  private let addressOnly: (any Sendable)? = nil

  /// - Parameters:
  ///   - settings: the settings at the start.
  ///   - dates: the dates of the receiver that are believed.
  public init(settings: TrackerSettings, dates: DateBounds = .recording) {
    self.settings = settings
    fixes = FixPipeline(dates)
    active = ActiveRules(settings)
    motion = DeviceMotion(settings.supplyMotion)
    places = PlaceTracker(settings)
    privacy = Privacy(settings.zones)
    network = NetworkLocation(settings)
    receiver = ScheduledReceiver(settings)
    power = PowerPolicy(settings.power, budget: settings.budget)
    driving = DrivingWatches(settings.driving, ignition: nil, now: .zero)
  }

  // MARK: Events

  /// Handles an event and returns the actions.
  public mutating func handle(_ event: TrackerEvent, now: Moment) -> [TrackerAction] {
    var actions: [TrackerAction] = []
    if !event.isEpoch, let lost = fixes.lapse(now: now) { actions += act(on: lost, now: now) }
    actions += take(event, now: now)
    if active.rules.reactsToEvents { actions += requestPositionForEvents(actions, now: now) }
    actions += finishRequests(now: now) + followZone(now: now)
    updateSummary(now: now)
    return privacy.disclosed(actions)
  }

  /// Acts on the deadlines that have passed.
  public mutating func handleTimeout(now: Moment) -> [TrackerAction] {
    defer { updateSummary(now: now) }
    var actions = carryOut(receiver.handleTimeout(now: now), now: now)
    actions += finishRequests(now: now)
    updateSummary(now: now)
    guard let due = summary.nextTimeout, now >= due else { return privacy.disclosed(actions) }
    if let due = fixes.rejections.nextTimeout, now >= due { actions += reportRejections(now: now) }
    actions += beat(now: now) + scanTimeout(now: now)
    actions += act(on: motion.handleTimeout(now: now), now: now)
    actions += drivingTimeout(now: now) + powerTimeout(now: now) + placeTimeout(now: now)
    if places.isReconstructing { actions += reconstructTrip(now: now) }
    if active.rules.reactsToEvents { actions += requestPositionForEvents(actions, now: now) }
    actions += followZone(now: now)
    return privacy.disclosed(actions)
  }

  private mutating func take(_ event: TrackerEvent, now: Moment) -> [TrackerAction] {
    switch event {
    case .started(let lastLocation, let previousRun, let resumption, let lastDated):
      fixes.opened(lastRecord: lastDated)
      return start(lastLocation, previousRun, resumption, now: now)
    case .restored(let text):
      restore(text, now: now)
      return []
    case .epoch(let fix, let systemClock, let isSynchronised):
      return handle(fix, SystemTime(utc: systemClock, isSynchronised: isSynchronised), now: now)
    case .received(let strongest): return notify(.received(strongest: strongest), now: now)
    case .receiverIdentified(let family):
      receiver.identified(family)
      return []
    case .cyclicMode(let isOffered):
      receiver.offersCyclicMode(isOffered)
      return notify(.cyclicMode(isOffered: isOffered), now: now)
    case .withheld(let fix):
      fixes.withhold(fix, now: now)
      return []
    case .battery(let battery):
      facts.take(battery)
      updateProfile()
      return []
    case .power(let reading): return act(on: power.take(reading, now: now), now: now)
    case .powerUse(let use): return take(use, now: now)
    case .motion(let states):
      places.registerStop(motion.evidence, now: now)
      motion.set(states, now: now)
      return []
    case .evidence(let source, let isActive): return take(source, isActive, now: now)
    case .evidenceLost(let source): return take(source, nil, now: now)
    case .ignition(let isOn): return ignition(isOn, now: now)
    case .supply(let reading): return act(on: motion.take(reading, now: now), now: now)
    case .steps(let steps):
      facts.take(steps: steps)
      places.stepsBegan()
      return []
    case .network(let joined): return take(joined, now: now)
    case .radioSwitchedOff:
      facts.joined(nil)
      network.switchedOff()
      receiver.forgetKnownPosition()
      return []
    case .systemTime(let time, let quality): return take(time, quality, now: now)
    case .accessPoints(let addresses): return take(addresses, now: now)
    case .positionRequested: return power.stage == .survival ? [] : requestPosition(now: now)
    case .checkIn: return requestPosition(now: now)
    case .trip(let command): return handle(command, now: now)
    case .occurred(let event):
      switch event.kind {
      case .hostSleeping: return hostSleeps(event, now: now)
      case .hostStaysAwake, .hostWoke: receiver.hostIsAwake()
      default: break
      }
      return [record(event, now: now)]
    case .settings(let settings, let changed): return adopt(settings, changed, now: now)
    case .stopping: return stop(now: now)
    }
  }

  private mutating func adopt(
    _ settings: TrackerSettings, _ changed: [String], now: Moment
  ) -> [TrackerAction] {
    self.settings = settings
    active.apply(settings)
    places.apply(settings)
    network.apply(settings)
    receiver.apply(settings)
    // The saved state may hold a location that must not be disclosed any more.
    if privacy.apply(settings.zones) { saving.require() }
    fixes.rulesChanged()
    updateProfile()
    forgetHidden()
    request.forgetBest()
    var actions: [TrackerAction] = []
    if !settings.isTracking, isTripInProgress { actions += endTrip(.asked, now: now) }
    if !receiver.mayDefer { summary.latencyBudget = .zero }
    let levelled = act(on: power.change(settings.power, budget: settings.budget, now: now), now: now)
    driving = DrivingWatches(settings.driving, after: driving, ignition: motion.evidence.ignition, now: now)
    let moved = act(on: motion.adopt(settings.supplyMotion, now: now), now: now)
    let event = EventRecord(.configurationChanged, [.changes: .list(changed)])
    let adopted = applyPolicy(now: now)
    actions += [record(event, now: now)] + levelled + moved + adopted
    return actions + (saving.isRequired || places.isUnsaved ? save(now: now) : [])
  }

  // MARK: Deadlines

  /// Tolerated delay of a heartbeat or report.
  private static let reportTolerance = Duration.seconds(30)
  /// Tolerated delay of the end of a trip, an arrival or a zone exit; all of them take minutes.
  private static let positionTolerance = Duration.seconds(15)

  private mutating func updateSummary(now: Moment) {
    places.receiverSleeps(receiver.schedule?.isAsleepWhileStationary == true)
    updateTimeouts()
    summary.scheduleTimeout = receiver.schedule?.nextTimeout
    summary.enter(receiver.schedule?.state, isMoving: isMoving, now: now)
    if receiver.mayDefer { summary.latencyBudget = mayDefer ? receiver.latencyBudget : .zero }
    summary.hasCyclicMode = receiver.hasCyclicMode
    summary.isTripRunning = isTripInProgress
    summary.powerStage = power.stage
  }

  private mutating func updateTimeouts() {
    var exact = motion.nextTimeout
    if driving != nil { exact = Moment.earliest(exact, driving?.nextTimeout) }
    var reports = Moment.earliest(
      fixes.rejections.nextTimeout, active.rules.heartbeatDue(from: locations.silentSince))
    reports = Moment.earliest(reports, power.nextTimeout)
    let ofPlaces = places.isWatching || network.nextTimeout != nil ? placeDeadline : nil
    var timeout = Moment.earliest(Moment.earliest(exact, reports), ofPlaces)
    var wake = WakeWindow.joined(
      exact.map { WakeWindow(at: $0) },
      WakeWindow.joined(
        reports.map { WakeWindow(from: $0, orLater: Self.reportTolerance) },
        ofPlaces.map { WakeWindow(from: $0, orLater: Self.positionTolerance) }))
    if let scan = network.scanWindow(receiver.schedule) {
      timeout = Moment.earliest(timeout, scan.due)
      wake = WakeWindow.joined(wake, scan)
    }
    if let zone = network.recordTimeout(isTimeKnown: fixes.clock.quality != .none) {
      timeout = Moment.earliest(timeout, zone)
      wake = WakeWindow.joined(wake, WakeWindow(from: zone, orLater: Self.positionTolerance))
    }
    (summary.nextTimeout, summary.nextWake) = (timeout, wake)
  }

  var placeDeadline: Moment? {
    Moment.earliest(places.nextTimeout(motion.evidence, privacy), network.nextTimeout)
  }

  /// True if no input needs the next position immediately: the receiver tracks, and the time is known.
  private var mayDefer: Bool {
    guard fixes.clock.quality == .receiver, fixes.clock.doubtful == nil, !request.isExplicit,
      request.reasons.isEmpty
    else { return false }
    return switch summary.receiverState {
    case nil, .tracking?, .cyclic?: true
    case .off?, .backup?, .searching?, .settling?: false
    }
  }

  // MARK: What the parts share

  func circumstances(_ now: Moment) -> PlaceTracker.Circumstances {
    PlaceTracker.Circumstances(
      settings: settings, evidence: motion.evidence, privacy: privacy,
      dating: fixes.clock.datedOffset.map { ($0, fixes.clock.quality) }, steps: facts.steps, now: now)
  }

  var isTripInProgress: Bool { places.trips.isRunning }
  /// True if locations are recorded, even without request.
  var recordsPositions: Bool { settings.keepsLocations || isTripInProgress }
  /// The present state of the device.
  var device: DeviceState { facts.device(settings, isHidden: privacy.isHidden) }

  var derivesMotion: Bool {
    settings.derivesMotion && motion.evidence.sources[.accelerometer] == nil && motion.evidence.motion.isEmpty
  }

  /// True for a speed that records show as 0.
  func isQuiet(_ observation: Observation) -> Bool {
    settings.quietSpeed.map { observation.speed ?? .infinity < $0 } ?? false
  }

  /// The motion state of a record. `isParked`: the record shows the parking position, without speed.
  func motionStates(at moment: Moment, isParked: Bool = false) -> MotionStates {
    guard let states = motionBySpeed(at: moment)?.states else { return motion.evidence.motion }
    return isParked ? .stationary : states
  }
}
