import Energy
import Quantities
import Settings

/// What is wanted of the receiver, as a value: the outcome of the operator's words.
public struct ReceiverScheme: Equatable, Sendable {
  /// How a moving box is recorded.
  public enum MovingService: Equatable, Sendable {
    /// Not at all.
    case none
    /// Service level H: a record a second.
    case everySecond
    /// Service level S: the line through the records stays within so many metres of the true one.
    case within(metres: Double)
    /// Significant changes only: after so many metres, and not more often than `shortest`; looked for at least each
    /// `check`.
    case sparse(metres: Double, shortest: Duration, check: Duration)
  }

  /// What the receiver does while nothing moves.
  public enum RestingService: Equatable, Sendable {
    /// The same as when moving: it never sleeps for want of motion.
    case asMoving
    /// It sleeps. A check each `check`, stretching to `longestCheck`, is recorded when the box was carried `metres`.
    case asleep(check: Duration, longestCheck: Duration, metres: Double)
  }

  public var moving: MovingService
  public var resting: RestingService
  /// A position check this far in metres from the resting place resumes recording, beside the motion that a sensor or
  /// the receiver's speed tells; nil: as the checks of ``resting`` say.
  public var resumeDistance: Double?
  /// How long nothing may move before the receiver sleeps where only its own speed can tell; sensors are quicker.
  public var pauseDelay = Duration.seconds(120)
  /// Which evidence of motion counts, and how.
  public var motion = MotionRules.other
  /// How long motion, or its end, must hold before the plan follows it; every relapse begins anew.
  public var requiredMotion = Duration.zero
  /// The module tracks in cyclic mode and may be used so.
  public var usesCyclicMode = false
  /// A first fix is held back until its radius of 68 % is below this many metres, for some seconds at most.
  public var wantedAccuracy = 10.0
  /// The same for the fixes that begin and end a way.
  public var edgeAccuracy = 10.0

  /// Where no sensor tells of motion the receiver has to look itself, and checks at rest are no further apart.
  public var blindCheck = Configuration.checkWithoutSensor
  /// Where the fixes after a start, or at the end of a way, are all held back by a filter, so long one is waited for that
  /// is not; then the box goes on as if it were recorded, and without the record.
  public var fitPatience = Duration.seconds(60)

  public init(moving: MovingService, resting: RestingService, resumeDistance: Double? = nil) {
    self.moving = moving
    self.resting = resting
    self.resumeDistance = resumeDistance
  }

  /// Checks at rest that every sleeping plan shares unless the operator's words say otherwise.
  public static let checks = RestingService.asleep(
    check: .seconds(900), longestCheck: .seconds(4 * 3600), metres: 500)

  /// Other checks at rest, where the plan sleeps there.
  public mutating func checkAtRest(each interval: Duration, longest: Duration, metres: Double) {
    guard case .asleep = resting else { return }
    resting = .asleep(check: interval, longestCheck: max(interval, longest), metres: metres)
  }

  /// Level H that sleeps at rest.
  public static let high = ReceiverScheme(moving: .everySecond, resting: checks)

  /// The same for a module with cyclic mode.
  public static var highInCyclicMode: ReceiverScheme {
    var scheme = high
    scheme.usesCyclicMode = true
    return scheme
  }

  /// Level S that sleeps at rest.
  public static func within(metres: Double) -> ReceiverScheme {
    var scheme = ReceiverScheme(moving: .within(metres: metres), resting: checks)
    scheme.usesCyclicMode = true
    return scheme.keepingLine(within: metres)
  }

  /// The same with another bound in metres, where it has level S.
  public func keepingLine(within metres: Double) -> ReceiverScheme {
    guard case .within = moving else { return self }
    var scheme = self
    scheme.moving = .within(metres: metres)
    // The fixes' own error and the bend of the way between them share the bound.
    scheme.wantedAccuracy = min(max(0.69 * metres, 8), 20)
    scheme.edgeAccuracy = min(max(0.8 * metres, 10), 20)
    return scheme
  }

  /// No positions are wanted but the cheapest that tell where the box stays: a fix at each departure and arrival, and
  /// seldom one on the way, for visits, zones and the beginning of trips.
  public static var stays: ReceiverScheme {
    var scheme = significant
    // One fix of a wake-up has to prove by itself that a trip began or a visit ended.
    scheme.wantedAccuracy = Stability.goodAccuracy
    scheme.edgeAccuracy = Stability.goodAccuracy
    return scheme
  }

  /// Nothing is wanted of the receiver.
  public static let off = ReceiverScheme(moving: .none, resting: .asMoving)
}
