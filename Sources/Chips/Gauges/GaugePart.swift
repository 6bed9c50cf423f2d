/// A gauge as board files and detection know it.
public struct GaugePart: Sendable {
  /// The name that board files use.
  public let name: String
  /// Where the part can lie, its usual address first.
  public let addresses: [I2CAddress]
  /// What its registers were checked against; nil while unproven.
  public let witness: String?
  /// Cells in series that the part is made for; nil for one that serves any number.
  public let cells: Int?
  /// The driver of one such part. Touches no bus.
  public let make: @Sendable (_ bus: any I2CBus, _ address: I2CAddress, _ wiring: GaugeWiring) -> any Gauge
}

extension GaugePart {
  /// All parts. Where several share an address, those with an identity of their own come first.
  public static let all: [GaugePart] = [
    GaugePart(MAX17048.self) { MAX17048(bus: $0, address: $1, wiring: $2) },
    GaugePart(MAX17049.self) { MAX17049(bus: $0, address: $1, wiring: $2) },
    GaugePart(MAX17043.self) { MAX17043(bus: $0, address: $1, wiring: $2) },
    GaugePart(MAX17044.self) { MAX17044(bus: $0, address: $1, wiring: $2) },
    GaugePart(BQ27441.self) { BQ27441(bus: $0, address: $1, wiring: $2) },
    GaugePart(LC709203F.self) { LC709203F(bus: $0, address: $1, wiring: $2) },
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

  /// What the part at an address may be, by its identity: none, one, or several that cannot be told apart.
  ///
  /// Only reads, except that a part at 0x55 which looks like a gauge in all that can be read is asked for its type.
  /// Throws what the bus says where nothing answers or does not let itself be read.
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
