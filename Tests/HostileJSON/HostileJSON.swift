import Quantities

/// Invalid and unusual texts, for tests of all code that reads untrusted JSON or JSON5.
public enum HostileJSON {
  public struct Document: Sendable, CustomStringConvertible {
    public var name: String
    public var bytes: [UInt8]

    public var description: String { name }
  }

  /// Contents for strings and keys between quotes.
  static let texts: [(name: String, bytes: [UInt8])] =
    [
      ("a lone byte 0x81", [0x61, 0x81]), ("0xFF", [0xFF]), ("a cut scalar", [0x61, 0xE2, 0x82]),
      ("an overlong NUL", [0xC0, 0x80]), ("a surrogate in UTF-8", [0xED, 0xA0, 0x80]),
      ("beyond Unicode", [0xF4, 0x90, 0x80, 0x80]), ("a raw NUL", [0x00]), ("a raw line end", [0x0A]),
      ("a raw tab", [0x09]), ("a raw form feed", [0x0C]), ("a byte order mark", [0xEF, 0xBB, 0xBF]),
      ("DEL", [0x7F]),
    ]
    + [
      #"\ud800"#, #"\udc00"#, #"\ud800\u0041"#, #"\ud800\ud800"#, #"\ud800x"#, #"\ud800\n"#, #"\ud83d\ude00"#,
      #"\u0000"#, #"\u12"#, #"\u"#, #"\uzzzz"#, #"\x41"#, #"\x4"#, #"\x00"#, #"\q"#, #"\0"#, #"\v"#, #"\'"#,
      #"\u{41}"#, "\\\n", "\\\r\n", "\\\u{2028}", "\u{2028}", "", "\\",
    ].map { ("the text \($0.debugDescription)", Array($0.utf8)) }

  static let numbers: [String] =
    [
      "-0", "01", "1.", ".5", "+1", "1e", "1e+", "1e-", "-", "--1", "1e5e5", "1.2.3", "1e400", "-1e400",
      "1e-400", "9223372036854775808", "18446744073709551616", "1e99999999999999999999", "0x1F", "0x",
      "0xFFFFFFFFFFFFFFFFFF", "Infinity", "-Infinity", "NaN", "Inf", "-I", "N", "1_0", "12a", "1-2", "-.",
      "+.", "0x1p3", "tru", "nul", "truex", "True", "undefined",
    ] + ["0", "9", "1"].map { String(repeating: $0, count: 1100) }
    + ["1." + String(repeating: "0", count: 1100), String(repeating: "9", count: 1100) + "e+"]

  private static let frameTexts: [String] =
    [
      "", " ", "{", "}", "[", "]", "{]", "[}", "\"", "\"a", "{\"", "{\"a", "{\"a\"", "{\"a\":", "{\"a\":1",
      "{\"a\":1,", "{\"a\":1,}", "{,}", "[,]", "[1,]", "[1,,2]", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "{a:1}",
      "{'a':1}", "{\"a\":1}x", "{\"a\":1}}", "{\"a\":1}{}", "{\"a\":1}\u{0}", "// c\n{}", "{}//", "/*",
      "{\"a\":/*", "{\"a\":1/", "{/", "/", "\\", "{\\u0061:1}", "{\\ud800:1}", "{\\u:1}", "{\u{E9}:1}",
      "{\u{2028}:1}", "{\u{A0}\"a\":1}", "{\u{1D7D8}:1}", "{\"a\":1,\"a\":{}}", "{\"\":1}", "1", "null",
      "\"a\\", "{'a\\\nb':1}", "\u{FEFF}\u{FEFF}{}", "{\"a\u{301}\":1,\"\u{E1}\":2}",
    ]
    + [33, 65, 513, 100_000].flatMap { count in
      [
        String(repeating: "[", count: count),
        String(repeating: "[", count: count) + String(repeating: "]", count: count),
        String(repeating: "{\"a\":", count: count),
        String(repeating: "{\"a\":", count: count) + "1" + String(repeating: "}", count: count),
        String(repeating: "{a:[", count: count),
      ]
    }

