/// The battery of a PiJuice. Only reads.
///
/// The current is not read: the board has no shunt at the battery and derives it from the charge (issues 287 and 738 of
/// PiSupply/PiJuice). Each reading is a command, which clears a pending alarm and restarts the watchdog of the board: none
/// may follow after a cut of the supply was armed.
public struct PiJuiceGauge: Gauge {
  public static let name = PiJuice.name
  public static let addresses = PiJuice.addresses
  public static let witness: String? = "pijuice.py and command_server.c of PiSupply/PiJuice"
  public static let cells: Int? = 1

  private enum Command {
    /// Bits 2 and 3: battery (normal, charged from the USB input, charged from the 5 V pins, absent); 4 and 5: USB input; 6
    /// and 7: 5 V pins (absent, bad, weak, present).
    static let status: UInt8 = 0x40
    /// Percent.
    static let charge: UInt8 = 0x41
    /// °C, signed, in the first of two bytes; firmware 1.6 sends 0xFF as the second.
    static let temperature: UInt8 = 0x47
    /// mV.
    static let voltage: UInt8 = 0x49
  }

  private let blocks: PiJuiceBlocks

  public init(bus: any I2CBus, address: I2CAddress, wiring: GaugeWiring) {
    blocks = PiJuiceBlocks(bus: bus, address: address)
  }

  public func identify() throws(ChipError) { _ = try blocks.identify() }

  public func start() throws(ChipError) -> Duration { .zero }

  public func read() throws(ChipError) -> GaugeStep {
    var reading = GaugeReading()
    let status = try blocks.read(Command.status)
    let battery = status >> 2 & 3
    let charge = try blocks.read(Command.charge)
    guard charge <= 100 else { throw .cannot(blocks.address, "a charge of \(charge) %") }
    reading.voltage = Double(try blocks.readWord(Command.voltage)) / 1000
    reading.cells = Self.cells
    reading.stateOfCharge = Double(charge)
    reading.temperature = Double(Int8(bitPattern: try blocks.read(Command.temperature, 2)[0]))
    reading.temperatureSource = .battery
    reading.isCharging = battery == 1 || battery == 2
    reading.isPlugged = status >> 4 & 3 >= 2 || status >> 6 >= 2
    return .reading(reading)
  }
}
