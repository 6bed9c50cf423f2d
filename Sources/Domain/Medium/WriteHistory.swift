import Quantities

/// What was written in the last week: by the logger, by cause, and to the whole file system.
///
/// It lasts over restarts as a text. Time without a logger counts as time, because other programs write then, too.
public struct WriteHistory: Equatable, Sendable {
  /// The number of days that are kept, today included.
  static let days = 8
  /// The least time from which a daily rate is formed.
  public static let least = Duration.seconds(3600)

  private struct Day: Equatable {
    /// Days since 1970-01-01.
    var number: Int
    var own: WrittenBytes
    var medium: Int64
  }

  /// The writes of a day, on the average of the history.
  public struct Rate: Equatable, Sendable {
    /// Bytes per day of the logger.
    public var own: WrittenBytes
    /// Bytes per day of all programs; nil if the file system does not count them.
    public var medium: Int64?

    public init(own: WrittenBytes, medium: Int64?) { (self.own, self.medium) = (own, medium) }
  }

  /// Oldest first; the last one is that of the newest writes.
  private var list: [Day] = []
  /// The time from which writes are counted; nil before the first.
  private var since: Timestamp?
  /// The last count of the file system; nil if it has none.
  private var lifetimeBytes: Int64?
  /// The wear that was last reported as an event, in percent.
  public private(set) var reportedPercent = 0

  public init() {}

  /// Adds what the logger wrote since the last call, and the present count of the file system.
  ///
  /// A time before that of the last call counts for the same day. A smaller count is that of another medium.
  public mutating func add(_ own: WrittenBytes, lifetimeBytes count: Int64?, at time: Timestamp) {
    let grown = count.flatMap { count in
      lifetimeBytes.map { max(count.subtractingReportingOverflow($0).partialValue, 0) }
    }
    lifetimeBytes = count
    if since.map({ $0 > time }) ?? true {
      // The clock was set back. A day in the future would stay the newest until it comes.
      var today = Day(number: time.day, own: WrittenBytes(), medium: 0)
      for day in list where day.number >= today.number {
        today.own = today.own + day.own
        today.medium = WrittenBytes.sum(today.medium, day.medium)
      }
      list.removeAll { $0.number >= today.number }
      list.append(today)
      since = time
    }
    let number = max(time.day, list.last?.number ?? time.day)
    if list.last?.number != number { list.append(Day(number: number, own: WrittenBytes(), medium: 0)) }
    list[list.count - 1].own = list[list.count - 1].own + own
    list[list.count - 1].medium = WrittenBytes.sum(list[list.count - 1].medium, grown ?? 0)
    list.removeAll { $0.number <= number - Self.days }
    let oldest = Timestamp(milliseconds: Int64(number - Self.days + 1) * Timestamp.millisecondsPerDay)
    if let since, since < oldest { self.since = oldest }
  }

  /// Returns the daily rate; nil while the history is shorter than ``least``.
  public func rate(at time: Timestamp) -> Rate? {
    guard let since, time - since >= Self.least else { return nil }
    let days = (time - since) / .seconds(86_400)
    func perDay(_ bytes: Int64) -> Int64 { Int64(min(Double(bytes) / days, 1e18)) }
    let own = list.reduce(WrittenBytes()) { $0 + $1.own }
    return Rate(
      own: WrittenBytes(log: perDay(own.log), files: perDay(own.files), other: perDay(own.other)),
      medium: lifetimeBytes.map { _ in perDay(list.reduce(0) { WrittenBytes.sum($0, $1.medium) }) })
  }

  /// Notes the wear that an event reports, in percent.
  mutating func recordReported(percent: Int) { reportedPercent = percent }

  /// The stored form: `1`, the start, the file system's count, the reported wear, and one field per day, with tabs.
  public var text: String {
    let head = [
      "1", since.map { "\($0.milliseconds)" } ?? "", lifetimeBytes.map { "\($0)" } ?? "",
      "\(reportedPercent)",
    ]
    let rows = list.map { day in
      [Int64(day.number), day.own.log, day.own.files, day.own.other, day.medium]
        .map { "\($0)" }.joined(separator: ",")
    }
    return (head + rows).joined(separator: "\t")
  }

  /// Reads the stored form; nil for any other text.
  public init?(_ text: String) {
    let words = text.split(separator: "\t", omittingEmptySubsequences: false)
    guard words.count >= 4, words.count <= 4 + Self.days, words[0] == "1", let percent = Int(words[3]),
      (0...100).contains(percent)
    else { return nil }
    since = Int64(words[1]).map { Timestamp(milliseconds: $0) }
    lifetimeBytes = Int64(words[2]).map { max($0, 0) }
    reportedPercent = percent
    for row in words[4...] {
      let numbers = row.split(separator: ",", omittingEmptySubsequences: false).map { Int64($0) }
      guard numbers.count == 5, let day = numbers[0], (0...4_000_000).contains(day) else { return nil }
      let bytes = numbers[1...].compactMap { $0 }.filter { $0 >= 0 }
      guard bytes.count == 4, list.last.map({ $0.number < Int(day) }) ?? true else { return nil }
      list.append(
        Day(
          number: Int(day), own: WrittenBytes(log: bytes[0], files: bytes[1], other: bytes[2]),
          medium: bytes[3]))
    }
    guard list.isEmpty || since != nil else { return nil }
  }
}