  static let raw: [[UInt8]] = [
    [0xFF, 0xFE], [0xFE, 0xFF], [0xFF, 0xFE, 0, 0], [0, 0, 0xFE, 0xFF], [0xEF, 0xBB, 0xBF], [0xEF, 0xBB], [0],
    [0, 0, 0, 0], [0, 0, 0, 0x7B], [0x7B, 0, 0, 0], [0, 0x7B], [0x7B, 0], [0xFF, 0xFE, 0x7B, 0, 0x7D, 0],
    [0xFE, 0xFF, 0, 0x7B, 0, 0x7D], [0xFF, 0xFE, 0x7B, 0, 0x22, 0, 0x00, 0xD8, 0x22, 0, 0x3A, 0, 0x31, 0],
    [0x7B, 0, 0x22, 0, 0x00, 0xD8, 0x22, 0, 0x3A, 0, 0x31, 0, 0x7D, 0], [0, 0, 0xFE, 0xFF, 0, 0x11, 0, 0],
    [0x7B, 0xA0, 0x22, 0x61, 0x22, 0x3A, 0x31, 0x7D],
  ]

  /// Texts that are invalid as a whole, nested too deeply, or in another encoding.
  public static let frames: [Document] =
    frameTexts.map { Document(name: "\($0.debugDescription.prefix(40))", bytes: Array($0.utf8)) }
    + raw.map { Document(name: "the bytes \($0)", bytes: $0) }

  /// Every text as key and as value, and every number, also truncated.
  ///
  /// `key` is a key that the reader knows. `before` and `after` embed the member at the position that the reader expects.
  public static func documents(
    key: String = "a", before: String = "{", after: String = "}"
  ) -> [Document] {
    func member(_ name: String, _ bytes: [UInt8]) -> Document {
      Document(name: name, bytes: Array(before.utf8) + bytes + Array(after.utf8))
    }
    var documents: [Document] = []
    for (name, text) in texts {
      for quote in ["\"", "'"] {
        let quoted = Array(quote.utf8) + text + Array(quote.utf8)
        documents += [
          member("\(name) as key", quoted + Array(":1".utf8)),
          member("\(name) as value", Array("\"\(key)\":".utf8) + quoted),
          member("\(name) as key within", Array("\"\(key)\":{".utf8) + quoted + Array(":\"x\"}".utf8)),
          member("\(name) in a list", Array("\"\(key)\":[".utf8) + quoted + Array("]".utf8)),
        ]
      }
      documents.append(member("\(name) as bare key", text + Array(":1".utf8)))
    }
    for number in numbers {
      documents += [
        member("the number \(number.prefix(24))", Array("\"\(key)\":\(number)".utf8)),
        member("the number \(number.prefix(24)) in a list", Array("\"\(key)\":[\(number)]".utf8)),
        Document(name: "the number \(number.prefix(24)) alone", bytes: Array(number.utf8)),
        Document(name: "the number \(number.prefix(24)), cut", bytes: Array("{\"\(key)\":\(number)".utf8)),
      ]
    }
    return documents
  }

  /// A copy with up to eight changes: replaced, removed or inserted bytes, inserted hostile texts, a truncated end.
  public static func mutated(_ sound: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
    var bytes = sound
    for _ in 0..<Int.random(in: 1...8, using: &random) {
      guard !bytes.isEmpty else { break }
      let index = Int.random(in: bytes.indices, using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0...3: bytes[index] = UInt8.random(in: .min ... .max, using: &random)
      case 4: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 5: bytes.remove(at: index)
      case 6: bytes.insert(Array("{}[]\"'\\/*,:\n-+.eE0x".utf8).randomElement(using: &random) ?? 0, at: index)
      case 7: bytes.insert(contentsOf: texts.randomElement(using: &random)?.bytes ?? [], at: index)
      case 8: bytes.insert(contentsOf: Array((numbers.randomElement(using: &random) ?? "").utf8), at: index)
      default: if Bool.random(using: &random) { bytes.removeSubrange(index...) }
      }
    }
    return bytes
  }
}
