/// A number of a JSON text, exact to 19 significant digits.
struct DecimalNumber {
  private let isNegative: Bool
  /// The significant digits, without further ones.
  private var digits: UInt64 = 0
  /// The power of ten of the last digit.
  private var exponent = 0
  /// True if further digits, not all zero, were dropped.
  private var isCut = false

  private static let mostDigits = 19

  /// Reads a validated number whose exponent has been limited.
  init(_ text: UnsafeBufferPointer<UInt8>) {
    isNegative = text.first == UInt8(ascii: "-")
    var count = 0
    var isFraction = false
    var index = isNegative ? 1 : 0
    while index < text.count {
      let byte = text[index]
      index += 1
      if byte == UInt8(ascii: ".") {
        isFraction = true
      } else if byte | 0x20 == UInt8(ascii: "e") {
        break
      } else {
        if count < Self.mostDigits {
          digits = digits &* 10 &+ UInt64(byte & 0xF)
          if digits > 0 { count += 1 }
          if isFraction { exponent -= 1 }
        } else {
          if byte != UInt8(ascii: "0") { isCut = true }
          if !isFraction { exponent += 1 }
        }
      }
    }
    guard index < text.count else { return }
    let sign = text[index]
    if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { index += 1 }
    var power = 0
    while index < text.count, power < 100_000 {
      power = power * 10 + Int(text[index] & 0xF)
      index += 1
    }
    exponent += sign == UInt8(ascii: "-") ? -power : power
  }

  private static let powers: [UInt64] = (0..<Self.mostDigits + 1).map {
    (0..<$0).reduce(1) { a, _ in a * 10 }
  }

  /// The value in units of 10^-`places`, rounded half away from zero; nil beyond 64 bits.
  func scaled(places: Int) -> Int64? {
    guard digits > 0 else { return 0 }
    let shift = exponent + places
    var magnitude = digits
    if shift >= 0 {
      guard shift < Self.powers.count else { return nil }
      let (product, isOver) = digits.multipliedReportingOverflow(by: Self.powers[shift])
      guard !isOver else { return nil }
      magnitude = product
    } else {
      // All digits are below half a unit.
      guard -shift < Self.powers.count else { return 0 }
      let divisor = Self.powers[-shift]
      let (quotient, remainder) = digits.quotientAndRemainder(dividingBy: divisor)
      magnitude = remainder >= divisor - remainder ? quotient + 1 : quotient
    }
    guard let value = Int64(exactly: magnitude) else { return nil }
    return isNegative ? -value : value
  }

  /// The value if it is a whole number of 64 bits.
  var whole: Int64? {
    guard !isCut, let value = scaled(places: 0) else { return nil }
    guard exponent < 0, digits > 0 else { return value }
    guard -exponent < Self.powers.count else { return nil }
    return digits % Self.powers[-exponent] == 0 ? value : nil
  }
}
