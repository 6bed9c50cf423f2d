import Chips

/// A fuel gauge on an I²C bus of the kernel. Releasing the gauge closes the bus: the kernel keeps an
/// unplugged bus partly alive for as long as it is open.
public struct BusGauge: GaugeConnection {
  public let location: PartLocation
  private var gauge: PartGauge

  /// Creates the gauge without opening the bus. `path`: `/dev/i2c-N`.
  public init(
    path: String, part: GaugePart, address: I2CAddress, wiring: GaugeWiring,
    openBus: @escaping BusOpening = LinuxI2CBus.opening(_:for:)
  ) {
    location = PartLocation(name: part.name, path: path, address: address)
    gauge = PartGauge(part: part, address: address, wiring: wiring) { () throws(I2CError) -> any I2CBus in
      try openBus(path, address)
    }
  }

  public mutating func read() throws(ChipError) -> GaugeStep { try gauge.read() }

  public mutating func release() { gauge.release() }

  public static func words(of failure: ChipError) -> String { failure.words }
}
