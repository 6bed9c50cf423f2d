/// The actual sampling parameters of an accelerometer.
public struct Sampling: Hashable, Sendable {
  /// Nominal rate in Hz; the true rate is up to 10 % off.
  public var rate: Double
  /// ±g.
  public var range: Double
  /// g per LSB.
  public var resolution: Double
  /// Number of samples that the FIFO holds without loss; 1 for a chip without FIFO.
  public var capacity: Int
  /// Number of samples at which the interrupt line is raised. Nil if none was requested or the chip has no
  /// such interrupt, in which case it must be polled.
  public var watermark: Int?

  public init(rate: Double, range: Double, resolution: Double, capacity: Int, watermark: Int?) {
    self.rate = rate
    self.range = range
    self.resolution = resolution
    self.capacity = capacity
    self.watermark = watermark
  }
}
