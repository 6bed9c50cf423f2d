/// One sample in g, in the axes of the chip. Its magnitude is 1 when stationary.
public struct Acceleration: Hashable, Sendable {
  public var x: Float
  public var y: Float
  public var z: Float

  public init(x: Float, y: Float, z: Float) { (self.x, self.y, self.z) = (x, y, z) }
}
