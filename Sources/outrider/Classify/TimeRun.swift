/// Tells a pause in a recording from a damaged time: a row that leaps ahead waits until those after it agree.
///
/// What comes out rises, but for what lies back by no more than ``slack``. A few far-away times, at the beginning too,
/// cost their own rows; a leap that lasts is a pause. A clock that was set back, or ahead by more than a recording lasts,
/// ends the run.
struct TimeRun {
  /// Seconds by which times may lie back without a doubt: rows of one reading of a FIFO, put down in another order.
  static let slack = 1.0
  /// Seconds; whoever leaps further ahead has to be confirmed…
  static let leap = 2.5
  /// …by so many rows after it.
  static let witnesses = 50
  /// Seconds of a leap that is believed at the end, where no witness comes any more.
  static let unconfirmed = 3600.0
  /// Rows that are looked at together at the beginning, where there is nothing yet to leap from.
  static let opening = 50
  /// Seconds from the first row to the last that a recording has at most: a year and a day.
  static let longest = 366 * 86_400.0

  private var first: Double?
  private var last = 0.0
  /// At the beginning all rows; later those that leapt ahead and what followed them, in rising order.
  private var waiting: [AccelerationTable.Row] = []
  /// Rows that were left out…
  private(set) var leftOut: UInt64 = 0
  /// …of which so many of late, one after the other.
  private var leftOutInARow = 0
  /// The last second before a clock was set for good; nil where none was.
  private(set) var brokeOffAt: Double?
  /// The median of the seconds from row to row at the beginning, above 0; nil while it is unknown.
  private(set) var spacing: Double?

  mutating func take(_ row: AccelerationTable.Row, _ give: (AccelerationTable.Row) throws -> Void) rethrows {
    guard row.time.isFinite else {
      leftOut += 1
      return
    }
    guard row.time >= 0, row.time < 1e10 else { return leaveOut() }
    guard first != nil else {
      waiting.append(row)
      if waiting.count >= Self.opening { try open(give) }
      return
    }
    guard row.time >= last - Self.slack, row.time - (first ?? 0) <= Self.longest else {
      return leaveOut()
    }
    (leftOutInARow, brokeOffAt) = (0, nil)
    while let leapt = waiting.last, leapt.time > row.time + Self.slack {
      waiting.removeLast()
      leftOut += 1
    }
    if waiting.isEmpty, row.time - last <= Self.leap {
      last = max(last, row.time)
      try give(row)
      return
    }
    waiting.append(row)
    while let next = waiting.first, waiting.count > Self.witnesses || next.time - last <= Self.leap {
      try release(give)
    }
  }

  mutating func finish(_ give: (AccelerationTable.Row) throws -> Void) rethrows {
    if first == nil { try open(give) }
    while let next = waiting.first {
      guard next.time - last <= Self.unconfirmed else { break }
      try release(give)
    }
    leftOut += UInt64(waiting.count)
  }

  private mutating func leaveOut() {
    leftOut += 1
    leftOutInARow += 1
    if leftOutInARow > Self.witnesses, first != nil { brokeOffAt = last }
  }

  /// The first of those that wait is believed.
  private mutating func release(_ give: (AccelerationTable.Row) throws -> Void) rethrows {
    let row = waiting.removeFirst()
    last = max(last, row.time)
    try give(row)
  }

  /// The largest number of rows whose times rise one after the other begins the run.
  private mutating func open(_ give: (AccelerationTable.Row) throws -> Void) rethrows {
    let rows = Self.rising(waiting)
    leftOut += UInt64(waiting.count - rows.count)
    waiting = []
    guard let start = rows.first?.time else { return }
    let steps = zip(rows.dropFirst(), rows).map { $0.time - $1.time }.filter { $0 > 0 }.sorted()
    spacing = steps.isEmpty ? nil : steps[steps.count / 2]
    first = start
    last = start
    for row in rows { try take(row, give) }
  }

  /// A longest part of the rows whose times do not fall by more than the slack and span no more than a recording.
  private static func rising(_ rows: [AccelerationTable.Row]) -> [AccelerationTable.Row] {
    var length = [Int](repeating: 1, count: rows.count)
    var before = [Int?](repeating: nil, count: rows.count)
    for (index, row) in rows.enumerated() {
      for earlier in 0..<index {
        let step = row.time - rows[earlier].time
        guard step >= -slack, step <= longest, length[earlier] + 1 > length[index] else { continue }
        (length[index], before[index]) = (length[earlier] + 1, earlier)
      }
    }
    var next = length.indices.max { length[$0] < length[$1] }
    var kept: [AccelerationTable.Row] = []
    while let index = next {
      kept.append(rows[index])
      next = before[index]
    }
    return kept.reversed()
  }
}
