import Quantities

extension Backoff {
  /// Delays between rounds through all baud rates, and between attempts to put a receiver to sleep that wakes by
  /// itself.
  static let search = Backoff([.zero, .seconds(30), .seconds(120), .seconds(600), .seconds(1800)])
  /// Delays between two complete configurations of a receiver that keeps restarting.
  static let repeatedSetUp = Backoff([
    .zero, .seconds(30), .seconds(120), .seconds(600), .seconds(3600),
  ])
}
