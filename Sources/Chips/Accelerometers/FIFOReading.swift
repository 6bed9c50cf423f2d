/// What waited in a FIFO.
public struct FIFOReading: Hashable, Sendable {
  /// Oldest first.
  public var samples: [Acceleration]
  /// Samples were lost before these.
  public var isOverrun: Bool

  public init(samples: [Acceleration], isOverrun: Bool) {
    self.samples = samples
    self.isOverrun = isOverrun
  }
}
