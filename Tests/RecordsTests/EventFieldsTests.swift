import Foundation
import Records
import Testing

@Suite struct EventFieldsTests {
  static let all: EventFields = [
    .count: 7, .percent: .decimal(81.5), .isManual: true, .zone: "the \"yard\"\n",
    .changes: .list(["a", "b"]),
    .rejections: .counts(["no_fix": 40, "accuracy": 1]), .lastValues: .texts(["accuracy": "80 m"]),
  ]

  @Test func fieldsAreEncodedAsOneJSONObjectInAlphabeticalOrder() {
    #expect(
      Self.all.json
        == #"{"changes":["a","b"],"count":7,"last_values":{"accuracy":"80 m"},"manual":true,"percent":81.5,"#
        + #""rejections":{"accuracy":1,"no_fix":40},"zone":"the \"yard\"\n"}"#)
  }

  @Test func theJSONOfFieldsDecodesToTheSameFields() throws {
    let decoded = try JSONDecoder().decode(EventFields.self, from: Data(Self.all.json.utf8))
    #expect(decoded == Self.all)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    #expect(String(decoding: try encoder.encode(Self.all), as: UTF8.self) == Self.all.json)
  }

  @Test func anUnknownFieldIsIgnored() throws {
    let text = #"{"count":7,"colour":"red"}"#
    #expect(try JSONDecoder().decode(EventFields.self, from: Data(text.utf8)) == [.count: 7])
  }

  @Test(arguments: [#"{"count":null}"#, #"{"count":{"a":[1]}}"#, "[]", "7"])
  func invalidFieldsAreRejected(text: String) {
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(EventFields.self, from: Data(text.utf8)) }
  }

  @Test func aFieldWithoutValueIsAbsent() {
    let percent: EventValue? = nil
    #expect(EventFields(dictionaryLiteral: (.percent, percent), (.count, 7)) == [.count: 7])
    #expect(EventValue.whole(.infinity) == nil && EventValue.thousandths(.nan) == nil)
  }

  /// The sentence is worded before fields are shortened, and is truncated to leave room for them.
  @Test(arguments: [0, 10, 200, 400, 900, 5000]) func sentenceAndFieldsFitInOneRow(length: Int) {
    let text = String(repeating: "ü", count: length / 2)
    let event = EventRecord(
      .receiverLost, [.port: .text("/dev/" + text), .reason: .text(text), .cause: "busy"])
    let bytes = event.fields.json.utf8.count
    #expect(bytes <= EventFields.longest && event.detail.utf8.count + bytes <= EventRecord.longestDetail)
    #expect(event.fields.text(.cause) == "busy")
    #expect(length < 200 || event.detail.utf8.count > 300, "the sentence contains the full texts")
  }

  @Test func manyReasonsOfRejectionFit() {
    let counts = Dictionary(uniqueKeysWithValues: (0..<60).map { ("reason_number_\($0)", Int64($0)) })
    let event = EventRecord(.fixesRejected, [.count: 1770, .rejections: .counts(counts)])
    #expect(event.fields.json.utf8.count <= EventFields.longest)
    #expect(event.value == 1770 && event.fields.number(.count) == 1770)
  }
}
