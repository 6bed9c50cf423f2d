import Quantities

/// Samples in g, evenly spaced.
public struct AccelerationBurst: Hashable, Sendable {
  /// When the first was taken.
  public var first: Moment
  /// Hz, as far as the true rate is known.
  public var rate: Double
  /// Oldest first; never empty.
  public var samples: [Acceleration]
  /// They do not continue the burst before.
  public var isAfterGap: Bool
  /// Samples between the burst before and this one, reckoned from the time between them; nil when there was none
  /// before, or sampling was off in between.
  public var missing: Int?

  public init(first: Moment, rate: Double, samples: [Acceleration], isAfterGap: Bool, missing: Int?) {
    self.first = first
    self.rate = rate
    self.samples = samples
    self.isAfterGap = isAfterGap
    self.missing = missing
  }

  /// When the sample at an index of ``samples`` was taken.
  public func moment(of index: Int) -> Moment {
    first + .seconds(Double(index) / rate)
  }
}
