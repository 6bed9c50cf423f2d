import Quantities

/// Samples of metrics, as text for Prometheus. Without clock and I/O.
public struct MetricsText: Equatable, Sendable {
  /// A text format.
  public enum Format: Sendable, CaseIterable {
    /// The text format 0.0.4 of Prometheus.
    case text
    /// OpenMetrics 1.0.
    case openMetrics

    /// The format that a client requests with the header `Accept`.
    public init(accept: String?) {
      let ranges = (accept ?? "").lowercased().split(separator: ",").map { range in
        range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
      }
      let isRequested = ranges.contains { parts in
        parts.first == "application/openmetrics-text"
          && !parts.contains { ["q=0", "q=0.0", "q=0.00", "q=0.000"].contains($0) }
      }
      self = isRequested ? .openMetrics : .text
    }

    public var contentType: String {
      switch self {
      case .text: "text/plain; version=0.0.4; charset=utf-8"
      case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
      }
    }
  }

  private struct Sample: Equatable {
    var labels: [String]
    var value: Double
  }

  private var samples: [Metric: [Sample]] = [:]
  /// The start of the counters; nil while the date is unknown.
  private let start: Timestamp?

  public init(start: Timestamp?) { self.start = start }

  /// Adds a sample with the values of the metric's labels. An unknown value, or one that is not finite, adds none.
  mutating func add(_ metric: Metric, _ value: Double?, _ labels: String...) {
    guard let value, value.isFinite, labels.count == metric.labels.count else { return }
    samples[metric, default: []].append(Sample(labels: labels, value: value))
  }

  mutating func add(_ metric: Metric, _ value: (some BinaryInteger)?, _ labels: String...) {
    guard let value, labels.count == metric.labels.count else { return }
    samples[metric, default: []].append(Sample(labels: labels, value: Double(value)))
  }

  /// Adds a sample for each value of the metric's only label: 1 for the present one, 0 for the others. None if the present
  /// one is unknown.
  mutating func add(_ metric: Metric, state: String?) {
    let names = metric.labels.first?.values ?? []
    guard let state, names.contains(state) else { return }
    for name in names { add(metric, name == state ? 1 : 0, name) }
  }

  /// The text in a format.
  public func rendered(_ format: Format) -> [UInt8] {
    var text = ""
    for metric in Metric.allCases {
      guard let samples = samples[metric], !samples.isEmpty else { continue }
      let isOpen = format == .openMetrics
      let name = isOpen ? metric.family : metric.rawValue
      let form = metric.form == .info && !isOpen ? Metric.Form.gauge : metric.form
      text += "# HELP \(name) \(Self.escaped(metric.help, quotes: isOpen))\n# TYPE \(name) \(form.rawValue)\n"
      if isOpen, let unit = metric.unit { text += "# UNIT \(name) \(unit)\n" }
      for sample in samples {
        let labels = Self.labels(metric, sample.labels)
        text += "\(metric.rawValue)\(labels) \(Self.number(sample.value))\n"
        if isOpen, metric.form == .counter, !metric.isSaved, let start {
          text += "\(metric.family)_created\(labels) \(Self.number(start.secondsSince1970))\n"
        }
      }
    }
    if format == .openMetrics { text += "# EOF\n" }
    return Array(text.utf8)
  }

  private static func labels(_ metric: Metric, _ values: [String]) -> String {
    guard !values.isEmpty else { return "" }
    let pairs = zip(metric.labels, values).map { label, value in
      "\(label.name)=\"\(escaped(value, quotes: true))\""
    }
    return "{\(pairs.joined(separator: ","))}"
  }

  /// Escapes backslashes and line breaks, and double quotes where the format requires it.
  private static func escaped(_ text: String, quotes: Bool) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\n": escaped += "\\n"
      case "\"": escaped += quotes ? "\\\"" : "\""
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// A number without exponent if it is whole.
  static func number(_ value: Double) -> String {
    if let whole = Int64(exactly: value) { return "\(whole)" }
    return "\(value)"
  }
}

extension Timestamp {
  var secondsSince1970: Double { Double(milliseconds) / 1000 }
}
