/// What sampling has become.
public struct Sampling: Hashable, Sendable {
  /// Nominal Hz; the true rate is up to 10 % off.
  public var rate: Double
  /// ±g.
  public var range: Double
  /// g of one step.
  public var resolution: Double
  /// Samples that the FIFO holds before it loses one; 1 for a part without FIFO.
  public var capacity: Int
  /// Samples at which the interrupt line is raised; nil where none was wished for or the part has no such interrupt,
  /// so that it must be polled.
  public var watermark: Int?

  public init(rate: Double, range: Double, resolution: Double, capacity: Int, watermark: Int?) {
    self.rate = rate
    self.range = range
    self.resolution = resolution
    self.capacity = capacity
    self.watermark = watermark
  }
}
