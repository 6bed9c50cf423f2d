import Energy
import GNSS
import Motion
import Quantities
import Records

/// Decides what becomes a record.
///
/// It performs nothing: tell it what happened and when, carry out the actions it returns, and call
/// ``handleTimeout(now:)`` no earlier than ``nextTimeout``. The same value serves the daemon, a replay and the tests.
public struct Tracker: Sendable {
  public internal(set) var settings: TrackerSettings {
    didSet { activeRules = settings.rules(in: profile) }
  }
  public internal(set) var clock = DeviceClock()
  public internal(set) var rejections = RejectionLedger()
  /// Epochs looked at, with and without position.
  public internal(set) var epochs: Int64 = 0
  /// Locations kept since the start.
  public internal(set) var kept: Int64 = 0
  /// What a gauge said last; nil where there is none.
  public internal(set) var battery: Battery?
  /// The wireless network that the box has joined; nil where none is or nobody can tell.
  public internal(set) var network: JoinedNetwork?
  /// The last location that was kept.
  public internal(set) var lastLocation: LogRecord?
  /// What the sensors besides the receiver say about motion.
  public internal(set) var evidence = SensedMotion()
  /// What the speed of the fixes says of motion.
  var speedMotion = SpeedClassifier()
  /// The profile whose rules count; nil where the ordinary ones do.
  public internal(set) var profile: Profile? {
    didSet { if profile != oldValue { activeRules = settings.rules(in: profile) } }
  }
  /// It is another than at the last fix.
  var isProfileNew = false
  /// The rules that count.
  private(set) var activeRules: AcquisitionRules

  /// The last record: all rules are measured from it.
  var reference: Sample?
  /// The next position is kept whatever the mode.
  var keepsNext = false
  /// The best fix so far for whoever asked, while the plan waits for a better one.
  var settlingFix: Candidate?
  /// When an event last had the receiver woken.
  var eventWokeAt: Moment?
  /// A fix whose date nobody believes before the next one agrees with it.
  var doubtful: Doubtful?
  /// Whether the clock goes by the receiver.
  var clockWatch = ClockWatch()
  /// Whether the device moves, by its fixes.
  var underWay = UnderWayWatch()
  /// UTC minus moment in ms, by which what has no date is dated; and since when.
  var datedOffset: Int64?
  var datedAt = Moment.zero
  /// Since the counter began with this start of the program.
  var steps: Int32?
  /// Of earlier starts.
  var stepsBefore: Int32 = 0
  /// What the supply says of motion.
  var supplyVotes: SupplyVotes

  /// How the vehicle is driven, or carried away; nil where nobody asks.
  var driving: DrivingWatches?
  /// How sparing the box is with its battery, and why.
  public internal(set) var power: PowerWatch
  /// What makes the battery last until a date.
  public internal(set) var budget: PowerBudget

  /// Nil where the receiver is always on.
  var plan: ReceiverPlan?
  /// What was learned of the receiver before the plan, if any, began.
  var memory = ReceiverMemory()
  /// Starts of the plan that the state kept last knows.
  var savedStarts = 0
  /// What each sensor said last, for a plan that begins.
  var sensed: [MotionSource: Bool] = [:]
  /// Whether the network around speaks for another place.
  var networkHint = NetworkHint()
  /// The same of the access points around.
  var accessPointHint: AccessPointHint
  /// When the place of a joined Wi-Fi zone becomes a record by itself.
  var zoneRecording = WifiZoneRecording()
  /// Why the receiver sleeps, as far as that was told.
  var toldRest: SleepCause?
  /// Since when recording pauses, as far as that was told; nil while it does not.
  var pausedSince: Moment?
  /// Why the plan wants the fix at hand.
  var planKeeps: KeepReason?
  /// What the plan wanted last is no record, for it lies where nothing must be written.
  var isPlanPlaceHidden = false

  var deferral: Deferral
  var filters = FixFilters()
  var stability = Stability()
  var reconstruction = TripReconstruction()
  var places: Places

  struct Doubtful {
    var fix: Fix
    var timestamp: Timestamp
    var moment: Moment
    var isCredible: Bool
  }

