import Quantities

/// The fields of an event as pieces of its sentence.
struct EventEvidence {
  let fields: EventFields

  init(_ fields: EventFields) { self.fields = fields }

  func has(_ field: EventField) -> Bool { fields[field] != nil }
  /// True if the field is present and true.
  func isSet(_ field: EventField) -> Bool { fields.has(field) }
  /// The text of a field; empty if it is absent.
  func text(_ field: EventField) -> String { fields.text(field) ?? "" }
  /// A word of a closed list, with spaces instead of underscores.
  func word(_ field: EventField) -> String {
    text(field).split(separator: "_").joined(separator: " ")
  }
  /// The list of a field; empty if it is absent.
  func list(_ field: EventField) -> [String] { fields.list(field) }
  /// The number of a field; 0 if it is absent.
  func number(_ field: EventField) -> Int64 { fields.number(field) ?? 0 }
  /// A duration with one unit, rounded down from ten minutes on; the field has the exact seconds.
  func duration(_ field: EventField) -> String {
    let seconds = number(field)
    let steps: [(unit: String, length: Int64, from: Int64)] = [
      ("d", 86_400, 172_800), ("h", 3600, 7200), ("min", 60, 600),
    ]
    for step in steps where seconds >= step.from || (seconds >= 120 && seconds % step.length == 0) {
      return "\(seconds / step.length) \(step.unit)"
    }
    return "\(seconds) s"
  }

  /// The number of a field with a noun, such as `1 record` or `2 records`.
  func counted(_ field: EventField, _ noun: String) -> String { counted(field, noun, "\(noun)s") }

  func counted(_ field: EventField, _ noun: String, _ plural: String) -> String {
    number(field) == 1 ? "1 \(noun)" : "\(number(field)) \(plural)"
  }

  /// The number of a field in multiples of `unit`, rounded to 1 / `digits`; 0 if the field is absent.
  func decimal(_ field: EventField, per unit: Double = 1, digits: Double = 100) -> String {
    let value: Double =
      switch fields[field] {
      case .integer(let number)?: Double(number)
      case .decimal(let number)?: number
      case .flag?, .text?, .list?, .counts?, .texts?, nil: 0
      }
    let rounded = (value / unit * digits).rounded() / digits
    return Int64(exactly: rounded).map(String.init) ?? "\(rounded)"
  }

  /// The voltage in V.
  var volts: String { "\(decimal(.voltage, per: 1000)) V" }

  /// The sentence with the part or place that it is about, unless it begins with it.
  func at(_ place: String, _ sentence: String) -> String {
    place.isEmpty || sentence.hasPrefix("\(place): ") ? sentence : "\(place): \(sentence)"
  }

  /// The return of a part.
  var returned: String {
    has(.duration) ? "responds again after \(duration(.duration))" : "readings again"
  }
}
