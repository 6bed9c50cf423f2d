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
    }
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

extension SettingKind where Value == LineSettings {
  /// A GPIO line with its chip.
  static var line: Self { .group(of: LineSettings.Field.table, empty: LineSettings()) }
}

extension SettingKind where Value == LEDSettings.Light {
  static var light: Self {
    let line = SettingKind<LineSettings>.line
    let expected = "the name of an LED in /sys/class/leds, or \(line.expected)"
    return SettingKind(
      expected: expected, isLiteral: false, isCompound: true,
      text: { light in
        switch light {
        case .named(let name): name
        case .line(let wiring): line.text(wiring)
        }
      },
      written: { light, reveals in
        switch light {
        case .named(let name): .text(name)
        case .line(let wiring): line.written(wiring, reveals)
        }
      }
    ) { value, path, findings in
      switch value {
      case .group: return line.read(value, path, &findings).map { .line($0) }
      case .text: return SettingKind<String>.kernelName.read(value, path, &findings).map { .named($0) }
      case .null, .boolean, .number, .list:
        findings.add(.value, path) { .wrongType($0, expected: expected, got: value.kind) }
        return nil
      }
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

extension SettingKind where Value == AccelerometerSettings {
  /// A chip on a bus.
  static var accelerometer: Self {
    let group = Self.group(of: AccelerometerSettings.Field.table, empty: AccelerometerSettings())
    return SettingKind(
      expected: group.expected, isLiteral: false, isCompound: true, text: group.text, written: group.written
    ) { value, path, findings in
      guard let read = group.read(value, path, &findings) else { return nil }
      return findings.allows(read.address, for: read.chip, in: path) ? read : nil
    }
  }
}

extension SettingKind where Value == GaugeSettings {
  /// Either a chip on a bus or a power supply of the kernel.
  static var gauge: Self {
    let group = SettingKind<GaugeGroup>.group(of: GaugeGroup.Field.table, empty: GaugeGroup())
    return SettingKind(
      expected: group.expected, isLiteral: false, isCompound: true, text: { group.text(GaugeGroup($0)) },
      written: { group.written(GaugeGroup($0), $1) }
    ) { value, path, findings in
      guard let read = group.read(value, path, &findings) else { return nil }
      let powerSupply = GaugeGroup.Field.powerSupply.path
      let others = GaugeGroup.Field.table.settings.filter {
        ![powerSupply, GaugeGroup.Field.cells.path].contains($0.path) && !$0.isDefault(in: read)
      }
      switch (read.powerSupply, read.chip, read.bus) {
      case (let name?, _, _):
        guard let other = others.first else { return .powerSupply(name, cells: read.cells) }
        findings.add(.key, Shown.path(path, powerSupply)) {
          .conflict($0, with: Shown.path(path, other.path))
        }
      case (nil, let chip?, let bus?):
        guard findings.allows(read.address, for: chip, in: path) else { return nil }
        if let cells = read.cells, let own = findings.chips.cellsOfGauges[chip], own != cells {
          findings.add(.value, Shown.path(path, GaugeGroup.Field.cells.path)) {
            .badValue($0, expected: "\(own), the only number for \(chip)", got: "the number \(cells)")
          }
          return nil
        }
        return .part(
          GaugePartSettings(
            chip: chip, bus: bus, address: read.address, shuntOhm: read.shuntOhm,
            largestCurrentA: read.largestCurrentA, capacityMAh: read.capacityMAh,
            cells: read.cells, isReversed: read.isReversed))
      case (nil, let chip, _):
        let missing = chip == nil ? GaugeGroup.Field.chip.path : GaugeGroup.Field.bus.path
        findings.add(.value, path) {
          var location = $0
          location.path = Shown.path(path, missing)
          return .missing(location, remedy: "give chip and bus, or \(powerSupply) alone")
        }
      }
      return nil
    }
  }
}