  public init(settings: TrackerSettings) {
    self.settings = settings
    activeRules = settings.rules(in: nil)
    places = Places(settings)
    deferral = Deferral(distance: settings.deferredDistance, shortest: settings.gathering)
    accessPointHint = AccessPointHint(interval: settings.scanInterval)
    memory.ephemerides = EphemerisAge(hasBackupSupply: settings.hasBackupSupply)
    supplyVotes = SupplyVotes(rules: settings.supplyVotes)
    driving = DrivingWatches(settings.driving, ignition: nil, now: .zero)
    power = PowerWatch(settings.power)
    budget = PowerBudget(settings.budget)
  }

  // What is asked after every event is stored: to compute it from outside, the whole value would be copied.

  /// Beside ``planTimeout``.
  public private(set) var nextTimeout: Moment?
  /// The same with the room that it has.
  public private(set) var nextWake: WakeWindow?
  /// When the plan wants to be called; nearer to the second than what else the tracker waits for.
  public private(set) var planTimeout: Moment?
  /// What the plan wants the receiver to be doing; nil without a plan, when it is always on.
  public private(set) var receiverState: ReceiverState?
  /// How long the next positions may wait to be taken; zero where each is wanted at once.
  public private(set) var patience = Duration.zero
  public private(set) var hasCyclicMode = false
  public private(set) var isTripRunning = false
  public private(set) var powerStage = PowerStage.normal

  private mutating func noteWhatIsNext() {
    places.isUnseen = plan?.isAtRest == true
    if places.isUnseen {
      places.rest.vouch()
      reconstruction.pause()
    }
    noteTimeouts()
    planTimeout = plan?.nextTimeout
    receiverState = plan?.state
    if deferral.mayWait { patience = mayDefer ? deferral.patience : .zero }
    hasCyclicMode = memory.hasCyclicMode
    isTripRunning = places.trips.isRunning
    powerStage = power.stage
  }

  /// How much later than due a heartbeat or a report may be.
  private static let roomOfReports = Duration.seconds(30)
  /// The same for the end of a trip, an arrival, or a zone that was left: all of them are minutes in the making.
  private static let roomOfPlaces = Duration.seconds(15)

  private mutating func noteTimeouts() {
    var exact = supplyVotes.nextTimeout
    if driving != nil { exact = Moment.earliest(exact, driving?.nextTimeout) }
    var reports = Moment.earliest(
      rejections.nextTimeout, activeRules.heartbeatDue(from: places.beatFrom))
    reports = Moment.earliest(reports, power.nextTimeout)
    let ofPlaces = places.isWatching ? places.nextTimeout(evidence) : nil
    nextTimeout = Moment.earliest(Moment.earliest(exact, reports), ofPlaces)
    nextWake = WakeWindow.joined(
      exact.map { WakeWindow(at: $0) },
      WakeWindow.joined(
        reports.map { WakeWindow(from: $0, orLater: Self.roomOfReports) },
        ofPlaces.map { WakeWindow(from: $0, orLater: Self.roomOfPlaces) }))
    if let scan = scanWindow {
      nextTimeout = Moment.earliest(nextTimeout, scan.due)
      nextWake = WakeWindow.joined(nextWake, scan)
    }
    if let zone = zoneTimeout {
      nextTimeout = Moment.earliest(nextTimeout, zone)
      nextWake = WakeWindow.joined(nextWake, WakeWindow(from: zone, orLater: Self.roomOfPlaces))
    }
  }

  /// Nobody waits for the next position: the receiver tracks, and the time is known.
  private var mayDefer: Bool {
    guard clock.quality == .receiver, doubtful == nil, !keepsNext, places.asked.isEmpty else { return false }
    return switch receiverState {
    case nil, .tracking?, .cyclic?: true
    case .off?, .backup?, .searching?, .settling?: false
    }
  }

  public mutating func handle(_ event: TrackerEvent, now: Moment) -> [TrackerAction] {
    var actions = event.isEpoch ? [] : tellLostClock(now: now)
    actions += take(event, now: now)
    if activeRules.heedsEvents { actions += heedEvents(actions, now: now) }
    if keepsNext || settlingFix != nil { actions += answerWhoAsked(now: now) }
    if reconstruction.isPending { actions += reconstructTrip(now: now) }
    actions += followZone(now: now)
    noteWhatIsNext()
    return disclosed(actions)
  }

