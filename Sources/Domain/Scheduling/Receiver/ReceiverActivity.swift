import Energy
import GNSSProtocol
import GNSSReceiver
import Quantities

/// The activity of the receiver: its phase, the search for a fix, cyclic tracking, and what is learned from it.
///
/// Each verb changes the phase and returns the command that brings the receiver there. The motion, the policy and the
/// requests that decide on it belong to ``ReceiverSchedule``, which owns this value.
struct ReceiverActivity: Sendable {
  /// Timeout of a reading of ephemerides.
  private static let readingLimit = Duration.seconds(60)
  /// Tolerated delay of an epoch.
  private static let lateEpoch = Duration.seconds(2)
  /// Time without an epoch after which a tracking receiver counts as one without a fix. Longer than epochs may wait in
  /// a buffer.
  private static let longestSilence = Deferral.longest + .seconds(60)
  /// Time after which a receiver that tracks every second may sleep between two fixes again.
  private static let shortestTracking = Duration.seconds(8)

  private(set) var phase = ReceiverSchedulePhase.dormant
  /// True if the receiver's supply is cut.
  private var isOff = false
  private var lastEpochAt: Moment?
  private(set) var model: ReceiverModel
  private var search: AcquisitionTiming
  private var cyclicTracking: CyclicTracking
  /// The receiver's currents, by which states are compared.
  private(set) var currents: ReceiverCurrents

  /// Creates the activity of a receiver that is assumed to be asleep, with what is known about its starts.
  init(
    model: ReceiverModel, currents: ReceiverCurrents, hasCyclicMode: Bool,
    longestBackOff: Duration = SearchBudget.longestBackOff
  ) {
    search = AcquisitionTiming(longestBackOff: longestBackOff)
    self.model = model
    self.model.beginSchedule()
    self.currents = currents
    cyclicTracking = CyclicTracking(isOffered: hasCyclicMode)
  }

  // MARK: Questions

  /// The state that the receiver should be in.
  var state: ReceiverState {
    switch phase {
    case .dormant, .asleep: isOff ? .off : .backup
    case .searching: .searching
    case .settling: .settling
    case .following(let cyclic, _): cyclic ? .cyclic : .tracking
    case .reading: .tracking
    }
  }

  /// The end of the phase; nil if only an event ends it. `acceptableFixTimeout` limits the wait for a fix that may be
  /// recorded.
  func deadline(acceptableFixTimeout: Duration) -> Moment? {
    switch phase {
    case .dormant: nil
    case .asleep(_, let until), .reading(let until): until
    case .searching: search.nextTimeout
    // The last epoch may be slightly late, and waiting for it is worthwhile.
    case .settling(_, let wait):
      wait.settlingTimeout.map { $0 + Self.lateEpoch } ?? wait.acceptanceTimeout(acceptableFixTimeout)
        ?? lastEpochAt.map { $0 + Self.longestSilence }
    case .following(_, let since): max(lastEpochAt ?? since, since) + Self.longestSilence
    }
  }

  /// True if the receiver sent nothing for so long that it counts as one without a fix.
  func isSilent(now: Moment) -> Bool { lastEpochAt.map { now - $0 >= Self.longestSilence } ?? true }

  /// The back-off after the next failed search while stationary.
  var nextBackOff: Duration { search.nextBackOff }

  /// True if the receiver reports signal strength.
  var reportsSignal: Bool { search.reportsSignal }

  /// End of the back-off after a search while moving; nil if the next search may begin now.
  func nextSearch(now: Moment) -> Moment? { search.nextSearch.flatMap { $0 > now ? $0 : nil } }

  // MARK: The receiver's properties

  mutating func adopt(_ currents: ReceiverCurrents) { self.currents = currents }

  mutating func identified(_ family: ReceiverFamily) { model.identified(family) }

  mutating func recall(ephemeridesReadAt moment: Moment) { model.recall(ephemeridesReadAt: moment) }

  /// Processes the availability of cyclic tracking.
  mutating func offersCyclicMode(_ isOffered: Bool, now: Moment) -> [ReceiverScheduleAction] {
    cyclicTracking.offered(isOffered)
    guard case .following(cyclic: true, _) = phase, !isOffered else { return [] }
    return follow(cyclic: false, now: now)
  }

