/// The desired sampling parameters of an accelerometer.
public struct SamplingRequest: Hashable, Sendable {
  /// Rate in Hz, 1...100.
  public var rate: Double
  /// ±g, up to 16.
  public var range: Double
  /// Number of samples in the FIFO at which the interrupt line is raised; nil for none.
  public var watermark: Int?

  public init(rate: Double, range: Double = 4, watermark: Int? = nil) {
    self.rate = rate
    self.range = range
    self.watermark = watermark
  }
}
