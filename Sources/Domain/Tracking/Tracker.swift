import Energy
import GNSSProtocol
import Motion
import Quantities
import Records
import Scheduling

/// Decides what is recorded: clock, filters, recording rules, trips, visits, zones, receiver schedule and power
/// level.
///
/// Inputs are ``TrackerEvent``s with their time, outputs are ``TrackerAction``s. It performs nothing itself: the
/// owner carries out the actions and calls ``handleTimeout(now:)`` no earlier than ``nextTimeout``. The daemon, a
/// replay and the tests use the same value.
public struct Tracker: Sendable {
  /// The settings in effect.
  public internal(set) var settings: TrackerSettings
  /// The clock that dates records.
  public internal(set) var clock = RecordClock()
  /// The rejected fixes by reason.
  public internal(set) var rejections = RejectionLedger()
  /// Number of processed epochs, with and without position.
  public internal(set) var epochs: Int64 = 0
  /// Number of locations recorded since the start.
  public internal(set) var kept: Int64 = 0
  /// What records say about the device besides its position.
  var facts = RecordFactory()
  /// The last recorded location.
  public internal(set) var lastLocation: LogRecord?
  /// The reports of the motion sensors besides the receiver.
  public internal(set) var evidence = SensedMotion()
  /// The recording rules in effect.
  var active: ActiveRules

  /// The last record: the reference of all rules.
  var reference: Observation?
  /// What is asked of the next position.
  var request = PositionRequest()
  /// Detects motion by fixes.
  var fixMotion = FixMotionWatch()
  /// Detects motion by the supply.
  var supplyMotion: SupplyMotion

  /// Detects overspeed, idling and tow; nil if none of them is set.
  var driving: DrivingWatches?
  /// The power level and the battery budget.
  public internal(set) var power: PowerPolicy

  /// The receiver schedule; nil if the receiver is always on.
  var schedule: ReceiverSchedule?
  /// Learned data of the receiver, outside a schedule.
  var memory = ReceiverMemory()
  /// Detects a move by the joined networks.
  var networkHint = NetworkHint()
  /// Detects a move by the access points in range.
  var accessPointHint: AccessPointHint
  /// Schedules records of a joined Wi-Fi zone without request.
  var zoneRecording = WifiZoneRecording()
  /// What was logged about the receiver's sleep.
  var sleepLog = SleepLog()
  /// The reason for which the schedule records the present fix.
  var scheduleKeepReason: KeepReason?
  /// True if the last position of the schedule was not recorded because of a privacy zone.
  var isSchedulePositionHidden = false

  var deferral: Deferral
  var filters = FixFilters()
  var stability = Stability()
  var reconstruction = TripReconstruction()
  var positions: PositionState

  public init(settings: TrackerSettings) {
    self.settings = settings
    active = ActiveRules(settings)
    positions = PositionState(settings)
    deferral = Deferral(distance: settings.deferredDistance, shortest: settings.coalescingInterval)
    accessPointHint = AccessPointHint(interval: settings.scanInterval)
    memory.ephemerides = EphemerisAge(hasBackupSupply: settings.hasBackupSupply)
    supplyMotion = SupplyMotion(rules: settings.supplyMotion)
    driving = DrivingWatches(settings.driving, ignition: nil, now: .zero)
    power = PowerPolicy(settings.power, budget: settings.budget)
  }

  // Stored, because computing them from outside would copy the whole value after every event.

  /// The next deadline, besides ``scheduleTimeout``.
  public private(set) var nextTimeout: Moment?
  /// The window of the next deadline, with its tolerance.
  public private(set) var nextWake: WakeWindow?
  /// The next deadline of the receiver schedule, more exact than the other deadlines.
  public private(set) var scheduleTimeout: Moment?
  /// The state of the receiver that the schedule requires; nil without a schedule: then it is always on.
  public private(set) var receiverState: ReceiverState?
  /// Time that the next epochs may wait in a buffer; zero if every epoch is required immediately.
  public private(set) var latencyBudget = Duration.zero
  /// True if the receiver offers cyclic tracking.
  public private(set) var hasCyclicMode = false
  /// True during a trip.
  public private(set) var isTripRunning = false
  /// The power level with its phase.
  public private(set) var powerStage = PowerStage.normal