  // MARK: Epochs and signals

  /// Processes the strongest signal while there is no fix, in dB-Hz.
  mutating func received(strongest: Double, now: Moment) { search.received(strongest: strongest, now: now) }

  /// Records an epoch, with or without fix. `isStored` is true for an epoch of the past: the receiver may have been in
  /// another state then.
  mutating func epoch(hasFix: Bool, isStored: Bool, now: Moment) {
    lastEpochAt = now
    switch phase {
    case .following(cyclic: true, _): model.stoppedReading()
    case .reading where isStored: model.stoppedReading()
    case .dormant, .asleep, .searching, .settling, .following, .reading: model.epoch(hasFix: hasFix, now: now)
    }
  }

  /// Excludes the present start from the measure of start times.
  mutating func ignoreStartTime() {
    if case .searching(let wakeReason, _) = phase { phase = .searching(wakeReason, startedAt: nil) }
  }

  /// Ends a search with its first fix; the start then requires this accuracy in metres.
  mutating func foundFix(accuracy: Double, now: Moment) {
    guard case .searching(let wakeReason, let startedAt) = phase else { return }
    model.firstFix(ofStartAt: startedAt, now: now)
    search.succeeded()
    phase = .settling(wakeReason, FixWait(accuracy: accuracy))
  }

  /// Records an epoch of a settling fix; nil if the time limit passed without one. Returns true if the fix has settled.
  mutating func hasSettled(with epoch: Fix?, now: Moment) -> Bool {
    guard case .settling(let wakeReason, var wait) = phase else { return false }
    let hasSettled = wait.hasSettled(with: epoch, now: now)
    phase = .settling(wakeReason, wait)
    return hasSettled
  }

  /// Records a settled fix. Returns true if the start ends with it: it is acceptable, or none was for so long.
  mutating func endsStart(isAcceptable: Bool, timeout: Duration, now: Moment) -> Bool {
    guard case .settling(let wakeReason, var wait) = phase else { return false }
    let ends = wait.ends(isAcceptable: isAcceptable, timeout: timeout, now: now)
    phase = .settling(wakeReason, wait)
    return ends
  }

  /// Learns the settling time of a start while moving.
  mutating func learnSettling(now: Moment) { model.settled(now: now) }

  // MARK: Starts

  /// Starts the receiver. `pause` is the time without a search that follows a failure whatever the back-off.
  mutating func wake(
    _ wakeReason: WakeReason, pause: Duration = .zero, now: Moment
  ) -> [ReceiverScheduleAction] {
    startSearch(wakeReason, startedAt: now, pause: pause, now: now)
  }

  /// Searches again after a loss of reception.
  mutating func searchAgain(_ wakeReason: WakeReason, now: Moment) -> [ReceiverScheduleAction] {
    leaveCyclicTracking(now: now)
    return startSearch(wakeReason, startedAt: nil, pause: .zero, now: now)
  }

  private mutating func startSearch(
    _ wakeReason: WakeReason, startedAt: Moment?, pause: Duration, now: Moment
  ) -> [ReceiverScheduleAction] {
    beginSearch(inMotion: wakeReason.isInMotion, afterLoss: startedAt == nil, pause: pause, now: now)
    phase = .searching(wakeReason, startedAt: startedAt)
    return [.receiver(.searching, until: search.nextTimeout)]
  }

  /// Continues a start for another wake reason; without effect if the receiver is not starting.
  mutating func continueStart(for wakeReason: WakeReason) { phase.continueStart(for: wakeReason) }

  /// Wakes the receiver for a requested position, or makes a start more accurate. `accuracy` is in metres.
  mutating func serveRequest(accuracy: Double, now: Moment) -> [ReceiverScheduleAction] {
    switch phase {
    case .dormant: return wake(.check, now: now)
    case .asleep(let cause, _): return wake(cause.wakeReason, now: now)
    case .searching, .following: return []
    case .settling(let wakeReason, let wait):
      if accuracy < wait.accuracy { settle(wakeReason, accuracy: accuracy) }
      return []
    // The start for ephemerides required less accuracy.
    case .reading: return continueForRequest(accuracy: accuracy, now: now)
    }
  }

