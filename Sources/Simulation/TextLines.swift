/// The lines of a text in bytes.
enum TextLines {
  /// Bytes of a line that are looked at; the rest of a longer one is passed over.
  private static let longest = 4096

  /// Gives each line without its end, and its number from 1; the last one also when it is empty.
  static func forEach<Failure: Error>(
    in bytes: some Sequence<UInt8>, _ take: (_ line: [UInt8], _ number: Int) throws(Failure) -> Void
  ) throws(Failure) {
    var line: [UInt8] = []
    var number = 0
    for byte in bytes {
      guard byte == UInt8(ascii: "\n") else {
        if line.count < longest { line.append(byte) }
        continue
      }
      number += 1
      try take(line, number)
      line.removeAll(keepingCapacity: true)
    }
    try take(line, number + 1)
  }
}
