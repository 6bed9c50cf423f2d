import FleetRecords
import Quantities

/// The counters of an ingest server, in the text format of Prometheus. They have no label per device.
struct IngestMetrics {
  /// Observations in buckets.
  struct Histogram {
    private let bounds: [Double]
    private var counts: [Int]
    private var sum = 0.0

    init(bounds: [Double]) {
      self.bounds = bounds
      counts = [Int](repeating: 0, count: bounds.count + 1)
    }

    mutating func observe(_ value: Double) {
      counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
      sum += value
    }

    func append(_ name: String, to text: inout String) {
      text += "# TYPE \(name) histogram\n"
      var total = 0
      for (bound, count) in zip(bounds, counts) {
        total += count
        text += "\(name)_bucket{le=\"\(bound)\"} \(total)\n"
      }
      total += counts.last ?? 0
      text += "\(name)_bucket{le=\"+Inf\"} \(total)\n\(name)_sum \(sum)\n\(name)_count \(total)\n"
    }
  }

  private static let prefix = "outrider_collector_"

  private var stored = 0
  private var duplicates = 0
  private var expired = 0
  private var rejected = 0
  private var batches: [Int: Int] = [:]
  private var commits = Histogram(
    bounds: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10])

  /// Counts the answer to a delivery.
  mutating func count(status: Int) { batches[status, default: 0] += 1 }

  mutating func count(_ receipt: Receipt) {
    stored += receipt.saved
    duplicates += receipt.known
    expired += receipt.expired
  }

  mutating func countRejected(_ rows: Int) { rejected += rows }

  /// Notes the time from the arrival of an upload to the end of its transaction.
  mutating func observeCommit(_ time: Duration) { commits.observe(time / .seconds(1)) }

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
    commits.append("\(Self.prefix)commit_seconds", to: &text)
    text += "# TYPE \(Self.prefix)pending_bytes gauge\n\(Self.prefix)pending_bytes \(pendingBytes)\n"
    text += "# TYPE \(Self.prefix)database_up gauge\n\(Self.prefix)database_up \(isDatabaseUp ? 1 : 0)\n"
    return text + further
  }
}
