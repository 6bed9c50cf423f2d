import Quantities

/// Uses a location that is known without the receiver in place of a fix while the device is stationary.
///
/// It replaces the first fix after a start, the fix of an arrival and a position check, and the receiver remains
/// asleep. It never replaces fixes while moving or requested positions: motion is decided by the usual sources. A
/// receiver that has a fix keeps it.
extension ReceiverSchedule {
  /// Radius in metres around the known location within which a later fix does not prove a move.
  static let knownPositionAccuracy = 50.0

  /// Wakes the receiver for a wake reason, unless the known location replaces the start.
  mutating func answerOrWake(_ wakeReason: WakeReason, now: Moment) -> [ReceiverScheduleAction] {
    answer(wakeReason, now: now) ?? wake(wakeReason, now: now)
  }

  /// The actions with the known location; nil if only the receiver can provide the position.
  mutating func answer(_ wakeReason: WakeReason, now: Moment) -> [ReceiverScheduleAction]? {
    guard let knownPosition, let sleep = sleepAnswering(wakeReason) else { return nil }
    return [.keepKnownPosition(wakeReason.answer)] + settle(at: knownPosition, for: sleep, now: now)
  }

  /// Processes a location that became known, or nil if it is no longer known.
  mutating func know(_ position: Coordinate?, now: Moment) -> [ReceiverScheduleAction] {
    guard position != knownPosition else { return [] }
    let wasKnown = knownPosition != nil
    knownPosition = position
    guard let position else { return wasKnown ? advancePositionCheck(now: now) : [] }
    switch phase {
    // The source of the location has it recorded, too.
    case .searching(let wakeReason), .asleep(.withoutReception(let wakeReason), _):
      return sleepAnswering(wakeReason).map { settle(at: position, for: $0, now: now) } ?? []
    case .asleep(.stationary, _):
      remember(position, now: now)
      return []
    case .dormant, .asleep, .settling, .following, .reading: return []
    }
  }

  /// The state of the receiver after the known location was used.
  private enum SleepKind {
    /// The position is valid until the next position check.
    case stationary
    /// The position is valid until the next fix is due by the clock, moving or not.
    case between(Duration)
  }

  /// The state that follows; nil if the known location does not replace this start.
  private func sleepAnswering(_ wakeReason: WakeReason) -> SleepKind? {
    guard knownPosition != nil, !isMoving, !isPositionRequested, !searchesForTime, policy != .off else {
      return nil
    }
    switch policy.stationary {
    case .asleep: return wakeReason.isInMotion ? nil : .stationary
    case .asMoving:
      guard case .sparse(_, let shortest, let check) = policy.moving else { return nil }
      return .between(max(shortest, check))
    }
  }

  private mutating func settle(at position: Coordinate, for sleep: SleepKind, now: Moment)
    -> [ReceiverScheduleAction]
  {
    unacceptableSince = nil
    remember(position, now: now)
    switch sleep {
    case .stationary: return sleepWhileStationary(now: now)
    case .between(let interval):
      search.abandoned()
      ephemerides.slept()
      asleepSince = now
      phase = .asleep(.betweenFixes, until: now + interval)
      return [self.sleep(until: now + interval, now: now)]
    }
  }

  private mutating func remember(_ position: Coordinate, now: Moment) {
    lastKept = ScheduleFix(at: position, accuracy: Self.knownPositionAccuracy, now: now)
    isStopPositionKnown = true
  }

  /// Makes the next position check now, or as soon as checks are allowed again, because nothing else provides the
  /// location.
  private mutating func advancePositionCheck(now: Moment) -> [ReceiverScheduleAction] {
    switch phase {
    case .asleep(.betweenFixes, _) where policy.stationary == .asMoving: return wake(.moving, now: now)
    case .asleep(.stationary, let until):
      guard !mayCheckPosition(now: now), let lastHintCheck else { return checkPosition(now: now) }
      let due = lastHintCheck + Self.pauseBetweenChecks
      guard until.map({ due < $0 }) ?? true else { return [] }
      phase = .asleep(.stationary, until: due)
      return [sleep(until: due, now: now)]
    case .dormant, .asleep, .searching, .settling, .following, .reading: return []
    }
  }
}

extension WakeReason {
  /// The reason for which the known location is recorded. For position checks the recording rules decide.
  fileprivate var answer: KeepReason {
    switch self {
    case .first: .first
    case .arrival: .arrival
    case .check, .departure, .moving: .period
    }
  }
}