  private mutating func take(_ event: TrackerEvent, now: Moment) -> [TrackerAction] {
    switch event {
    case .started(let lastLocation, let previousRun):
      restore(lastLocation)
      reconstruction.heed(lastRecord: lastLocation?.time)
      places.beatFrom = places.beatFrom ?? now
      updateProfile()
      let started = EventFields([.version: .text(Release.version)]).merging(previousRun)
      return [keep(EventRecord(.started, started), now: now)]
        + endTripOfSwitchedOffBefore(now: now) + beginWifi(now: now) + adoptPlan(now: now)
    case .restored(let text):
      restore(text, now: now)
      return []
    case .epoch(let fix, let systemClock):
      return handle(fix, systemClock: systemClock, now: now)
    case .heard(let strongest): return tellPlan(.heard(strongest: strongest), now: now)
    case .receiverIdentified(let family):
      identified(family)
      return []
    case .cyclicMode(let isOffered):
      memory.hasCyclicMode = isOffered
      return tellPlan(.cyclicMode(isOffered: isOffered), now: now)
    case .withheld(let fix):
      epochs += 1
      rejections.count(.afterStart, value: .time(fix.timestamp), now: now)
      return []
    case .battery(let battery):
      self.battery = battery
      updateProfile()
      return []
    case .power(let reading): return take(reading, now: now)
    case .powerUse(let use): return take(use, now: now)
    case .motion(let motion):
      noteRest(now: now)
      evidence.set(motion: motion, now: now)
      return []
    case .evidence(let source, let isActive):
      sensed[source] = isActive
      supplyVotes.bearOut(now: now)
      if source == .accelerometer { driving?.shaken(isActive, now: now) }
      return tellPlan(.evidence(source, isActive: isActive), now: now)
    case .evidenceLost(let source):
      sensed[source] = nil
      if source == .accelerometer { driving?.shaken(false, now: now) }
      return tellPlan(.evidenceLost(source), now: now)
    case .ignition(let isOn):
      noteRest(now: now)
      evidence.set(ignition: isOn, now: now)
      sensed[.ignition] = isOn
      supplyVotes.bearOut(now: now)
      let told = act(
        on: driving?.ignition(isOn, at: clock.timestamp(at: now), now: now) ?? [], now: now)
      guard let isOn else { return told + tellPlan(.evidenceLost(.ignition), now: now) }
      let rested = isOn ? [] : tell(underWay.rest(now: now), now: now)
      return told + rested + tellPlan(.evidence(.ignition, isActive: isOn), now: now)
    case .supply(let reading): return act(on: supplyVotes.take(reading, now: now), now: now)
    case .steps(let steps):
      self.steps = steps
      places.trips.setStepBase(0)
      return []
    case .network(let network): return joined(network, now: now)
    case .radioSwitchedOff: return switchedRadioOff(now: now)
    case .systemTime(let time, let quality): return take(time, quality, now: now)
    case .accessPoints(let addresses): return heard(addresses, now: now)
    case .positionWanted:
      guard power.stage != .survival else { return [] }
      return wantPosition(now: now)
    case .checkIn: return wantPosition(now: now)
    case .trip(let command): return handle(command, now: now)
    case .occurred(let event):
      return [keep(event, now: now)]
    case .settings(let settings, let changed):
      self.settings = settings
      places.apply(settings)
      rejections.rulesChanged()
      updateProfile()
      forgetHidden()
      settlingFix = nil
      // Nothing is paused any more.
      if !settings.isTracking { pausedSince = nil }
      if !settings.reconstructsTrips { reconstruction = TripReconstruction() }
      let ended = endTripOfSwitchedOff(now: now)
      deferral.distance = settings.deferredDistance
      deferral.shortest = settings.gathering
      if !deferral.mayWait { patience = .zero }
      accessPointHint.interval = settings.scanInterval
      let levelled = act(on: power.change(settings.power, now: now), now: now)
      budget.change(settings.budget)
      driving = DrivingWatches(settings.driving, after: driving, ignition: evidence.ignition, now: now)
      let votes = adopt(settings.supplyVotes, now: now)
      let event = EventRecord(.configurationChanged, [.changes: .list(changed)])
      let adopted = adoptPlan(now: now)
      return ended + [keep(event, now: now)] + levelled + votes + adopted
        + (places.needsSaving ? save(now: now) : [])
    case .stopping:
      return keepCredible(now: now) + keepSettling(now: now)
        + report(rejections.report(now: now), as: .fixesRejected, now: now)
        + terminate(now: now) + [keep(EventRecord(.stopped), now: now)]
    }
  }

