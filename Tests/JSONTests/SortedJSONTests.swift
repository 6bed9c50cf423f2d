import Foundation
import JSON
import Testing

/// The text equals that of Foundation's encoder, byte for byte.
@Suite struct SortedJSONTests {
  private struct Everything: Encodable {
    enum Word: String, Encodable { case one, two }
    enum CodingKeys: String, CodingKey {
      case zulu, alpha, nothing, number, large, small, negative, byte, half, word, words, inner, list,
        empties, table
      case under_score, underline, Upper, text
    }
    struct Inner: Encodable {
      var zone: String
      var area: [Double]
      var absent: Int?
      var deeper: [Inner]
    }
    struct Empty: Encodable {}

    var zulu = true
    var alpha = false
    var nothing: String?
    var number = 42
    var large = UInt64.max
    var small = Int64.min
    var negative = Int8.min
    var byte = UInt8.max
    var half = Float(0.5)
    var word = Word.two
    var words: [Word?] = [.one, nil, .two]
    var inner = Inner(
      zone: "b", area: [1, 2.5, -3], absent: 7,
      deeper: [Inner(zone: "a", area: [], absent: nil, deeper: [])])
    var list: [[Int]] = [[], [1], [2, 3]]
    var empties = [Empty(), Empty()]
    var table = ["z": [1], "a": [2, 3], "m": []]
    var under_score = 1
    var underline = 2
    var Upper = 3
    var text = "quote \" back \\ slash / line \n tab \t bell \u{7} Zürich 東京 🛰 \u{2028}"
  }

  private static func expected(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  private static func written(_ value: some Encodable) throws -> String {
    String(decoding: try SortedJSON.encode(value), as: UTF8.self)
  }

  @Test func aValueOfEveryKindIsWrittenAsByFoundation() throws {
    let (found, expected) = (try Self.written(Everything()), try Self.expected(Everything()))
    #expect(found == expected)
  }

  @Test func numbersHaveTheDigitsOfFoundation() throws {
    let numbers: [Double] = [
      0, -0.0, 1, -1, 0.1, 1.0 / 3, 100, 1e15, 1e16, 1e17, 123_456_789.125, 1e-4, 1e-5,
      Double.leastNonzeroMagnitude,
      Double.greatestFiniteMagnitude,
      9_007_199_254_740_992, 52.5163567, -179.9999999,
    ]
    let (found, expected) = (try Self.written(numbers), try Self.expected(numbers))
    #expect(found == expected)
    let floats = numbers.dropLast(4).map(Float.init).filter(\.isFinite)
    let (single, expectedSingle) = (try Self.written(floats), try Self.expected(floats))
    #expect(single == expectedSingle)
  }

  @Test func singleValuesAreWritten() throws {
    let texts = [
      try Self.written("a"), try Self.written(7), try Self.written(true), try Self.written([Int]()),
      try Self.written([String: Int]()), try Self.written([nil, 1] as [Int?]),
    ]
    #expect(texts == ["\"a\"", "7", "true", "[]", "{}", "[null,1]"])
  }

  @Test(arguments: [Double.infinity, -.infinity, .nan]) func aNumberThatIsNotFiniteThrows(number: Double) {
    #expect(throws: SortedJSON.Fault.self) { try SortedJSON.encode(["a": [1, number]]) }
  }

  /// Writes nested containers by hand.
  private struct ByHand: Encodable {
    enum Keys: String, CodingKey { case b, a, list }
    var goesBack = false

    func encode(to encoder: any Encoder) throws {
      var outer = encoder.container(keyedBy: Keys.self)
      var inner = outer.nestedContainer(keyedBy: Keys.self, forKey: .b)
      try inner.encode(1, forKey: .b)
      try inner.encode(2, forKey: .a)
      var list = outer.nestedUnkeyedContainer(forKey: .list)
      try list.encode("x")
      var last = list.nestedContainer(keyedBy: Keys.self)
      try last.encodeNil(forKey: .a)
      try outer.encode(3, forKey: .a)
      if goesBack { try inner.encode(4, forKey: .list) }
    }
  }

  @Test func nestedContainersAreWrittenOneAfterAnother() throws {
    let (found, expected) = (try Self.written(ByHand()), try Self.expected(ByHand()))
    #expect(found == expected)
    #expect(throws: SortedJSON.Fault.closedContainer) { try SortedJSON.encode(ByHand(goesBack: true)) }
  }
}
