/// When rest is worth a wake-up.
public struct StillnessWatch: Hashable, Sendable {
  /// g that no axis may exceed, gravity removed by the part; rounded to the part's steps, at least one.
  public var threshold: Double
  /// For how long, in seconds; rounded up to the part's steps, and down only where the part cannot wait that long.
  public var duration: Double

  public init(threshold: Double = 0.064, duration: Double = 60) {
    self.threshold = threshold
    self.duration = duration
  }
}
