import JSON
import Testing

@Suite struct RepairTests {
  struct Case: Sendable, CustomTestStringConvertible {
    /// `%` stands for the byte 0x81.
    var text: String, repaired: String, damages: [String]
    var testDescription: String { text }

    init(_ text: String, _ repaired: String, _ damages: String...) {
      (self.text, self.repaired, self.damages) = (text, repaired, damages)
    }

    var bytes: [UInt8] { text.utf8.map { $0 == UInt8(ascii: "%") ? 0x81 : $0 } }
  }

  static let cases: [Case] = [
    Case(#"{"a":1}"#, #"{"a":1}"#), Case(#"{"a":"x%","b":2}"#, #"{"a":[],"b":2}"#, "a value 7"),
    Case(#"{"a":1e,"b":tru}"#, #"{"a":[],"b":[]}"#, "a value 5", "b value 12"),
    Case(#"{"a":"\ud800"}"#, #"{"a":[]}"#, "a value 6"), Case("{\"a\":\"\t\"}", #"{"a":[]}"#, "a value 6"),
    Case(#"{"a%":1,"b":2}"#, #"{"b":2}"#, "a? key 3"), Case(#"{"b":2,"a%":1}"#, #"{"b":2}"#, "a? key 9"),
    Case(#"{"b":2,"a%":1,"c":3}"#, #"{"b":2,"c":3}"#, "a? key 9"),
    Case(#"{"a%":1,"b%":{"x":"%"},"c":3}"#, #"{"c":3}"#, "a? key 3", "b?.x value 19", "b? key 10"),
    Case(#"{"a%":1}"#, "{}", "a? key 3"), Case(#"{"a":{"b%":1},"c":2}"#, #"{"a":[],"c":2}"#, "a.b? key 8"),
    Case(#"{"a":[1,{"b":2,"c%":1},"%"]}"#, #"{"a":[1,[],[]]}"#, "a[1].c? key 17", "a[2] value 24"),
    Case(#"["%"]"#, "[[]]", "[0] value 2"), Case("%", "", "thrown"), Case("{\"a\":\"x\n\"}", "", "thrown"),
    Case(#"{"a":1%}"#, "", "thrown"), Case(#"{"a"%:1}"#, "", "thrown"),
  ]

  static func shown(_ damage: CheckedJSON.Damage) -> String {
    let path = damage.path.reduce("") { path, step in
      switch step {
      case .key(let key): path + (path.isEmpty ? "" : ".") + key.replacing("\u{FFFD}", with: "?")
      case .index(let index): "\(path)[\(index)]"
      }
    }
    return "\(path) \(damage.isKey ? "key" : "value") \(damage.fault.offset)"
  }

  @Test(arguments: cases)
  func aDamagedPartIsReplacedAndTheRestKept(_ one: Case) throws {
    do throws(JSONFault) {
      let (text, damages) = try CheckedJSON.repairing(one.bytes) { $0.isEmpty }
      #expect(damages.map(Self.shown) == one.damages)
      let (value, expected) = (
        try? text.decode(CheckedJSONTests.Anything.self),
        try? CheckedJSON(one.repaired.utf8).decode(CheckedJSONTests.Anything.self)
      )
      #expect(value == expected && value != nil)
    } catch {
      #expect(one.damages == ["thrown"], "\(error)")
    }
  }
}
