/// Compares the mean of some samples without the test force with the mean of as many under it.
struct SelfTestRun {
  /// The next step of a run.
  enum Next: Equatable {
    case oneMore
    case applyForce
    /// The self-test response of each axis, in g.
    case finished(change: Acceleration)
  }

  /// Number of samples of each mean, as in the procedures that ST publishes with its drivers.
  static let samples = 5

  private var without = SIMD3<Float>.zero
  private var under = SIMD3<Float>.zero
  private var taken = 0

  mutating func take(_ sample: Acceleration) -> Next {
    let vector = SIMD3(sample.x, sample.y, sample.z)
    taken += 1
    if taken <= Self.samples {
      without += vector
      return taken == Self.samples ? .applyForce : .oneMore
    }
    under += vector
    guard taken >= 2 * Self.samples else { return .oneMore }
    let change = (under - without) / Float(Self.samples)
    return .finished(change: Acceleration(x: change.x, y: change.y, z: change.z))
  }
}
