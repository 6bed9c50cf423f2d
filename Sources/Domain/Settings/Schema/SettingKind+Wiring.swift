extension SettingKind where Value == UInt8 {
  /// An I²C address that is not reserved (UM10204, section 3.1.12).
  static var address: Self {
    SettingKind(
      "a 7-bit I²C address from 0x08 to 0x77", isLiteral: false,
      text: { "0x\($0 < 0x10 ? "0" : "")\(String($0, radix: 16))" },
      written: { address, _ in .number(Double(address)) }
    ) { value in
      guard case .number(let number) = value else { return .wrongType }
      guard let address = UInt8(exactly: number), (0x08...0x77).contains(address) else { return .badValue }
      return .value(address)
    }
  }
}

extension SettingKind where Value == UInt32 {
  /// The number of a line on a GPIO chip.
  static var line: Self {
    SettingKind(
      "the number of a line, from 0 to 65535", isLiteral: false, text: { "\($0)" },
      written: { line, _ in .number(Double(line)) }
    ) { value in
      guard case .number(let number) = value else { return .wrongType }
      return UInt16(exactly: number).map { .value(UInt32($0)) } ?? .badValue
    }
  }
}

extension SettingKind where Value == Double {
  /// A bare number; the name of the key contains its unit.
  static func number(_ range: ClosedRange<Double>, _ unit: String) -> Self {
    let bounds = (text(range.lowerBound), text(range.upperBound))
    return SettingKind(
      "a number from \(bounds.0) to \(bounds.1), in \(unit)", isLiteral: false, text: text,
      written: { number, _ in .number(number) }
    ) { value in
      guard case .number(let number) = value else { return .wrongType }
      return range.contains(number) ? .value(number) : .badValue
    }.shaped(SettingShape(.number, unit, from: range.lowerBound, to: range.upperBound))
  }

  @Sendable private static func text(_ number: Double) -> String {
    Int64(exactly: number).map(String.init) ?? "\(number)"
  }
}

extension SettingKind where Value == String {
  /// A name that the kernel assigned and that becomes a component of a path.
  static var kernelName: Self {
    SettingKind("a name without a slash", text: { $0 }) { value in
      guard case .text(let text) = value else { return .wrongType }
      let isSound = text.isOneLine && !["", ".", ".."].contains(text) && !text.contains("/")
      return isSound ? .value(text) : .badValue
    }
  }

  /// The name of a chip, one of those for which the caller has a driver.
  static func chip(_ kind: ChipNames.Kind) -> Self {
    let expected = "the name of a chip"
    return SettingKind(expected: expected, isLiteral: true, isCompound: false, text: { $0 }) {
      value, path, findings in
      guard let name = SettingKind.name.read(value, path, &findings) else { return nil }
      guard let known = findings.chips[kind], !known.contains(name) else { return name }
      findings.add(.value, path) { .unknownChip($0, name: name, known: known) }
      return nil
    }
  }
}

extension Findings {
  /// Returns true if the chip can have the address, or if none is given; otherwise adds an error.
  mutating func allows(_ address: UInt8?, for chip: String, in group: String) -> Bool {
    guard let address, let possible = chips.addresses[chip], !possible.contains(address) else { return true }
    let text = SettingKind<UInt8>.address.text
    let ends = [possible.min(), possible.max()].compactMap { $0 }.map(text)
    let addressTexts =
      possible.count > 2 ? ends.joined(separator: " to ") : possible.map(text).joined(separator: " or ")
    add(.value, Shown.path(group, AccelerometerSettings.Field.address.path)) {
      .badValue($0, expected: "\(addressTexts) for \(chip)", got: text(address))
    }
    return false
  }
}
