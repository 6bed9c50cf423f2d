/// Distinguishes a pause in a recording from damaged times: a row that jumps ahead is held until later rows confirm it.
///
/// The output rises, except for steps back of at most ``slack``. A few stray times, also at the beginning, cost only their
/// own rows; a lasting jump is a pause. A clock that was set back, or ahead by more than ``longest``, ends the run.
struct TimeRun {
  /// The largest accepted step back, in seconds: rows of one FIFO reading may be out of order.
  static let slack = 1.0
  /// The largest step ahead, in seconds, that needs no confirmation.
  static let leap = 2.5
  /// The number of later rows that confirm a larger step.
  static let witnesses = 50
  /// The largest jump, in seconds, that is accepted without confirmation at the end of the recording.
  static let unconfirmed = 3600.0
  /// The number of rows that are compared at the beginning, before there is a reference time.
  static let opening = 50
  /// The longest recording, in seconds: a year and a day.
  static let longest = 366 * 86_400.0

  private var first: Double?
  private var last = 0.0
  /// Unconfirmed rows in rising order: at the beginning all rows, later the rows from a jump on.
  private var waiting: [AccelerationTable.Row] = []
  /// The number of ignored rows.
  private(set) var leftOut: UInt64 = 0
  /// The number of consecutive ignored rows up to now.
  private var leftOutInARow = 0
  /// The last time, in seconds, before the clock was set; nil if it was not set.
  private(set) var brokeOffAt: Double?
  /// The median interval between the first rows, in seconds, above 0; nil while unknown.
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

  /// Accepts the first unconfirmed row.
  private mutating func release(_ give: (AccelerationTable.Row) throws -> Void) rethrows {
    let row = waiting.removeFirst()
    last = max(last, row.time)
    try give(row)
  }

  /// Starts the run with the longest sequence of rows whose times rise.
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

  /// Returns a longest subsequence whose times never fall by more than ``slack`` nor span more than ``longest``.
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
