import HostileJSON
import JSON
import Quantities
import Testing

@Suite struct CheckedJSONTests {
  /// Decodes any value, so that every key, string and number is read.
  indirect enum Anything: Decodable, Equatable {
    case null, flag(Bool), number(Double), text(String), list([Anything]), group([String: Anything])

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      _ = try? container.decode(Int64.self)
      _ = try? container.decode(UInt8.self)
      if let text = try? container.decode(String.self) {
        self = .text(text)
      } else if let number = try? container.decode(Double.self) {
        self = .number(number)
      } else if let flag = try? container.decode(Bool.self) {
        self = .flag(flag)
      } else if let list = try? container.decode([Anything].self) {
        self = .list(list)
      } else if container.decodeNil() {
        self = .null
      } else {
        self = .group(try container.decode([String: Anything].self))
      }
    }
  }

  struct Record: Decodable {
    var a: String?
    var n: Int64?
    var d: Double?
    var u: UInt8?
    var l: [Double]?
    var s: [String: Int]?
  }

  static func decodeEveryWay(_ text: CheckedJSON) {
    _ = try? text.decode(Anything.self)
    _ = try? text.decode(Record.self)
    _ = try? text.decode([String: Int].self)
    _ = try? text.decode([String: [String: String]].self)
    _ = try? text.decode([Double].self)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var text: [UInt8], fault: String
    var testDescription: String { fault }

    init(_ text: String, _ fault: String) { self.init(Array(text.utf8), fault) }
    init(_ text: [UInt8], _ fault: String) { (self.text, self.fault) = (text, fault) }
  }

  static let rejected: [Case] = [
    Case("", "expected a value, got the end of the text at byte 0"),
    Case(Array("{\"a".utf8) + [0x81] + Array("\":1}".utf8), "expected UTF-8, got 0x81 at byte 3"),
    Case(
      Array("{\n \"a\":\n \"é".utf8) + [0xFF] + Array("\"}".utf8),
      "expected UTF-8, got 0xFF at byte 12, line 3"),
    Case(Array("{\"a\":1}".utf8) + [0xC3], "expected the end of the text, got 0xC3 at byte 7"),
    Case([0xFF, 0xFE, 0x7B, 0, 0x7D, 0], "expected a value, got 0xFF at byte 0"),
    Case([0x7B, 0, 0x7D, 0], "expected a key in quotes, got 0x00 at byte 1"),
    Case([0, 0x7B, 0, 0x7D], "expected a value, got 0x00 at byte 0"),
    Case(#"{"\ud800":1}"#, #"expected a valid escape sequence, got "\ud800" at byte 2"#),
    Case(#"{"a":"\ud800\u0041"}"#, #"expected a valid escape sequence, got "\ud800\u0041" at byte 6"#),
    Case(#"["\udc00"]"#, #"expected a valid escape sequence, got "\udc00" at byte 2"#),
    Case(#"["\x41"]"#, #"expected a valid escape sequence, got "\x41" at byte 2"#),
    Case("[\"a\tb\"]", "expected no control character in a string, got 0x09 at byte 3"),
    Case("[\"a\u{0}\"]", "expected no control character in a string, got 0x00 at byte 3"),
    Case("[\"a\n\"]", "expected a closing quote, got 0x0A at byte 3"),
    Case("[\"a", "expected a closing quote, got the end of the text at byte 3"),
    Case("[\"a\\", "expected a closing quote, got the end of the text at byte 4"),
    Case("[01]", #"expected a number, true, false or null, got "01" at byte 1"#),
    Case("[1.]", #"expected a number, true, false or null, got "1." at byte 1"#),
    Case("[1e+]", #"expected a number, true, false or null, got "1e+" at byte 1"#),
    Case("[-]", #"expected a number, true, false or null, got "-" at byte 1"#),
    Case("[NaN]", #"expected a number, true, false or null, got "NaN" at byte 1"#),
    Case("[0x1F]", #"expected a number, true, false or null, got "0x1F" at byte 1"#),
    Case("[truex]", #"expected a number, true, false or null, got "truex" at byte 1"#),
    Case(
      "[" + String(repeating: "9", count: 401) + "]",
      #"expected a number, true, false or null, got "99999999999999999999" at byte 1"#),
    Case("{\"a\":1,}", #"expected a key in quotes, got "}" at byte 7"#),
    Case("{a:1}", #"expected a key in quotes, got "a" at byte 1"#),
    Case("{'a':1}", #"expected a key in quotes, got "'" at byte 1"#),
    Case("{\"a\" 1}", #"expected a colon, got "1" at byte 5"#),
    Case("{\"a\":1 \"b\":2}", #"expected a comma or }, got """ at byte 7"#),
    Case("[1,]", #"expected a value, got "]" at byte 3"#),
    Case("[1 2]", #"expected a comma or ], got "2" at byte 3"#),
    Case("[1}", #"expected a comma or ], got "}" at byte 2"#),
    Case("{} // c", #"expected the end of the text, got "/" at byte 3"#),
    Case("[[1]", "expected a bracket that closes this one, got the end of the text at byte 0"),
    Case("{\"a\":{\"b\":1", "expected a bracket that closes this one, got the end of the text at byte 5"),
    Case(
      String(repeating: "[", count: 100_000),
      "expected at most 64 nested brackets, got more at byte 64"),
    Case("\u{FEFF}\u{FEFF}{}", "expected a value, got 0xEF at byte 3"),
  ]

  @Test(arguments: rejected)
  func anInvalidTextIsRejectedWithThePosition(_ rejected: Case) {
    do throws(JSONFault) {
      _ = try CheckedJSON(rejected.text)
      Issue.record("accepted")
    } catch {
      #expect(error.description == rejected.fault)
    }
  }

  static let taken: [(text: String, value: String)] = [
    (#"{"a\"b\\":"\u0041\n\/"}"#, #"group(["a\"b\\": text("A\n/")])"#),
    (#"["\ud83d\ude00", "\u0000", "é"]"#, #"list([text("😀"), text("\0"), text("é")])"#),
    (#"{"n":[0,-0,1.5,-2e3,1E-2,10]}"#, #"group(["n": list([0, -0, 1.5, -2000, 0.01, 10])])"#),
    (" \t\r\n[ true , false , null ] ", "list([flag(true), flag(false), null])"), ("5", "5"),
    (#""x""#, #"text("x")"#), ("\u{FEFF}{}", "group([:])"), ("[[],{}]", "list([list([]), group([:])])"),
    ("{\"a\":1,\"a\":2}", "group([\"a\": 1])"),
  ]

  static func shown(_ value: Anything) -> String {
    switch value {
    case .null: "null"
    case .flag(let flag): "flag(\(flag))"
    case .number(let number):
      Int64(exactly: number).map { number.sign == .minus && $0 == 0 ? "-0" : "\($0)" } ?? "\(number)"
    case .text(let text): "text(\(text.debugDescription))"
    case .list(let list): "list([\(list.map(shown).joined(separator: ", "))])"
    case .group(let group):
      group.isEmpty
        ? "group([:])"
        : "group([\(group.sorted { $0.key < $1.key }.map { "\($0.key.debugDescription): \(shown($0.value))" }.joined(separator: ", "))])"
    }
  }

  @Test(arguments: taken.indices)
  func validTextsDecode(index: Int) throws {
    let (text, value) = Self.taken[index]
    #expect(Self.shown(try CheckedJSON(text.utf8).decode(Anything.self)) == value)
  }

  @Test func theNumberOfValuesIsLimited() throws {
    let limits = CheckedJSON.Limits(depth: 1, values: 3)
    _ = try CheckedJSON("[1,2]".utf8, limits: limits)
    do throws(JSONFault) {
      _ = try CheckedJSON("[1,2,3]".utf8, limits: limits)
      Issue.record("accepted")
    } catch {
      #expect(error.description == "expected at most 3 values, got more at byte 5")
    }
  }

  @Test(
    arguments: HostileJSON.frames + HostileJSON.documents() + HostileJSON.documents(key: "s")
      + HostileJSON.documents(key: "n"))
  func noHostileTextCrashesTheDecoder(_ document: HostileJSON.Document) {
    var isSound = true
    do throws(JSONFault) { Self.decodeEveryWay(try CheckedJSON(document.bytes)) } catch {
      isSound = false
      #expect((0...document.bytes.count).contains(error.offset))
    }
    guard let (text, damages) = try? CheckedJSON.repairing(document.bytes, isGroup: { $0.isEmpty }) else {
      #expect(!isSound)
      return
    }
    Self.decodeEveryWay(text)
    #expect(damages.isEmpty == isSound)
  }

  static let sample = #"""
    {"a":"é \u00C9 \uD83D\uDC00","n":-12,"d":1.5,"u":7,"l":[1,2.5],"s":{"x":1,"y":2},"b":[],"z":null}
    """#

  @Test(arguments: 0..<40)
  func noMutatedTextCrashesTheDecoder(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<500 {
      let bytes = HostileJSON.mutated(Array(Self.sample.utf8), &random)
      if let text = try? CheckedJSON(bytes) { Self.decodeEveryWay(text) }
      guard let (text, damages) = try? CheckedJSON.repairing(bytes, isGroup: { $0.count < 2 }) else {
        continue
      }
      // Only a number beyond the range of Double prevents a valid text from decoding.
      let hasExponent = bytes.contains { $0 | 0x20 == UInt8(ascii: "e") }
      let isRead = hasExponent || (try? text.decode(Anything.self)) != nil
      #expect(isRead, "seed \(seed): \(bytes) with \(damages)")
      Self.decodeEveryWay(text)
    }
  }
}
