import Quantities

/// Counts samples that are lost or thrown away, and says so seldom enough to be read.
public struct SampleLosses: Equatable, Sendable {
  /// Times that samples were read too late.
  public private(set) var overruns = 0
  /// Samples lost by that, as far as it can be reckoned.
  public private(set) var missing = 0
  /// Samples thrown away, for the part cannot have measured them.
  public private(set) var doubtful = 0

  private var ofMissing = Unsaid()
  private var ofDoubtful = Unsaid()

  /// Samples that were lost since the last word, when it is time for one.
  mutating func take(missing count: Int, now: Moment) -> Int? {
    overruns &+= 1
    missing = missing.addingSaturating(count)
    return ofMissing.take(count, now: now)
  }

  /// Samples that were thrown away since the last word, when it is time for one.
  mutating func take(doubtful count: Int, now: Moment) -> Int? {
    doubtful = doubtful.addingSaturating(count)
    return ofDoubtful.take(count, now: now)
  }

  /// What was not said yet.
  private struct Unsaid: Equatable {
    static let pauseBetweenWords = Duration.seconds(3600)

    private var count = 0
    private var nextWord: Moment?

    mutating func take(_ more: Int, now: Moment) -> Int? {
      count = count.addingSaturating(more)
      if let nextWord, now < nextWord { return nil }
      nextWord = now + Self.pauseBetweenWords
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
