import Quantities

/// What the host must know of the tracker before it goes down.
extension Tracker {
  /// What keeps the host up; nil while only the next deadline, or motion, wants anything.
  ///
  /// `wakesOnMotion` says that motion wakes a host that is down. Where it does not, a sensor that begins records does so
  /// only while the host is up.
  public func hostHold(wakesOnMotion: Bool) -> HostHold? {
    if isTripRunning { return .trip }
    if evidence.ignition == true || plan?.isMoving == true { return .motion }
    // Without a plan the receiver is always on.
    guard let plan, !plan.state.isPowered else { return .receiver }
    guard plan.isAtRest || plan.sleepCause != nil else { return .motion }
    let isWanted = plan.scheme != .off || driving != nil
    if !wakesOnMotion, isWanted, plan.evidence.hasMotionSensor { return .deafToMotion }
    return nil
  }

  /// The box moves: by the plan where there is one, else by its fixes.
  public var isUnderWay: Bool { plan.map(\.isMoving) ?? (places.isStopped == false) }

  /// What the host must be up for.
  public var hostNeeds: [HostNeed] {
    [
      planTimeout.map { HostNeed(.look, at: $0) }, nextTimeout.map { HostNeed(.tracking, at: $0) },
    ].compactMap { $0 }
  }
}
