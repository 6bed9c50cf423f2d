/// The source of state of charge, voltage and current, with its wiring.
public struct GaugeSettings: Equatable, Sendable {
  /// The part that measures.
  public enum Source: Equatable, Sendable {
    /// A chip with a driver in this program, and the path of its I²C bus, as in `/dev/i2c-1`.
    case chip(String, bus: String)
    /// A power supply of the kernel by its name in `/sys/class/power_supply`.
    case powerSupply(String)
  }

  var chip: String? = Field.chip.fallback
  var bus: String? = Field.bus.fallback
  /// The 7-bit address, right-aligned; nil for the usual address of the chip.
  public var address: UInt8? = Field.address.fallback
  /// Resistance of the external shunt in Ω; nil for none.
  public var shuntOhm: Double? = Field.shunt.fallback
  /// Largest current in A; nil if not given.
  public var largestCurrentA: Double? = Field.largestCurrent.fallback
  /// Design capacity of the battery in mAh; nil if not given, and for a power supply of the kernel.
  public var capacityMAh: Double? = Field.capacity.fallback
  /// Number of cells in series; nil if not given.
  public var cells: Int? = Field.cells.fallback
  /// True if a positive current of the power monitor flows out of the battery.
  public var isReversed: Bool = Field.reversed.fallback
  var powerSupply: String? = Field.powerSupply.fallback

  /// The part that measures; nil for an incomplete group, which no source can give.
  public var source: Source? {
    if let powerSupply { return .powerSupply(powerSupply) }
    guard let chip, let bus else { return nil }
    return .chip(chip, bus: bus)
  }

  init() {}

  public init(_ source: Source) {
    switch source {
    case .chip(let chip, let bus): (self.chip, self.bus) = (chip, bus)
    case .powerSupply(let name): powerSupply = name
    }
  }

  enum Field {
    typealias Of<Value: Equatable & Sendable> = Setting<GaugeSettings, Value>

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

    static let table = SettingTable<GaugeSettings>([
      chip, bus, address, shunt, largestCurrent, capacity, cells, reversed, powerSupply,
    ])

    /// The settings that a power supply of the kernel permits. All others belong to a chip.
    static let ofPowerSupply = [cells.path, powerSupply.path]
  }

  /// Adds an error for a group that is neither a chip on a bus nor a power supply of the kernel, or that contradicts its
  /// chip.
  @Sendable fileprivate static func check(_ gauge: GaugeSettings, _ path: String, _ findings: inout Findings)
  {
    switch gauge.source {
    case .powerSupply:
      let other = Field.table.settings.first {
        !Field.ofPowerSupply.contains($0.path) && !$0.isDefault(in: gauge)
      }
      guard let other else { return }
      findings.add(.key, Shown.path(path, Field.powerSupply.path)) {
        .conflict($0, with: Shown.path(path, other.path))
      }
    case .chip(let chip, _):
      guard findings.allows(gauge.address, for: chip, in: path) else { return }
      guard let cells = gauge.cells, let own = findings.chips.cellsOfGauges[chip], own != cells else {
        return
      }
      findings.add(.value, Shown.path(path, Field.cells.path)) {
        .badValue($0, expected: "\(own), the only number for \(chip)", got: "the number \(cells)")
      }
    case nil:
      let missing = gauge.chip == nil ? Field.chip.path : Field.bus.path
      findings.add(.value, path) {
        var location = $0
        location.path = Shown.path(path, missing)
        return .missing(location, remedy: "give chip and bus, or \(Field.powerSupply.path) alone")
      }
    }
  }
}

extension SettingKind where Value == GaugeSettings {
  /// Either a chip on a bus or a power supply of the kernel.
  static var gauge: Self {
    .group(of: GaugeSettings.Field.table, empty: GaugeSettings(), check: GaugeSettings.check)
  }
}
