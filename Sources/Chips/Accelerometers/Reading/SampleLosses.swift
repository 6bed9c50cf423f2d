import Quantities

/// Counts what is lost by reading too late, and says so seldom enough to be read.
public struct SampleLosses: Equatable, Sendable {
  static let pauseBetweenWords = Duration.seconds(3600)

  /// Times that samples were lost.
  public private(set) var overruns = 0
  /// Samples lost, as far as that can be reckoned.
  public private(set) var missing = 0
  private var unsaid = 0
  private var nextWord: Moment?

  /// Samples that were lost since the last word, when it is time for one.
  mutating func take(missing count: Int, now: Moment) -> Int? {
    overruns &+= 1
    missing = missing.addingSaturating(count)
    unsaid = unsaid.addingSaturating(count)
    if let nextWord, now < nextWord { return nil }
    nextWord = now + Self.pauseBetweenWords
    defer { unsaid = 0 }
    return unsaid
  }
}

extension Int {
  fileprivate func addingSaturating(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
