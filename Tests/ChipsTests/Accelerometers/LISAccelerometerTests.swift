import Testing

@testable import Chips

/// Register addresses as in the kernel's `st_accel_core.c` and ST's `lis3dh_reg.h` and `lis2dh12_reg.h`.
@Suite struct LISAccelerometerTests {
  static let part = PartScript(address: 0x18)

  static let starts = [
    StartCase(
      rate: 1, range: 2, watermark: nil,
      becomes: Sampling(rate: 1, range: 2, resolution: 0.004, capacity: 32, watermark: nil),
      registers: [0x00, 0x80, 0x9F, 0x17]),
    StartCase(
      rate: 25, range: 4, watermark: 25,
      becomes: Sampling(rate: 25, range: 4, resolution: 0.008, capacity: 32, watermark: 25),
      registers: [0x04, 0x90, 0x98, 0x37]),
    StartCase(
      rate: 26, range: 5, watermark: 0,
      becomes: Sampling(rate: 50, range: 8, resolution: 0.016, capacity: 32, watermark: 1),
      registers: [0x04, 0xA0, 0x80, 0x47]),
    StartCase(
      rate: 100, range: 16, watermark: 1000,
      becomes: Sampling(rate: 100, range: 16, resolution: 0.048, capacity: 32, watermark: 31),
      registers: [0x04, 0xB0, 0x9E, 0x57]),
  ]

  /// `registers`: CTRL_REG3, CTRL_REG4, FIFO_CTRL_REG, CTRL_REG1.
  static func starting(_ registers: [UInt8]) -> [ScriptedBus.Transaction] {
    [
      part.write(0x20, 0x00), part.write(0x30, 0x00),
      part.write(0xA1, 0x00, registers[0], registers[1], 0x40, 0x00),
      part.read(0x23, registers[1]), part.write(0x1F, 0xC0), part.write(0x2E, 0x00),
    ] + part.set(0x2E, registers[2]) + part.set(0x20, registers[3])
  }

