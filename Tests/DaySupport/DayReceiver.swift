import Energy
import Quantities

/// The receiver of a simulated day: follows the commands, has reception or not, and records its states.
public struct DayReceiver {
  /// Seconds to the first fix with reception, by the age of the ephemerides.
  public static let hotStart = 2
  public static let warmStart = 27
  public static let coldStart = 32
  public static let hotAge = Duration.seconds(2 * 3600)
  /// Time with a fix that reading ephemerides takes.
  public static let reading = Duration.seconds(30)

  public private(set) var state: ReceiverState
  public private(set) var intervals: [StateInterval<ReceiverState>] = []
  public private(set) var starts = 0
  private var since: Moment
  private var ephemerides: Moment?
  /// Seconds of reception since it was switched on or lost its fix.
  private var receptionSeconds = 0
  private var needed = DayReceiver.coldStart
  private var fixSince: Moment?

  public init(_ state: ReceiverState, now: Moment) {
    self.state = state
    since = now
  }

  public mutating func apply(_ next: ReceiverState, now: Moment) {
    if next.isPowered, !state.isPowered { starts += 1 }
    if !next.isPowered || !state.isPowered { begin(now: now) }
    close(now: now)
    state = next
  }

  /// Ends the record of states.
  public mutating func close(now: Moment) {
    guard now > since else { return }
    intervals.append(StateInterval(state, from: since, to: now))
    since = now
  }

  private mutating func begin(now: Moment) {
    fixSince = nil
    receptionSeconds = 0
    let age = ephemerides.map { now - $0 }
    needed = age.map { $0 <= Self.hotAge ? Self.hotStart : Self.warmStart } ?? Self.coldStart
  }

  /// Works for one second; returns the time since its first fix, nil without one.
  public mutating func second(hasReception: Bool, now: Moment) -> Duration? {
    guard hasReception else {
      if fixSince != nil { begin(now: now) }
      receptionSeconds = 0
      return nil
    }
    receptionSeconds += 1
    guard receptionSeconds >= needed else { return nil }
    let began = fixSince ?? now
    fixSince = began
    if now - began >= Self.reading, state != .cyclic { ephemerides = now }
    return now - began
  }
}
