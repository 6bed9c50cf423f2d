import Quantities
import Synchronization
import System

/// A clock that stands still while its loop works, and jumps to the next deadline when the loop would wait.
///
/// It lets the real program live through hours in seconds: in tests, and to compare two versions of the program.
public final class SimulatedClock: LoopClock {
  private struct State {
    var moment: Moment
    var timestamp: Timestamp
    var error: Duration?
    var suspended = Duration.zero
  }

  private let start: Moment
  public let boot: String
  private let state: Mutex<State>

  /// Starts at a time. `error` is the maximum error of the simulated UTC; nil if nothing disciplines it. `boot` is the
  /// identity of the simulated boot; nil for that of the host.
  public init(
    moment: Moment = Moment(nanoseconds: 100_000_000_000), timestamp: Timestamp, error: Duration? = nil,
    boot: String? = nil
  ) {
    start = moment
    self.boot = boot ?? ProcessEnvironment.bootIdentity
    state = Mutex(State(moment: moment, timestamp: timestamp, error: error))
  }

  public func moment() -> Moment { state.withLock { $0.moment } }
  public func error() -> Duration? { state.withLock { $0.error } }
  public func suspended() -> Duration { state.withLock { $0.suspended } }

  public func timestamp() -> Timestamp {
    state.withLock { $0.timestamp + ($0.moment - start) }
  }

  /// Steps UTC to a time, as a person or a time service does; the boot-time clock continues.
  public func step(to timestamp: Timestamp, error: Duration? = nil) {
    state.withLock {
      $0.timestamp = timestamp + (start - $0.moment)
      $0.error = error
    }
  }

  /// Lets time pass without calls of timers, as while the host is suspended.
  public func suspend(for duration: Duration) {
    state.withLock {
      $0.moment = $0.moment + duration
      $0.suspended += duration
    }
  }

  /// Moves the clock forward; never back.
  func advance(to moment: Moment) {
    state.withLock { $0.moment = max($0.moment, moment) }
  }
}
