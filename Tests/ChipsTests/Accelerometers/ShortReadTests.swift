import Testing

import Chips

/// Drivers on an adapter with short reads: 32 bytes are an SMBus block.
@Suite struct ShortReadTests {
  private func address(_ number: UInt8) throws -> I2CAddress { try #require(I2CAddress(number)) }

  /// Samples whose x is a counter.
  private static func counted(_ count: Int, bigEndian: Bool = false) -> [UInt8] {
    (0..<count).flatMap { index -> [UInt8] in
      let word = [UInt8(truncatingIfNeeded: index), 0x00]
      return (bigEndian ? word.reversed() : word) + [0, 0, 0, 0]
    }
  }

  private static func pieces(_ bytes: [UInt8], of length: Int) -> [[UInt8]] {
    stride(from: 0, to: bytes.count, by: length).map { Array(bytes[$0..<min($0 + length, bytes.count)]) }
  }

  private func drain<Driver: Accelerometer>(
    _ type: Driver.Type, _ part: PartScript, _ script: [ScriptedBus.Transaction], longestRead: Int,
    _ request: SamplingRequest
  ) throws -> FIFOReading {
    var (driver, bus) = try part.driver(type, script)
    bus.longestRead = longestRead
    _ = try driver.start(request)
    let reading = try driver.drain()
    #expect(bus.isExhausted, "\(bus.mismatches)")
    return reading
  }

  private func countUp(_ reading: FIFOReading, to count: Int, scale: Float) -> Bool {
    areClose(reading.samples, (0..<count).map { Acceleration(x: Float($0) * scale, y: 0, z: 0) })
  }

  @Test(arguments: [(32, 30), (6, 6), (13, 12), (1000, 192)])
  func theLISFIFOIsReadInWholeSamples(_ row: (longest: Int, piece: Int)) throws {
    let part = LISAccelerometerTests.part
    let script =
      LISAccelerometerTests.starting([0x00, 0x80, 0x9F, 0x37]) + [part.read(0xAE, 0x9F, 0x5F)]
      + Self.pieces(Self.counted(32), of: row.piece).map { part.read(0xA8, $0) }
    let reading = try drain(
      LIS3DH.self, part, script, longestRead: row.longest, SamplingRequest(rate: 25, range: 2))
    #expect(countUp(reading, to: 32, scale: 62.5e-6) && reading.isOverrun)
  }

  @Test(arguments: [32, 6]) func theADXLFIFOIsAlwaysReadSampleBySample(_ longest: Int) throws {
    let part = ADXL345Tests.part
    let script =
      ADXL345Tests.plain + [part.read(0x30, 0x82), part.read(0x38, 0x80, 0x07)]
      + Self.pieces(Self.counted(7), of: 6).map { part.read(0x32, $0) }
    let reading = try drain(
      ADXL345.self, part, script, longestRead: longest, SamplingRequest(rate: 25, range: 2))
    #expect(countUp(reading, to: 7, scale: 1 / 256))
  }

  private static let entries = (0..<9).flatMap { [0x10, UInt8($0), 0, 0, 0, 0, 0] as [UInt8] }

  @Test(arguments: [(32, 28), (7, 7)])
  func theLSM6FIFOIsReadInWholeEntries(_ row: (longest: Int, piece: Int)) throws {
    let part = LSM6AccelerometerTests.part
    let script =
      LSM6AccelerometerTests.plain + [part.read(0x3A, 0x09, 0x80)]
      + Self.pieces(Self.entries, of: row.piece).map { part.read(0x78, $0) }
    let reading = try drain(
      LSM6DSO.self, part, script, longestRead: row.longest, LSM6AccelerometerTests.request)
    #expect(countUp(reading, to: 9, scale: 61e-6))
  }

  @Test func anLSM6EntryThatIsTooLongIsReadAsTagAndWords() throws {
    let part = LSM6AccelerometerTests.part
    let script =
      LSM6AccelerometerTests.plain + [part.read(0x3A, 0x09, 0x80)]
      + Self.pieces(Self.entries, of: 7).flatMap {
        [part.read(0x78, $0[0]), part.read(0x79, Array($0.dropFirst()))]
      }
    let reading = try drain(LSM6DSO.self, part, script, longestRead: 6, LSM6AccelerometerTests.request)
    #expect(countUp(reading, to: 9, scale: 61e-6))
  }

  @Test(arguments: [32, 6, 2]) func theMPUFIFOIsReadInAnyNumberOfBytes(_ longest: Int) throws {
    let part = MPUAccelerometerTests.part
    let script =
      MPUAccelerometerTests.plain + [part.read(0x3A, 0x00), part.read(0x72, 0x00, 0x3F)]
      + Self.pieces(Self.counted(10, bigEndian: true), of: longest).map { part.read(0x74, $0) }
    let reading = try drain(
      MPU6050.self, part, script, longestRead: longest, MPUAccelerometerTests.request)
    #expect(countUp(reading, to: 10, scale: 1 / 16384))
  }

  @Test func aFaultBetweenTwoPiecesRestartsTheFIFO() throws {
    let part = LISAccelerometerTests.part
    let address = try address(0x18)
    let script =
      LISAccelerometerTests.starting([0x00, 0x80, 0x9F, 0x37])
      + [
        part.read(0xAE, 0x9F, 0x02), part.read(0xA8, Self.counted(1)), .fail(0x18, 0xA8, .timedOut(address)),
        part.write(0x2E, 0x00),
      ] + part.set(0x2E, 0x9F)
    var (driver, bus) = try part.driver(LIS3DH.self, script)
    bus.longestRead = 6
    _ = try driver.start(SamplingRequest(rate: 25, range: 2))
    #expect(throws: ChipError.bus(.timedOut(address))) { try driver.drain() }
    #expect(try driver.drain() == FIFOReading(samples: [], isOverrun: true))
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test(arguments: ["lis3dh", "lis2dh12", "adxl345", "lsm6dso", "lsm6dsox"])
  func anAdapterThatCannotReadASampleIsRejectedBeforeTheBusIsUsed(_ name: String) throws {
    let part = try #require(AccelerometerPart.named(name))
    let address = try #require(part.addresses.first)
    let bus = ScriptedBus()
    bus.longestRead = 5
    var driver = part.driver(bus, address)
    #expect(throws: ChipError.bus(.unsupported(address, transaction: "write 1, read 6"))) {
      try driver.start(SamplingRequest(rate: 25, range: 2))
    }
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  // MARK: Comparison with independent models

  /// An adapter with a limited length of reads.
  private final class ShortBus: I2CBus {
    let bus: ChipsModelBus
    let longestRead: Int

    init(_ bus: ChipsModelBus, longestRead: Int) { (self.bus, self.longestRead) = (bus, longestRead) }

    func transfer(to address: I2CAddress, write: [UInt8], readCount: Int) throws(I2CError) -> [UInt8] {
      guard readCount <= longestRead else { throw .unsupported(address, transaction: "read \(readCount)") }
      return try bus.transfer(to: address, write: write, readCount: readCount)
    }
  }

  /// x rises by 0.1 g per second, which reveals lost, repeated or disordered samples.
  @Test(
    .enabled(
      if: ChipsModelBus.isPresent,
      "recordings and rig are missing: put them in ../shared, or set OUTRIDER_SHARED to their folder"),
    arguments: [("lis3dh", 0x18), ("adxl345", 0x53), ("mpu6050", 0x68)] as [(String, UInt8)], [32, 6])
  func shortReadsGiveTheSameSamples(_ chip: (name: String, address: UInt8), _ longest: Int) throws {
    let part = try #require(AccelerometerPart.named(chip.name))
    var readings: [FIFOReading] = []
    for longest in [longest, 8192] {
      let model = try ChipsModelBus(chip.name, at: chip.address, track: [[0, -1, 0, 1], [20, 1, 0, 1]])
      var driver = part.driver(ShortBus(model, longestRead: longest), try address(chip.address))
      _ = try driver.start(SamplingRequest(rate: 25, range: 2))
      try model.advance(to: 0)
      try model.advance(to: 1.01)
      readings.append(try driver.drain())
    }
    #expect(readings[0] == readings[1] && readings[0].samples.count >= 20)
    let xs = readings[0].samples.map(\.x)
    #expect(zip(xs, xs.dropFirst()).allSatisfy { $0 <= $1 } && (xs.first ?? 0) < (xs.last ?? 0))
  }
}
