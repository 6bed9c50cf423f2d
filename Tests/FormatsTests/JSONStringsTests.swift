import Formats
import FoundationEssentials
import Quantities
import Testing

@Suite struct JSONStringsTests {
  struct Text: Sendable, CustomTestStringConvertible {
    let text: String, isSound: Bool
    var testDescription: String { text }
  }

  static let texts = [
    Text(text: #"{"result":"ok"}"#, isSound: true), Text(text: "", isSound: true),
    Text(text: #"{"a\"b\\":"\u0041\n\/"}"#, isSound: true), Text(text: #"["\ud83d\ude00"]"#, isSound: true),
    Text(text: "[\"tab\t\"]", isSound: false), Text(text: "{\"a\u{0C}\":1}", isSound: false),
    Text(text: #"{"\x":1}"#, isSound: false), Text(text: #"{"\u12":1}"#, isSound: false),
    Text(text: #"{"\ud800":1}"#, isSound: false), Text(text: #"{"\ud800\u0041":1}"#, isSound: false),
    Text(text: #"{"\udc00":1}"#, isSound: false), Text(text: #"{"open"#, isSound: false),
    Text(text: #"{"end\"#, isSound: false), Text(text: #"{"end\u00"#, isSound: false),
  ]

  @Test(arguments: texts)
  func onlyStringsThatADecoderReadsAreSound(_ text: Text) {
    #expect(JSONStrings.areSound(text.text.utf8) == text.isSound)
  }

  @Test func textThatIsNotUTF8IsNotSound() {
    #expect(!JSONStrings.areSound([0x22, 0xFF, 0x22]))
  }

  /// Whatever is sound can be handed to the decoder: it answers or throws, and the program goes on.
  @Test(arguments: 0..<16)
  func soundTextsNeverEndTheProgram(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let alphabet = Array(#"{}[]",:\u0dD8c1n "#.utf8) + [0x0C, 0x09, 0xC3, 0xA9, 0xFF]
    for _ in 0..<2000 {
      var text = Array(#"{""#.utf8)
      for _ in 0..<Int.random(in: 0...12, using: &random) {
        text.append(alphabet.randomElement(using: &random) ?? 0)
      }
      text += Array(#"":1}"#.utf8)
      guard JSONStrings.areSound(text) else { continue }
      _ = try? JSONDecoder().decode([String: Int].self, from: Data(text))
    }
  }
}
