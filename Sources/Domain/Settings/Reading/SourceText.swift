/// The text of a file, with its name for messages.
public struct SourceText: Equatable, Sendable {
  /// The name for messages, usually the path.
  public var name: String
  /// The content of the file in UTF-8.
  public var bytes: [UInt8]

  public init(name: String, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
  }

  /// The place at a byte offset; without line and column if the offset is unknown.
  func location(of offset: Int?, path: String) -> SettingLocation {
    let position = offset.map(position(of:))
    return SettingLocation(file: name, line: position?.line, column: position?.column, path: path)
  }

  /// The line and column, both from 1, of the byte at `offset`.
  ///
  /// A line ends with LF, CR LF or CR. The column counts Unicode scalars; a byte order mark is not counted.
  func position(of offset: Int) -> (line: Int, column: Int) {
    var line = 1
    var column = 1
    var previous: UInt8 = 0
    for byte in bytes.prefix(max(0, offset)).dropFirst(JSON5Scanner.lengthOfMark(in: bytes)) {
      if byte == UInt8(ascii: "\n"), previous == UInt8(ascii: "\r") {
        // The second byte of a line end that is already counted.
      } else if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
        line += 1
        column = 1
      } else if byte & 0b1100_0000 != 0b1000_0000 {
        column += 1
      }
      previous = byte
    }
    return (line, column)
  }
}
