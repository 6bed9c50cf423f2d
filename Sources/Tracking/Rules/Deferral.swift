import GNSS
import Quantities

/// How long positions may wait in the receiver or in the line's buffer before the host wakes to take them.
///
/// Only what is taken changes, not what is recorded: each epoch is judged by its own time. Nobody sees while they wait
/// that the device becomes faster, so it is taken to be as fast as it was in the last minutes.
struct Deferral: Equatable, Sendable {
  /// The distance after which the host wakes, m; nil goes by ``shortest`` alone.
  var distance: Double?
  /// So long positions may wait however fast the device is.
  var shortest: Duration
  /// The speed at the last epoch with a position, m/s; nil after one without.
  private var speed: Double?
  /// The greatest of the stretch of time that the last epoch lies in, and of the one before, m/s.
  private var fastest = 0.0
  private var fastestBefore = 0.0
  private var stretch: Int64?

  /// A receiver's memory holds 300 epochs, five minutes at one a second; a line's buffer far less, which its reader
  /// sees to. So much is lost with a power cut.
  static let longest = Duration.seconds(300)
  /// A receiver at rest says about so much, m/s.
  static let slowest = 0.5
  /// Of the time by which a speed is forgotten, in ms.
  private static let lengthOfStretch: Int64 = 150_000

  init(distance: Double?, shortest: Duration = .zero) {
    self.distance = distance
    self.shortest = shortest
  }

  /// False where each position is wanted at once, always.
  var mayWait: Bool { distance != nil || shortest > .zero }

  /// Tells of an epoch.
  mutating func take(_ fix: Fix) {
    guard distance != nil else { return }
    speed = fix.kind == .none ? nil : fix.speed
    guard let speed, speed.isFinite else { return }
    if let present = fix.timestamp.map({ $0.milliseconds / Self.lengthOfStretch }), present != stretch {
      fastestBefore = present - 1 == stretch ? fastest : 0
      fastest = 0
      stretch = present
    }
    fastest = max(fastest, speed)
  }

  /// ``shortest`` while the speed is unknown: nobody can tell how far the device gets.
  var patience: Duration {
    guard let distance, let speed, speed.isFinite else { return shortest }
    return max(shortest, min(.seconds(distance / max(fastest, fastestBefore, Self.slowest)), Self.longest))
  }
}
