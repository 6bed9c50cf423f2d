/// The numbers in a text of the kernel whose lines have the form `name: number unit`, such as `/proc/self/status`
/// (proc(5)). They are read from the bytes: a `String` for each line takes a hundred times as long.
struct KernelLines {
  private let text: [UInt8]

  init(_ text: [UInt8]) { self.text = text }

  /// The number of the line with this name; nil without such a line, and if it does not begin with a number from 0 to
  /// `Int.max`.
  func number(_ name: StaticString) -> Int? {
    name.withUTF8Buffer { name in
      var start = text.startIndex
      while start < text.endIndex {
        let end = text[start...].firstIndex(of: UInt8(ascii: "\n")) ?? text.endIndex
        let colon = start + name.count
        if colon < end, text[colon] == UInt8(ascii: ":"), text[start..<colon].elementsEqual(name) {
          return Self.number(text[(colon + 1)..<end])
        }
        start = end + 1
      }
      return nil
    }
  }

  /// The number of kibibytes of the line with this name, in bytes.
  func kibibytes(_ name: StaticString) -> Int? {
    guard let bytes = number(name)?.multipliedReportingOverflow(by: 1024), !bytes.overflow else { return nil }
    return bytes.partialValue
  }

  private static func number(_ value: ArraySlice<UInt8>) -> Int? {
    let digits = value.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      .prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
    guard !digits.isEmpty else { return nil }
    var number = 0
    for byte in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      let tens = number.multipliedReportingOverflow(by: 10)
      let next = tens.partialValue.addingReportingOverflow(Int(byte - UInt8(ascii: "0")))
      guard !tens.overflow, !next.overflow else { return nil }
      number = next.partialValue
    }
    return number
  }
}
