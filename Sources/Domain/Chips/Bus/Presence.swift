import Quantities

/// Tracks whether a polled device responds, and schedules retries.
///
/// A failed call is retried twice after a short delay. Then the device counts as lost, which is reported
/// once, and is probed with a growing back-off until it responds.
public struct Presence<Failure: Error & Equatable & Sendable>: Equatable, Sendable {
  /// Number of retries of a failed call.
  public static var retries: Int { 2 }
  /// Delay before each retry, which lets a disturbed bus recover.
  public static var retryPause: Duration { .milliseconds(20) }
  public static var firstSearchPause: Duration { .seconds(5) }
  public static var longestSearchPause: Duration { .seconds(300) }

  /// A loss of the device, or its return.
  public enum Notice: Equatable, Sendable {
    case lost(Failure)
    case returned(after: Duration)
  }

  /// A loss: its start and the last error.
  public struct Loss: Equatable, Sendable {
    public var failure: Failure
    public var since: Moment
  }

  private enum Phase: Equatable {
    /// The device was not called yet, or the last call succeeded.
    case present
    case retrying(count: Int, at: Moment)
    case lost(Loss, search: Moment, Backoff)
  }

  private var phase = Phase.present
  /// Number of failed calls since the start, including retries.
  public private(set) var failures = 0

  public init() {}

  /// The start of the loss and the last error; nil unless the device was reported as lost and has not returned.
  public var loss: Loss? {
    guard case .lost(let loss, _, _) = phase else { return nil }
    return loss
  }

  /// True if the device was reported as lost and has not returned. It may have lost its supply: it must be
  /// configured before the next call.
  public var isLost: Bool { loss != nil }

  /// The time of the next call because of a failure; nil without one.
  public var nextTimeout: Moment? {
    switch phase {
    case .present: nil
    case .retrying(_, let at): at
    case .lost(_, let search, _): search
    }
  }

  public mutating func succeeded(now: Moment) -> Notice? {
    defer { phase = .present }
    return loss.map { .returned(after: now - $0.since) }
  }

  public mutating func failed(_ failure: Failure, now: Moment) -> Notice? {
    failures &+= 1
    switch phase {
    case .present:
      phase = .retrying(count: 1, at: now + Self.retryPause)
    case .retrying(let count, _) where count < Self.retries:
      phase = .retrying(count: count + 1, at: now + Self.retryPause)
    case .retrying:
      var backoff = Backoff(from: Self.firstSearchPause, upTo: Self.longestSearchPause)
      phase = .lost(Loss(failure: failure, since: now), search: now + backoff.next(), backoff)
      return .lost(failure)
    case .lost(let loss, _, var backoff):
      phase = .lost(Loss(failure: failure, since: loss.since), search: now + backoff.next(), backoff)
    }
    return nil
  }
}

/// Response tracking of a chip on a bus.
public typealias ChipPresence = Presence<ChipError>
