/// A number in a text, as GPSLogger for Android sends it.
enum NumberText {
  /// The longest text, in bytes.
  private static let longest = 64

  /// The range of the number, as JSON writes it, between blanks and after an optional plus sign; empty for a text that
  /// stands for no value: without characters, or `null`. Nil for other texts.
  static func range(in text: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
    guard text.count <= longest else { return nil }
    var (start, end) = (0, text.count)
    while start < end, isBlank(text[start]) { start += 1 }
    while end > start, isBlank(text[end - 1]) { end -= 1 }
    if start == end || text[start..<end].elementsEqual("null".utf8) { return start..<start }
    if text[start] == UInt8(ascii: "+") { start += 1 }
    return isNumber(text[start..<end]) ? start..<end : nil
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  private static func isNumber(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    var index = text.startIndex
    func take(_ isWanted: (UInt8) -> Bool) -> Bool {
      guard index < text.endIndex, isWanted(text[index]) else { return false }
      index += 1
      return true
    }
    func takeDigits() -> Bool {
      guard take({ (0x30...0x39).contains($0) }) else { return false }
      while take({ (0x30...0x39).contains($0) }) {}
      return true
    }
    _ = take { $0 == UInt8(ascii: "-") }
    guard takeDigits() else { return false }
    if take({ $0 == UInt8(ascii: ".") }), !takeDigits() { return false }
    if take({ $0 | 0x20 == UInt8(ascii: "e") }) {
      _ = take { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") }
      guard takeDigits() else { return false }
    }
    return index == text.endIndex
  }
}
