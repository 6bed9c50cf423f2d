import Inspection
import LocalAPI
import Medium
import Quantities
import Records
import Store
import System

/// Counts what is written to the storage medium, and how long the medium lasts.
///
/// It has the counts of an hour, because the store reports them after each run of retention.
struct MediumMeter {
  private var history = WriteHistory()
  /// The counts of this process at the last report.
  private var counted = WrittenBytes()
  private var report = MediumReport()
  /// The bytes that this process has written; nil before the first report. They never decrease, although the causes are not
  /// counted at the same instant.
  private(set) var written: WrittenBytes?

  /// Continues the history of the previous run; a damaged text is ignored.
  mutating func restore(_ text: String) {
    if let stored = WriteHistory(text) { history = stored }
  }

  /// Adds the writes of the process and of the file system. Returns the event of a level of wear that was reached.
  ///
  /// Without a date nothing is added; the next call adds it.
  mutating func take(
    _ store: StoreWriting, process: Int64?, _ report: MediumReport, endurance: Int64?, at time: Timestamp?
  ) -> EventRecord? {
    self.report = report
    let log = max((store.total ?? 0) - store.files, 0)
    let other = process.map { max($0 - log - store.files, 0) } ?? 0
    let now = WrittenBytes(log: log, files: store.files, other: other)
    let before = written ?? WrittenBytes()
    written = WrittenBytes(
      log: max(before.log, now.log), files: max(before.files, now.files), other: max(before.other, now.other))
    guard let time else { return nil }
    history.add(now.since(counted), lifetimeBytes: report.lifetimeBytes, at: time)
    counted = now
    let life = MediumLife(report, rate: history.rate(at: time), endurance: endurance)
    guard let level = history.levelToReport(life), let origin = life.origin else { return nil }
    var event = EventRecord(
      .storageWearing, [.percent: .integer(Int64(level)), .cause: .text(origin.rawValue)])
    if let disk = report.disk { event.fields[.device] = .text(disk) }
    return event
  }

  /// The history for the next run.
  var text: String { history.text }

  /// The status; nil while nothing is known.
  func status(endurance: Int64?, at time: Timestamp?) -> StatusReport.Storage? {
    let rate = time.flatMap { history.rate(at: $0) }
    let life = MediumLife(report, rate: rate, endurance: endurance)
    var status = StatusReport.Storage()
    status.disk = report.disk
    status.written_bytes_day = rate.map { rate in
      [
        "log": Int(clamping: rate.own.log), "files": Int(clamping: rate.own.files),
        "other": Int(clamping: rate.own.other),
      ]
    }
    status.medium_bytes_day = rate?.medium.map { Int(clamping: $0) }
    status.medium_bytes_lifetime = report.lifetimeBytes.map { Int(clamping: $0) }
    status.own_percent = life.ownPercent
    status.used_percent = life.usedPercent
    status.used_by = life.origin?.rawValue
    status.days_left = life.daysLeft
    return status == StatusReport.Storage() ? nil : status
  }
}
