import Quantities

/// The motion sources that count, and the time that each must hold: the values of `activity_type`.
public struct MotionRules: Equatable, Sendable {
  /// The time that a source must hold before it counts.
  public struct Delays: Equatable, Sendable {
    public var start: Duration
    public var stop: Duration

    public init(start: Duration, stop: Duration) {
      self.start = start
      self.stop = stop
    }
  }

  /// Delays of the accelerometer. The start delay is zero, because its own filter requires a second of motion.
  public var accelerometer = Delays(start: .zero, stop: .seconds(3))
  /// Delays of the speed. `stop` applies if a motion sensor is fitted; otherwise the pause delay.
  public var speed = Delays(start: .seconds(1), stop: .seconds(3))
  /// Stop delay of displacement if a motion sensor is fitted; otherwise the pause delay applies.
  public var displacementStop = Duration.seconds(30)
  public var ignitionStop = Duration.seconds(5)
  /// Stop delay of the supply: zero, because voltage and charger are reported after their own delays.
  public var supplyStop = Duration.zero
  /// True if the supply, by its voltage or a charger, counts as motion.
  public var reactsToSupply = true
  /// True if stops are long because of traffic. An ignition line distinguishes traffic from parking: with one the stop
  /// delays are those of ``other``.
  public var yieldsToIgnition = false
  /// The pause delay of a device without motion sensor, unless the operator sets one.
  public var pauseDelay = Duration.seconds(120)

  init() {}

  /// The rules if the kind of movement is unknown.
  public static let other = MotionRules()

  public init(_ activity: ActivityType) {
    self.init()
    switch activity {
    case .other: break
    // A red light on a road too smooth to be detected is not a stop.
    case .car:
      (accelerometer.stop, speed.stop, displacementStop) = (.seconds(40), .seconds(40), .seconds(40))
      yieldsToIgnition = true
      pauseDelay = .seconds(180)
    // A moving body is always detected; a power bank in the bag proves nothing.
    case .fitness:
      displacementStop = .seconds(15)
      reactsToSupply = false
      pauseDelay = .seconds(60)
    // Steps and doors shake a boat or train at a stop. Speed is better evidence, and stops at stations are short.
    case .nav:
      accelerometer.start = .seconds(4)
      (speed.stop, displacementStop) = (.seconds(60), .seconds(60))
      pauseDelay = .seconds(300)
    // Taxiing includes stops, and cruising is smooth.
    case .air:
      (accelerometer.stop, speed.stop, displacementStop) = (.seconds(20), .seconds(60), .seconds(60))
      reactsToSupply = false
      pauseDelay = .seconds(180)
    }
  }

  /// Returns the rules with a pause delay set by the operator. Every source counts for that long after it fell
  /// silent, and at least as long as with ``other``, because the sources themselves take that time.
  public func obeying(pauseDelay: Duration) -> MotionRules {
    var rules = self
    rules.accelerometer.stop = max(pauseDelay, Self.other.accelerometer.stop)
    rules.speed.stop = max(pauseDelay, Self.other.speed.stop)
    rules.displacementStop = max(pauseDelay, Self.other.displacementStop)
    rules.ignitionStop = max(pauseDelay, Self.other.ignitionStop)
    rules.supplyStop = max(pauseDelay, Self.other.supplyStop)
    rules.yieldsToIgnition = false
    return rules
  }

  func uses(_ source: MotionSource) -> Bool {
    switch source {
    case .voltage, .charger: reactsToSupply
    case .accelerometer, .speed, .displacement, .ignition, .network: true
    }
  }
}
