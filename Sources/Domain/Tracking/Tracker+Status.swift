import Energy
import Motion
import Quantities
import Records
import Scheduling

// What the owner reads. Nothing here changes the tracker.
extension Tracker {
  /// The next deadline, besides ``scheduleTimeout``.
  public var nextTimeout: Moment? { summary.nextTimeout }
  /// The window of the next deadline, with its tolerance.
  public var nextWake: WakeWindow? { summary.nextWake }
  /// The next deadline of the receiver schedule, more exact than the other deadlines.
  public var scheduleTimeout: Moment? { summary.scheduleTimeout }
  /// The state of the receiver that the schedule requires; nil without a schedule: then it is always on.
  public var receiverState: ReceiverState? { summary.receiverState }
  /// Time that the next epochs may wait in a buffer; zero if every epoch is required immediately.
  public var latencyBudget: Duration { summary.latencyBudget }
  /// True if the receiver offers cyclic tracking.
  public var hasCyclicMode: Bool { summary.hasCyclicMode }
  /// True during a trip.
  public var isTripRunning: Bool { summary.isTripRunning }
  /// The power level with its phase.
  public var powerStage: PowerStage { summary.powerStage }

  /// The clock that dates records.
  public var clock: RecordClock { fixes.clock }
  /// The rejected fixes by reason.
  public var rejections: RejectionLedger { fixes.rejections }
  /// Number of processed epochs, with and without position.
  public var epochs: Int64 { fixes.epochs }
  /// Number of locations recorded since the start.
  public var kept: Int64 { locations.count }
  /// The last recorded location.
  public var lastLocation: LogRecord? { locations.last }
  /// The reports of the motion sensors besides the receiver.
  public var evidence: SensedMotion { motion.evidence }
  /// The receiver schedule; nil if the receiver is always on.
  var schedule: ReceiverSchedule? { receiver.schedule }

  /// The profile whose recording rules apply; nil for the ordinary rules.
  public var profile: ProfileCondition? { active.profile }
  /// The last state reported by a gauge; nil without one.
  public var battery: Battery? { facts.battery }
  /// The running trip; nil outside trips.
  public var runningTrip: RunningTrip? { places.trips.running }
  /// Total distance travelled, in mm.
  public var lifetimeMillimetres: Int64 { places.lifetime.millimetres }
  /// Total steps counted; nil without a counter.
  public var totalSteps: Int32? { facts.totalSteps }
  /// True if the network of a Wi-Fi zone is joined and no fix contradicts it.
  public var isInWifiZone: Bool { network.joined != nil }

  /// The last location for a status request: its position and time, with the present battery, network and motion.
  public func current(at now: Moment) -> LogRecord? {
    guard var record = lastLocation, case .location(var location) = record.body else { return nil }
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

  /// True if the device moves: by the receiver schedule, or without one by its fixes.
  public var isMoving: Bool { schedule.map(\.isMoving) ?? (places.stop.isStopped == false) }

  /// The sleep inhibitor in effect; nil if the tracker only waits for a deadline or for motion.
  ///
  /// `wakesOnMotion` is true if motion wakes a sleeping host. Otherwise a sensor can start recording only while the host is
  /// awake.
  public func hostSleepInhibitor(wakesOnMotion: Bool) -> HostSleepInhibitor? {
    if isTripRunning { return .trip }
    if evidence.ignition == true || schedule?.isMoving == true { return .motion }
    // Without a schedule the receiver is always on.
    guard let schedule, !schedule.state.isPowered else { return .receiver }
    guard schedule.isAsleepWhileStationary || schedule.sleepCause != nil else { return .motion }
    let isRequired = schedule.policy != .off || driving != nil
    if !wakesOnMotion, isRequired, schedule.hasMotionSensor { return .deafToMotion }
    return nil
  }

  /// The tasks that require the host to be awake.
  public var hostNeeds: [HostNeed] {
    [
      scheduleTimeout.map { HostNeed(.look, at: $0) }, nextTimeout.map { HostNeed(.tracking, at: $0) },
    ].compactMap { $0 }
  }
}
