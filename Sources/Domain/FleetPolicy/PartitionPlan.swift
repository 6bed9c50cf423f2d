import Quantities

/// The widths of partitions, in UTC.
public enum PartitionWidth: String, Equatable, Sendable {
  case day, month
}

/// A partition to make: whole days, counted from 1970-01-01.
public struct PartitionRange: Hashable, Comparable, Sendable {
  public var firstDay: Int
  public var days: Int

  public init(firstDay: Int, days: Int) {
    self.firstDay = firstDay
    self.days = days
  }

  public static func < (a: PartitionRange, b: PartitionRange) -> Bool { a.firstDay < b.firstDay }

  fileprivate var allDays: Range<Int> { firstDay..<firstDay + days }
}

/// The days of one table that have a partition, and the choice of new ones.
public struct PartitionPlan: Equatable, Sendable {
  /// Days further from today have partitions by month in any case, and those of far years by year: a device with
  /// a wrong clock must not make thousands. All days of 1980 to 2100 need about 700.
  static let usualPast = 400
  static let usualFuture = 62
  /// Years after these are far. Nearer ones will soon have records of right clocks, which need partitions by day.
  static let futureYears = 10
  /// 1980 to 2100, the times that rows can have.
  private static let possible = 3652..<47_847

  private let width: PartitionWidth
  private var covered: Set<Int> = []

  public init(_ width: PartitionWidth) { self.width = width }

  /// Takes over the partitions that exist, as times from (included) and to (excluded).
  public mutating func replace(_ bounds: [(lower: Timestamp, upper: Timestamp)]) {
    covered = []
    for (lower, upper) in bounds where lower < upper {
      let days = lower.day..<max(lower.day, upper.day)
      covered.formUnion(days.clamped(to: Self.possible))
    }
  }

  public func covers(_ day: Int) -> Bool { covered.contains(day) }

  /// The partitions for days that have none, in order. They do not overlap each other or existing ones.
  public func missing(_ days: Set<Int>, today: Int) -> [PartitionRange] {
    var covered = covered
    var ranges: [PartitionRange] = []
    // A narrow partition that is made keeps the wide ones around it from being free, so wide ones come first.
    let wishes = days.subtracting(covered).map { (day: $0, ranges: wished(for: $0, today: today)) }
    for choice in 0..<3 {
      let wanted = Set(wishes.filter { !covered.contains($0.day) }.compactMap { $0.ranges[choice] })
      for range in wanted where range.allDays.allSatisfy({ !covered.contains($0) }) {
        ranges.append(range)
        covered.formUnion(range.allDays)
      }
    }
    return ranges.sorted()
  }

  /// The year, the month and the day around a day, without those that are too wide for it.
  private func wished(for day: Int, today: Int) -> [PartitionRange?] {
    let (year, month) = (Self.year(of: day), Self.month(of: day))
    let usual = today - Self.usualPast...today + Self.usualFuture
    let future = Self.year(of: today + Self.futureYears * 365 + Self.futureYears / 4)
    let isFar = year.firstDay + year.days <= usual.lowerBound || year.firstDay > future.firstDay
    return [
      isFar ? year : nil, width == .month || !usual.contains(day) ? month : nil,
      PartitionRange(firstDay: day, days: 1),
    ]
  }

  private static func year(of day: Int) -> PartitionRange {
    let year = CalendarDate(daysSince1970: day).year
    let first = CalendarDate(year: year, month: 1, day: 1)?.daysSince1970 ?? day
    let next = CalendarDate(year: year + 1, month: 1, day: 1)?.daysSince1970 ?? first + 365
    return PartitionRange(firstDay: first, days: next - first)
  }

  private static func month(of day: Int) -> PartitionRange {
    let date = CalendarDate(daysSince1970: day)
    let first = day - (date.day - 1)
    let next = CalendarDate(
      year: date.month == 12 ? date.year + 1 : date.year, month: date.month == 12 ? 1 : date.month + 1, day: 1
    )
    return PartitionRange(firstDay: first, days: (next?.daysSince1970 ?? first + 31) - first)
  }
}
