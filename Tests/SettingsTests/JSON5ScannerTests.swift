import Quantities
import Testing

@testable import Settings

@Suite struct JSON5ScannerTests {
  struct Refused: Sendable, CustomTestStringConvertible {
    let name: String, text: [UInt8], problem: SyntaxProblem, line: Int?, column: Int?, path: String
    var testDescription: String { name }

    init(
      _ name: String, _ text: String, _ problem: SyntaxProblem, _ line: Int?, _ column: Int?,
      _ path: String = ""
    ) {
      self.init(name, bytes: Array(text.utf8), problem, line, column, path)
    }

    init(
      _ name: String, bytes: [UInt8], _ problem: SyntaxProblem, _ line: Int?, _ column: Int?,
      _ path: String = ""
    ) {
      (self.name, text, self.problem) = (name, bytes, problem)
      (self.line, self.column, self.path) = (line, column, path)
    }
  }

  static let openBrace = UInt8(ascii: "{")
  static let closeBrace = UInt8(ascii: "}")

  static let refused = [
    Refused("an empty file", "", .empty, 1, 1),
    Refused("only a comment", "// nothing\n", .empty, 2, 1),
    Refused("only a byte order mark", "\u{FEFF}", .empty, 1, 1),
    Refused("a list outside", "\n [1]", .notAGroup, 2, 2),
    Refused("a text outside", "'a'", .notAGroup, 1, 1),
    Refused("no colon", "{\n  a 1 }", .unexpected("1", expected: .colon), 2, 5),
    Refused("no value", "{ a: }", .unexpected("}", expected: .value), 1, 6, "a"),
    Refused("no comma", "{ a: 1\n  b: 2 }", .unexpected("b", expected: .commaOr(closeBrace)), 2, 3),
    Refused("two commas", "{ a: 1,, }", .unexpected(",", expected: .key), 1, 8),
    Refused("a comma alone", "{,}", .unexpected(",", expected: .key), 1, 2),
    Refused("the wrong bracket", "{ a: [1 } ]", .unexpected("}", expected: .commaOr(93)), 1, 9),
    Refused("an open group", "{\n  a: { b: 1,\n", .neverClosed(openBrace), 2, 6, "a"),
    Refused("an open list", "{ a: [1", .neverClosed(UInt8(ascii: "[")), 1, 6, "a"),
    Refused("an open text", "{ a: 'x\n' }", .unterminatedText, 1, 6, "a"),
    Refused("a text open at the end", "{ a: \"x\\", .unterminatedText, 1, 6, "a"),
    Refused("an open comment", "{ /* a: 1 }", .unterminatedComment, 1, 3),
    Refused("half a comment", "{ / }", .unexpected("/", expected: .key), 1, 3),
    Refused("a word too long", "{ a: truex }", .textWithoutQuotes, 1, 6, "a"),
    Refused("more after the end", "{} }", .textAfterEnd, 1, 4),
    Refused("a NUL between", "{ a: \u{0}1 }", .unexpected("\u{0}", expected: .value), 1, 6, "a"),
    Refused("a NUL in a text", "{ a: 'x\u{0}' }", .unexpected("\u{0}", expected: .closingQuote), 1, 8),
    Refused("a hard space before a key", "{\u{A0}a: 1 }", .unreadable, 1, 2),
    Refused(
      "a hard space after a value", "{ a: 1\u{A0}}", .unexpected("\u{A0}", expected: .commaOr(closeBrace)), 1,
      7),
    Refused("a slash for a value", "{ a: /", .unexpected("/", expected: .value), 1, 6, "a"),
    Refused("a number as key", "{ 1: 2 }", .unexpected("1", expected: .key), 1, 3),
    Refused("an escape in a bare key", "{ \\u0061: 2 }", .unexpected("\\", expected: .key), 1, 3),
    Refused("a leading zero", "{ a: 010 }", .unreadable, 1, 6, "a"),
    Refused("a number of signs", "{ a: { b: [1, +-+] } }", .unreadable, 1, 15, "a.b[1]"),
    Refused("half a surrogate", "{ a: 'é', b: '\\ud800' }", .unreadable, 1, 14, "b"),
    Refused("a NUL by its escape", "{ a: { b: '\\u0000' } }", .unreadable, 1, 11, "a.b"),
    Refused("half a surrogate as key", "{ '\\ud800': 1 }", .unreadable, 1, 3),
    Refused("no UTF-8", bytes: Array("{ a: 'é".utf8) + [0xFF] + Array("' }".utf8), .notUTF8, 1, 8),
    Refused("UTF-16", bytes: [0xFF, 0xFE, 0x7B, 0x00, 0x7D, 0x00], .notUTF8, 1, 1),
    Refused(
      "UTF-16 without mark", bytes: [0x7B, 0x00, 0x7D, 0x00], .unexpected("\u{0}", expected: .key), 1, 2),
    Refused(
      "too deep", "{ a: " + String(repeating: "[", count: 100_000), .tooDeep(limit: 32), 1, 37),
    Refused(
      "too many values", "{ a: [" + String(repeating: "1,", count: 10_000) + "] }",
      .tooManyValues(limit: 10_000), 1, 20_003),
    Refused(
      "too large", String(repeating: " ", count: (1 << 20) + 1),
      .tooLarge(bytes: (1 << 20) + 1, limit: 1 << 20),
      nil, nil),
  ]

