import Quantities
import Records

/// What is asked of the next position: why it is recorded, and the best fix so far.
struct PositionRequest: Sendable {
  /// The reasons for which the next fix is recorded, past the filters.
  private(set) var reasons: KeepReasons = []
  /// True if a person, a server or the power level asks: the next position is recorded in any tracking mode.
  private(set) var isExplicit = false
  /// The best fix so far, while the schedule waits for a better one.
  private(set) var best: ValidFix?
  /// The last time at which an event woke the receiver.
  private var eventWokeAt: Moment?

  /// True if a fix is awaited or held for an answer.
  var isPending: Bool { isExplicit || best != nil }

  /// Asks for a record of the next fix, if locations are recorded.
  mutating func ask(_ reason: KeepReasons) { reasons.insert(reason) }

  /// Asks for a record of the next fix in any tracking mode.
  mutating func askExplicitly() { isExplicit = true }

  /// Shortest time between two wake-ups for events.
  static let pauseBetweenEvents = Duration.seconds(60)

  /// True if an event may wake the receiver again.
  func mayWakeForEvent(now: Moment) -> Bool {
    eventWokeAt.map { now - $0 >= Self.pauseBetweenEvents } ?? true
  }

  /// Notes that an event woke the receiver.
  mutating func wokeForEvent(now: Moment) { eventWokeAt = now }

  /// Holds a fix while the schedule waits for a better one.
  mutating func hold(_ fix: ValidFix, for reasons: KeepReasons) {
    self.reasons.formUnion(reasons)
    if best.map({ $0.observation.isWorse(than: fix.observation) }) ?? true { best = fix }
  }

  /// Discards the held fix; the request continues.
  mutating func forgetBest() { best = nil }

  /// Gives up: no position can be expected. Reasons other than an event apply to the next fix, whenever it comes.
  mutating func giveUp() {
    isExplicit = false
    reasons.remove(.event)
  }

  /// Ends the request: a position was recorded, or must not be. Returns true if it was explicit.
  @discardableResult
  mutating func end() -> Bool {
    defer { (reasons, isExplicit, best) = ([], false, nil) }
    return isExplicit
  }
}
