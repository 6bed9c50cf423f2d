import Energy
import Quantities

/// The tracking policy: the rule by which the receiver is switched. It results from the settings; ``ReceiverSchedule``
/// carries it out.
public struct TrackingPolicy: Equatable, Sendable {
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
  public enum StationaryService: Equatable, Sendable {
    /// The same as while moving: the receiver does not sleep because the device is stationary.
    case asMoving
    /// Asleep. The first position check comes after `check`; the interval backs off to `longestCheck`. A change of
    /// `metres` is recorded.
    case asleep(check: Duration, longestCheck: Duration, metres: Double)
  }

  /// The recording of a moving device.
  public var moving: MovingService
  /// The receiver's behaviour while the device is stationary.
  public var stationary: StationaryService
  /// Distance in metres from the stationary position at which a position check resumes recording, in addition to
  /// motion and speed; nil: the distance of ``stationary`` applies.
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
  public var requiredAccuracy = 10.0
  /// The same limit for fixes that begin and end a movement.
  public var edgeAccuracy = 10.0

  /// Longest interval of position checks on a device without motion sensor, whose receiver has to detect motion
  /// itself.
  public var checkIntervalWithoutSensor = PositionCheck.intervalWithoutSensor
  /// Longest wait for an acceptable fix if a filter rejects all fixes after a start or at an arrival. Then the
  /// schedule continues without the record.
  public var acceptableFixTimeout = Duration.seconds(60)

  /// Longest time between two searches without reception while stationary.
  public var longestSearchPause = SearchBudget.longestBackOff

  public init(moving: MovingService, stationary: StationaryService, resumeDistance: Double? = nil) {
    self.moving = moving
    self.stationary = stationary
    self.resumeDistance = resumeDistance
  }

  /// The position checks of every policy that sleeps, unless the settings differ.
  public static let checks = StationaryService.asleep(
    check: .seconds(900), longestCheck: .seconds(4 * 3600), metres: 500)

  /// Sets the position checks, if the policy sleeps while stationary.
  public mutating func setPositionChecks(each interval: Duration, longest: Duration, metres: Double) {
    guard case .asleep = stationary else { return }
    stationary = .asleep(check: interval, longestCheck: max(interval, longest), metres: metres)
  }

  /// The policy of level H, asleep while stationary.
  public static let high = TrackingPolicy(moving: .everySecond, stationary: checks)

  /// The policy of level H for a module with cyclic tracking, asleep while stationary.
  public static var highInCyclicMode: TrackingPolicy {
    var policy = high
    policy.usesCyclicMode = true
    return policy
  }

  /// The policy of level S, asleep while stationary.
  public static func within(metres: Double) -> TrackingPolicy {
    var policy = TrackingPolicy(moving: .within(metres: metres), stationary: checks)
    policy.usesCyclicMode = true
    return policy.keepingLine(within: metres)
  }

  /// The policy with another limit of level S in metres; unchanged for other levels.
  public func keepingLine(within metres: Double) -> TrackingPolicy {
    guard case .within = moving else { return self }
    var policy = self
    policy.moving = .within(metres: metres)
    // The error of the fixes and the curvature between them share the limit.
    policy.requiredAccuracy = min(max(0.69 * metres, 8), 20)
    policy.edgeAccuracy = min(max(0.8 * metres, 10), 20)
    return policy
  }

  /// The cheapest policy that shows the locations of stops: a fix at each departure and arrival, and few between. For
  /// visits, zones and the start of trips.
  public static var stopsOnly: TrackingPolicy {
    var policy = significant
    // One fix per wake-up has to prove the start of a trip or the end of a visit.
    policy.requiredAccuracy = HorizontalAccuracy.good
    policy.edgeAccuracy = HorizontalAccuracy.good
    return policy
  }

  /// The policy without locations.
  public static let off = TrackingPolicy(moving: .none, stationary: .asMoving)
}
