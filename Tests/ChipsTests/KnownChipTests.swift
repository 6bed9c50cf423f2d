import Testing
@testable import Chips

/// Relatives and imitations of supported chips.
@Suite struct KnownChipTests {
  /// A chip with these registers; all others are 0.
  final class Chip: I2CBus {
    let address: UInt8
    private(set) var registers: [UInt8: UInt8]
    private(set) var written: [[UInt8]] = []

    init(_ address: UInt8, _ registers: [UInt8: UInt8]) {
      (self.address, self.registers) = (address, registers)
    }

    func transfer(to address: I2CAddress, write: [UInt8], readCount: Int) throws(I2CError) -> [UInt8] {
      guard address.rawValue == self.address else { throw .noAcknowledge(address) }
      if write.count > 1 {
        written.append(write)
        for (index, value) in write.dropFirst().enumerated() { registers[write[0] &+ UInt8(index)] = value }
      }
      let first = Int(write.first ?? 0)
      return (0..<readCount).map { registers[UInt8(truncatingIfNeeded: first + $0)] ?? 0 }
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let address: UInt8, register: UInt8, value: UInt8
    /// The parts that accept it, and the name if none does.
    var parts: [String] = []
    var name: String?
    var testDescription: String { "\(address) \(value)" }
  }

  static let cases = [
    Case(address: 0x68, register: 0x75, value: 0x68, parts: ["mpu6050"]),
    Case(address: 0x68, register: 0x75, value: 0x98, parts: ["mpu6050"]),
    Case(address: 0x69, register: 0x75, value: 0x72, parts: ["mpu6050"]),
    Case(address: 0x68, register: 0x75, value: 0x70, parts: ["mpu6500"]),
    Case(address: 0x68, register: 0x75, value: 0x74, parts: ["mpu6500"]),
    Case(address: 0x68, register: 0x75, value: 0x75, parts: ["mpu6500"]),
    Case(address: 0x68, register: 0x75, value: 0x78, parts: ["mpu6500"]),
    Case(address: 0x68, register: 0x75, value: 0x71, parts: ["mpu9250"]),
    Case(address: 0x68, register: 0x75, value: 0x73, parts: ["mpu9250"]),
    Case(address: 0x68, register: 0x75, value: 0x19, name: "an MPU-6886"),
    Case(address: 0x68, register: 0x75, value: 0x12, name: "an ICM-20602"),
    Case(address: 0x68, register: 0x00, value: 0x24, name: nil),
    Case(address: 0x69, register: 0x00, value: 0xD1, name: "a BMI160"),
    Case(address: 0x18, register: 0x0F, value: 0x33, parts: ["lis3dh", "lis2dh12"]),
    Case(address: 0x18, register: 0x0F, value: 0x11, name: "an SC7A20, which is sold as LIS3DH"),
    Case(address: 0x19, register: 0x0F, value: 0x44, name: "a LIS2DW12"),
    Case(address: 0x1D, register: 0x0F, value: 0x3F, name: "an imitation of the LIS3DH without a FIFO"),
    Case(address: 0x6A, register: 0x0F, value: 0x69, name: "an LSM6DS3"),
    Case(address: 0x6B, register: 0x0F, value: 0x6A, name: "an LSM6DSL or LSM6DS3TR-C"),
    Case(address: 0x53, register: 0x00, value: 0xE6, name: "an ADXL346"),
    Case(address: 0x18, register: 0x0F, value: 0x77, name: nil),
  ]

  /// The survey only reads.
  @Test(arguments: cases) func theSurveyNamesIt(_ test: Case) throws {
    let chip = Chip(test.address, [test.register: test.value])
    let address = try #require(I2CAddress(test.address))
    let finding = I2CSurvey.probe(at: address, on: chip)
    if !test.parts.isEmpty {
      #expect(finding == .parts(test.parts))
    } else if let name = test.name {
      guard case .unsupported(let known) = finding else { return #expect(Bool(false), "\(finding)") }
      #expect(known.name == name && known.part == nil)
    } else {
      #expect(finding == .unknown)
    }
    #expect(chip.written.isEmpty)
  }

  /// Only the self-test shows that an imitation is compatible; the chip of the data sheet is used in any case.
  @Test(arguments: [(0x68, false), (0x72, true), (0x98, true)] as [(UInt8, Bool)])
  func anImitationThatFailsTheSelfTestIsAnotherChip(value: UInt8, isRejected: Bool) throws {
    let address = try #require(I2CAddress(0x68))
    let driver = MPU6050(bus: Chip(0x68, [0x75: value]), address: address)
    try driver.identify()
    if isRejected {
      #expect(throws: ChipError.wrongIdentity(address, register: 0x75, expected: [0x68], got: UInt16(value)))
      {
        try driver.confirmIdentity()
      }
    } else {
      try driver.confirmIdentity()
    }
  }

  @Test func theReaderRejectsAnImitationThatFailsTheSelfTest() throws {
    for (value, isRejected) in [(0x98, true), (0x68, false)] as [(UInt8, Bool)] {
      let address = try #require(I2CAddress(0x68))
      let part = try #require(AccelerometerPart.named("mpu6050"))
      let chip = Chip(0x68, [0x75: value])
      var reader = AccelerometerReader(part: part, address: address, hasLine: false, now: .zero)
      reader.setDesiredMode(
        .samples(SamplingRequest(rate: 25, range: 2), within: .seconds(1)), now: .zero)
      var failed = false
      var errors: [ChipError] = []
      for _ in 0..<400 {
        guard let now = reader.nextTimeout, !failed, errors.isEmpty else { break }
        for notice in reader.step(on: { () throws(I2CError) in chip }, cause: .deadline, now: now) {
          switch notice {
          case .selfTestFailed: failed = true
          case .lost(let error): errors.append(error)
          case _: break
          }
        }
      }
      #expect(failed == !isRejected)
      if isRejected {
        #expect(errors.first == .wrongIdentity(address, register: 0x75, expected: [0x68], got: 0x98))
      }
    }
  }

  @Test func anINA226OfAnotherMakerIsAccepted() throws {
    let address = try #require(I2CAddress(0x40))
    final class Words: I2CBus {
      func transfer(to address: I2CAddress, write: [UInt8], readCount: Int) throws(I2CError) -> [UInt8] {
        switch write.first {
        case 0x00: [0x41, 0x27]
        case 0xFE: [0x19, 0x0F]
        case _: [UInt8](repeating: 0, count: readCount)
        }
      }
    }
    #expect(try GaugePart.candidates(on: Words(), at: address).map(\.name) == ["ina226"])
  }
}
