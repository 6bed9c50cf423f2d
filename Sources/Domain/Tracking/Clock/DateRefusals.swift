import Quantities

/// Reports dates of the receiver that are not believed, at most once in ``pause``: a receiver repeats its error every second.
struct DateRefusals: Equatable, Sendable {
  static let pause = Duration.seconds(86_400)

  /// The last date in doubt; its fate is open.
  private var pending: Timestamp?
  private var reportedAt: Moment?

  /// A date that needs evidence.
  mutating func doubted(_ date: Timestamp) { pending = date }

  /// The date in doubt was right.
  mutating func confirmed() { pending = nil }

  /// The date in doubt, if there is one, was wrong.
  mutating func refuted(now: Moment) -> [DeviceClock.Notice] {
    defer { pending = nil }
    return refused(pending, now: now)
  }

  /// A date is not believed. Returns the notice about it if one is due.
  mutating func refused(_ date: Timestamp?, now: Moment) -> [DeviceClock.Notice] {
    guard let date, reportedAt.map({ now - $0 >= Self.pause }) ?? true else { return [] }
    reportedAt = now
    return [.dateRefused(date)]
  }
}
