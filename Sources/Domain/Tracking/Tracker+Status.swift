import Energy
import GNSSProtocol
import Motion
import Quantities
import Records
import Scheduling

// What the owner reads besides the parts. Nothing here changes the tracker.
extension Tracker {
  /// What the owner needs after each event.
  public struct Summary: Sendable {
    /// The next deadline, besides ``scheduleTimeout``.
    public internal(set) var nextTimeout: Moment?
    /// The window of the next deadline, with its tolerance.
    public internal(set) var nextWake: WakeWindow?
    /// The next deadline of the receiver schedule, more exact than the other deadlines.
    public internal(set) var scheduleTimeout: Moment?
    /// The state of the receiver that the schedule requires; nil without a schedule: then it is always on.
    public private(set) var receiverState: ReceiverState?
    /// The start of ``receiverState``; nil before the first schedule.
    public private(set) var receiverStateSince: Moment?
    /// The last start or end of motion; nil before the first event.
    public private(set) var motionSince: Moment?
    /// True if the device moves: by the receiver schedule, or without one by its fixes.
    public private(set) var isMoving = false
    /// Time that the next epochs may wait in a buffer; zero if every epoch is required immediately.
    public internal(set) var latencyBudget = Duration.zero
    /// True if the receiver offers cyclic tracking.
    public internal(set) var hasCyclicMode = false
    /// True during a trip.
    public internal(set) var isTripRunning = false
    /// The power level with its phase.
    public internal(set) var powerStage = PowerStage.normal

    /// Takes the present states, and the time if one of them is another one than before.
    mutating func enter(_ state: ReceiverState?, isMoving: Bool, now: Moment) {
      if state != receiverState { (receiverState, receiverStateSince) = (state, now) }
      if isMoving != self.isMoving || motionSince == nil { (self.isMoving, motionSince) = (isMoving, now) }
    }
  }

  /// The reason for the present state of the receiver.
  public func receiverReason(now: Moment) -> ReceiverReason {
    guard settings.isTracking else { return ReceiverReason("tracking is switched off") }
    return receiver.schedule?.reason(now: now, showsSpeed: !privacy.isHidden)
      ?? ReceiverReason("the settings let the receiver track continuously")
  }

  /// The kind of the tracking policy in effect: continuous, cyclic, error_bounded, sparse or off.
  public var policyKind: String { receiver.schedule?.policy.kind ?? "continuous" }

  /// The last location for a status request: its position and time, with the present battery, network and motion.
  public func current(at now: Moment) -> LogRecord? {
    guard var record = locations.last, case .location(var location) = record.body else { return nil }
    let device = device
    (location.batteryState, location.batteryPercent) = (device.batteryState, device.batteryPercent)
    (location.wifi, location.motion) = (device.wifi, motionStates(at: now))
    record.body = .location(location)
    return record
  }

  /// The motion state derived from the speed of the fixes, with its confidence. Nil with an accelerometer, without a
  /// known speed, and if the last speed is too old.
  public func motionBySpeed(at moment: Moment) -> SpeedClassifier.Answer? {
    derivesMotion ? facts.motionBySpeed(at: moment) : nil
  }

  /// ``Summary/isMoving`` at present.
  var isMoving: Bool { receiver.schedule?.isMoving ?? (places.stop.isStopped == false) }

  /// The sleep inhibitor in effect; nil if the tracker only waits for a deadline or for motion.
  ///
  /// `wakesOnMotion` is true if motion wakes a sleeping host. Otherwise a sensor can start recording only while the host is
  /// awake. `storesEpochs` is true if the receiver goes on storing its epochs while the host sleeps: then neither motion nor a
  /// trip keeps it awake, except for driving events, which need the accelerometer.
  public func hostSleepInhibitor(wakesOnMotion: Bool, storesEpochs: Bool = false) -> HostSleepInhibitor? {
    if storesEpochs, driving == nil, receiver.schedule?.savedTracking != nil { return nil }
    if summary.isTripRunning { return .trip }
    if motion.evidence.ignition == true || receiver.schedule?.isMoving == true { return .motion }
    // Without a schedule the receiver is always on.
    guard let schedule = receiver.schedule, !schedule.state.isPowered else { return .receiver }
    guard schedule.isAsleepWhileStationary || schedule.sleepCause != nil else { return .motion }
    let isRequired = schedule.policy != .off || driving != nil
    if !wakesOnMotion, isRequired, schedule.hasMotionSensor { return .motionCannotWake }
    return nil
  }

  /// The tasks that require the host to be awake. Rejections are reported before it sleeps, and a scan for access points waits
  /// for the next wake-up.
  public var hostNeeds: [HostNeed] {
    let places = places.isWatching || network.nextTimeout != nil ? placeDeadline : nil
    let deadlines = [
      motion.nextTimeout, driving?.nextTimeout, active.rules.heartbeatDue(from: locations.silentSince),
      power.nextTimeout, places, network.recordTimeout(isTimeKnown: fixes.clock.quality != .none),
    ]
    return [
      summary.scheduleTimeout.map { HostNeed(.look, at: $0) },
      deadlines.compactMap { $0 }.min().map { HostNeed(.tracking, at: $0) },
    ].compactMap { $0 }
  }
}
