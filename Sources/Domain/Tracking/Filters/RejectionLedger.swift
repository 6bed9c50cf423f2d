import Quantities

/// Counts rejected fixes by reason, and schedules their reports to the log. Owned by ``Tracker``.
public struct RejectionLedger: Equatable, Sendable {
  /// The count of one reason, with the value of the last rejection.
  public struct Entry: Equatable, Sendable {
    /// Number of rejected fixes.
    public var count: Int64 = 0
    var last = RejectedValue.hidden
    /// The value with its unit; empty if it must not be disclosed.
    public var lastValue: String { last.description }
  }

  /// Counts since the start of the program.
  public private(set) var totals: [Rejection: Entry] = [:]
  /// The time of the next report; nil while nothing is unreported.
  public private(set) var nextTimeout: Moment?
  private var unreported: [Rejection: Int64] = [:]
  private var lastReport: Moment?
  private var leftOut = LeftOut()

  /// The rejections by recording rules.
  private struct LeftOut: Equatable {
    var counts: [Rejection: Int64] = [:]
    /// The first rejection since the last recorded fix.
    var since: Moment?
    var lastReport: Moment?

    func isDue(now: Moment) -> Bool {
      guard let since, now - since >= RejectionLedger.longPause else { return false }
      return lastReport.map { now - $0 >= RejectionLedger.ruleInterval } ?? true
    }
  }

  /// Longest time without a report of rejections.
  static let reportInterval = Duration.seconds(600)
  /// Shortest time between two reports, so that a fix that comes and goes does not fill the log.
  static let shortestPause = Duration.seconds(60)
  /// Length from which gaps are explained in the log, even if a recording rule causes them.
  static let longPause = Duration.seconds(120)
  /// Shortest time between two reports of rejections by rules: with a fix every five minutes not every gap is
  /// reported.
  static let ruleInterval = Duration.seconds(3600)

  public init() {}

  /// Counts one rejection.
  public mutating func count(_ rejection: Rejection, value: RejectedValue, now: Moment) {
    totals[rejection, default: Entry()].count += 1
    totals[rejection, default: Entry()].last = value
    if !rejection.isByRule {
      unreported[rejection, default: 0] += 1
      if nextTimeout == nil { nextTimeout = now + Self.reportInterval }
    } else if rejection.isByAcquisitionRule {
      leftOut.counts[rejection, default: 0] += 1
      leftOut.since = leftOut.since ?? now
    } else if rejection == .privateZone {
      leftOut.since = nil
    }
  }

  /// Registers that a fix was recorded.
  public mutating func kept() { leftOut.since = nil }

  /// Registers that other recording rules apply.
  public mutating func rulesChanged() { leftOut = LeftOut() }

  /// The rejections by rules since the last report, largest first, if they cause a long gap and the last report is an
  /// hour old; otherwise empty. Returned counts are reported.
  public mutating func reportLeftOut(now: Moment) -> [(Rejection, Int64)] {
    guard leftOut.isDue(now: now) else { return [] }
    defer { (leftOut.counts, leftOut.lastReport) = ([:], now) }
    return Self.ordered(leftOut.counts)
  }

  /// The unreported counts, largest first, when a recorded fix has ended the gap; empty if the last report is too
  /// recent.
  public mutating func gapEnded(now: Moment) -> [(Rejection, Int64)] {
    guard !unreported.isEmpty else { return [] }
    if let lastReport, now - lastReport < Self.shortestPause { return [] }
    return report(now: now)
  }

  /// The unreported counts, largest first; they are reported then.
  public mutating func report(now: Moment) -> [(Rejection, Int64)] {
    guard !unreported.isEmpty else { return [] }
    defer {
      unreported.removeAll(keepingCapacity: true)
      nextTimeout = nil
      lastReport = now
    }
    return Self.ordered(unreported)
  }

  private static func ordered(_ counts: [Rejection: Int64]) -> [(Rejection, Int64)] {
    counts.sorted { ($0.value, $1.key.rawValue) > ($1.value, $0.key.rawValue) }.map { ($0.key, $0.value) }
  }
}
