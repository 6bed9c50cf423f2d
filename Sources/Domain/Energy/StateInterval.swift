import Quantities

/// An interval of time in one state.
public struct StateInterval<State: Hashable & Sendable>: Equatable, Sendable {
  public var state: State
  public var start: Moment
  /// The end, not before `start`.
  public var end: Moment

  public init(_ state: State, from start: Moment, to end: Moment) {
    self.state = state
    self.start = start
    self.end = max(start, end)
  }

  public var duration: Duration { end - start }
}

extension Sequence where Element == StateInterval<ReceiverState> {
  /// Returns the charge of the receiver in these intervals.
  public func charge(at currents: ReceiverCurrents) -> Charge {
    reduce(.zero) { $0 + Charge(milliamperes: currents[$1.state], for: $1.duration) }
  }
}
