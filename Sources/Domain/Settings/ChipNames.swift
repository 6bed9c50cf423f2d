/// The chips for which the program has drivers, by the names that settings use.
///
/// Nil for a kind of chip accepts any name, for reading settings without drivers.
public struct ChipNames: Equatable, Sendable {
  public var accelerometers: [String]?
  public var gauges: [String]?
  /// With the name of a latch.
  public var powerManagers: [String]?
  /// The possible addresses of a chip, 7 bits; without chips whose addresses are unknown.
  public var addresses: [String: [UInt8]]
  /// The number of cells in series that a gauge supports; without gauges for any number.
  public var cellsOfGauges: [String: Int]

  public init(
    accelerometers: [String]? = nil, gauges: [String]? = nil, powerManagers: [String]? = nil,
    addresses: [String: [UInt8]] = [:], cellsOfGauges: [String: Int] = [:]
  ) {
    self.accelerometers = accelerometers
    self.gauges = gauges
    self.powerManagers = powerManagers
    self.addresses = addresses
    self.cellsOfGauges = cellsOfGauges
  }

  /// The kind of chip.
  enum Kind: Sendable { case accelerometer, gauge, powerManager }

  subscript(kind: Kind) -> [String]? {
    switch kind {
    case .accelerometer: accelerometers
    case .gauge: gauges
    case .powerManager: powerManagers
    }
  }
}
