import Quantities

/// Evenly spaced samples in g.
public struct AccelerationBurst: Hashable, Sendable {
  /// Time of the first sample.
  public var first: Moment
  /// Best known estimate of the true rate in Hz.
  public var rate: Double
  /// The samples, oldest first; never empty.
  public var samples: [Acceleration]
  /// True if the samples do not continue the previous burst.
  public var isAfterGap: Bool
  /// Number of samples missing between the previous burst and this one, derived from the time between them.
  /// Nil if there was no previous burst, or if sampling was off in between.
  public var missing: Int?

  public init(first: Moment, rate: Double, samples: [Acceleration], isAfterGap: Bool, missing: Int?) {
    self.first = first
    self.rate = rate
    self.samples = samples
    self.isAfterGap = isAfterGap
    self.missing = missing
  }

  /// Time of the sample at an index of ``samples``.
  public func moment(of index: Int) -> Moment {
    first + .seconds(Double(index) / rate)
  }
}
