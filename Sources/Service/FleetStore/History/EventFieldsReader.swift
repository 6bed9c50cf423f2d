import JSON
import Records

/// Reads the named values of an event from the JSON of its column.
enum EventFieldsReader {
  private static let limits = CheckedJSON.Limits(depth: 3, values: 100)

  /// The fields; empty if they cannot be parsed, because the sentence of the event has the same content.
  static func fields(_ text: String) -> EventFields {
    guard let json = try? CheckedJSON(text.utf8, limits: limits) else { return [:] }
    return (try? json.decode(EventFields.self)) ?? [:]
  }
}
