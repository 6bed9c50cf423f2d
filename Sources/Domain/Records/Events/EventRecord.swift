import Quantities

/// A record of something that happened to the device, with a kind and named values. Events explain gaps in the log.
public struct EventRecord: Equatable, Sendable {
  public var kind: EventKind
  /// The evidence: named values in the units that ``EventField`` names; empty for events of older versions.
  public var fields: EventFields
  /// The event in one sentence. Together with the fields it has at most ``longestDetail`` bytes of UTF-8.
  public var detail: String
  /// The number of the field that ``EventDefinition/value`` names; nil for kinds without one.
  public var value: Int64?

  /// Limit of sentence and fields in bytes of UTF-8, so that a row fits in one database page.
  public static let longestDetail = 800

  /// Creates a new event. Sentence and value are derived from the fields.
  public init(_ kind: EventKind, _ fields: EventFields = [:]) {
    let definition = kind.definition
    assert(
      fields.values.keys.allSatisfy(definition.fields.contains),
      "\(kind.rawValue) does not declare all of \(fields.values.keys.map(\.rawValue))")
    self.init(
      kind, detail: definition.sentence(EventEvidence(fields)),
      value: definition.value.flatMap { fields.number($0) },
      fields: fields)
  }

  /// Creates an event that was read from the log. `detail` is truncated at a character boundary.
  public init(_ kind: EventKind, detail: String, value: Int64? = nil, fields: EventFields = [:]) {
    self.kind = kind
    self.value = value
    self.fields = fields.shortened()
    let room = Self.longestDetail - (fields.isEmpty ? 0 : self.fields.json.utf8.count)
    self.detail = detail.cut(toBytes: room)
  }

  /// The line for the journal: the subject, then the sentence.
  public var line: String {
    let subject = kind.definition.subject
    return detail.hasPrefix(subject) ? detail : "\(subject): \(detail)"
  }
}
