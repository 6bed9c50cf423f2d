/// A gauge read through the driver of its part, which it finds, identifies and sets up by itself.
public struct PartGauge: GaugeInput {
  public let part: GaugePart
  public let address: I2CAddress
  public let wiring: GaugeWiring
  /// The bus, opened when the gauge is looked for.
  private let bus: () throws(I2CError) -> any I2CBus
  /// The driver and with it the bus; nil before the part was identified and set up.
  private var driver: (any Gauge)?

  public init(
    part: GaugePart, address: I2CAddress, wiring: GaugeWiring,
    bus: @escaping () throws(I2CError) -> any I2CBus
  ) {
    self.part = part
    self.address = address
    self.wiring = wiring
    self.bus = bus
  }

  public mutating func read() throws(ChipError) -> GaugeStep {
    guard var known = driver else {
      var new: any Gauge
      do throws(I2CError) { new = part.make(try bus(), address, wiring) } catch { throw .bus(error) }
      try new.identify()
      let pause = try new.start()
      driver = new
      return .wait(pause)
    }
    // A part that was called has its state, also where the call broke off.
    defer { driver = known }
    return try known.read()
  }

  public mutating func letGo() { driver = nil }
}