  /// Continues a start because motion began: a search gets the limits and the short back-off of a moving device.
  mutating func continueStart(inMotionFor wakeReason: WakeReason, now: Moment) -> [ReceiverScheduleAction] {
    let before = phase
    phase.continueStart(for: wakeReason)
    guard case .searching(let reason, _) = before, !reason.isInMotion, wakeReason.isInMotion else {
      return []
    }
    beginSearch(inMotion: true, afterLoss: false, pause: .zero, now: now)
    return [.receiver(.searching, until: search.nextTimeout)]
  }

  /// Continues for a requested position that requires this accuracy in metres, whatever the receiver does.
  mutating func continueForRequest(accuracy: Double, now: Moment) -> [ReceiverScheduleAction] {
    switch phase {
    case .dormant, .asleep: return wake(.check, now: now)
    case .searching:
      phase.continueStart(for: .check)
      beginSearch(inMotion: false, afterLoss: false, pause: .zero, now: now)
      return [.receiver(.searching, until: search.nextTimeout)]
    case .settling, .following, .reading:
      settle(.check, accuracy: accuracy)
      return [.receiver(.settling, until: nil)]
    }
  }

  /// Continues as while moving, for a policy that does not sleep while stationary.
  mutating func continueAsMoving(now: Moment) -> [ReceiverScheduleAction] {
    switch phase {
    case .dormant, .asleep: return wake(.moving, now: now)
    case .searching, .settling:
      phase.continueStart(for: .moving)
      return []
    case .following: return []
    case .reading: return follow(cyclic: false, now: now)
    }
  }

  private mutating func beginSearch(inMotion: Bool, afterLoss: Bool, pause: Duration, now: Moment) {
    let start = model.slowestStart(allowsWarm: search.isLongSearchDue, now: now)
    search.began(inMotion: inMotion, afterLoss: afterLoss, expecting: start, pause: pause, now: now)
  }

  /// Waits for a fix of this accuracy in metres, of a receiver that has one.
  mutating func settle(_ wakeReason: WakeReason, accuracy: Double) {
    phase = .settling(wakeReason, FixWait(accuracy: accuracy))
  }

  /// Waits for a fix of this accuracy in metres at the end of a leg.
  mutating func settleAtArrival(accuracy: Double, now: Moment) -> [ReceiverScheduleAction] {
    leaveCyclicTracking(now: now)
    settle(.arrival, accuracy: accuracy)
    return [.receiver(.settling, until: nil)]
  }

  // MARK: Tracking

  /// Continues the tracking of an earlier run.
  mutating func resume(_ tracking: SavedTracking, since moment: Moment) -> [ReceiverScheduleAction] {
    phase = .following(cyclic: tracking.isCyclic, since: moment)
    return [.receiver(tracking.isCyclic ? .cyclic : .tracking, until: nil)]
  }

  /// Tracks with a fix every second, in cyclic tracking if that is desired and possible.
  mutating func follow(cyclic isDesired: Bool, now: Moment) -> [ReceiverScheduleAction] {
    let cyclic = isDesired && model.hasFreshEphemerides(now: now) && cyclicTracking.mayBegin(now: now)
    var since = now
    if case .following(let wasCyclic, let earlier) = phase {
      if wasCyclic == cyclic { return [] }
      if wasCyclic { cyclicTracking.ended(now: now) }
      since = earlier
    }
    phase = .following(cyclic: cyclic, since: since)
    return [.receiver(cyclic ? .cyclic : .tracking, until: nil)]
  }

  /// Sleeps until the next fix is due after `interval`, or remains awake if that costs less charge or the receiver has
  /// just begun to track.
  mutating func pauseOrFollow(_ interval: Duration, allowsCyclic: Bool, now: Moment)
    -> [ReceiverScheduleAction]
  {
    guard model.hasFreshEphemerides(now: now) else { return follow(cyclic: false, now: now) }
    let start = model.hotStart(after: interval)
    let depth = SleepDepth.cheapest(
      interval: interval, timeToFix: start, settling: model.settleTime, currents: currents,
      cyclic: allowsCyclic && cyclicTracking.isOffered)
    switch depth {
    case .keepTracking: return follow(cyclic: false, now: now)
    case .cyclic: return follow(cyclic: true, now: now)
    case .backup, .off:
      if case .following(_, let since) = phase, now - since < Self.shortestTracking { return [] }
      return sleep(.betweenFixes, until: now + interval - start - model.settleTime, now: now)
    }
  }

