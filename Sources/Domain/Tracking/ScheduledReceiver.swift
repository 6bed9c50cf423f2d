import Energy
import GNSSProtocol
import Quantities
import Records
import Scheduling

/// The receiver as the tracker uses it: its schedule, and what is known about it with and without one.
struct ScheduledReceiver: Sendable {
  /// The schedule; nil if the receiver is always on.
  private(set) var schedule: ReceiverSchedule?
  /// What is learned about the receiver, while there is no schedule. A schedule continues with it and owns its own.
  private var idleModel: ReceiverModel
  /// Number of learned starts that the saved state contains.
  private var savedStarts = 0
  /// The time at which an earlier run last read the ephemerides, until the clock provides their age.
  private var ephemeridesReadBefore: Timestamp?
  /// The sleep that an earlier run saved, until ``continueSleep(_:isTimeKnown:)``; then the one that the schedule continues.
  private var sleepBefore: SavedSleep?
  /// The sleep at the time at which the host went to sleep; nil while it is awake.
  private var sleepOfHost: SavedSleep?
  /// The tracking that goes on without the host: as an earlier run saved it, until the first epoch, and as it is while the host
  /// goes to sleep.
  private var tracking: (before: SavedTracking?, ofHost: SavedTracking?) = (nil, nil)
  /// Time for which the receiver has stored its epochs.
  private var storedFor = Deferral.longest
  /// True if the receiver is connected and offers cyclic tracking.
  private(set) var hasCyclicMode = false
  /// What was logged about the receiver's sleep.
  private var sleepLog = SleepLog()
  private var deferral: Deferral
  /// The reason for which the schedule records the present fix.
  private(set) var keepReason: KeepReason?
  /// True if the last position of the schedule was not recorded because of a privacy zone.
  private(set) var isPositionHidden = false

  init(_ settings: TrackerSettings) {
    idleModel = ReceiverModel(hasBackupSupply: settings.hasBackupSupply)
    deferral = Deferral(distance: settings.deferredDistance, shortest: settings.coalescingInterval)
  }

  mutating func apply(_ settings: TrackerSettings) {
    deferral.distance = settings.deferredDistance
    deferral.shortest = settings.coalescingInterval
    // An automatic pause ends with tracking.
    if !settings.isTracking { sleepLog.trackingEnded() }
  }

  // MARK: The schedule

  /// Starts a schedule with everything known about the receiver.
  mutating func start(_ policy: TrackingPolicy, currents: ReceiverCurrents, knownPosition: Coordinate?) {
    schedule = ReceiverSchedule(
      policy, currents: currents, model: idleModel, hasCyclicMode: hasCyclicMode, knownPosition: knownPosition
    )
  }

  /// Has the schedule continue the sleep of an earlier run after a planned sleep of the host; nil for any other start.
  /// Without the time a position check is due, which provides it. Returns the sleep as it continues.
  mutating func continueSleep(_ resumption: Resumption?, isTimeKnown: Bool) -> SavedSleep? {
    if let pause = resumption?.pause { storedFor = pause }
    guard let resumption, let sleep = sleepBefore else {
      sleepBefore = nil
      return nil
    }
    let needsTime = !isTimeKnown && sleep.time == nil
    let continued = sleep.after(resumption.pause, checksNow: resumption.checksNow || needsTime)
    sleepBefore = continued
    return continued
  }

  /// The event with which the schedule starts. `last` is the last record of a location.
  mutating func startEvent(at last: LogRecord?) -> ReceiverScheduleEvent {
    defer { sleepBefore = nil }
    if let tracking = tracking.before { return .continued(tracking, after: storedFor) }
    guard let sleepBefore else { return .started }
    if case .location(let location)? = last?.body { return .resumed(sleepBefore, at: location.coordinate) }
    return .resumed(sleepBefore, at: nil)
  }

  /// Ends the schedule; the learned data remains. Returns the state of the receiver.
  mutating func end() -> ReceiverState? {
    guard let schedule else { return nil }
    idleModel = schedule.model
    defer { self.schedule = nil }
    return schedule.state
  }

  mutating func adopt(_ currents: ReceiverCurrents) { schedule?.adopt(currents) }

  /// Passes an event to the schedule.
  mutating func handle(_ event: ReceiverScheduleEvent, now: Moment) -> [ReceiverScheduleAction] {
    schedule?.handle(event, now: now) ?? []
  }

  /// Passes an epoch to the schedule. `mayBeKept` is false if a filter rejected it.
  mutating func handle(epoch fix: Fix, mayBeKept: Bool, isTimeKnown: Bool, now: Moment)
    -> [ReceiverScheduleAction]
  {
    guard schedule != nil else { return [] }
    if schedule?.searchesForTime == true, isTimeKnown { _ = schedule?.handle(.timeKnown, now: now) }
    return schedule?.handle(epoch: fix, mayBeKept: mayBeKept, now: now) ?? []
  }

