/// The source of state of charge, voltage and current.
public enum GaugeSettings: Equatable, Sendable {
  /// A chip on an I²C bus, with a driver in this program.
  case part(GaugePartSettings)
  /// A power supply of the kernel by its name in `/sys/class/power_supply`, and its cells in series; nil if not given.
  case powerSupply(String, cells: Int? = nil)
}

extension GaugeSettings {
  /// Number of cells in series; nil if not given.
  public var cells: Int? {
    switch self {
    case .part(let part): part.cells
    case .powerSupply(_, let cells): cells
    }
  }
}

/// A fuel gauge or power monitor and its wiring.
public struct GaugePartSettings: Equatable, Sendable {
  /// The name of the chip's driver.
  public var chip: String
  /// Path of the bus, as in `/dev/i2c-1`.
  public var bus: String
  /// The 7-bit address, right-aligned; nil for the usual address of the chip.
  public var address: UInt8?
  /// Resistance of the external shunt in Ω; nil for none.
  public var shuntOhm: Double?
  /// Largest current in A; nil if not given.
  public var largestCurrentA: Double?
  /// Design capacity of the battery in mAh; nil if not given.
  public var capacityMAh: Double?
  /// Number of cells in series; nil if not given.
  public var cells: Int?
  /// True if a positive current of the power monitor flows out of the battery.
  public var isReversed: Bool

  public init(
    chip: String, bus: String, address: UInt8? = nil, shuntOhm: Double? = nil,
    largestCurrentA: Double? = nil, capacityMAh: Double? = nil, cells: Int? = nil,
    isReversed: Bool = false
  ) {
    self.chip = chip
    self.bus = bus
    self.address = address
    self.shuntOhm = shuntOhm
    self.largestCurrentA = largestCurrentA
    self.capacityMAh = capacityMAh
    self.cells = cells
    self.isReversed = isReversed
  }
}
