/// Reads numbers of JSON5 (https://spec.json5.org/#numbers).
enum JSON5Number {
  /// The largest number of bytes. No meaningful number requires more.
  static let longest = 64

  /// True if a word with this first byte can only be a number.
  static func begins(with byte: UInt8?) -> Bool {
    switch byte {
    case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
    default: byte.map(isDigit) ?? false
    }
  }

  /// The value, infinite if it is too large or longer than ``longest``; nil if the token is not a number.
  static func read(_ token: ArraySlice<UInt8>) -> Double? {
    var remainder = token
    let isNegative = remainder.first == UInt8(ascii: "-")
    if isNegative || remainder.first == UInt8(ascii: "+") { remainder.removeFirst() }
    guard let size = size(remainder) else { return nil }
    return isNegative ? -size : size
  }

  private static func size(_ unsigned: ArraySlice<UInt8>) -> Double? {
    if unsigned.elementsEqual("Infinity".utf8) { return .infinity }
    if unsigned.elementsEqual("NaN".utf8) { return .nan }
    if unsigned.starts(with: "0x".utf8) || unsigned.starts(with: "0X".utf8) {
      let digits = unsigned.dropFirst(2)
      guard !digits.isEmpty, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else {
        return nil
      }
      return value("0x", digits)
    }
    var remainder = unsigned
    let whole = digits(&remainder)
    var fraction: ArraySlice<UInt8> = []
    if remainder.first == UInt8(ascii: ".") {
      remainder.removeFirst()
      fraction = digits(&remainder)
    }
    guard !whole.isEmpty || !fraction.isEmpty, whole.first != UInt8(ascii: "0") || whole.count == 1 else {
      return nil
    }
    if remainder.first == UInt8(ascii: "e") || remainder.first == UInt8(ascii: "E") {
      remainder.removeFirst()
      if remainder.first == UInt8(ascii: "+") || remainder.first == UInt8(ascii: "-") {
        remainder.removeFirst()
      }
      guard !digits(&remainder).isEmpty else { return nil }
    }
    return remainder.isEmpty ? value("0", unsigned) : nil
  }

  /// The value of `text` after `prefix`, which completes a number that begins with a point.
  private static func value(_ prefix: String, _ text: ArraySlice<UInt8>) -> Double? {
    text.count > longest ? .infinity : Double(prefix + String(decoding: text, as: UTF8.self))
  }

  /// Removes the leading digits and returns them.
  private static func digits(_ remainder: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let digits = remainder.prefix(while: isDigit)
    remainder = remainder.dropFirst(digits.count)
    return digits
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
