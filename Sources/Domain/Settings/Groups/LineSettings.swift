/// A line of a GPIO chip and its polarity.
public struct LineSettings: Equatable, Sendable {
  /// Path of the chip's device, as in `/dev/gpiochip0`.
  public var chip: String = Field.chip.fallback
  /// The line's number on the chip.
  public var line: UInt32 = Field.line.fallback
  /// True if the line is active at the low level.
  public var isActiveLow: Bool = Field.activeLow.fallback

  init() {}

  public init(chip: String, line: UInt32, isActiveLow: Bool = false) {
    self.chip = chip
    self.line = line
    self.isActiveLow = isActiveLow
  }

  enum Field {
    typealias Of<Value: Equatable & Sendable> = Setting<LineSettings, Value>

    static let chip = Of<String>(
      "chip", \.chip, .path, default: "", isRequired: true, applies: .afterRestart, effect: .always,
      "Device of the GPIO chip, as in /dev/gpiochip0.")
    static let line = Of<UInt32>(
      "line", \.line, .line, default: 0, isRequired: true, applies: .afterRestart, effect: .always,
      "Number of the line on its chip. On the header of a Raspberry Pi it is the GPIO number.")
    static let activeLow = Of<Bool>(
      "active_low", \.isActiveLow, .boolean, default: false, applies: .afterRestart, effect: .always,
      "Polarity of the line: true if it is active at the low level.")

    static let table = SettingTable<LineSettings>([chip, line, activeLow])
  }
}

extension SettingKind where Value == LineSettings {
  /// A GPIO line with its chip.
  static var line: Self { .group(of: LineSettings.Field.table, empty: LineSettings()) }
}
