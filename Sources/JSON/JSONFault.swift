/// The first violation of JSON (RFC 8259, UTF-8 only) in a text: what was expected, what was found, and where.
public struct JSONFault: Error, Equatable, Sendable {
  public var expected: String
  public var found: String
  /// Bytes from the beginning of the text.
  public var offset: Int
  /// From 1.
  public var line: Int

  public init(expected: String, found: String, at offset: Int, in bytes: [UInt8]) {
    (self.expected, self.found, self.offset) = (expected, found, offset)
    line = 1 + bytes.prefix(offset).count { $0 == UInt8(ascii: "\n") }
  }
}

extension JSONFault: CustomStringConvertible {
  /// For the end of a message: `expected UTF-8, got 0x81 at byte 33`, with the line in a text of several.
  public var description: String {
    "expected \(expected), got \(found) at byte \(offset)" + (line > 1 ? ", line \(line)" : "")
  }
}
