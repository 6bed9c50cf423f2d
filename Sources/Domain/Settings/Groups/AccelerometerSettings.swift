/// An accelerometer and its wiring.
public struct AccelerometerSettings: Equatable, Sendable {
  /// The name of the chip's driver.
  public var chip: String = Field.chip.fallback
  /// Path of the bus, as in `/dev/i2c-1`.
  public var bus: String = Field.bus.fallback
  /// The 7-bit address, right-aligned; nil for the usual address of the chip.
  public var address: UInt8? = Field.address.fallback
  /// The line of the interrupt output; nil if not wired, so that the chip is polled.
  public var interrupt: LineSettings? = Field.interrupt.fallback

  init() {}

  public init(chip: String, bus: String, address: UInt8? = nil, interrupt: LineSettings? = nil) {
    self.chip = chip
    self.bus = bus
    self.address = address
    self.interrupt = interrupt
  }

  enum Field {
    typealias Of<Value: Equatable & Sendable> = Setting<AccelerometerSettings, Value>

    static let chip = Of<String>(
      "chip", \.chip, .chip(.accelerometer), default: "", isRequired: true, applies: .afterRestart,
      effect: .always,
      "Name of the chip, as outrider doctor i2c shows it.")
    static let bus = Of<String>(
      "bus", \.bus, .path, default: "", isRequired: true, applies: .afterRestart, effect: .always,
      "Device of the I²C bus, as in /dev/i2c-1.")
    static let address = Of<UInt8?>(
      "address", \.address, .optional(.address), default: nil, defaultText: "the usual address of the chip",
      applies: .afterRestart, effect: .always, "I²C address of the chip, 7 bits.")
    static let interrupt = Of<LineSettings?>(
      "interrupt", \.interrupt, .optional(.line), default: nil, applies: .afterRestart, effect: .always,
      "GPIO line to which the chip's interrupt output is wired.")

    static let table = SettingTable<AccelerometerSettings>([chip, bus, address, interrupt])
  }
}

extension SettingKind where Value == AccelerometerSettings {
  /// A chip on a bus.
  static var accelerometer: Self {
    .group(of: AccelerometerSettings.Field.table, empty: AccelerometerSettings()) { chip, path, findings in
      _ = findings.allows(chip.address, for: chip.chip, in: path)
    }
  }
}
