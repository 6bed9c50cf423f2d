/// The bytes of a cmdline.txt: the parameters of the kernel, on one line.
public struct KernelCommandLine: Equatable, Sendable {
  public let bytes: [UInt8]
  private let words: [Range<Int>]

  /// The header's UART under its names: the link of the firmware, the PL011 and the mini UART.
  private static let consoles = ["console=serial0", "console=ttyAMA0", "console=ttyS0"]

  public init(_ bytes: [UInt8]) {
    self.bytes = bytes
    words = Self.words(of: bytes)
  }

  /// The parameters that make the header's UART a console of the kernel.
  public var serialConsoles: [String] { words.filter(isSerialConsole).map(text) }

  /// True if another console than the header's UART is named.
  ///
  /// Without any, the kernel uses the UART that the device tree names.
  public var hasOtherConsole: Bool {
    words.contains { text($0).hasPrefix("console=") && !isSerialConsole($0) }
  }

  /// The file without these parameters, and without the spaces after each, or before one at the end of a line.
  public func removingSerialConsoles() -> [UInt8] {
    var result: [UInt8] = []
    var next = 0
    for word in words where isSerialConsole(word) {
      var start = word.lowerBound
      var end = word.upperBound
      while end < bytes.count, Self.isSpace(bytes[end]) { end += 1 }
      if end == bytes.count || [0x0A, 0x0D].contains(bytes[end]) {
        end = word.upperBound
        while start > next, Self.isSpace(bytes[start - 1]) { start -= 1 }
        // The words before it on this line may have been removed with the spaces after them.
        if start == next {
          while let last = result.last, Self.isSpace(last) { result.removeLast() }
        }
      }
      result += bytes[next..<start]
      next = end
    }
    return result + bytes[next...]
  }

  private func text(_ word: Range<Int>) -> String { String(decoding: bytes[word], as: UTF8.self) }

  private func isSerialConsole(_ word: Range<Int>) -> Bool {
    let name = text(word).prefix { $0 != "," }
    return Self.consoles.contains(String(name))
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// Splits at white space outside of double quotes, as the kernel does (lib/cmdline.c, next_arg).
  private static func words(of bytes: [UInt8]) -> [Range<Int>] {
    var words: [Range<Int>] = []
    var start: Int?
    var isQuoted = false
    for (index, byte) in bytes.enumerated() {
      if byte == 0x22 { isQuoted.toggle() }
      let isEnd = !isQuoted && (isSpace(byte) || byte == 0x0A || byte == 0x0D)
      if isEnd, let begun = start {
        words.append(begun..<index)
        start = nil
      } else if !isEnd, start == nil {
        start = index
      }
    }
    if let start { words.append(start..<bytes.count) }
    return words
  }
}
