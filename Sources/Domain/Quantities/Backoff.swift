/// Growing delays between attempts, so that a lasting failure costs little.
public struct Backoff: Equatable, Sendable {
  private enum Delays: Equatable, Sendable {
    case doubling(from: Duration, upTo: Duration)
    case listed([Duration])
  }

  private let delays: Delays
  private var attempts = 0
  private var doubled: Duration

  /// Delays that double from `first` to at most `longest`.
  public init(from first: Duration, upTo longest: Duration) {
    delays = .doubling(from: first, upTo: longest)
    doubled = min(first, longest)
  }

  /// These delays, one after the other; the last one is repeated. Without any, every delay is zero.
  public init(_ durations: [Duration]) {
    delays = .listed(durations)
    doubled = .zero
  }

  /// The delay that ``next()`` returns.
  public var upcoming: Duration {
    switch delays {
    case .doubling: doubled
    case .listed(let durations): durations.isEmpty ? .zero : durations[min(attempts, durations.count - 1)]
    }
  }

  /// Returns the delay after one more failure.
  public mutating func next() -> Duration {
    defer {
      switch delays {
      case .doubling(_, let longest): doubled = min(doubled + doubled, longest)
      case .listed(let durations): attempts = min(attempts + 1, durations.count)
      }
    }
    return upcoming
  }

  /// Continues delays that double with this one, within their limits.
  public mutating func resume(at delay: Duration) {
    if case .doubling(let first, let longest) = delays { doubled = min(max(delay, first), longest) }
  }

  /// Begins anew with the shortest delay, after a success.
  public mutating func reset() {
    attempts = 0
    if case .doubling(let first, let longest) = delays { doubled = min(first, longest) }
  }
}
