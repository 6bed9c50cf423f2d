/// The number of faults of the samples since the start. A fault does not change the answer by itself.
public struct SampleFaults: Equatable, Sendable {
  /// Number of gaps in the stream, by a FIFO overrun or a pause.
  public var gaps: UInt64 = 0
  /// Number of samples that are not numbers or exceed 64 g.
  public var unreadable: UInt64 = 0
  /// Number of samples that are not later than the previous one.
  public var disordered: UInt64 = 0
  /// Number of samples at the end of the range.
  public var clipped: UInt64 = 0
  /// Number of seconds with a constant value that is not plausible for a stationary device.
  public var stuckSeconds: UInt64 = 0
  /// Number of seconds with less than half of their samples.
  public var thinSeconds: UInt64 = 0
  /// Number of detections of a rate that differs from the reported one.
  public var wrongRates: UInt64 = 0

  public init() {}
}