  @Test(arguments: refused)
  func invalidJSON5IsRejectedWithItsPosition(_ refused: Refused) {
    let location = SettingLocation(
      file: "f", line: refused.line, column: refused.column, path: refused.path)
    let expected = SettingsError.syntax(location, refused.problem)
    do throws(SettingsErrors) {
      _ = try Configuration.read(
        board: nil, file: SourceText(name: "f", bytes: refused.text), overrides: [],
        fallbacks: Fallbacks(deviceID: "", apiSocket: ""))
      Issue.record("accepted")
    } catch {
      #expect(error.errors == [expected])
    }
  }

  static let values: [(String, JSONValue)] = [
    ("0x1F", .number(31)), ("+2", .number(2)), (".5", .number(0.5)), ("5.", .number(5)),
    ("-1.5e3", .number(-1500)),
    ("-Infinity", .number(-.infinity)), ("null", .null), ("false", .boolean(false)),
    ("'a\"b'", .text("a\"b")),
    ("\"it's\"", .text("it's")), ("'\\u0061\\x62\\n'", .text("ab\n")), ("'\\''", .text("'")),
    ("[1,[],{},]", .list([.number(1), .list([]), .group([:])])), ("/**/ 1 // x", .number(1)),
    (
      "{ $a_1: 1, é: 2, 'b c': 3, \"\\u0064\": 4, }",
      .group(["$a_1": .number(1), "é": .number(2), "b c": .number(3), "d": .number(4)])
    ),
  ]

  @Test(arguments: values.indices)
  func everyFormOfValueIsRead(index: Int) throws {
    let (text, value) = Self.values[index]
    #expect(try ParsedText(SourceText(name: "f", bytes: Array(text.utf8))).value == value)
  }

  @Test(arguments: ["\"a\"", "'a'", "a", "\"\\u0061\"", "'\\x61'"], ["a", "\"a\"", "'\\u0061'"])
  func aDuplicateKeyIsDetectedInAnyNotation(first: String, second: String) throws {
    let text = try ParsedText(SourceText(name: "f", bytes: Array("{ \(first): 1, \(second): 2 }".utf8)))
    #expect(text.duplicates == [.init(path: "a", first: 2, second: 7 + first.utf8.count)])
  }

  @Test func equalKeysInDifferentGroupsAreNoDuplicates() throws {
    let text = try ParsedText(
      SourceText(name: "f", bytes: Array("{ a: { b: 1 }, c: [{ b: 1 }, { b: 1 }] }".utf8)))
    #expect(text.duplicates.isEmpty)
    #expect(Set(text.marks.keys) == ["", "a", "a.b", "c", "c[0]", "c[0].b", "c[1]", "c[1].b"])
  }

  @Test(arguments: ["\n", "\r", "\r\n"])
  func linesAreCountedWithAnyLineEnd(end: String) throws {
    let text = ["\u{FEFF}{", "  // é", "  é: 'ö', b: 1,", "}"].joined(separator: end)
    let source = SourceText(name: "f", bytes: Array(text.utf8))
    let mark = try #require(try ParsedText(source).marks["b"]?.key)
    #expect(source.position(of: mark) == (3, 11))
  }

  /// Damaged files are rejected or read; none traps.
  @Test(arguments: 0..<40)
  func noTextTraps(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let sound = Array(
      "{ a: [1, 'x\\n', { \"b\": -0x1F, }], /* c */ destinations: [{ name: \"é\" }], } // end".utf8)
    for _ in 0..<200 {
      var bytes = sound
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let index = Int.random(in: bytes.indices, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: index)
        default: bytes.insert("{}[]'\"\\/*,:\n".utf8.randomElement(using: &random) ?? 0, at: index)
        }
      }
      let source = SourceText(name: "f", bytes: bytes)
      do throws(SettingsErrors) {
        _ = try Configuration.read(
          board: source, file: source, overrides: [], fallbacks: Fallbacks(deviceID: "", apiSocket: ""))
        Issue.record("seed \(seed): \(String(decoding: bytes, as: UTF8.self)) was taken")
      } catch {
        #expect(!error.errors.isEmpty)
      }
    }
  }
}
