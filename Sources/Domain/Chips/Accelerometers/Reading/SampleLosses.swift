import Quantities

/// Counts lost and discarded samples, and limits how often they are reported.
public struct SampleLosses: Equatable, Sendable {
  /// Number of times that samples were read too late.
  public private(set) var overruns = 0
  /// Estimated number of samples lost because of late reading.
  public private(set) var missing = 0
  /// Number of samples discarded because their values are impossible.
  public private(set) var doubtful = 0

  private var ofMissing = UnreportedCount()
  private var ofDoubtful = UnreportedCount()

  /// Adds lost samples; returns the number since the last report if a report is due.
  mutating func take(missing count: Int, now: Moment) -> Int? {
    overruns &+= 1
    missing = missing.addingSaturating(count)
    return ofMissing.take(count, now: now)
  }

  /// Adds discarded samples; returns the number since the last report if a report is due.
  mutating func take(doubtful count: Int, now: Moment) -> Int? {
    doubtful = doubtful.addingSaturating(count)
    return ofDoubtful.take(count, now: now)
  }

  /// A count that was not reported yet.
  private struct UnreportedCount: Equatable {
    static let reportInterval = Duration.seconds(3600)

    private var count = 0
    private var nextReport: Moment?

    mutating func take(_ more: Int, now: Moment) -> Int? {
      count = count.addingSaturating(more)
      if let nextReport, now < nextReport { return nil }
      nextReport = now + Self.reportInterval
      defer { count = 0 }
      return count
    }
  }
}

extension Int {
  fileprivate func addingSaturating(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