  mutating func handleTimeout(now: Moment) -> [ReceiverScheduleAction] {
    guard let due = schedule?.nextTimeout, now >= due else { return [] }
    return schedule?.handleTimeout(now: now) ?? []
  }

  /// A requested position was recorded, or is not required any more.
  mutating func endRequest() { schedule?.endRequest() }

  /// The location that is known without the receiver is not known any more.
  mutating func forgetKnownPosition() { schedule?.forgetKnownPosition() }

  // MARK: The present fix

  /// Another fix begins: the schedule has not decided about it.
  mutating func beginFix() { keepReason = nil }

  /// The schedule records the present fix.
  mutating func keeps(for reason: KeepReason) { keepReason = reason }

  /// Notes whether a position of the schedule was hidden.
  mutating func hidPosition(_ isHidden: Bool) { isPositionHidden = isHidden }

  // MARK: Sleep

  /// The cause of the receiver's sleep if it is to be logged.
  mutating func reportableSleep() -> SleepCause? {
    guard let cause = schedule?.sleepCause, sleepLog.fellAsleep(cause) else { return nil }
    return cause
  }

  /// The device moves again. Returns true if a sleep was logged, whose end is to be logged, too.
  mutating func woke() -> Bool { sleepLog.woke() }

  /// Recording pauses. Returns true if that is to be logged.
  mutating func paused(now: Moment) -> Bool { sleepLog.paused(now: now) }

  /// Recording resumes. Returns the duration of the logged pause; nil if there was none.
  mutating func resumed(now: Moment) -> Duration? { sleepLog.resumed(now: now) }

  // MARK: Epochs that wait

  mutating func take(_ fix: Fix) {
    tracking.before = nil
    deferral.take(fix)
  }

  /// True if epochs may wait in the receiver or the serial buffer.
  var mayDefer: Bool { deferral.mayWait }

  /// Time that the next epochs may wait.
  var latencyBudget: Duration { deferral.latencyBudget }

  // MARK: Learned data

  private var model: ReceiverModel { schedule?.model ?? idleModel }

  mutating func offersCyclicMode(_ isOffered: Bool) { hasCyclicMode = isOffered }

  mutating func identified(_ family: ReceiverFamily) {
    if schedule == nil { idleModel.identified(family) } else { schedule?.identified(family) }
  }

  /// Computes the age of ephemerides read by an earlier run, once the clock is known.
  mutating func recallEphemerides(_ clock: RecordClock, now: Moment) {
    guard let before = ephemeridesReadBefore, let time = clock.timestamp(at: now) else { return }
    ephemeridesReadBefore = nil
    let age = time - before
    guard age >= .zero, age < EphemerisAge.hardlyUsable else { return }
    let moment = now + (.zero - age)
    if schedule == nil {
      idleModel.recall(ephemeridesReadAt: moment)
    } else {
      schedule?.recall(ephemeridesReadAt: moment)
    }
  }

  /// The sleep in progress; nil also at a hidden position, whose records would disclose it.
  private func sleep(_ clock: RecordClock, silentSince: Moment?, now: Moment) -> SavedSleep? {
    guard !isPositionHidden, var sleep = schedule?.savedSleep(now: now) else { return nil }
    sleep.silence = silentSince.map { now - $0 }
    sleep.time = clock.timestamp(at: now)
    return sleep
  }

  /// The host is about to sleep: what is saved from now on is the sleep at this time, from which the next run counts.
  mutating func hostSleeps(_ clock: RecordClock, silentSince: Moment?, now: Moment) {
    sleepOfHost = sleep(clock, silentSince: silentSince, now: now)
    tracking.ofHost = schedule?.savedTracking
  }

  /// The host stays awake, or is awake again.
  mutating func hostIsAwake() { (sleepOfHost, tracking.ofHost) = (nil, nil) }

  /// True if start times were learned that are not saved yet.
  var hasLearned: Bool { schedule.map { $0.learnedStarts != savedStarts } ?? false }

  /// Adds the learned data to the state to save; it then counts as saved.
  mutating func save(
    to state: inout TrackerState, _ clock: RecordClock, silentSince: Moment?, now: Moment
  ) {
    state.sleep = sleepOfHost ?? sleep(clock, silentSince: silentSince, now: now)
    state.tracking = tracking.ofHost ?? tracking.before
    savedStarts = schedule?.learnedStarts ?? 0
    let model = model
    if model.starts != StartCost(family: .unknown) { state.starts = model.starts }
    if let read = model.ephemerides.lastRead {
      state.ephemeridesRead = clock.timestamp(at: now).map { $0 + (read - now) }
    } else {
      state.ephemeridesRead = ephemeridesReadBefore
    }
  }

  /// Continues with the learned data of an earlier run. A running schedule has more recent data.
  mutating func resume(_ state: TrackerState, _ clock: RecordClock, now: Moment) {
    guard schedule == nil else { return }
    if let starts = state.starts { idleModel.restore(starts) }
    sleepBefore = state.sleep
    tracking.before = state.tracking
    ephemeridesReadBefore = state.ephemeridesRead
    recallEphemerides(clock, now: now)
  }
}
