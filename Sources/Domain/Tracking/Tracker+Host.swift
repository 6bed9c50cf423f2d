import Quantities
import Scheduling

/// The tracker's conditions for a sleep of the host.
extension Tracker {
  /// The sleep inhibitor in effect; nil if the tracker only waits for a deadline or for motion.
  ///
  /// `wakesOnMotion` is true if motion wakes a sleeping host. Otherwise a sensor can start recording only while the
  /// host is awake.
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

  /// True if the device moves: by the receiver schedule, or without one by its fixes.
  public var isMoving: Bool { schedule.map(\.isMoving) ?? (positions.isStopped == false) }

  /// The tasks that require the host to be awake.
  public var hostNeeds: [HostNeed] {
    [
      scheduleTimeout.map { HostNeed(.look, at: $0) }, nextTimeout.map { HostNeed(.tracking, at: $0) },
    ].compactMap { $0 }
  }
}
