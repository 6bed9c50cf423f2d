import Quantities

/// The uploads that wait for their commit, in the order of their arrival.
struct UploadsInFlight {
  /// The time after which the database counts as slow.
  static let patience = Duration.seconds(5)

  private var starts: [Moment?] = []
  /// The number of the first upload of `starts`.
  private var first = 0
  private(set) var count = 0

  /// Notes an upload and returns its number.
  mutating func begin(now: Moment) -> Int {
    starts.append(now)
    count += 1
    return first + starts.count - 1
  }

  /// Ends an upload and returns the time since its begin; nil if it has ended before.
  mutating func end(_ number: Int, now: Moment) -> Duration? {
    let index = number - first
    guard starts.indices.contains(index), let start = starts[index] else { return nil }
    starts[index] = nil
    count -= 1
    let ended = starts.prefix { $0 == nil }.count
    // Removed in large parts, because what follows is moved.
    if ended == starts.count || ended >= 1024 {
      starts.removeFirst(ended)
      first += ended
    }
    return now - start
  }

  /// True if the oldest upload has waited too long.
  func isLate(now: Moment) -> Bool {
    starts.first { $0 != nil }.flatMap { $0 }.map { now - $0 > Self.patience } ?? false
  }
}
