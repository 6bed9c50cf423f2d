/// One sample in g, in the axes of the part. At rest its length is 1.
public struct Acceleration: Hashable, Sendable {
  public var x: Float
  public var y: Float
  public var z: Float

  public init(x: Float, y: Float, z: Float) { (self.x, self.y, self.z) = (x, y, z) }
}