  private mutating func leaveCyclicTracking(now: Moment) {
    if case .following(cyclic: true, _) = phase { cyclicTracking.ended(now: now) }
  }

  /// Tracks until the ephemerides are read.
  mutating func readEphemerides(now: Moment) -> [ReceiverScheduleAction] {
    let until = now + Self.readingLimit
    phase = .reading(until: until)
    return [.receiver(.tracking, until: until)]
  }

  // MARK: Sleep

  /// Ends a search whose timeout has passed. Returns the back-off before the next; nil while it continues.
  mutating func giveUpSearch(now: Moment) -> Duration? {
    guard let backOff = search.sleep(now: now) else { return nil }
    model.fellAsleep(now: now)
    return backOff
  }

  /// Continues with the back-off of an earlier run.
  mutating func resume(at backOff: Duration) { search.resume(at: backOff) }

  /// Allows a search at once, because reception may have changed during a long stop.
  mutating func encourageSearch() { search.encouraged() }

  /// Puts the receiver to sleep.
  mutating func sleep(_ cause: ReceiverSleep, until: Moment, now: Moment) -> [ReceiverScheduleAction] {
    search.abandoned()
    model.fellAsleep(now: now)
    return changeSleep(cause, until: until, now: now)
  }

  /// Changes the cause and the end of a sleep.
  mutating func changeSleep(_ cause: ReceiverSleep, until: Moment, now: Moment) -> [ReceiverScheduleAction] {
    phase = .asleep(cause, until: until)
    return [powerDown(until: until, now: now)]
  }

  /// Puts the receiver to sleep until an event, because nothing requires it. A receiver that sleeps by a timer gets
  /// the command again; otherwise it would wake by itself.
  mutating func becomeDormant(now: Moment) -> [ReceiverScheduleAction] {
    search.abandoned()
    model.stoppedReading()
    phase = .dormant
    return [powerDown(until: nil, now: now)]
  }

  /// The command that puts the receiver to sleep, or cuts its supply if that costs less and no departure needs a quick
  /// fix.
  mutating func powerDown(until: Moment?, now: Moment) -> ReceiverScheduleAction {
    isOff = isSupplyCutCheaper(until: until, now: now)
    if isOff { model.supplyCut() }
    return .receiver(isOff ? .off : .backup, until: until)
  }

  private func isSupplyCutCheaper(until: Moment?, now: Moment) -> Bool {
    switch phase {
    case .asleep(.betweenFixes, _): return false
    // A departure may happen at any time.
    case .asleep(.stationary, _) where !model.hasBackupSupply: return false
    case .dormant, .asleep, .searching, .settling, .following, .reading:
      let pause = until.map { $0 - now }
      return SleepDepth.ofPause(pause, coldStart: model.supplyCutCost, currents: currents) == .off
    }
  }
}

/// The availability of cyclic tracking, and the pause before it is entered again.
private struct CyclicTracking: Sendable {
  /// Shortest time between leaving cyclic tracking and entering it again. Each change is a command, and a receiver
  /// needs some epochs to settle.
  private static let pause = Duration.seconds(60)

  /// True if the receiver offers what ``TrackingPolicy/usesCyclicMode`` allows.
  private(set) var isOffered: Bool
  /// The time of the last return to full power.
  private var endedAt: Moment?

  init(isOffered: Bool) { self.isOffered = isOffered }

  mutating func offered(_ isOffered: Bool) { self.isOffered = isOffered }

  mutating func ended(now: Moment) { endedAt = now }

  /// True if the receiver may enter cyclic tracking now.
  func mayBegin(now: Moment) -> Bool { isOffered && endedAt.map { now - $0 >= Self.pause } ?? true }
}
