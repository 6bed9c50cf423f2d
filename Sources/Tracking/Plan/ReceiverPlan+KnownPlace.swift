import Quantities

/// Uses a location that is known without the receiver in place of a fix while the device is stationary.
///
/// It replaces the first fix after a start, the fix of an arrival and a position check, and the receiver remains
/// asleep. It never replaces fixes while moving or requested positions: motion is decided by the usual sources. A
/// receiver that has a fix keeps it.
extension ReceiverPlan {
  /// Radius in metres around the known location within which a later fix does not prove a move.
  static let knownPlaceAccuracy = 50.0

  /// Wakes the receiver for a wake reason, unless the known location replaces the start.
  mutating func answerOrWake(_ errand: Errand, now: Moment) -> [PlanAction] {
    answer(errand, now: now) ?? wake(errand, now: now)
  }

  /// The actions with the known location; nil if only the receiver can provide the position.
  mutating func answer(_ errand: Errand, now: Moment) -> [PlanAction]? {
    guard let knownPlace, let rest = restAnswering(errand) else { return nil }
    return [.keepKnownPlace(errand.answer)] + settle(at: knownPlace, for: rest, now: now)
  }

  /// Processes a location that became known, or nil if it is no longer known.
  mutating func know(_ place: Coordinate?, now: Moment) -> [PlanAction] {
    guard place != knownPlace else { return [] }
    let wasKnown = knownPlace != nil
    knownPlace = place
    guard let place else { return wasKnown ? lookForItself(now: now) : [] }
    switch phase {
    // The source of the location has it recorded, too.
    case .searching(let errand), .asleep(.withoutSky(let errand), _):
      return restAnswering(errand).map { settle(at: place, for: $0, now: now) } ?? []
    case .asleep(.resting, _):
      note(place, now: now)
      return []
    case .dormant, .asleep, .settling, .following, .reading: return []
    }
  }

  /// The state of the receiver after the known location was used.
  private enum Rest {
    /// The position is valid until the next position check.
    case stationary
    /// The position is valid until the next fix is due by the clock, moving or not.
    case between(Duration)
  }

  /// The state that follows; nil if the known location does not replace this start.
  private func restAnswering(_ errand: Errand) -> Rest? {
    guard knownPlace != nil, !isMoving, !isAwaited, !seeksTime, scheme != .off else { return nil }
    switch scheme.resting {
    case .asleep: return errand.isInMotion ? nil : .stationary
    case .asMoving:
      guard case .sparse(_, let shortest, let check) = scheme.moving else { return nil }
      return .between(max(shortest, check))
    }
  }

  private mutating func settle(at place: Coordinate, for rest: Rest, now: Moment) -> [PlanAction] {
    unfitSince = nil
    note(place, now: now)
    switch rest {
    case .stationary: return sleepAtRest(now: now)
    case .between(let interval):
      search.abandoned()
      ephemerides.slept()
      asleepSince = now
      phase = .asleep(.betweenFixes, until: now + interval)
      return [self.rest(until: now + interval, now: now)]
    }
  }

  private mutating func note(_ place: Coordinate, now: Moment) {
    lastKept = Sighting(at: place, accuracy: Self.knownPlaceAccuracy, now: now)
    isRestPlaceKnown = true
  }

  /// Makes the next position check now, or as soon as checks are allowed again, because nothing else provides the
  /// location.
  private mutating func lookForItself(now: Moment) -> [PlanAction] {
    switch phase {
    case .asleep(.betweenFixes, _) where scheme.resting == .asMoving: return wake(.onTheWay, now: now)
    case .asleep(.resting, let until):
      guard !mayLook(now: now), let lookedAt else { return look(now: now) }
      let due = lookedAt + Self.pauseBetweenLooks
      guard until.map({ due < $0 }) ?? true else { return [] }
      phase = .asleep(.resting, until: due)
      return [rest(until: due, now: now)]
    case .dormant, .asleep, .searching, .settling, .following, .reading: return []
    }
  }
}

extension Errand {
  /// The reason for which the known location is recorded. For position checks the recording rules decide.
  fileprivate var answer: KeepReason {
    switch self {
    case .first: .first
    case .arrival: .arrival
    case .check, .departure, .onTheWay: .period
    }
  }
}
