import GNSSProtocol
import Quantities

/// Computes the time that epochs may wait in the receiver or the serial buffer before the host wakes to read them.
///
/// Deferral changes when epochs are read, not what is recorded: every epoch keeps its time. A change of speed is
/// not visible meanwhile, so the highest speed of the last minutes is assumed. Owned by ``Tracker``.
package struct Deferral: Equatable, Sendable {
  /// Distance in metres after which the host wakes; nil: ``shortest`` alone decides.
  package var distance: Double?
  /// Time that epochs may wait at any speed.
  package var shortest: Duration
  /// Speed at the last epoch with a position, in m/s; nil after one without.
  private var speed: Double?
  /// Highest speeds of the present time slot and of the one before, in m/s.
  private var fastest = 0.0
  private var fastestBefore = 0.0
  private var timeSlot: Int64?

  /// Longest time that epochs may wait. The memory of a receiver holds 300 epochs, five minutes at 1 Hz. A serial
  /// buffer holds far less; its reader takes care of that. A power cut loses that much.
  package static let longest = Duration.seconds(300)
  /// The speed in m/s that a stationary receiver reports.
  package static let slowest = 0.5
  /// Length of a time slot in ms. A speed is forgotten after two.
  private static let timeSlotLength: Int64 = 150_000

  package init(distance: Double?, shortest: Duration = .zero) {
    self.distance = distance
    self.shortest = shortest
  }

  /// True if epochs may be deferred; false if every epoch is read immediately.
  package var mayWait: Bool { distance != nil || shortest > .zero }

  /// Processes an epoch.
  package mutating func take(_ fix: Fix) {
    guard distance != nil else { return }
    speed = fix.kind == .none ? nil : fix.speed
    guard let speed, speed.isFinite else { return }
    if let present = fix.timestamp.map({ $0.milliseconds / Self.timeSlotLength }), present != timeSlot {
      fastestBefore = present - 1 == timeSlot ? fastest : 0
      fastest = 0
      timeSlot = present
    }
    fastest = max(fastest, speed)
  }

  /// The time that epochs may wait; ``shortest`` while the speed is unknown.
  package var latencyBudget: Duration {
    guard let distance, let speed, speed.isFinite else { return shortest }
    return max(shortest, min(.seconds(distance / max(fastest, fastestBefore, Self.slowest)), Self.longest))
  }
}
