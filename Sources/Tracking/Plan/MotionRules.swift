import Quantities
import Settings

/// Which evidence of motion counts, and how long it must hold: what `activity_type` says of motion.
public struct MotionRules: Equatable, Sendable {
  /// How long a source must hold before it is believed.
  public struct Delays: Equatable, Sendable {
    public var start: Duration
    public var stop: Duration

    public init(start: Duration, stop: Duration) {
      self.start = start
      self.stop = stop
    }
  }

  /// Its own filter has seen a second of motion already.
  public var accelerometer = Delays(start: .zero, stop: .seconds(3))
  /// `stop` where a sensor tells of motion too; elsewhere the pause delay counts.
  public var speed = Delays(start: .seconds(1), stop: .seconds(3))
  /// The same.
  public var displacementStop = Duration.seconds(30)
  public var ignitionStop = Duration.seconds(5)
  /// Their own delays have passed before voltage and charger are told.
  public var supplyStop = Duration.zero
  /// The supply, by its voltage or a charger, tells of motion.
  public var heedsSupply = true
  /// Stops are long because of traffic, which an ignition line tells from parking: where one speaks, the stop delays are
  /// those of ``other``.
  public var yieldsToIgnition = false
  /// The pause delay of a box without sensor, unless the operator gives one.
  public var pauseDelay = Duration.seconds(120)

  init() {}

  /// Nothing is known of what it moves with.
  public static let other = MotionRules()

  public init(_ activity: ActivityType) {
    self.init()
    switch activity {
    case .other: break
    // A red light, on a road too smooth to be felt, is no stop.
    case .car:
      (accelerometer.stop, speed.stop, displacementStop) = (.seconds(40), .seconds(40), .seconds(40))
      yieldsToIgnition = true
      pauseDelay = .seconds(180)
    // A body that moves is felt; a power bank in the bag says nothing.
    case .fitness:
      displacementStop = .seconds(15)
      heedsSupply = false
      pauseDelay = .seconds(60)
    // Steps and doors shake a boat or a train at rest; speed says more, and stations are short.
    case .nav:
      accelerometer.start = .seconds(4)
      (speed.stop, displacementStop) = (.seconds(60), .seconds(60))
      pauseDelay = .seconds(300)
    // Taxiing has its stops, and cruising is smooth.
    case .air:
      (accelerometer.stop, speed.stop, displacementStop) = (.seconds(20), .seconds(60), .seconds(60))
      heedsSupply = false
      pauseDelay = .seconds(180)
    }
  }

  /// The same with a pause delay that the operator gave: every source is believed for so long after it fell silent, and
  /// no shorter than with ``other``, which is what the sources themselves take.
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

  func heeds(_ source: MotionSource) -> Bool {
    switch source {
    case .voltage, .charger: heedsSupply
    case .accelerometer, .speed, .displacement, .ignition, .network: true
    }
  }
}
