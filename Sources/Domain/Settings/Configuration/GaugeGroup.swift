/// The group `gauge` as written, before its form (chip or power supply of the kernel) is known.
struct GaugeGroup: Equatable, Sendable {
  var chip: String? = Field.chip.fallback
  var bus: String? = Field.bus.fallback
  var address: UInt8? = Field.address.fallback
  var shuntOhm: Double? = Field.shunt.fallback
  var largestCurrentA: Double? = Field.largestCurrent.fallback
  var capacityMAh: Double? = Field.capacity.fallback
  var cells: Int? = Field.cells.fallback
  var isReversed: Bool = Field.reversed.fallback
  var powerSupply: String? = Field.powerSupply.fallback

  init() {}

  init(_ settings: GaugeSettings) {
    switch settings {
    case .powerSupply(let name, let cells): (powerSupply, self.cells) = (name, cells)
    case .part(let part):
      (chip, bus, address) = (part.chip, part.bus, part.address)
      (shuntOhm, largestCurrentA, capacityMAh) = (part.shuntOhm, part.largestCurrentA, part.capacityMAh)
      (cells, isReversed) = (part.cells, part.isReversed)
    }
  }

  enum Field {
    typealias Of<Value: Equatable & Sendable> = Setting<GaugeGroup, Value>

    static let chip = Of<String?>(
      "chip", \.chip, .optional(.chip(.gauge)), default: nil, applies: .afterRestart, effect: .always,
      "Name of the chip, as outrider doctor i2c shows it.")
    static let bus = Of<String?>(
      "bus", \.bus, .optional(.path), default: nil, applies: .afterRestart, effect: .always,
      "Device of the I²C bus, as in /dev/i2c-1.")
    static let address = Of<UInt8?>(
      "address", \.address, .optional(.address), default: nil, defaultText: "the usual address of the chip",
      applies: .afterRestart, effect: .always, "I²C address of the chip, 7 bits.")
    static let shunt = Of<Double?>(
      "shunt_ohm", \.shuntOhm, .optional(.number(0.0001...100, "Ω")), default: nil, applies: .afterRestart,
      effect: .always,
      "Shunt resistance of a power monitor, in Ω.")
    static let largestCurrent = Of<Double?>(
      "largest_current_A", \.largestCurrentA, .optional(.number(0.001...500, "A")), default: nil,
      applies: .afterRestart, effect: .always,
      "Largest current through the shunt, in A. It sets the scale of a power monitor.")
    static let capacity = Of<Double?>(
      "capacity_mAh", \.capacityMAh, .optional(.number(1...1_000_000, "mAh")), default: nil,
      applies: .afterRestart, effect: .always, "Design capacity of the battery, in mAh.")
    static let cells = Of<Int?>(
      "cells", \.cells, .optional(.integer(1...30)), default: nil,
      defaultText: "the number of the chip, otherwise 1",
      applies: .afterRestart, effect: .always,
      "Number of battery cells in series, for a power monitor or a battery of the kernel. A fuel gauge "
        + "knows its own number.")
    static let reversed = Of<Bool>(
      "reversed", \.isReversed, .boolean, default: false, applies: .afterRestart, effect: .always,
      "Orientation of a power monitor: true if IN+ faces the battery, so that a positive current flows "
        + "out of it.")
    static let powerSupply = Of<String?>(
      "power_supply", \.powerSupply, .optional(.kernelName), default: nil, applies: .afterRestart,
      effect: .always,
      "Name of a battery in /sys/class/power_supply, instead of chip and bus.")

    static let table = SettingTable<GaugeGroup>([
      chip, bus, address, shunt, largestCurrent, capacity, cells, reversed, powerSupply,
    ])
  }
}
