import Chips
import Quantities
import Testing
import Simulation

/// A time in seconds after the beginning of a test.
func second(_ seconds: Double) -> Moment { .zero + .seconds(seconds) }

extension I2CAddress {
  static func of(_ number: UInt8) throws -> I2CAddress { try #require(I2CAddress(number)) }
}

extension VirtualBus {
  func set(_ register: UInt8, _ values: UInt8..., at address: I2CAddress) throws {
    _ = try transfer(to: address, write: [register] + values, readCount: 0)
  }

  func get(_ register: UInt8, at address: I2CAddress) throws -> UInt8 {
    try transfer(to: address, write: [register], readCount: 1)[0]
  }

  func word(_ register: UInt8, at address: I2CAddress) throws -> UInt16 {
    let bytes = try transfer(to: address, write: [register], readCount: 2)
    return UInt16(bytes[0]) << 8 | UInt16(bytes[1])
  }
}

/// A bus with a LIS3DH at 0x18 and its driver.
struct LIS3DHBench {
  let bus = VirtualBus()
  let address: I2CAddress
  var driver: LIS3DH

  init(_ track: AccelerationTrack, rateError: Double = 0, change: (inout VirtualLIS3DH) -> Void = { _ in })
    throws
  {
    address = try .of(0x18)
    var part = VirtualLIS3DH(track: track, rateError: rateError)
    change(&part)
    bus.attach(part, at: address)
    driver = LIS3DH(bus: bus, address: address)
  }

  init(csv: String) throws { try self.init(AccelerationTrack(csv: csv.utf8)) }
}

/// A bus with a MAX17048 and its driver.
struct MAX17048Bench {
  let bus = VirtualBus()
  let address: I2CAddress
  var driver: MAX17048

  init(_ track: CellTrack, change: (inout VirtualMAX17048) -> Void = { _ in }) throws {
    address = try .of(0x36)
    var part = VirtualMAX17048(track: track)
    change(&part)
    bus.attach(part, at: address)
    driver = MAX17048(bus: bus, address: address, wiring: GaugeWiring())
  }

  mutating func reading() throws -> GaugeReading {
    guard case .reading(let reading) = try driver.read() else { throw I2CError.noAcknowledge(address) }
    return reading
  }
}
