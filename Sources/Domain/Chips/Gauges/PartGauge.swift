/// A gauge on a bus, read through the driver of its chip. Finds, identifies and configures the chip.
public struct PartGauge: GaugeInput {
  public let part: GaugePart
  public let address: I2CAddress
  public let wiring: GaugeWiring
  /// Opens the bus when the gauge is probed.
  private let bus: () throws(I2CError) -> any I2CBus
  /// The driver with its bus; nil before the chip was identified and configured.
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
    // A chip that was called keeps its state, even if the call failed.
    defer { driver = known }
    return try known.read()
  }

  public mutating func release() { driver = nil }
}
