import Quantities

/// The evidence that a date requires: so many dates that advance like the boot clock, over so long.
struct DateEvidence: Equatable, Sendable {
  var dates: Int
  var span: Duration
  /// Largest deviation of dates that agree, in ms.
  let agreement: Int64

  /// Two dates that agree: for a clock that is hardly known.
  static let second = Self(dates: 2, span: .zero)
  /// Three times that agree: for a wrong hour in the first seconds of a session, or of a recording that is played to it.
  static let three = Self(dates: 3, span: .zero, agreement: 60_000)
  /// Against a live clock that has run like the receiver's time: the new time must run like the boot clock, too.
  static let steadySeconds = Self(dates: 3, span: .seconds(10), agreement: SteadyPace.tolerance)
  /// Against a system clock that nothing synchronises.
  static let seconds = Self(dates: 3, span: .seconds(10))
  /// Against the longest use of a release, or against the log, but with the host's clock.
  static let minutes = Self(dates: 3, span: .seconds(600))
  /// Against a synchronised clock, the log, or a clock that the receiver has set for an hour or more.
  static let hour = Self(dates: 3, span: .seconds(3600))

  /// The evidence against a clock that has run steadily for this long, at least: as long, up to an hour.
  init(againstSteadyClock age: Duration) {
    let span = min(max(age, .zero), Self.hour.span)
    self.init(dates: span < Self.seconds.span ? 2 : 3, span: span)
  }

  /// A recording played fast runs ahead of the boot clock; there the evidence is short, because the clock never runs
  /// steadily.
  init(dates: Int, span: Duration) {
    let isShort = span < .seconds(10)
    self.init(dates: dates, span: span, agreement: isShort ? Timestamp.millisecondsPerDay : 60_000)
  }

  private init(dates: Int, span: Duration, agreement: Int64) {
    (self.dates, self.span, self.agreement) = (dates, span, agreement)
  }

  /// The greater of both.
  func joined(_ other: Self) -> Self {
    Self(dates: max(dates, other.dates), span: max(span, other.span))
  }

  /// The smaller of both.
  func limited(to most: Self) -> Self { span > most.span ? most : self }
}

/// A series of dates that contradict the clock, or another limit, and agree with each other.
struct DoubtedDates: Equatable, Sendable {
  /// Start of the doubt: since then no date has agreed with the clock.
  let since: Moment
  private var first: Moment
  /// The first date minus its moment, in ms.
  private var offset: Int64
  private var count = 1

  init(_ date: Timestamp, at moment: Moment) {
    (since, first) = (moment, moment)
    offset = Self.offset(date, moment)
  }

  /// Adds a date. One that contradicts the series begins another one.
  mutating func add(_ date: Timestamp, at moment: Moment, agreement: Int64) {
    let offset = Self.offset(date, moment)
    guard (offset &- self.offset).magnitude <= agreement.magnitude else {
      (first, self.offset, count) = (moment, offset, 1)
      return
    }
    count += 1
  }

  /// True if the series is sufficient evidence.
  func satisfies(_ evidence: DateEvidence, now: Moment) -> Bool {
    count >= evidence.dates && now - first >= evidence.span
  }

  private static func offset(_ date: Timestamp, _ moment: Moment) -> Int64 {
    date.milliseconds &- moment.nanoseconds / 1_000_000
  }
}