  /// The profile whose recording rules apply; nil for the ordinary rules.
  public var profile: ProfileCondition? { active.profile }
  /// The last state reported by a gauge; nil without one.
  public var battery: Battery? { facts.battery }

  private mutating func updateDeadlines() {
    positions.isUnseen = schedule?.isAsleepWhileStationary == true
    if positions.isUnseen {
      positions.stop.confirmStop()
      reconstruction.pause()
    }
    updateTimeouts()
    scheduleTimeout = schedule?.nextTimeout
    receiverState = schedule?.state
    if deferral.mayWait { latencyBudget = mayDefer ? deferral.latencyBudget : .zero }
    hasCyclicMode = memory.hasCyclicMode
    isTripRunning = positions.trips.isRunning
    powerStage = power.stage
  }

  /// Tolerated delay of a heartbeat or report.
  private static let reportTolerance = Duration.seconds(30)
  /// Tolerated delay of the end of a trip, an arrival or a zone exit; all of them take minutes.
  private static let positionTolerance = Duration.seconds(15)

  private mutating func updateTimeouts() {
    var exact = supplyMotion.nextTimeout
    if driving != nil { exact = Moment.earliest(exact, driving?.nextTimeout) }
    var reports = Moment.earliest(
      rejections.nextTimeout, active.rules.heartbeatDue(from: positions.beatFrom))
    reports = Moment.earliest(reports, power.nextTimeout)
    let ofPositions = positions.isWatching ? positions.nextTimeout(evidence) : nil
    nextTimeout = Moment.earliest(Moment.earliest(exact, reports), ofPositions)
    nextWake = WakeWindow.joined(
      exact.map { WakeWindow(at: $0) },
      WakeWindow.joined(
        reports.map { WakeWindow(from: $0, orLater: Self.reportTolerance) },
        ofPositions.map { WakeWindow(from: $0, orLater: Self.positionTolerance) }))
    if let scan = scanWindow {
      nextTimeout = Moment.earliest(nextTimeout, scan.due)
      nextWake = WakeWindow.joined(nextWake, scan)
    }
    if let zone = zoneTimeout {
      nextTimeout = Moment.earliest(nextTimeout, zone)
      nextWake = WakeWindow.joined(nextWake, WakeWindow(from: zone, orLater: Self.positionTolerance))
    }
  }

  /// True if no input needs the next position immediately: the receiver tracks, and the time is known.
  private var mayDefer: Bool {
    guard clock.quality == .receiver, clock.doubtful == nil, !request.isExplicit, request.reasons.isEmpty
    else {
      return false
    }
    return switch receiverState {
    case nil, .tracking?, .cyclic?: true
    case .off?, .backup?, .searching?, .settling?: false
    }
  }

  /// Handles an event and returns the actions.
  public mutating func handle(_ event: TrackerEvent, now: Moment) -> [TrackerAction] {
    var actions = event.isEpoch ? [] : reportLostClock(now: now)
    actions += take(event, now: now)
    if active.rules.reactsToEvents { actions += requestPositionForEvents(actions, now: now) }
    if request.isPending { actions += answerRequest(now: now) }
    if reconstruction.isPending { actions += reconstructTrip(now: now) }
    actions += followZone(now: now)
    updateDeadlines()
    return disclosed(actions)
  }

