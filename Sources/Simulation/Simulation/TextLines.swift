import GNSSProtocol

/// Splits a text in bytes, which may arrive in pieces, into lines.
package struct TextLines {
  /// Maximum number of bytes of a line that are used; the remainder is ignored.
  private static let longest = 4096

  private var line: [UInt8] = []
  private var number = 0

  package init() {}

  /// Passes each line that ends in `bytes`, without its line end, with its number from 1.
  package mutating func take<Failure: Error>(
    _ bytes: some Sequence<UInt8>, _ give: (_ line: [UInt8], _ number: Int) throws(Failure) -> Void
  ) throws(Failure) {
    for byte in bytes {
      guard byte == UInt8(ascii: "\n") else {
        if line.count < Self.longest { line.append(byte) }
        continue
      }
      try pass(give)
    }
  }

  /// Passes the last line, even if it is empty.
  package mutating func finish<Failure: Error>(
    _ give: (_ line: [UInt8], _ number: Int) throws(Failure) -> Void
  ) throws(Failure) {
    try pass(give)
  }

  private mutating func pass<Failure: Error>(
    _ give: (_ line: [UInt8], _ number: Int) throws(Failure) -> Void
  ) throws(Failure) {
    number += 1
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    if number == 1, line.starts(with: mark) { line.removeFirst(mark.count) }
    try give(line, number)
    line.removeAll(keepingCapacity: true)
  }

  /// Passes the lines of a whole text.
  package static func forEach<Failure: Error>(
    in bytes: some Sequence<UInt8>, _ give: (_ line: [UInt8], _ number: Int) throws(Failure) -> Void
  ) throws(Failure) {
    var lines = TextLines()
    try lines.take(bytes, give)
    try lines.finish(give)
  }
}