  public mutating func handleTimeout(now: Moment) -> [TrackerAction] {
    defer { noteWhatIsNext() }
    var actions = planTimeout(now: now)
    if keepsNext || settlingFix != nil { actions += answerWhoAsked(now: now) }
    if reconstruction.isPending { actions += reconstructTrip(now: now) }
    noteWhatIsNext()
    guard let due = nextTimeout, now >= due else { return disclosed(actions) }
    if let due = rejections.nextTimeout, now >= due {
      actions += report(rejections.report(now: now), as: .fixesRejected, now: now)
    }
    actions += beat(now: now) + scanTimeout(now: now)
    actions += supplyTimeout(now: now) + drivingTimeout(now: now) + powerTimeout(now: now)
    if let due = places.nextTimeout(evidence), now >= due { actions += placesTimeout(now: now) }
    if reconstruction.isPending { actions += reconstructTrip(now: now) }
    if activeRules.heedsEvents { actions += heedEvents(actions, now: now) }
    actions += followZone(now: now)
    return disclosed(actions)
  }

  // MARK: Fixes and their dates

  private mutating func handle(_ fix: Fix, systemClock: Timestamp, now: Moment) -> [TrackerAction] {
    epochs += 1
    deferral.take(fix)
    var actions: [TrackerAction] = []
    // A date without a fix may come from the receiver's battery clock, and one beside an impossible place from anywhere:
    // only a fix that can be one sets the clock.
    let isFix = fix.place != nil
    let offset = clock.offsetMilliseconds
    let reading = clock.read(
      timestamp: isFix ? fix.timestamp : nil, millisecondOfDay: isFix ? fix.millisecondOfDay : nil,
      arrival: now, systemClock: systemClock)
    if isFix, fix.timestamp != nil, clock.offsetMilliseconds != nil,
      reading.trust == .known || reading.trust == .confirmsDoubt
    {
      actions += tellSource(since: offset, now: now)
    } else {
      actions += tellLostClock(now: now)
    }
    for notice in reading.notices { actions += act(on: notice, now: now) }
    if dateIsStale(now: now) { actions += redate(now: now) }
    switch reading.trust {
    case .known: break
    case .confirmsDoubt:
      if let held = doubtful {
        doubtful = nil
        actions += take(held.fix, timestamp: held.timestamp, moment: held.moment, now: now)
      }
    case .refutesDoubt: dropDoubtful(now: now)
    case .doubtful(let isCredible):
      dropDoubtful(now: now)
      if let timestamp = reading.timestamp {
        doubtful = Doubtful(
          fix: fix, timestamp: timestamp, moment: reading.moment, isCredible: isCredible)
      }
      return actions
    }
    let kept = take(fix, timestamp: reading.timestamp, moment: reading.moment, now: now)
    return actions.isEmpty ? kept : actions + kept
  }

  /// No other fix will come.
  private mutating func keepCredible(now: Moment) -> [TrackerAction] {
    guard let held = doubtful, held.isCredible else {
      dropDoubtful(now: now)
      return []
    }
    doubtful = nil
    return take(held.fix, timestamp: held.timestamp, moment: held.moment, now: now)
  }

  private mutating func dropDoubtful(now: Moment) {
    guard let held = doubtful else { return }
    doubtful = nil
    rejections.count(.impossibleTime, value: .time(held.timestamp), now: now)
  }

  private mutating func restore(_ last: LogRecord?) {
    // Fixes that came before the log was open have set their own reference.
    guard reference == nil, let last, case .location(let location) = last.body, last.time != nil else {
      return
    }
    guard !places.hides(location) else {
      // Where it was when it was off, it is for all that is known.
      places.isHidden = true
      return
    }
    lastLocation = last
    reference = Sample(timestamp: last.time, moment: nil, coordinate: location.coordinate)
    recallLast()
  }
}