  private mutating func take(_ event: TrackerEvent, now: Moment) -> [TrackerAction] {
    switch event {
    case .started(let lastLocation, let previousRun):
      restore(lastLocation)
      reconstruction.reconcile(lastRecord: lastLocation?.time)
      positions.beatFrom = positions.beatFrom ?? now
      updateProfile()
      let started = EventFields([.version: .text(Release.version)]).merging(previousRun)
      return [keep(EventRecord(.started, started), now: now)]
        + endTripOfSwitchedOffBefore(now: now) + beginWifi(now: now) + applyPolicy(now: now)
    case .restored(let text):
      restore(text, now: now)
      return []
    case .epoch(let fix, let systemClock):
      return handle(fix, systemClock: systemClock, now: now)
    case .received(let strongest): return notifySchedule(.received(strongest: strongest), now: now)
    case .receiverIdentified(let family):
      identified(family)
      return []
    case .cyclicMode(let isOffered):
      memory.hasCyclicMode = isOffered
      return notifySchedule(.cyclicMode(isOffered: isOffered), now: now)
    case .withheld(let fix):
      epochs += 1
      rejections.count(.afterStart, value: .time(fix.timestamp), now: now)
      return []
    case .battery(let battery):
      facts.take(battery)
      updateProfile()
      return []
    case .power(let reading): return take(reading, now: now)
    case .powerUse(let use): return take(use, now: now)
    case .motion(let motion):
      registerStop(now: now)
      evidence.set(motion: motion, now: now)
      return []
    case .evidence(let source, let isActive):
      evidence.set(source, isActive: isActive)
      supplyMotion.confirm(now: now)
      if source == .accelerometer { driving?.shaken(isActive, now: now) }
      return notifySchedule(.evidence(source, isActive: isActive), now: now)
    case .evidenceLost(let source):
      evidence.set(source, isActive: nil)
      if source == .accelerometer { driving?.shaken(false, now: now) }
      return notifySchedule(.evidenceLost(source), now: now)
    case .ignition(let isOn):
      registerStop(now: now)
      evidence.set(ignition: isOn, now: now)
      supplyMotion.confirm(now: now)
      let reported = act(
        on: driving?.ignition(isOn, at: clock.timestamp(at: now), now: now) ?? [], now: now)
      guard let isOn else { return reported + notifySchedule(.evidenceLost(.ignition), now: now) }
      let stopped = isOn ? [] : reportMotion(fixMotion.stop(now: now), now: now)
      return reported + stopped + notifySchedule(.evidence(.ignition, isActive: isOn), now: now)
    case .supply(let reading): return act(on: supplyMotion.take(reading, now: now), now: now)
    case .steps(let steps):
      facts.take(steps: steps)
      positions.trips.setStepBase(0)
      return []
    case .network(let network): return joined(network, now: now)
    case .radioSwitchedOff: return switchedRadioOff(now: now)
    case .systemTime(let time, let quality): return take(time, quality, now: now)
    case .accessPoints(let addresses): return received(addresses, now: now)
    case .positionRequested:
      guard power.stage != .survival else { return [] }
      return requestPosition(now: now)
    case .checkIn: return requestPosition(now: now)
    case .trip(let command): return handle(command, now: now)
    case .occurred(let event):
      return [keep(event, now: now)]
    case .settings(let settings, let changed):
      self.settings = settings
      active.apply(settings)
      positions.apply(settings)
      rejections.rulesChanged()
      updateProfile()
      forgetHidden()
      request.forgetBest()
      // An automatic pause ends with tracking.
      if !settings.isTracking { sleepLog.trackingEnded() }
      if !settings.reconstructsTrips { reconstruction = TripReconstruction() }
      let ended = endTripOfSwitchedOff(now: now)
      deferral.distance = settings.deferredDistance
      deferral.shortest = settings.coalescingInterval
      if !deferral.mayWait { latencyBudget = .zero }
      accessPointHint.interval = settings.scanInterval
      let levelled = act(on: power.change(settings.power, budget: settings.budget, now: now), now: now)
      driving = DrivingWatches(settings.driving, after: driving, ignition: evidence.ignition, now: now)
      let supplyChanges = adopt(settings.supplyMotion, now: now)
      let event = EventRecord(.configurationChanged, [.changes: .list(changed)])
      let adopted = applyPolicy(now: now)
      return ended + [keep(event, now: now)] + levelled + supplyChanges + adopted
        + (positions.needsSaving ? save(now: now) : [])
    case .stopping:
      return keepCredible(now: now) + keepSettling(now: now)
        + report(rejections.report(now: now), as: .fixesRejected, now: now)
        + terminate(now: now) + [keep(EventRecord(.stopped), now: now)]
    }
  }

