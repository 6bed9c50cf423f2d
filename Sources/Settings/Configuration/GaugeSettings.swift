/// Where state of charge, voltage and current are read.
public enum GaugeSettings: Equatable, Sendable {
  /// A part on an I²C bus, driven from here.
  case part(GaugePartSettings)
  /// A supply of the kernel, by its name in `/sys/class/power_supply`, and its cells in series; nil: not said.
  case powerSupply(String, cells: Int? = nil)
}

extension GaugeSettings {
  /// Cells of the battery in series; nil: not said.
  public var cells: Int? {
    switch self {
    case .part(let part): part.cells
    case .powerSupply(_, let cells): cells
    }
  }
}

/// A gauge or power monitor and how it is wired.
public struct GaugePartSettings: Equatable, Sendable {
  /// The part by the name that its driver has.
  public var chip: String
  /// `/dev/i2c-N`.
  public var bus: String
  /// 7 bits, right-aligned; nil: where the part usually lies.
  public var address: UInt8?
  /// Ω; nil: no resistor outside the part.
  public var shuntOhm: Double?
  /// A; nil: not said.
  public var largestCurrentA: Double?
  /// mAh of the battery as built; nil: not said.
  public var capacityMAh: Double?
  /// Cells of the battery in series; nil: not said.
  public var cells: Int?
  /// What a power monitor calls positive flows out of the battery.
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
