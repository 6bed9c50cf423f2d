import Quantities

/// Something that happened to the device and that explains the log.
public struct EventRecord: Equatable, Sendable {
  public var kind: EventKind
  /// The evidence: named values in the units that ``EventField`` names; empty for events of older versions.
  public var fields: EventFields
  /// One sentence for a person; with the fields at most ``longestDetail`` bytes of UTF-8.
  public var detail: String
  /// The number of the field that ``EventKind/Entry/value`` names; nil for kinds without one.
  public var value: Int64?

  /// Bytes; keeps a row well within one database page.
  public static let longestDetail = 800

  /// An event of now: sentence and value are made from the fields.
  public init(_ kind: EventKind, _ fields: EventFields = [:]) {
    assert(
      fields.values.keys.allSatisfy(kind.entry.fields.contains),
      "\(kind.rawValue) does not declare all of \(fields.values.keys.map(\.rawValue))")
    self.init(
      kind, detail: EventSentence(fields).text(of: kind),
      value: kind.entry.value.flatMap { fields.number($0) },
      fields: fields)
  }

  /// An event as the log holds it. Cuts `detail` at a character that fits.
  public init(_ kind: EventKind, detail: String, value: Int64? = nil, fields: EventFields = [:]) {
    self.kind = kind
    self.value = value
    self.fields = fields.shortened()
    let room = Self.longestDetail - (fields.isEmpty ? 0 : self.fields.json.utf8.count)
    self.detail = detail.cut(toBytes: room)
  }

  /// One line for the journal: the subject, then the sentence.
  public var line: String {
    let subject = kind.subject
    return detail.hasPrefix(subject) ? detail : "\(subject): \(detail)"
  }
}
