import Quantities

/// Whether what is called time and again answers, and when it is asked again after a failure.
///
/// A failed call is tried twice more, shortly after; then what was called counts as lost, which is said once, and is
/// looked for with growing pauses until it is back.
public struct Attendance<Failure: Error & Equatable & Sendable>: Equatable, Sendable {
  /// Retries of a failed call…
  public static var retries: Int { 2 }
  /// …each after this, which lets a bus that was disturbed come to rest.
  public static var retryPause: Duration { .milliseconds(20) }
  public static var firstSearchPause: Duration { .seconds(5) }
  public static var longestSearchPause: Duration { .seconds(300) }

  public enum Notice: Equatable, Sendable {
    case lost(Failure)
    case returned(after: Duration)
  }

  /// That it is lost, since when, and what the last call said.
  public struct Loss: Equatable, Sendable {
    public var failure: Failure
    public var since: Moment
  }

  private enum Phase: Equatable {
    /// Not called yet, or all is well.
    case attending
    case retrying(count: Int, at: Moment)
    case lost(Loss, search: Moment, pause: Duration)
  }

  private var phase = Phase.attending
  /// Calls that failed since the start, retries too.
  public private(set) var failures = 0

  public init() {}

  /// Nil unless it is said to be lost and not back yet.
  public var loss: Loss? {
    guard case .lost(let loss, _, _) = phase else { return nil }
    return loss
  }

  /// Said to be lost and not back yet. It may have been without supply: it is set up anew before the next call.
  public var isLost: Bool { loss != nil }

  /// When to call again because of a failure; nil while all is well.
  public var nextTimeout: Moment? {
    switch phase {
    case .attending: nil
    case .retrying(_, let at): at
    case .lost(_, let search, _): search
    }
  }

  public mutating func succeeded(now: Moment) -> Notice? {
    defer { phase = .attending }
    return loss.map { .returned(after: now - $0.since) }
  }

  public mutating func failed(_ failure: Failure, now: Moment) -> Notice? {
    failures &+= 1
    switch phase {
    case .attending:
      phase = .retrying(count: 1, at: now + Self.retryPause)
    case .retrying(let count, _) where count < Self.retries:
      phase = .retrying(count: count + 1, at: now + Self.retryPause)
    case .retrying:
      let pause = Self.firstSearchPause
      phase = .lost(Loss(failure: failure, since: now), search: now + pause, pause: pause)
      return .lost(failure)
    case .lost(let loss, _, let pause):
      let next = min(pause + pause, Self.longestSearchPause)
      phase = .lost(Loss(failure: failure, since: loss.since), search: now + next, pause: next)
    }
    return nil
  }
}

/// Whether a chip on a bus answers.
public typealias ChipAttendance = Attendance<ChipError>
