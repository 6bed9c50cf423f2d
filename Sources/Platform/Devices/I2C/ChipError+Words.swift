import Chips
import Glibc

extension ChipError {
  /// The text for messages, with the remedy if there is one.
  public var words: String {
    switch self {
    case .bus(.noAcknowledge):
      "does not answer; check wiring and supply, and list the chips with outrider doctor i2c"
    case .bus(.system(_, ENOENT)): "no such bus; set dtparam=i2c_arm=on and load the module i2c-dev"
    case .bus(.system(_, ENOTTY)), .bus(.system(_, EISDIR)): "the path is not an I²C bus"
    case .bus(.system(_, EACCES)): "no permission for the bus; add the user to the group i2c"
    case .bus(let error): error.words
    case .wrongIdentity(let address, let register, let expected, let got):
      "another chip answers: register \(Self.text(register)) is \(Self.text(got)), expected "
        + expected.map(Self.text).joined(separator: " or ") + Self.hint(got)
        + Self.remedy(
          KnownChip(address, register: register, value: got),
          expected: expected.first.flatMap { KnownChip(address, register: register, value: $0) })
    case .settingLost(_, let register, let expected, let got):
      "settings not kept: register \(Self.text(register)) is \(Self.text(got)) after writing "
        + "\(Self.text(expected))\(Self.hint(got))"
    case .wrongChecksum: "checksum errors; check the bus for interference"
    case .cannot(_, let what): "not possible: \(what)"
    }
  }

  /// A value of a register in hexadecimal, as data sheets have it.
  private static func text(_ value: some FixedWidthInteger) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    let width = value > 0xFF ? 4 : 2
    return "0x" + String(repeating: "0", count: max(width - digits.utf8.count, 0)) + digits
  }

  /// The name of a known chip, and what to do about it.
  private static func remedy(_ chip: KnownChip?, expected: KnownChip?) -> String {
    guard let chip else { return "" }
    guard let part = chip.part else { return ": \(chip.name); it is not supported, use another module" }
    // Relatives and imitations are accepted until the self-test.
    if part == expected?.part { return ": \(chip.name); it failed the self-test, use another module" }
    return ": \(chip.name); set chip to \"\(part)\" in the board file, or use another module"
  }

  /// A hint for a register value that shows an undriven or stuck data line.
  private static func hint(_ got: UInt16) -> String {
    got == 0 ? " (data line stuck low?)" : ""
  }
}
