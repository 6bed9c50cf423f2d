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
}

/// The days of one table that have a partition, and the choice of new ones.
public struct PartitionPlan: Equatable, Sendable {
  /// Days further from today have partitions by month in any case: a device with a wrong clock must not make thousands.
  static let usualPast = 400
  static let usualFuture = 62
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
    var ranges: Set<PartitionRange> = []
    for day in days where !covered.contains(day) {
      let month = Self.month(of: day)
      let isUsual = (today - Self.usualPast...today + Self.usualFuture).contains(day)
      let isFree = (month.firstDay..<month.firstDay + month.days).allSatisfy { !covered.contains($0) }
      ranges.insert(isFree && (width == .month || !isUsual) ? month : PartitionRange(firstDay: day, days: 1))
    }
    let months = ranges.filter { $0.days > 1 }
    return ranges.filter { range in
      range.days > 1 || !months.contains { ($0.firstDay..<$0.firstDay + $0.days).contains(range.firstDay) }
    }.sorted()
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
