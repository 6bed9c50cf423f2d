/// An accelerometer that Outrider supports, by its name in board files.
public struct AccelerometerPart: Sendable {
  /// The value of `chip` in a board file.
  public let name: String
  /// Possible addresses, the usual one first.
  public let addresses: [I2CAddress]
  /// Independent reference that registers and conversions were checked against; nil if unverified.
  public let witness: String?
  /// Creates the driver without accessing the bus.
  public let driver: @Sendable (_ bus: any I2CBus, _ address: I2CAddress) -> any Accelerometer

  private init<Driver: Accelerometer>(
    _ type: Driver.Type, driver: @escaping @Sendable (any I2CBus, I2CAddress) -> any Accelerometer
  ) {
    name = type.name
    addresses = type.addresses
    witness = type.witness
    self.driver = driver
  }

  /// All supported accelerometers. Of those with the same identity, the more usual one comes first.
  public static let all: [AccelerometerPart] = [
    AccelerometerPart(LIS3DH.self) { LIS3DH(bus: $0, address: $1) },
    AccelerometerPart(LIS2DH12.self) { LIS2DH12(bus: $0, address: $1) },
    AccelerometerPart(LSM6DSO.self) { LSM6DSO(bus: $0, address: $1) },
    AccelerometerPart(LSM6DSOX.self) { LSM6DSOX(bus: $0, address: $1) },
    AccelerometerPart(ADXL345.self) { ADXL345(bus: $0, address: $1) },
    AccelerometerPart(MPU6050.self) { MPU6050(bus: $0, address: $1) },
    AccelerometerPart(MPU6500.self) { MPU6500(bus: $0, address: $1) },
    AccelerometerPart(MPU9250.self) { MPU9250(bus: $0, address: $1) },
  ]

  public static func named(_ name: String) -> AccelerometerPart? { all.first { $0.name == name } }

  /// The accelerometers whose identity registers match the chip at an address; empty if none does. Throws if
  /// the bus fails, including `noAcknowledge`.
  public static func candidates(at address: I2CAddress, on bus: any I2CBus) throws(I2CError)
    -> [AccelerometerPart]
  {
    var found: [AccelerometerPart] = []
    for part in all where part.addresses.contains(address) {
      do throws(ChipError) {
        try part.driver(bus, address).identify()
        found.append(part)
      } catch {
        if case .bus(let fault) = error { throw fault }
      }
    }
    return found
  }
}
