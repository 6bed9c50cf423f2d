import FleetRecords
import FleetStore
import Quantities
import UploadReader

/// The counters of an ingest server, in the text format of Prometheus. They have no label per device.
struct IngestMetrics {
  fileprivate static let prefix = "outrider_collector_"

  private var stored = 0
  private var duplicates = 0
  private var expired = 0
  private var rejected = 0
  private var dropped: [Drop: Int] = [:]
  private var batches: [Int: Int] = [:]
  private var answers = FleetStoreCounts.Histogram(
    limits: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10])

  /// The reason why a message of OwnTracks or an element of an Overland body is not stored.
  enum Drop: String, CaseIterable {
    case encrypted
    case noTime = "no_time"
    case noPosition = "no_position"
    case notALocation = "not_a_location"
    case notAFeature = "not_a_feature"
    case invalid

    init(_ drop: UploadDrop) {
      switch drop {
      case .noTime: self = .noTime
      case .noPosition: self = .noPosition
      case .notAFeature: self = .notAFeature
      case .invalid: self = .invalid
      }
    }

    /// The reason that a fault of a message stands for; nil for any other fault.
    init?(_ error: UploadError) {
      switch error {
      case .encrypted: self = .encrypted
      case .invalid("tst", .missing, _, _), .invalid("tst", .outOfRange, _, _): self = .noTime
      case .invalid("lat", .missing, _, _), .invalid("lat", .outOfRange, _, _),
        .invalid("lon", .missing, _, _), .invalid("lon", .outOfRange, _, _):
        self = .noPosition
      case .invalid, .notJSON, .tooDeep, .noList, .tooManyRows, .tooMuchExtra: return nil
      }
    }
  }

  mutating func countDropped(_ drop: Drop, _ count: Int = 1) { dropped[drop, default: 0] += count }

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
    var text = Self.head(.records)
    let results = [
      ("stored", stored), ("duplicate", duplicates), ("expired", expired), ("rejected", rejected),
    ]
    for (result, count) in results { text += Self.sample(.records, "result", result, count) }
    text += Self.head(.batches)
    for (code, count) in batches.sorted(by: { $0.key < $1.key }) {
      text += Self.sample(.batches, "code", "\(code)", count)
    }
    if !dropped.isEmpty {
      text += Self.head(.dropped)
      for drop in Drop.allCases { text += Self.sample(.dropped, "reason", drop.rawValue, dropped[drop] ?? 0) }
    }
    text += Self.text(.answerSeconds, answers)
    text += Self.text(.pendingBytes, pendingBytes) + Self.text(.databaseUp, isDatabaseUp ? 1 : 0)
    return text + further
  }

  /// The metrics of the store on PostgreSQL.
  static func text(of counts: FleetStoreCounts) -> String {
    var text = self.text(.commitSeconds, counts.commitSeconds) + self.text(.groupRows, counts.groupRows)
    text += head(.groups)
    for (result, count) in [("committed", counts.groups), ("failed", counts.failedGroups)] {
      text += sample(.groups, "result", result, count)
    }
    text += head(.enrolments)
    for (result, count) in [("enrolled", counts.enrolled), ("limited", counts.enrolmentsLimited)] {
      text += sample(.enrolments, "result", result, count)
    }
    return text + self.text(.unavailable, counts.unavailable) + self.text(.connections, counts.connections)
  }

  private enum Metric: String {
    case records = "records_total"
    case batches = "batches_total"
    case dropped = "dropped_total"
    case answerSeconds = "answer_seconds"
    case pendingBytes = "pending_bytes"
    case databaseUp = "database_up"
    case commitSeconds = "commit_seconds"
    case groupRows = "group_rows"
    case groups = "groups_total"
    case enrolments = "enrolments_total"
    case unavailable = "unavailable_total"
    case connections = "connections"

    var name: String { IngestMetrics.prefix + rawValue }

    var type: String {
      switch self {
      case .records, .batches, .dropped, .groups, .enrolments, .unavailable: "counter"
      case .answerSeconds, .commitSeconds, .groupRows: "histogram"
      case .pendingBytes, .databaseUp, .connections: "gauge"
      }
    }

    var help: String {
      switch self {
      case .records: "Records that devices sent, by what became of them."
      case .batches: "Responses to batches, by HTTP status."
      case .dropped:
        "Messages of OwnTracks and Overland locations that are confirmed and not stored, by reason."
      case .answerSeconds: "Time from the arrival of a batch to the end of its transaction."
      case .pendingBytes: "Data of batches that are not committed yet."
      case .databaseUp: "1 if the database accepts writes, otherwise 0."
      case .commitSeconds: "Time from sending a group of batches to its commit."
      case .groupRows: "Rows of a committed group of batches."
      case .groups: "Groups of batches, by the end of their transaction."
      case .enrolments: "Devices that an enrolment token has made, and those that it must not make yet."
      case .unavailable: "Batches that were not stored because of the database."
      case .connections: "Open connections that commit batches."
      }
    }
  }

  private static func head(_ metric: Metric) -> String {
    "# HELP \(metric.name) \(metric.help)\n# TYPE \(metric.name) \(metric.type)\n"
  }

  private static func sample(_ metric: Metric, _ label: String, _ value: String, _ count: Int) -> String {
    "\(metric.name){\(label)=\"\(value)\"} \(count)\n"
  }

  private static func text(_ metric: Metric, _ value: Int) -> String {
    head(metric) + "\(metric.name) \(value)\n"
  }

  private static func text(_ metric: Metric, _ histogram: FleetStoreCounts.Histogram) -> String {
    let name = metric.name
    var text = head(metric)
    for (limit, count) in zip(histogram.limits, histogram.counts) {
      text += "\(name)_bucket{le=\"\(limit)\"} \(count)\n"
    }
    return text + "\(name)_bucket{le=\"+Inf\"} \(histogram.count)\n\(name)_sum \(histogram.sum)\n"
      + "\(name)_count \(histogram.count)\n"
  }
}
