import Quantities

/// Counts what was rejected, by reason, and says when a stretch of rejections belongs in the log.
public struct RejectionLedger: Equatable, Sendable {
  /// One reason's count, with the value that caused the last rejection.
  public struct Entry: Equatable, Sendable {
    public var count: Int64 = 0
    var last = RejectedValue.hidden
    /// With its unit; empty where it must not be told.
    public var lastValue: String { last.description }
  }

  /// Since the start of the program.
  public private(set) var totals: [Rejection: Entry] = [:]
  /// When the counts are due in the log; nil while nothing is unreported.
  public private(set) var nextTimeout: Moment?
  private var unreported: [Rejection: Int64] = [:]
  private var lastReport: Moment?
  private var leftOut = LeftOut()

  /// What rules of acquisition leave out.
  private struct LeftOut: Equatable {
    var counts: [Rejection: Int64] = [:]
    /// The first since the last fix that was kept.
    var since: Moment?
    var lastReport: Moment?

    func isDue(now: Moment) -> Bool {
      guard let since, now - since >= RejectionLedger.longPause else { return false }
      return lastReport.map { now - $0 >= RejectionLedger.ruleInterval } ?? true
    }
  }

  /// The longest time for which rejections stay out of the log.
  static let reportInterval = Duration.seconds(600)
  /// The shortest time between two reports, so that a fix that comes and goes does not fill the log.
  static let shortestPause = Duration.seconds(60)
  /// From what on a pause in the log wants a reason, though a rule makes it.
  static let longPause = Duration.seconds(120)
  /// The shortest time between two reports of what rules leave out: who asks for a fix each five minutes is not told so
  /// with each of them.
  static let ruleInterval = Duration.seconds(3600)

  public init() {}

  /// Counts one.
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

  /// A fix was kept.
  public mutating func kept() { leftOut.since = nil }

  /// Other rules count from now on.
  public mutating func rulesChanged() { leftOut = LeftOut() }

  /// What rules have left out since the last report, largest first, when they make a long pause and the last report is an
  /// hour old; empty else. They are reported then.
  public mutating func reportLeftOut(now: Moment) -> [(Rejection, Int64)] {
    guard leftOut.isDue(now: now) else { return [] }
    defer { (leftOut.counts, leftOut.lastReport) = ([:], now) }
    return Self.ordered(leftOut.counts)
  }

  /// The unreported counts, largest first, when a kept fix has ended the stretch; empty while the last report
  /// is too fresh.
  public mutating func stretchEnded(now: Moment) -> [(Rejection, Int64)] {
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
