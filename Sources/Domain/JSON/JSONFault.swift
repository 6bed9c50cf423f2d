/// The first violation of JSON (RFC 8259, UTF-8 only) in a text: the expected and the found text, and the position.
public struct JSONFault: Error, Equatable, Sendable {
  public var expected: String
  public var found: String
  /// Offset from the beginning of the text, in bytes.
  public var offset: Int
  /// Line number, starting at 1.
  public var line: Int

  public init(expected: String, found: String, at offset: Int, in bytes: [UInt8]) {
    (self.expected, self.found, self.offset) = (expected, found, offset)
    line = 1 + bytes.prefix(offset).count { $0 == UInt8(ascii: "\n") }
  }
}

extension JSONFault: CustomStringConvertible {
  /// The end of a message: `expected UTF-8, got 0x81 at byte 33`, with the line number except in line 1.
  public var description: String {
    "expected \(expected), got \(found) at byte \(offset)" + (line > 1 ? ", line \(line)" : "")
  }
}
