/// A random UUID as text (RFC 9562 section 5.4).
public enum UUIDText {
  /// 36 characters in lower case.
  public static func random() -> String {
    var generator = SystemRandomNumberGenerator()
    return random(using: &generator)
  }

  /// The same with the numbers of a generator.
  static func random(using generator: inout some RandomNumberGenerator) -> String {
    let (first, second): (UInt64, UInt64) = (generator.next(), generator.next())
    let digits =
      hexadecimal(first & ~0xF000 | 0x4000) + hexadecimal(second & ~(0b11 << 62) | (0b10 << 62))
    let groups = [digits.prefix(8), digits.dropFirst(8).prefix(4), digits.dropFirst(12).prefix(4)]
    return (groups + [digits.dropFirst(16).prefix(4), digits.dropFirst(20)]).joined(separator: "-")
  }

  private static func hexadecimal(_ value: UInt64) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: 16 - text.count) + text
  }
}
