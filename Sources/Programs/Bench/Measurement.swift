/// One row of the table of results.
struct Measurement: Encodable {
  var name: String
  /// The measured value; nil if the measurement failed. `note` has the reason.
  var measured: Double?
  var unit: String
  /// The value of the reference, in the same unit.
  var reference: Double?
  /// The target for the ratio, or for the measured value if there is no reference.
  var wanted: String?
  var note: String?

  /// The measured value divided by the reference.
  var ratio: Double? {
    guard let measured, let reference, reference > 0 else { return nil }
    return measured / reference
  }

  init(
    _ name: String, _ measured: Double?, unit: String, reference: Double? = nil, wanted: String? = nil,
    note: String? = nil
  ) {
    self.name = name
    self.measured = measured
    self.unit = unit
    self.reference = reference
    self.wanted = wanted
    self.note = note
  }

  private enum CodingKeys: CodingKey {
    case name, measured, unit, reference, ratio, wanted, note
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encodeIfPresent(measured, forKey: .measured)
    try container.encode(unit, forKey: .unit)
    try container.encodeIfPresent(reference, forKey: .reference)
    try container.encodeIfPresent(ratio, forKey: .ratio)
    try container.encodeIfPresent(wanted, forKey: .wanted)
    try container.encodeIfPresent(note, forKey: .note)
  }

  /// The results as a table, with notes below it.
  static func table(_ rows: [Measurement]) -> String {
    let head = ["name", "measured", "reference", "ratio", "target"]
    let cells = rows.map { row in
      [
        row.name, row.measured.map { "\(shown($0)) \(row.unit)" } ?? "-", row.reference.map(shown) ?? "-",
        row.ratio.map(shown) ?? "-", row.wanted ?? "-",
      ]
    }
    let widths = head.indices.map { column in ([head] + cells).map { $0[column].count }.max() ?? 0 }
    let lines = ([head] + cells).map { line in
      zip(line, widths).enumerated().map { column, cell in
        let blanks = String(repeating: " ", count: cell.1 - cell.0.count)
        return column == 0 ? cell.0 + blanks : blanks + cell.0
      }.joined(separator: "  ")
    }
    let notes = rows.compactMap { row in row.note.map { "\(row.name): \($0)" } }
    return (lines + (notes.isEmpty ? [] : [""]) + notes).joined(separator: "\n")
  }

  /// Formats a value with three significant digits.
  private static func shown(_ value: Double) -> String {
    guard value.magnitude < 100 else { return "\(Int(clamping: Int64(value.rounded())))" }
    let scale: Double = value.magnitude < 10 ? 100 : 10
    return "\((value * scale).rounded() / scale)"
  }
}
