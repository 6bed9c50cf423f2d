extension [UInt8] {
  mutating func write(_ element: SentenceLayout.Element, from fields: inout RemainingFields) {
    switch element.form {
    case .number:
      guard let field = fields.next(), !field.isEmpty else { return }
      write(key: element.key)
      write(field: field)
    case .code:
      guard let field = fields.next(), !field.isEmpty else { return }
      write(key: element.key)
      write(string: field)
    case .codes(let count):
      writeCodes(element.key, count, from: &fields)
    case .groups(let members):
      writeGroups(element.key, members, from: &fields)
    case .freeText:
      guard let freeText = fields.takeAll(), !freeText.isEmpty else { return }
      write(key: element.key)
      write(string: freeText)
    }
  }

  /// Appends the remaining fields as text, and the closing bracket.
  mutating func write(array fields: inout RemainingFields) {
    while let field = fields.next() {
      separate()
      write(string: field)
    }
    append(UInt8(ascii: "]"))
  }

  private mutating func writeCodes(_ key: StaticString, _ count: Int, from fields: inout RemainingFields) {
    write(key: key)
    append(UInt8(ascii: "["))
    for _ in 0..<count {
      guard let field = fields.next() else { break }
      guard !field.isEmpty else { continue }
      separate()
      write(string: field)
    }
    append(UInt8(ascii: "]"))
  }

  private mutating func writeGroups(
    _ key: StaticString, _ members: [SentenceLayout.Element], from fields: inout RemainingFields
  ) {
    write(key: key)
    append(UInt8(ascii: "["))
    for _ in 0..<fields.count / members.count {
      separate()
      append(UInt8(ascii: "{"))
      let start = count
      for member in members { write(member, from: &fields) }
      if count == start {
        removeLast()
        if last == UInt8(ascii: ",") { removeLast() }
      } else {
        append(UInt8(ascii: "}"))
      }
    }
    append(UInt8(ascii: "]"))
  }

  /// Appends a number if the field is decimal digits with an optional sign and point, short enough for
  /// readers to keep all digits; else text.
  private mutating func write(field: UnsafeRawBufferPointer) {
    let sign = field.first
    let isSigned = sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+")
    let digits = UnsafeRawBufferPointer(rebasing: field[(isSigned ? 1 : 0)...])
    let point = digits.firstIndex(of: UInt8(ascii: ".")) ?? digits.endIndex
    let (whole, fraction) = (digits[..<point], digits[point...].dropFirst())
    guard whole.count + fraction.count > 0, digits.count <= Self.longestNumber,
      whole.allSatisfy(\.isDecimalDigit), fraction.allSatisfy(\.isDecimalDigit)
    else {
      write(string: field)
      return
    }
    if sign == UInt8(ascii: "-") { append(UInt8(ascii: "-")) }
    let significant = whole.drop { $0 == UInt8(ascii: "0") }
    if significant.isEmpty { append(UInt8(ascii: "0")) } else { append(contentsOf: significant) }
    guard !fraction.isEmpty else { return }
    append(UInt8(ascii: "."))
    append(contentsOf: fraction)
  }

  private static var longestNumber: Int { 16 }
}

extension UInt8 {
  fileprivate var isDecimalDigit: Bool { (0x30...0x39).contains(self) }
}
