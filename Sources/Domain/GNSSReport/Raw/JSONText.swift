import Quantities

/// The elements of a JSON text. Commas are added automatically before every value but the first of its object
/// or array.
extension [UInt8] {
  mutating func write(_ text: StaticString) {
    append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  mutating func separate() {
    guard last != UInt8(ascii: "{"), last != UInt8(ascii: "[") else { return }
    append(UInt8(ascii: ","))
  }

  /// Appends a comma if needed, and the key; the value must follow. Keys are never escaped.
  mutating func write(key: StaticString) {
    separate()
    append(UInt8(ascii: "\""))
    write(key)
    write("\":")
  }

  mutating func write(key: StaticString, _ number: some BinaryInteger) {
    write(key: key)
    write(number: Int64(clamping: number))
  }

  /// Writes `number` / 10^`decimals` exactly.
  mutating func write(number: Int64, decimals: Int = 0) { appendDecimal(number, decimals: decimals) }

  /// Appends null if not a number, else the shortest digits that yield the same value.
  mutating func write(number: some BinaryFloatingPoint & CustomStringConvertible) {
    if number.isFinite { append(contentsOf: number.description.utf8) } else { write("null") }
  }

  /// Appends a string; bytes above 0x7F are treated as Latin-1.
  mutating func write(string: some Sequence<UInt8>) {
    append(UInt8(ascii: "\""))
    for byte in string {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        append(UInt8(ascii: "\\"))
        append(byte)
      case 0x20...0x7E: append(byte)
      case _:
        write("\\u00")
        write(hexadecimal: byte)
      }
    }
    append(UInt8(ascii: "\""))
  }

  /// Writes two lower-case hexadecimal digits.
  mutating func write(hexadecimal byte: UInt8) {
    for digit in [byte >> 4, byte & 0xF] { append(digit < 10 ? digit + 0x30 : digit - 10 + 0x61) }
  }

  /// Writes `"0x…"` with two digits for each of the lowest `bytes` bytes of `bits`.
  mutating func write(bits: UInt64, bytes: Int) {
    write("\"0x")
    for byte in (0..<bytes).reversed() {
      write(hexadecimal: UInt8(truncatingIfNeeded: bits >> UInt64(byte * 8)))
    }
    append(UInt8(ascii: "\""))
  }

  /// Appends two digits per byte; after `limit` bytes, "…" replaces the others.
  mutating func write(hexadecimal bytes: UnsafeRawBufferPointer, limit: Int) {
    append(UInt8(ascii: "\""))
    for byte in bytes.prefix(limit) { write(hexadecimal: byte) }
    if bytes.count > limit { write("…") }
    append(UInt8(ascii: "\""))
  }
}