  @Test(arguments: starts) func startsAtTheNextRateAndRange(_ start: StartCase) throws {
    var (driver, bus) = try Self.part.driver(LIS3DH.self, Self.starting(start.registers))
    let sampling = try driver.start(start.request)
    #expect(abs(sampling.resolution - start.becomes.resolution) < 1e-9)
    var rounded = sampling
    rounded.resolution = start.becomes.resolution
    #expect(rounded == start.becomes)
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test(arguments: [(0.0, 2.0), (-1, 2), (100.5, 2), (.nan, 2), (.infinity, 2), (25, 17), (25, .nan)])
  func impossibleParametersAreRejectedBeforeTheBusIsUsed(_ request: (rate: Double, range: Double)) throws {
    var (driver, bus) = try Self.part.driver(LIS3DH.self, [])
    #expect(throws: ChipError.self) {
      try driver.start(SamplingRequest(rate: request.rate, range: request.range))
    }
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test func allSamplesAreReadInOneBurstAfterTheFillLevel() throws {
    let samples: [UInt8] = [0x00, 0x40, 0x00, 0xC0, 0x40, 0x00, 0xC0, 0xFF, 0x80, 0x7F, 0x00, 0x80]
    let script =
      Self.starting([0x04, 0x80, 0x98, 0x37])
      + [Self.part.read(0xAE, 0x98, 0x02), Self.part.read(0xA8, samples)]
    var (driver, bus) = try Self.part.driver(LIS3DH.self, script)
    _ = try driver.start(SamplingRequest(rate: 25, range: 2, watermark: 25))
    let reading = try driver.drain()
    #expect(!reading.isOverrun)
    let expected = [Acceleration(x: 1.024, y: -1.024, z: 0.004), Acceleration(x: -0.004, y: 2.04, z: -2.048)]
    #expect(areClose(reading.samples, expected), "\(reading.samples)")
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test func anEmptyFIFOIsNotRead() throws {
    let script = Self.starting([0x00, 0x80, 0x9F, 0x37]) + [Self.part.read(0xAE, 0x9F, 0x20)]
    var (driver, bus) = try Self.part.driver(LIS2DH12.self, script)
    _ = try driver.start(SamplingRequest(rate: 25, range: 2))
    #expect(try driver.drain() == FIFOReading(samples: [], isOverrun: false))
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test func anOverrunIsReportedAndAllThirtyTwoSamplesAreRead() throws {
    let script =
      Self.starting([0x00, 0x80, 0x9F, 0x37])
      + [Self.part.read(0xAE, 0x9F, 0xDF), Self.part.read(0xA8, [UInt8](repeating: 0x40, count: 192))]
    var (driver, bus) = try Self.part.driver(LIS3DH.self, script)
    _ = try driver.start(SamplingRequest(rate: 25, range: 2))
    let reading = try driver.drain()
    #expect(reading.isOverrun && reading.samples.count == 32)
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test func lostSettingsAreDetected() throws {
    let script = Self.starting([0x00, 0x80, 0x9F, 0x37]) + [Self.part.read(0xAE, 0x00, 0x20)]
    var (driver, bus) = try Self.part.driver(LIS3DH.self, script)
    _ = try driver.start(SamplingRequest(rate: 25, range: 2))
    let address = try #require(I2CAddress(0x18))
    #expect(throws: ChipError.settingLost(address, register: 0x2E, expected: 0x9F, got: 0)) {
      try driver.drain()
    }
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test func aFailedBurstRestartsTheFIFO() throws {
    let address = try #require(I2CAddress(0x18))
    let script =
      Self.starting([0x00, 0x80, 0x9F, 0x37])
      + [Self.part.read(0xAE, 0x9F, 0x05), .fail(0x18, 0xA8, .timedOut(address))]
      + [Self.part.write(0x2E, 0x00)] + Self.part.set(0x2E, 0x9F) + [Self.part.read(0xAE, 0x9F, 0x20)]
    var (driver, bus) = try Self.part.driver(LIS3DH.self, script)
    _ = try driver.start(SamplingRequest(rate: 25, range: 2))
    #expect(throws: ChipError.bus(.timedOut(address))) { try driver.drain() }
    #expect(try driver.drain() == FIFOReading(samples: [], isOverrun: true))
    #expect(try driver.drain() == FIFOReading(samples: [], isOverrun: false))
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  static let watches: [(request: MotionWatch, threshold: UInt8, duration: UInt8)] = [
    (MotionWatch(), 4, 0), (MotionWatch(threshold: 0, duration: 0.26), 1, 3),
    (MotionWatch(threshold: 9, duration: 99), 127, 127), (MotionWatch(threshold: .nan, duration: .nan), 1, 0),
  ]

  @Test(arguments: watches.indices) func wakeOnMotionUsesTheHighPassFilter(_ index: Int) throws {
    let row = Self.watches[index]
    let script =
      [
        Self.part.write(0x20, 0x00), Self.part.write(0x30, 0x00),
        Self.part.write(0xA1, 0x01, 0x40, 0x80, 0x08, 0x00),
        Self.part.read(0x23, 0x80), Self.part.write(0x2E, 0x00),
        Self.part.write(0xB2, row.threshold, row.duration),
      ] + Self.part.set(0x20, 0x27) + [Self.part.read(0x26, 0x00)] + Self.part.set(0x30, 0x2A) + [
        Self.part.read(0x31, 0x00), Self.part.read(0x31, 0x42), Self.part.read(0x31, 0x2A),
      ]
    var (driver, bus) = try Self.part.driver(LIS3DH.self, script)
    try driver.watchForMotion(row.request)
    #expect(try driver.motionSeen())
    #expect(try !driver.motionSeen())
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  /// `INT1_CFG` 0x95 is `AOI`, `ZLIE`, `YLIE` and `XLIE` (ST's `lis3dh_reg.h`). `rate`: CTRL_REG1.
  static let stillnessCases:
    [(request: StillnessWatch, becomes: StillnessWatch, rate: UInt8, registers: [UInt8])] = [
      (
        StillnessWatch(threshold: 0.064, duration: 10), StillnessWatch(threshold: 0.064, duration: 10), 0x27,
        [4, 100]
      ),
      (
        StillnessWatch(threshold: 0, duration: 0), StillnessWatch(threshold: 0.016, duration: 0.1), 0x27,
        [1, 1]
      ),
      (
        StillnessWatch(threshold: 0.02, duration: 1.1), StillnessWatch(threshold: 0.016, duration: 1.1), 0x27,
        [1, 11]
      ),
      (
        StillnessWatch(threshold: 0.032, duration: 1.11), StillnessWatch(threshold: 0.032, duration: 1.2),
        0x27,
        [2, 12]
      ),
      (
        StillnessWatch(threshold: 0.064, duration: 12.7), StillnessWatch(threshold: 0.064, duration: 12.7),
        0x27, [4, 127]
      ),
      (StillnessWatch(), StillnessWatch(threshold: 0.064, duration: 60), 0x17, [4, 60]),
      (
        StillnessWatch(threshold: 9, duration: 600), StillnessWatch(threshold: 2.032, duration: 127), 0x17,
        [127, 127]
      ),
      (
        StillnessWatch(threshold: .nan, duration: .nan), StillnessWatch(threshold: 0.016, duration: 0.1),
        0x27,
        [1, 1]
      ),
    ]

  @Test(arguments: stillnessCases.indices) func inactivityRequiresAllAxes(_ index: Int) throws {
    let row = Self.stillnessCases[index]
    let script =
      [
        Self.part.write(0x20, 0x00), Self.part.write(0x30, 0x00),
        Self.part.write(0xA1, 0x01, 0x40, 0x80, 0x08, 0x00),
        Self.part.read(0x23, 0x80), Self.part.write(0x2E, 0x00),
        Self.part.write(0xB2, row.registers[0], row.registers[1]),
      ] + Self.part.set(0x20, row.rate) + [Self.part.read(0x26, 0x00)] + Self.part.set(0x30, 0x95) + [
        Self.part.read(0x31, 0x00), Self.part.read(0x31, 0x15), Self.part.read(0x31, 0x55),
      ]
    var (driver, bus) = try Self.part.driver(LIS2DH12.self, script)
    #expect(try driver.watchForStillness(row.request) == row.becomes)
    #expect(try !driver.stillnessSeen())
    #expect(try driver.stillnessSeen())
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  /// All three modes are left-justified, so one scale applies: 1, 4 and 16 mg of 12, 10 and 8 bits at ±2 g.
  @Test(arguments: [
    (0x0010, 2.0, 0.001), (0x0040, 2, 0.004), (0x0100, 2, 0.016), (0x0010, 4, 0.002), (0x0040, 8, 0.016),
    (0x0100, 16, 0.192), (0x0040, 16, 0.048), (0x0010, 16, 0.012),
  ])
  func theResolutionIsCorrectInEveryMode(_ row: (raw: Int, range: Double, g: Double)) throws {
    let range = try #require(LISSampling.ranges.first { $0.value == row.range })
    #expect(abs(Double(LISSampling(range: range, watermark: nil).scale) * Double(row.raw) - row.g) < 1e-7)
  }

  @Test(arguments: [(0x00, 0x00, 25.0), (0x00, 0xFB, 20), (0x80, 0x0A, 35.5)])
  func temperatureCountsFromTwentyFiveDegrees(_ row: (low: UInt8, high: UInt8, celsius: Double)) throws {
    let script = Self.starting([0x00, 0x80, 0x9F, 0x37]) + [Self.part.read(0x8C, row.low, row.high)]
    var (driver, bus) = try Self.part.driver(LIS3DH.self, script)
    #expect(try driver.dieTemperature() == nil)
    _ = try driver.start(SamplingRequest(rate: 25, range: 2))
    #expect(try driver.dieTemperature() == row.celsius)
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  /// ST's limits: 17 to 360 LSB of 4 mg.
  @Test(arguments: [
    (0x0440, true), (0x0400, false), (0x5A00, true), (0x5A40, false), (0xFBC0, true), (0xFC00, false),
  ])
  func selfTestComparesMeans(_ row: (change: Int, passes: Bool)) throws {
    let zeros: [UInt8] = [0, 0, 0, 0, 0, 0]
    let low = UInt8(row.change & 0xFF)
    let high = UInt8(row.change >> 8)
    let before = [ScriptedBus.Transaction](repeating: Self.part.read(0xA8, zeros), count: 5)
    let under = [ScriptedBus.Transaction](
      repeating: Self.part.read(0xA8, low, high, low, high, low, high), count: 5)
    let script =
      [
        Self.part.write(0x20, 0x00), Self.part.write(0x30, 0x00),
        Self.part.write(0xA1, 0x00, 0x00, 0x80, 0x00, 0x00),
        Self.part.read(0x23, 0x80),
      ] + Self.part.set(0x20, 0x47) + before + Self.part.set(0x23, 0x82) + under
      + [Self.part.write(0x23, 0x80), Self.part.write(0x20, 0x00)]
    var (driver, bus) = try Self.part.driver(LIS3DH.self, script)
    let (end, steps) = try selfTest(&driver)
    #expect((end == .passed) == row.passes, "\(end)")
    #expect(steps == 10)
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test func powerDownEndsSampling() throws {
    let script = Self.starting([0x00, 0x80, 0x9F, 0x37]) + [Self.part.write(0x20, 0x00)]
    var (driver, bus) = try Self.part.driver(LIS3DH.self, script)
    _ = try driver.start(SamplingRequest(rate: 25, range: 2))
    try driver.powerDown()
    #expect(throws: ChipError.self) { try driver.drain() }
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test func aDifferentChipIsRejected() throws {
    let (driver, bus) = try Self.part.driver(
      LIS3DH.self, [Self.part.read(0x0F, 0x33), Self.part.read(0x0F, 0x44)])
    try driver.identify()
    let address = try #require(I2CAddress(0x18))
    #expect(throws: ChipError.wrongIdentity(address, register: 0x0F, expected: [0x33], got: 0x44)) {
      try driver.identify()
    }
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }
}
