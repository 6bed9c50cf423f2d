import GNSS
import Quantities

/// Where fixes come from: a receiver on a line of its own, or one that gpsd shares.
///
/// Belongs to the thread of its loop.
public protocol ReceiverSource: AnyObject {
  /// Called with each closed epoch, also those without a position.
  var onEpoch: (Fix, Moment) -> Void { get set }
  /// Begins, and goes on trying for as long as it takes.
  func start()
  /// Hands over the epoch in progress and ends for good.
  func finish(now: Moment)
  /// Ends for good.
  func stop()
}

extension ReceiverLine: ReceiverSource {}