  /// Acts on the deadlines that have passed.
  public mutating func handleTimeout(now: Moment) -> [TrackerAction] {
    defer { updateDeadlines() }
    var actions = scheduleTimeout(now: now)
    if request.isPending { actions += answerRequest(now: now) }
    if reconstruction.isPending { actions += reconstructTrip(now: now) }
    updateDeadlines()
    guard let due = nextTimeout, now >= due else { return disclosed(actions) }
    if let due = rejections.nextTimeout, now >= due {
      actions += report(rejections.report(now: now), as: .fixesRejected, now: now)
    }
    actions += beat(now: now) + scanTimeout(now: now)
    actions += supplyTimeout(now: now) + drivingTimeout(now: now) + powerTimeout(now: now)
    if let due = positions.nextTimeout(evidence), now >= due { actions += positionTimeout(now: now) }
    if reconstruction.isPending { actions += reconstructTrip(now: now) }
    if active.rules.reactsToEvents { actions += requestPositionForEvents(actions, now: now) }
    actions += followZone(now: now)
    return disclosed(actions)
  }

  // MARK: Fixes and their dates

  private mutating func handle(_ fix: Fix, systemClock: Timestamp, now: Moment) -> [TrackerAction] {
    epochs += 1
    deferral.take(fix)
    var actions: [TrackerAction] = []
    // A date without a fix may come from the receiver's RTC, and one with an impossible position from anywhere. Only
    // a possible fix sets the clock.
    let isFix = fix.position != nil
    let offset = clock.offsetMilliseconds
    let reading = clock.read(
      timestamp: isFix ? fix.timestamp : nil, millisecondOfDay: isFix ? fix.millisecondOfDay : nil,
      arrival: now, systemClock: systemClock)
    if isFix, fix.timestamp != nil, clock.offsetMilliseconds != nil,
      reading.trust == .known || reading.trust == .confirmsDoubt
    {
      actions += reportClockSource(since: offset, now: now)
    } else {
      actions += reportLostClock(now: now)
    }
    for notice in reading.notices { actions += act(on: notice, now: now) }
    if clock.isStale(now: now) { actions += redate(now: now) }
    switch reading.trust {
    case .known: break
    case .confirmsDoubt:
      if let pending = clock.release() {
        actions += take(pending.fix, timestamp: pending.timestamp, moment: pending.moment, now: now)
      }
    case .refutesDoubt: dropDoubtful(now: now)
    case .doubtful(let isCredible):
      dropDoubtful(now: now)
      if let timestamp = reading.timestamp {
        clock.hold(
          .init(fix: fix, timestamp: timestamp, moment: reading.moment, isCredible: isCredible))
      }
      return actions
    }
    let kept = take(fix, timestamp: reading.timestamp, moment: reading.moment, now: now)
    return actions.isEmpty ? kept : actions + kept
  }

  /// Records a held fix with a credible date, because no other fix follows.
  private mutating func keepCredible(now: Moment) -> [TrackerAction] {
    guard clock.doubtful?.isCredible == true, let pending = clock.release() else {
      dropDoubtful(now: now)
      return []
    }
    return take(pending.fix, timestamp: pending.timestamp, moment: pending.moment, now: now)
  }

  private mutating func dropDoubtful(now: Moment) {
    guard let pending = clock.release() else { return }
    rejections.count(.impossibleTime, value: .time(pending.timestamp), now: now)
  }

  private mutating func restore(_ last: LogRecord?) {
    // Fixes received before the log was open have set their own reference.
    guard reference == nil, let last, case .location(let location) = last.body, last.time != nil else {
      return
    }
    guard !positions.hides(location) else {
      // Assumes the device is still where it was switched off.
      positions.isHidden = true
      return
    }
    lastLocation = last
    reference = Observation(timestamp: last.time, moment: nil, coordinate: location.coordinate)
    recallLast()
  }
}
