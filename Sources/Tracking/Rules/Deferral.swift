import GNSS
import Quantities

/// How long positions may wait in the line's buffer before the host wakes to take them.
///
/// Only what is taken changes, not what is recorded: each epoch is judged by its own time.
struct Deferral: Equatable, Sendable {
  /// The distance after which the host wakes, m; nil wakes it for each epoch.
  var distance: Double?
  /// The speed at the last epoch with a position, m/s; nil after one without.
  private var speed: Double?

  /// Longer, and the watch over the receiver would take the quiet for silence.
  static let longest = ReceiverWatch.silence - .seconds(10)
  /// A receiver at rest says about so much, m/s.
  static let slowest = 0.5

  init(distance: Double?) { self.distance = distance }

  /// Tells of an epoch.
  mutating func take(_ fix: Fix) {
    guard distance != nil else { return }
    speed = fix.kind == .none ? nil : fix.speed
  }

  /// Zero while the speed is unknown: nobody can tell how far the device gets.
  var patience: Duration {
    guard let distance, let speed, speed.isFinite else { return .zero }
    return min(.seconds(distance / max(speed, Self.slowest)), Self.longest)
  }
}
