import GNSSProtocol
import Quantities

/// A source of fixes: a receiver on a serial line, or one that gpsd shares.
///
/// Belongs to the thread of its loop.
public protocol ReceiverSource: AnyObject {
  /// Called with every closed epoch, even without a position.
  var onEpoch: (Fix, Moment) -> Void { get set }
  /// Starts the source and retries without limit.
  func start()
  /// Passes on the epoch in progress and closes the source permanently.
  func finish(now: Moment)
  /// Closes the source permanently.
  func stop()
}

extension ReceiverLine: ReceiverSource {}
