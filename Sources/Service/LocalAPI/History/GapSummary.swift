import Database
import History
import Quantities
import Store

/// The last gaps of the last day of the log with their reasons, read in steps, for a server.
///
/// The day ends with the newest record, so the date need not be known. Gaps are those between the locations that servers
/// get: none begins or ends in a privacy zone.
public final class GapSummary {
  private static let period = Duration.seconds(86_400)
  private static let mostGaps = 10
  /// The longest reason in characters.
  private static let longestReason = 200

  private let reading: GapReading
  /// The newest gaps, oldest first; complete once ``next()`` returns false.
  public private(set) var gaps: [DeviceReport.Gap] = []

  /// Nil if the log cannot be read.
  public init?(of logger: any LoggerControls) {
    do {
      let end = try GapReading.end(of: LogReader(directory: logger.logDirectory))
      let period = HistoryPeriod(from: end.map { $0 + (.zero - GapSummary.period) }, to: nil)
      reading = try GapReading(period, isDisclosedOnly: true, of: logger)
    } catch { return nil }
  }

  /// Reads the next records; false at the end.
  public func next() throws(DatabaseError) -> Bool {
    try reading.next { _, _, found in
      for gap in found {
        // The server does not learn that there are privacy zones.
        let report = GapReport(gap, hasPrivacyZones: false)
        gaps.append(
          DeviceReport.Gap(
            from: report.from, to: report.to, reason: String(report.sentence.prefix(Self.longestReason))))
      }
      if gaps.count > Self.mostGaps { gaps.removeFirst(gaps.count - Self.mostGaps) }
    }
  }
}
