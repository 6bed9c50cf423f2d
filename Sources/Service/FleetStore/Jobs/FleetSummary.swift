import PostgreSQL
import Quantities

/// The whole fleet in numbers, counted once a minute by the collector that does the jobs.
public struct FleetSummary: Equatable, Sendable {
  /// A number with its labels.
  public struct Sample: Equatable, Sendable {
    public var labels: [(name: String, value: String)]
    public var value: Double

    public static func == (a: Sample, b: Sample) -> Bool {
      a.value == b.value && a.labels.elementsEqual(b.labels, by: ==)
    }
  }

  /// Samples by metric, without the common prefix.
  public private(set) var metrics: [(name: String, help: String, samples: [Sample])]

  public static func == (a: FleetSummary, b: FleetSummary) -> Bool {
    a.metrics.elementsEqual(b.metrics) { $0.name == $1.name && $0.samples == $1.samples }
  }

  private static let queries: [(name: String, help: String, labels: [String], sql: String)] = [
    (
      "devices", "Devices by state and cohort.", ["state", "cohort"],
      "SELECT state, cohort, count(*)::float8 FROM fleet.device GROUP BY 1, 2 ORDER BY 1, 2"
    ),
    (
      "devices_by_version", "Devices by the version of the logger.", ["version"],
      "SELECT version, sum(devices)::float8 FROM fleet.version_count WHERE version IS NOT NULL GROUP BY 1 ORDER BY 1"
    ),
    (
      "battery_remaining_seconds", "Forecast of the time after which a share of the devices is empty.",
      ["cohort", "share"],
      """
      SELECT cohort, q::text, percentile_cont(q) WITHIN GROUP (ORDER BY greatest(
        extract(epoch FROM empty_time - now()), 0)::float8)
      FROM fleet.battery_forecast CROSS JOIN (VALUES (0.01::float8), (0.1), (0.5)) AS v (q) GROUP BY 1, q ORDER BY 1, q
      """
    ),
    (
      "queued_records", "Records that devices have not sent yet, by cohort.", ["cohort"],
      "SELECT cohort, sum(queued_records)::float8 FROM fleet.backlog GROUP BY 1 ORDER BY 1"
    ),
    (
      "settings", "Settings of devices by outcome.", ["outcome"],
      "SELECT outcome, count(*)::float8 FROM outrider.setting_outcome GROUP BY 1 ORDER BY 1"
    ),
  ]

  static var commands: [PostgresCommand] { queries.map { PostgresCommand($0.sql) } }

  /// Reads the results of ``commands``.
  init(_ results: [QueryResult]) {
    metrics = zip(Self.queries, results).map { query, rows in
      let samples = (0..<rows.rowCount).compactMap { row -> Sample? in
        guard let value = rows.real(row, query.labels.count) else { return nil }
        let labels = query.labels.enumerated().map {
          (name: $0.element, value: rows.text(row, $0.offset) ?? "")
        }
        return Sample(labels: labels, value: value)
      }
      return (query.name, query.help, samples)
    }
  }

  /// The metrics in the text format of Prometheus ("Exposition formats" in its documentation).
  public var text: String {
    var text = ""
    for metric in metrics where !metric.samples.isEmpty {
      let name = "outrider_fleet_\(metric.name)"
      text += "# HELP \(name) \(metric.help)\n# TYPE \(name) gauge\n"
      for sample in metric.samples {
        let labels = sample.labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
        text += "\(name){\(labels)} \(sample.value)\n"
      }
    }
    return text
  }

  private static func escaped(_ value: String) -> String {
    value.reduce(into: "") { text, character in
      switch character {
      case "\\": text += "\\\\"
      case "\"": text += "\\\""
      case "\n": text += "\\n"
      default: text.append(character)
      }
    }
  }
}
