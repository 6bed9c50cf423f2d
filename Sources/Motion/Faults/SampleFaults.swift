/// What was wrong with the samples, counted since the start. None changes the answer by itself.
public struct SampleFaults: Equatable, Sendable {
  /// Interruptions of the stream, be it a FIFO that ran over or a pause.
  public var gaps: UInt64 = 0
  /// Samples that are not numbers or beyond 64 g.
  public var unreadable: UInt64 = 0
  /// Samples not later than the one before.
  public var disordered: UInt64 = 0
  /// Samples at the end of the range.
  public var clipped: UInt64 = 0
  /// Seconds in which the part gave one and the same value that cannot be rest.
  public var stuckSeconds: UInt64 = 0
  /// Seconds of which less than half was seen.
  public var thinSeconds: UInt64 = 0
  /// Times that the rate was not the one that was told.
  public var wrongRates: UInt64 = 0

  public init() {}
}
