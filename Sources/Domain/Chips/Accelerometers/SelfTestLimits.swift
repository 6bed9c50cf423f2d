/// Limits of the self-test response of an intact chip, in g.
public struct SelfTestLimits: Hashable, Sendable {
  public var x: ClosedRange<Float>
  public var y: ClosedRange<Float>
  public var z: ClosedRange<Float>

  public init(x: ClosedRange<Float>, y: ClosedRange<Float>, z: ClosedRange<Float>) {
    (self.x, self.y, self.z) = (x, y, z)
  }

  /// The same limits on each axis, in either direction: `size` is the magnitude of the response.
  static func magnitude(_ size: ClosedRange<Float>) -> (Acceleration) -> SelfTestLimits {
    { change in
      func signed(_ value: Float) -> ClosedRange<Float> {
        value < 0 ? -size.upperBound ... -size.lowerBound : size
      }
      return SelfTestLimits(x: signed(change.x), y: signed(change.y), z: signed(change.z))
    }
  }

  func evaluate(_ change: Acceleration) -> SelfTestStep {
    x.contains(change.x) && y.contains(change.y) && z.contains(change.z)
      ? .passed : .failed(change: change, limits: self)
  }
}
