import Energy
import Quantities
import Settings

/// The tracking policy: the rule by which the receiver is switched. It results from the settings; ``ReceiverPlan``
/// carries it out.
public struct ReceiverScheme: Equatable, Sendable {
  /// The recording of a moving device.
  public enum MovingService: Equatable, Sendable {
    /// No locations.
    case none
    /// Level H: a location every second.
    case everySecond
    /// Level S: the fewest locations that keep the track within this many metres of the true one.
    case within(metres: Double)
    /// Sparse: a location after `metres`, at least `shortest` apart, checked every `check`.
    case sparse(metres: Double, shortest: Duration, check: Duration)
  }

  /// The receiver's behaviour while the device is stationary.
  public enum RestingService: Equatable, Sendable {
    /// The same as while moving: the receiver does not sleep because the device is stationary.
    case asMoving
    /// Asleep. The first position check comes after `check`; the interval backs off to `longestCheck`. A change of
    /// `metres` is recorded.
    case asleep(check: Duration, longestCheck: Duration, metres: Double)
  }

  /// The recording of a moving device.
  public var moving: MovingService
  /// The receiver's behaviour while the device is stationary.
  public var resting: RestingService
  /// Distance in metres from the stationary position at which a position check resumes recording, in addition to
  /// motion and speed; nil: the distance of ``resting`` applies.
  public var resumeDistance: Double?
  /// Time without motion before the receiver of a device without motion sensor sleeps; with sensors it is shorter.
  public var pauseDelay = Duration.seconds(120)
  /// The motion sources that count, and their delays.
  public var motion = MotionRules.other
  /// Time that motion, or its end, must last before the schedule acts on it. Every relapse restarts the time.
  public var requiredMotion = Duration.zero
  /// True if the module offers cyclic tracking and may use it.
  public var usesCyclicMode = false
  /// Horizontal accuracy (68 %) in metres that delays the first fix until it is reached, for some seconds at most.
  public var wantedAccuracy = 10.0
  /// The same limit for fixes that begin and end a movement.
  public var edgeAccuracy = 10.0

  /// Longest interval of position checks on a device without motion sensor, whose receiver has to detect motion
  /// itself.
  public var blindCheck = Configuration.checkWithoutSensor
  /// Longest wait for an acceptable fix if a filter rejects all fixes after a start or at an arrival. Then the
  /// schedule continues without the record.
  public var fitPatience = Duration.seconds(60)

  public init(moving: MovingService, resting: RestingService, resumeDistance: Double? = nil) {
    self.moving = moving
    self.resting = resting
    self.resumeDistance = resumeDistance
  }

  /// The position checks of every policy that sleeps, unless the settings differ.
  public static let checks = RestingService.asleep(
    check: .seconds(900), longestCheck: .seconds(4 * 3600), metres: 500)

  /// Sets the position checks, if the policy sleeps while stationary.
  public mutating func checkAtRest(each interval: Duration, longest: Duration, metres: Double) {
    guard case .asleep = resting else { return }
    resting = .asleep(check: interval, longestCheck: max(interval, longest), metres: metres)
  }

  /// The policy of level H, asleep while stationary.
  public static let high = ReceiverScheme(moving: .everySecond, resting: checks)

  /// The policy of level H for a module with cyclic tracking, asleep while stationary.
  public static var highInCyclicMode: ReceiverScheme {
    var scheme = high
    scheme.usesCyclicMode = true
    return scheme
  }

  /// The policy of level S, asleep while stationary.
  public static func within(metres: Double) -> ReceiverScheme {
    var scheme = ReceiverScheme(moving: .within(metres: metres), resting: checks)
    scheme.usesCyclicMode = true
    return scheme.keepingLine(within: metres)
  }

  /// The policy with another limit of level S in metres; unchanged for other levels.
  public func keepingLine(within metres: Double) -> ReceiverScheme {
    guard case .within = moving else { return self }
    var scheme = self
    scheme.moving = .within(metres: metres)
    // The error of the fixes and the curvature between them share the limit.
    scheme.wantedAccuracy = min(max(0.69 * metres, 8), 20)
    scheme.edgeAccuracy = min(max(0.8 * metres, 10), 20)
    return scheme
  }

  /// The cheapest policy that shows the locations of stops: a fix at each departure and arrival, and few between. For
  /// visits, zones and the start of trips.
  public static var stays: ReceiverScheme {
    var scheme = significant
    // One fix per wake-up has to prove the start of a trip or the end of a visit.
    scheme.wantedAccuracy = Stability.goodAccuracy
    scheme.edgeAccuracy = Stability.goodAccuracy
    return scheme
  }

  /// The policy without locations.
  public static let off = ReceiverScheme(moving: .none, resting: .asMoving)
}
