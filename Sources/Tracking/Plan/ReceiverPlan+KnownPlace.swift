import Quantities

/// A place that is known without the receiver answers what a stationary box asks.
///
/// It answers the first position after a start, an arrival and a position check, and the receiver stays asleep. It
/// answers nothing in motion and nobody who waits for a position: whether the box moves is for the same evidence as
/// elsewhere. A receiver that has a fix goes on with it.
extension ReceiverPlan {
  /// Metres around a known place within which a later fix does not show that the box was moved.
  static let knownPlaceAccuracy = 50.0

  /// Wakes the receiver for an errand, unless a known place answers it.
  mutating func answerOrWake(_ errand: Errand, now: Moment) -> [PlanAction] {
    answer(errand, now: now) ?? wake(errand, now: now)
  }

  /// Nil if only the receiver can answer.
  mutating func answer(_ errand: Errand, now: Moment) -> [PlanAction]? {
    guard let knownPlace, let rest = restAnswering(errand) else { return nil }
    return [.keepKnownPlace(errand.answer)] + settle(at: knownPlace, for: rest, now: now)
  }

  /// A place has become known, or is known no more.
  mutating func know(_ place: Coordinate?, now: Moment) -> [PlanAction] {
    guard place != knownPlace else { return [] }
    let wasKnown = knownPlace != nil
    knownPlace = place
    guard let place else { return wasKnown ? lookForItself(now: now) : [] }
    switch phase {
    // Whoever says where the box is has it recorded as well.
    case .searching(let errand), .asleep(.withoutSky(let errand), _):
      return restAnswering(errand).map { settle(at: place, for: $0, now: now) } ?? []
    case .asleep(.resting, _):
      note(place, now: now)
      return []
    case .dormant, .asleep, .settling, .following, .reading: return []
    }
  }

  /// How the box rests after an errand that a known place answers.
  private enum Rest {
    /// Until the next position check.
    case stationary
    /// The plan goes by the clock, moving or not.
    case between(Duration)
  }

  /// Nil if a known place does not answer the errand.
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

  /// Nothing else tells where the box is: the next position check comes now, or as soon as looks are allowed again.
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
  /// What a known place is recorded for. Position checks are left to the rules of acquisition.
  fileprivate var answer: KeepReason {
    switch self {
    case .first: .first
    case .arrival: .arrival
    case .check, .departure, .onTheWay: .period
    }
  }
}
