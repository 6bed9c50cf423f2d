import Testing

import Chips

/// Transactions with the one chip of a script.
struct PartScript {
  let address: UInt8

  /// Writes `bytes`, the register first.
  func write(_ bytes: UInt8...) -> ScriptedBus.Transaction {
    ScriptedBus.Transaction(address: address, write: bytes)
  }

  /// Reads `bytes` from a register onwards.
  func read(_ register: UInt8, _ bytes: UInt8...) -> ScriptedBus.Transaction {
    read(register, bytes)
  }

  func read(_ register: UInt8, _ bytes: [UInt8]) -> ScriptedBus.Transaction {
    ScriptedBus.Transaction(address: address, write: [register], read: bytes)
  }

  /// Writes a register and reads it back.
  func set(_ register: UInt8, _ value: UInt8) -> [ScriptedBus.Transaction] {
    [write(register, value), read(register, value)]
  }

  /// A driver on a bus that expects exactly these transactions.
  func driver<Driver: Accelerometer>(
    _ type: Driver.Type, _ script: [ScriptedBus.Transaction]
  ) throws -> (Driver, ScriptedBus) {
    let bus = ScriptedBus(script)
    guard let address = I2CAddress(address) else { throw I2CAddressMissing() }
    return (Driver(bus: bus, address: address), bus)
  }

  struct I2CAddressMissing: Error {}
}

/// The parameters of a start, and the resulting registers.
struct StartCase: Sendable, CustomTestStringConvertible {
  var rate: Double
  var range: Double
  var watermark: Int?
  var becomes: Sampling
  /// The registers that depend on the parameters, in the order of the chip's script.
  var registers: [UInt8]

  var testDescription: String { "\(rate) Hz, ±\(range) g, watermark \(watermark.map(String.init) ?? "none")" }

  var request: SamplingRequest { SamplingRequest(rate: rate, range: range, watermark: watermark) }
}

/// Runs the self-test to its end, at most thirty steps; returns the result and the number of waits.
func selfTest(_ driver: inout some Accelerometer) throws -> (end: SelfTestStep, waits: Int) {
  for waits in 0..<30 {
    let step = try driver.selfTestStep()
    guard case .wait(let pause) = step else { return (step, waits) }
    #expect(pause > .zero && pause <= .milliseconds(200))
  }
  return (.wait(.zero), 30)
}

/// Equal within the rounding of a `Float`.
func areClose(_ a: [Acceleration], _ b: [Acceleration]) -> Bool {
  a.count == b.count
    && zip(a, b).allSatisfy { abs($0.x - $1.x) < 1e-5 && abs($0.y - $1.y) < 1e-5 && abs($0.z - $1.z) < 1e-5 }
}
