import Foundation
import Settings
import Testing

/// The schema of the settings for programs.
@Suite struct SettingsSchemaTests {
  struct Row: Decodable {
    var key: String
    var group: String
    var sentence: String
    var kind: String
    var unit: String?
    var minimum: Double?
    var maximum: Double?
    var choices: [String]?
    var off: Bool?
    var applies: String
    var remote: Bool
    var secret: Bool
  }

  struct Schema: Decodable {
    var settings: [Row]
  }

  static func rows() throws -> [Row] {
    try JSONDecoder().decode(Schema.self, from: Data(SettingsReference.json.utf8)).settings
  }

  @Test func theSchemaHasTheKeysOfTheReferenceInItsOrder() throws {
    let headings = SettingsReference.markdown.split(separator: "\n").filter { $0.hasPrefix("### ") }
    let reference = headings.map { $0.dropFirst(4).replacingOccurrences(of: "[].", with: ".*.") }
    let rows = try Self.rows()
    // The page is ordered by group.
    #expect(rows.map(\.key).sorted() == reference.sorted())
    #expect(Set(rows.map(\.key)).count == rows.count, "a key occurs twice")
    #expect(rows.contains { $0.key == "destinations.*.url" })
  }

  struct Case: CustomTestStringConvertible {
    let key: String
    var group = ""
    let kind: String
    var unit: String?
    var minimum: Double?
    var maximum: Double?
    var choices: [String]?
    var off: Bool?
    var applies = "at_once"
    var remote = false
    var testDescription: String { key }
  }

  static let cases = [
    Case(key: "tracking", kind: "flag"),
    Case(
      key: "send_interval", kind: "duration", unit: "s", minimum: 1, maximum: 86_400, off: true, remote: true),
    Case(
      key: "storage.commit_interval", group: "storage", kind: "duration", unit: "s", minimum: 0, maximum: 600),
    Case(key: "storage.limit", group: "storage", kind: "size", unit: "B", minimum: 1_000_000),
    Case(key: "supply", kind: "choice", choices: ["mains", "battery", "vehicle"]),
    Case(key: "destinations", kind: "list"),
    Case(key: "destinations.*.token", group: "destinations", kind: "secret"),
    Case(key: "destinations.*.batch_size", group: "destinations", kind: "integer", minimum: 1, maximum: 1000),
    Case(key: "storage.directory", group: "storage", kind: "text", applies: "restart"),
    Case(key: "accelerometer", kind: "object", off: true, applies: "restart"),
  ]

  @Test(arguments: cases)
  func theFormOfAValueIsThatOfItsDeclaration(_ test: Case) throws {
    let row = try #require(try Self.rows().first { $0.key == test.key })
    #expect(row.group == test.group && row.kind == test.kind && row.unit == test.unit)
    #expect(row.minimum == test.minimum && row.maximum == test.maximum && row.off == test.off)
    #expect(row.choices.map(Set.init) == test.choices.map(Set.init))
    #expect(row.applies == test.applies && row.remote == test.remote)
    #expect(row.secret == (test.kind == "secret") && !row.sentence.isEmpty)
  }

  @Test func aDefaultIsAsInAFile() throws {
    let object = try JSONSerialization.jsonObject(with: Data(SettingsReference.json.utf8)) as? [String: Any]
    let rows = try #require(object?["settings"] as? [[String: Any]])
    func fallback(_ key: String) -> Any? { rows.first { $0["key"] as? String == key }?["default"] }
    #expect(fallback("storage.commit_interval") as? String == "10s")
    #expect(fallback("tracking") as? Bool == true)
    #expect(fallback("destinations") as? [String] == [])
    #expect(fallback("destinations.*.url") is NSNull)
  }
}
