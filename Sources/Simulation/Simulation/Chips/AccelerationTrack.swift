import Glibc
import Quantities

/// The acceleration of a simulated accelerometer in g in its own axes, as a pure function of the time:
/// repeated or unordered queries give the same values.
public struct AccelerationTrack: Sendable {
  /// Kinds of simulated motion.
  public enum Activity: Hashable, Sendable {
    /// Stationary: gravity on z and the noise of the chip.
    case stationary
    /// Steps at 1.8 Hz that lift z by 0.25 g.
    case walking
    /// Vibration of engine and road, curves and braking.
    case driving
  }

  private enum Source: Sendable {
    case table(TrackTable)
    case model([(from: Double, activity: Activity)], noise: Double, seed: UInt64)
  }

  private let source: Source
  /// The time of second 0.
  public var start = Moment.zero
  /// Seconds after which simulated activities begin again; nil if the last one lasts.
  public var period: Double?

  /// Reads rows of `t_s,ax_g,ay_g,az_g`, with or without a header.
  public init(csv: some Sequence<UInt8>) throws(TrackError) {
    source = .table(try TrackTable(csv: csv, names: ["t_s", "ax_g", "ay_g", "az_g"], required: 4))
  }

  /// Simulates activities, each from a given second on; the first one applies from the beginning. `noise` is
  /// the standard deviation on each axis in g.
  public init(_ activities: [(from: Double, activity: Activity)], noise: Double = 0.003, seed: UInt64) {
    source = .model(activities, noise: noise, seed: seed)
  }

  public init(_ activity: Activity, noise: Double = 0.003, seed: UInt64) {
    self.init([(0, activity)], noise: noise, seed: seed)
  }

  /// The acceleration in g.
  public func acceleration(at moment: Moment) -> SIMD3<Double> {
    let second = Double(moment.nanoseconds) * 1e-9 - Double(start.nanoseconds) * 1e-9
    switch source {
    case .table(let table):
      return SIMD3(
        table.value(0, at: second), table.value(1, at: second), table.value(2, at: second))
    case .model(let activities, let noise, let seed):
      let phase = period.map { $0 > 0 ? second.truncatingRemainder(dividingBy: $0) : second } ?? second
      let activity = (activities.last { $0.from <= phase } ?? activities.first)?.activity ?? .stationary
      var random = SplitMix64(seed: seed ^ UInt64(bitPattern: moment.nanoseconds) &* 0x2545_F491_4F6C_DD1D)
      let shake = SIMD3(Self.normal(&random), Self.normal(&random), Self.normal(&random))
      return SIMD3(0, 0, 1) + noise * shake + Self.motion(activity, at: second, shake: shake, seed: seed)
    }
  }

  private static func motion(
    _ activity: Activity, at second: Double, shake: SIMD3<Double>, seed: UInt64
  ) -> SIMD3<Double> {
    let turn = 2 * Double.pi * second
    // Phase of the oscillation at the start, by the seed.
    let phase = Double(seed % 628) / 100
    switch activity {
    case .stationary: return .zero
    case .walking:
      return SIMD3(
        0.10 * sin(0.9 * turn + phase), 0.08 * sin(1.8 * turn + phase),
        0.25 * sin(1.8 * turn) + 0.08 * sin(3.6 * turn + phase))
    case .driving:
      return 0.03 * shake
        + SIMD3(0.15 * sin(0.05 * turn + phase), 0.12 * sin(0.08 * turn + phase), 0.05 * sin(1.3 * turn))
    }
  }

  /// A random number with mean 0 and standard deviation 1, within ±3.5: the sum of four uniformly distributed
  /// numbers.
  private static func normal(_ random: inout SplitMix64) -> Double {
    var sum = 0.0
    for _ in 0..<4 { sum += Double(random.next() >> 11) * 0x1p-53 }
    return (sum - 2) * 1.732_050_807_568_877
  }
}
