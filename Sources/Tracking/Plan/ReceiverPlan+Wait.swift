import Energy
import GNSS
import Quantities

/// Somebody waits for a position.
///
/// That stands beside the errand of a start, never in its place. The receiver wakes for what its box would have it wake
/// for next: a check at rest, the next fix on the way, the first fix. How long it searches, how long it rests in vain and
/// what follows are that errand's. Only this is different while somebody waits:
///
/// - The errand ends with a fix as good as the scheme wants them, and that fix becomes a record: the errand's own, or one
///   beside it.
/// - Where the errand falls away (a knock was no departure, the new words want no positions, a trip has ended), the look
///   goes on for who waits.
/// - They wait until a record, until a look in vain that is the last for now, or for looks that begin within
///   ``longestWait``.
extension ReceiverPlan {
  /// A look that begins later is not for who asked now.
  static let longestWait = Duration.seconds(180)

  var isAwaited: Bool { awaitedUntil != nil }

  mutating func wantPosition(now: Moment) -> [PlanAction] {
    awaitedUntil = now + Self.longestWait
    switch phase {
    case .dormant: return wake(.check, now: now)
    case .asleep(let pause, _): return wake(pause.errand, now: now)
    case .searching, .following: return []
    case .settling(let errand, let settling):
      let wanted = wantedAccuracy(for: errand)
      guard wanted < settling.wanted else { return [] }
      unfitSince = nil
      phase = .settling(errand, FixSettling(wanted: wanted))
      return []
    // The look that led here asked for less.
    case .reading: return lookOn(now: now)
    }
  }

  /// The errand has fallen away, and somebody waits.
  mutating func lookOn(now: Moment) -> [PlanAction] {
    sampling = nil
    unfitSince = nil
    switch phase {
    case .dormant, .asleep: return wake(.check, now: now)
    case .searching:
      phase = .searching(.check)
      search.began(inMotion: false, afterLoss: false, expecting: slowestStart(now), now: now)
      return [.receiver(.searching, until: search.nextTimeout)]
    case .settling, .following, .reading:
      phase = .settling(.check, FixSettling(wanted: wantedAccuracy(for: .check)))
      return [.receiver(.settling, until: nil)]
    }
  }

  /// This fix is as good as one gets: it is for who waits, if it is not a record already.
  mutating func answering(_ sighting: Sighting, _ actions: [PlanAction]) -> [PlanAction] {
    isAwaited ? keep(sighting, .wanted) + actions : actions
  }

  /// Nobody waits for a look that does not come in time.
  mutating func reviewWait() {
    guard let limit = awaitedUntil else { return }
    switch phase {
    case .dormant: awaitedUntil = nil
    case .asleep(_, let until): if until.map({ $0 > limit }) ?? true { awaitedUntil = nil }
    case .searching, .settling, .following, .reading: break
    }
  }

  // MARK: The time

  /// Without positions one search tells the time; one that goes on for who waits does that as well.
  mutating func seekTime(now: Moment) -> [PlanAction] {
    guard scheme == .off else { return [] }
    seeksTime = true
    switch phase {
    case .dormant: return wake(.first, now: now)
    case .searching: phase = .searching(.first)
    case .settling(_, let settling): phase = .settling(.first, settling)
    case .asleep, .following, .reading: break
    }
    return []
  }

  /// Whoever waited has a fix, and it did not tell the time.
  mutating func seekOn(now: Moment) -> [PlanAction] {
    awaitedUntil = nil
    return wake(.first, now: now)
  }
}
