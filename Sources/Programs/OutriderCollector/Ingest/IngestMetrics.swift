import FleetRecords
import FleetStore
import Quantities

/// The counters of an ingest server, in the text format of Prometheus. They have no label per device.
struct IngestMetrics {
  private static let prefix = "outrider_collector_"

  private var stored = 0
  private var duplicates = 0
  private var expired = 0
  private var rejected = 0
  private var batches: [Int: Int] = [:]
  private var answers = FleetStoreCounts.Histogram(
    limits: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10])

  /// Counts the answer to a delivery.
  mutating func count(status: Int) { batches[status, default: 0] += 1 }

  mutating func count(_ receipt: Receipt) {
    stored += receipt.saved
    duplicates += receipt.known
    expired += receipt.expired
  }

  mutating func countRejected(_ rows: Int) { rejected += rows }

  /// Notes the time from the arrival of an upload to the end of its transaction.
  mutating func observeAnswer(_ time: Duration) { answers.add(time / .seconds(1)) }

  /// The text; `further` has the metrics of the store.
  func text(pendingBytes: Int, isDatabaseUp: Bool, further: String = "") -> String {
    var text = "# TYPE \(Self.prefix)records_total counter\n"
    let results = [
      ("stored", stored), ("duplicate", duplicates), ("expired", expired), ("rejected", rejected),
    ]
    for (result, count) in results { text += "\(Self.prefix)records_total{result=\"\(result)\"} \(count)\n" }
    text += "# TYPE \(Self.prefix)batches_total counter\n"
    for (code, count) in batches.sorted(by: { $0.key < $1.key }) {
      text += "\(Self.prefix)batches_total{code=\"\(code)\"} \(count)\n"
    }
    text += Self.text("answer_seconds", answers)
    text += "# TYPE \(Self.prefix)pending_bytes gauge\n\(Self.prefix)pending_bytes \(pendingBytes)\n"
    text += "# TYPE \(Self.prefix)database_up gauge\n\(Self.prefix)database_up \(isDatabaseUp ? 1 : 0)\n"
    return text + further
  }

  /// The metrics of the store on PostgreSQL.
  static func text(of counts: FleetStoreCounts) -> String {
    var text = self.text("commit_seconds", counts.commitSeconds) + self.text("group_rows", counts.groupRows)
    let groups = [("committed", counts.groups), ("failed", counts.failedGroups)]
    text += "# TYPE \(prefix)groups_total counter\n"
    for (result, count) in groups { text += "\(prefix)groups_total{result=\"\(result)\"} \(count)\n" }
    text += "# TYPE \(prefix)enrolments_total counter\n"
    let enrolments = [("enrolled", counts.enrolled), ("limited", counts.enrolmentsLimited)]
    for (result, count) in enrolments { text += "\(prefix)enrolments_total{result=\"\(result)\"} \(count)\n" }
    text += "# TYPE \(prefix)unavailable_total counter\n\(prefix)unavailable_total \(counts.unavailable)\n"
    text += "# TYPE \(prefix)connections gauge\n\(prefix)connections \(counts.connections)\n"
    return text
  }

  private static func text(_ name: String, _ histogram: FleetStoreCounts.Histogram) -> String {
    let name = prefix + name
    var text = "# TYPE \(name) histogram\n"
    for (limit, count) in zip(histogram.limits, histogram.counts) {
      text += "\(name)_bucket{le=\"\(limit)\"} \(count)\n"
    }
    return text + "\(name)_bucket{le=\"+Inf\"} \(histogram.count)\n\(name)_sum \(histogram.sum)\n"
      + "\(name)_count \(histogram.count)\n"
  }
}
