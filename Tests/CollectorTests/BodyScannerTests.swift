import Foundation
import Quantities
import Testing

@testable import Collector

@Suite struct BodyScannerTests {
  struct Body: Sendable, CustomTestStringConvertible {
    let text: String, features: [String]
    var testDescription: String { text }
  }

  static let taken = [
    Body(text: #"{"locations":[]}"#, features: []),
    Body(text: #" { "locations" : [ { "a" : 1 } , {} ] } "#, features: [#"{ "a" : 1 }"#, "{}"]),
    Body(text: #"{"locations":[{"a":"]}\"{["}],"trip":{"locations":[{}]}}"#, features: [#"{"a":"]}\"{["}"#]),
    Body(text: #"{"type":"FeatureCollection","features":[{"é":"\u00e9"}]}"#, features: [#"{"é":"\u00e9"}"#]),
    Body(
      text: #"{"current":{"locations":[1]},"locations":[{"n":-0.5e+3,"l":[true,false,null]}]}"#,
      features: [#"{"n":-0.5e+3,"l":[true,false,null]}"#]),
    Body(text: #"{"locations":[{},5,null]}"#, features: ["{}", "5", "null"]),
    Body(text: #"{"features":[{"a":1}],"locations":[{"b":2}]}"#, features: [#"{"a":1}"#, #"{"b":2}"#]),
  ]

  @Test(arguments: taken)
  func everyFeatureKeepsItsExactBytes(_ body: Body) throws {
    let bytes = Array(body.text.utf8)
    let features = try BodyScanner.features(in: bytes).map { String(decoding: bytes[$0], as: UTF8.self) }
    #expect(features == body.features)
  }

  struct Bad: Sendable, CustomTestStringConvertible {
    let text: String, error: BodyError
    var testDescription: String { text }
  }

  static let refused = [
    Bad(text: "", error: .notJSON(expected: "a value", offset: 0)),
    Bad(text: "hello", error: .notJSON(expected: "a value", offset: 0)),
    Bad(text: "[]", error: .noList),
    Bad(text: "{}", error: .noList),
    Bad(text: "null", error: .noList),
    Bad(text: #"{"location":[{}]}"#, error: .noList),
    Bad(text: #"{"locations":{}}"#, error: .notAList(key: "locations")),
    Bad(text: #"{"features":null}"#, error: .notAList(key: "features")),
    Bad(text: #"{"locations":[{}"#, error: .notJSON(expected: "',' or ']'", offset: 16)),
    Bad(text: #"{"locations":[{},]}"#, error: .notJSON(expected: "a value", offset: 17)),
    Bad(text: #"{"locations":[]}x"#, error: .notJSON(expected: "the end of the text", offset: 16)),
    Bad(text: #"{"locations":[{"a":01}]}"#, error: .notJSON(expected: "',' or '}'", offset: 20)),
    Bad(text: #"{"locations":[{"a":1.}]}"#, error: .notJSON(expected: "a digit", offset: 21)),
    Bad(text: #"{"locations":[{"a":tru}]}"#, error: .notJSON(expected: "'true'", offset: 19)),
    Bad(
      text: #"{"locations":[{"a":"\x"}]}"#, error: .notJSON(expected: "a valid escape sequence", offset: 21)
    ),
    Bad(
      text: #"{"locations":[{"a":"\u12"}]}"#, error: .notJSON(expected: "four hexadecimal digits", offset: 24)
    ),
    Bad(
      text: "{\"locations\":[{\"a\":\"\n\"}]}",
      error: .notJSON(expected: "an escaped control character", offset: 20)),
    Bad(text: #"{"locations":[{"a"#, error: .notJSON(expected: "the end of a string", offset: 17)),
    Bad(text: #"{'locations':[]}"#, error: .notJSON(expected: "a key", offset: 1)),
    Bad(text: #"{"locations":[{]}"#, error: .notJSON(expected: "a key", offset: 15)),
  ]

  @Test(arguments: refused)
  func aRejectedBodyIsReportedWithTheExpectedText(_ bad: Bad) {
    #expect(throws: bad.error) { try BodyScanner.features(in: Array(bad.text.utf8)) }
  }

  @Test func deepNestingIsRejectedAndDoesNotExhaustTheStack() {
    let deep = #"{"locations":[{"a":"# + String(repeating: "[", count: 1_000_000)
    #expect(throws: BodyError.tooDeep(limit: 64, offset: 80)) {
      try BodyScanner.features(in: Array(deep.utf8))
    }
  }

  @Test func bytesThatAreNotUTF8AreRejected() {
    let bytes = Array(#"{"locations":[{"a":""#.utf8) + [0xC3, 0x28] + Array(#""}]}"#.utf8)
    #expect(throws: BodyError.notText(offset: 20)) { try BodyScanner.features(in: bytes) }
  }

  @Test func tooManyFeaturesAreRejected() {
    let body = #"{"locations":["# + Array(repeating: "{}", count: 100_001).joined(separator: ",") + "]}"
    #expect(throws: BodyError.tooManyFeatures(limit: 100_000)) {
      try BodyScanner.features(in: Array(body.utf8))
    }
  }

  /// Truncated and changed bodies are accepted or rejected as by Foundation's parser.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func agreesWithFoundationOnDamagedBodies(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let good = Array(
      #"{"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[-1.5e2,0]},"p":[true,null]}]}"#
        .utf8)
    var (accepted, rejected) = (0, 0)
    for _ in 0..<200 {
      var body = good
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let index = Int.random(in: 0..<body.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: body.remove(at: index)
        case 1: body[index] = Array("{}[]\",:0-1.eE+ntf\\u ".utf8).randomElement(using: &random) ?? 0
        default: body.removeSubrange(index...)
        }
        guard !body.isEmpty else { break }
      }
      // Foundation accepts a comma before a bracket, RFC 8259 does not.
      guard !String(decoding: body, as: UTF8.self).contains(",]") else { continue }
      let isJSON = (try? JSONSerialization.jsonObject(with: Data(body), options: .fragmentsAllowed)) != nil
      do {
        _ = try BodyScanner.features(in: body)
        accepted += 1
        #expect(isJSON, "accepted: \(String(decoding: body, as: UTF8.self))")
      } catch {
        guard case .notJSON = error else { continue }
        rejected += 1
        #expect(!isJSON, "\(error): \(String(decoding: body, as: UTF8.self))")
      }
    }
    #expect(accepted > 0 && rejected > 0)
  }
}
