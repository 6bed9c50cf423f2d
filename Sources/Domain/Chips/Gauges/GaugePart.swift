/// A supported gauge, as used by board files and detection.
public struct GaugePart: Sendable {
  /// Name in board files.
  public let name: String
  /// Possible addresses, the usual one first.
  public let addresses: [I2CAddress]
  /// Independent reference that the registers were checked against; nil if unverified.
  public let witness: String?
  /// Number of cells in series that the chip is made for; nil for any number.
  public let cells: Int?
  /// Creates the driver without accessing the bus.
  public let make: @Sendable (_ bus: any I2CBus, _ address: I2CAddress, _ wiring: GaugeWiring) -> any Gauge
}

extension GaugePart {
  /// All supported gauges. Of several at one address, those with an identity register come first.
  public static let all: [GaugePart] = [
    GaugePart(MAX17048.self) { MAX17048(bus: $0, address: $1, wiring: $2) },
    GaugePart(MAX17049.self) { MAX17049(bus: $0, address: $1, wiring: $2) },
    GaugePart(MAX17043.self) { MAX17043(bus: $0, address: $1, wiring: $2) },
    GaugePart(MAX17044.self) { MAX17044(bus: $0, address: $1, wiring: $2) },
    GaugePart(BQ27441.self) { BQ27441(bus: $0, address: $1, wiring: $2) },
    GaugePart(LC709203F.self) { LC709203F(bus: $0, address: $1, wiring: $2) },
    GaugePart(PiJuiceGauge.self) { PiJuiceGauge(bus: $0, address: $1, wiring: $2) },
    GaugePart(PiSugar3Gauge.self) { PiSugar3Gauge(bus: $0, address: $1, wiring: $2) },
    GaugePart(INA226.self) { INA226(bus: $0, address: $1, wiring: $2) },
    GaugePart(INA260.self) { INA260(bus: $0, address: $1, wiring: $2) },
    GaugePart(INA219.self) { INA219(bus: $0, address: $1, wiring: $2) },
  ]

  private init(
    _ type: any Gauge.Type, make: @escaping @Sendable (any I2CBus, I2CAddress, GaugeWiring) -> any Gauge
  ) {
    name = type.name
    addresses = type.addresses
    witness = type.witness
    cells = type.cells
    self.make = make
  }

  public static func named(_ name: String) -> GaugePart? { all.first { $0.name == name } }

  /// The gauges that the chip at an address may be, by its identity: none, one, or several that cannot be
  /// distinguished.
  ///
  /// Only reads, except that a chip at 0x55 whose readable values all match a gauge is queried for its type.
  /// Throws the bus error if no chip answers or it cannot be read.
  public static func candidates(on bus: any I2CBus, at address: I2CAddress) throws(ChipError) -> [GaugePart] {
    var found: [GaugePart] = []
    for part in all where part.addresses.contains(address) {
      do throws(ChipError) {
        try part.make(bus, address, GaugeWiring()).identify()
        found.append(part)
      } catch {
        switch error {
        case .wrongIdentity, .settingLost, .wrongChecksum, .cannot: continue
        case .bus: throw error
        }
      }
    }
    return found
  }
}
