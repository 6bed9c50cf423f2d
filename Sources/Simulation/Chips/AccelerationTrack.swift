import Glibc
import Quantities

/// What an accelerometer is exposed to, in g in its own axes, over time: a function of the moment alone, so that asking
/// twice or out of order gives the same.
public struct AccelerationTrack: Sendable {
  /// What it is fastened to does so long as nothing else is said.
  public enum Activity: Hashable, Sendable {
    /// Gravity on z and the noise of the part.
    case resting
    /// Steps at 1.8 Hz that lift z by a quarter of a g.
    case walking
    /// Vibration of an engine and a road, curves and brakes.
    case driving
  }

  private enum Source: Sendable {
    case table(TrackTable)
    case model([(from: Double, activity: Activity)], noise: Double, seed: UInt64)
  }

  private let source: Source
  /// The moment of second 0.
  public var start = Moment.zero

  /// Rows of `t_s,ax_g,ay_g,az_g`, a header above them or none.
  public init(csv: some Sequence<UInt8>) throws(TrackError) {
    source = .table(try TrackTable(csv: csv, names: ["t_s", "ax_g", "ay_g", "az_g"], required: 4))
  }

  /// Activities, each from a second on; the first one from the beginning. `noise` is the standard deviation on each
  /// axis in g.
  public init(_ activities: [(from: Double, activity: Activity)], noise: Double = 0.003, seed: UInt64) {
    source = .model(activities, noise: noise, seed: seed)
  }

  public init(_ activity: Activity, noise: Double = 0.003, seed: UInt64) {
    self.init([(0, activity)], noise: noise, seed: seed)
  }

  /// In g.
  public func acceleration(at moment: Moment) -> SIMD3<Double> {
    let second = Double(moment.nanoseconds) * 1e-9 - Double(start.nanoseconds) * 1e-9
    switch source {
    case .table(let table):
      return SIMD3(
        table.value(0, at: second), table.value(1, at: second), table.value(2, at: second))
    case .model(let activities, let noise, let seed):
      let activity = (activities.last { $0.from <= second } ?? activities.first)?.activity ?? .resting
      var random = SplitMix64(seed: seed ^ UInt64(bitPattern: moment.nanoseconds) &* 0x2545_F491_4F6C_DD1D)
      let shake = SIMD3(Self.normal(&random), Self.normal(&random), Self.normal(&random))
      return SIMD3(0, 0, 1) + noise * shake + Self.motion(activity, at: second, shake: shake, seed: seed)
    }
  }

  private static func motion(
    _ activity: Activity, at second: Double, shake: SIMD3<Double>, seed: UInt64
  ) -> SIMD3<Double> {
    let turn = 2 * Double.pi * second
    // Where in its swing each seed begins.
    let phase = Double(seed % 628) / 100
    switch activity {
    case .resting: return .zero
    case .walking:
      return SIMD3(
        0.10 * sin(0.9 * turn + phase), 0.08 * sin(1.8 * turn + phase),
        0.25 * sin(1.8 * turn) + 0.08 * sin(3.6 * turn + phase))
    case .driving:
      return 0.03 * shake
        + SIMD3(0.15 * sin(0.05 * turn + phase), 0.12 * sin(0.08 * turn + phase), 0.05 * sin(1.3 * turn))
    }
  }

  /// Mean 0, standard deviation 1, never beyond 3.5: the sum of four evenly spread numbers.
  private static func normal(_ random: inout SplitMix64) -> Double {
    var sum = 0.0
    for _ in 0..<4 { sum += Double(random.next() >> 11) * 0x1p-53 }
    return (sum - 2) * 1.732_050_807_568_877
  }
}
