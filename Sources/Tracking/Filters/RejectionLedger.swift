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

  /// The longest time for which rejections stay out of the log.
  static let reportInterval = Duration.seconds(600)
  /// The shortest time between two reports, so that a fix that comes and goes does not fill the log.
  static let shortestPause = Duration.seconds(60)

  public init() {}

  /// Counts one.
  public mutating func count(_ rejection: Rejection, value: RejectedValue, now: Moment) {
    totals[rejection, default: Entry()].count += 1
    totals[rejection, default: Entry()].last = value
    if !rejection.isByRule {
      unreported[rejection, default: 0] += 1
      if nextTimeout == nil { nextTimeout = now + Self.reportInterval }
    }
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
    return unreported.sorted { ($0.value, $1.key.rawValue) > ($1.value, $0.key.rawValue) }
      .map { ($0.key, $0.value) }
  }
}
