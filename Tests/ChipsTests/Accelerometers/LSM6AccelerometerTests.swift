import Testing

import Chips

/// Register addresses and bits as in ST's `lsm6dso_reg.h`, tags and entries as in the kernel's
/// `st_lsm6dsx_buffer.c`.
@Suite struct LSM6AccelerometerTests {
  static let part = PartScript(address: 0x6A)

  static let starts = [
    StartCase(
      rate: 1, range: 2, watermark: nil,
      becomes: Sampling(rate: 12.5, range: 2, resolution: 61e-6, capacity: 512, watermark: nil),
      registers: [0x00, 0x00, 0x01, 0x00, 0x10]),
    StartCase(
      rate: 25, range: 4, watermark: 26,
      becomes: Sampling(rate: 26, range: 4, resolution: 122e-6, capacity: 512, watermark: 26),
      registers: [0x1A, 0x00, 0x02, 0x08, 0x28]),
    StartCase(
      rate: 50, range: 8, watermark: 300,
      becomes: Sampling(rate: 52, range: 8, resolution: 244e-6, capacity: 512, watermark: 300),
      registers: [0x2C, 0x01, 0x03, 0x08, 0x3C]),
    StartCase(
      rate: 100, range: 16, watermark: 9999,
      becomes: Sampling(rate: 104, range: 16, resolution: 488e-6, capacity: 512, watermark: 511),
      registers: [0xFF, 0x01, 0x04, 0x08, 0x44]),
  ]

  static func reset(control6: UInt8 = 0x10) -> [ScriptedBus.Transaction] {
    [part.write(0x10, 0x00, 0x00)] + part.set(0x12, 0x44) + [
      part.write(0x0A, 0x00), part.write(0x0D, 0x00), part.write(0x5E, 0x00),
      part.write(0x14, 0x00, control6),
      part.write(0x17, 0x00, 0xE2),
    ]
  }

  /// `registers`: FIFO_CTRL1, FIFO_CTRL2, FIFO_CTRL3, INT1_CTRL, CTRL1_XL.
  static func starting(_ registers: [UInt8]) -> [ScriptedBus.Transaction] {
    reset() + [part.write(0x07, registers[0], registers[1], registers[2])] + part.set(0x0A, 0x06)
      + [part.write(0x0D, registers[3])] + part.set(0x10, registers[4])
  }

  static let plain = starting([0x00, 0x00, 0x02, 0x00, 0x20])
  static let request = SamplingRequest(rate: 26, range: 2)

  @Test(arguments: starts) func startsAtTheNextRateAndRange(_ start: StartCase) throws {
    var (driver, bus) = try Self.part.driver(LSM6DSO.self, Self.starting(start.registers))
    var sampling = try driver.start(start.request)
    #expect(abs(sampling.resolution - start.becomes.resolution) < 1e-9)
    sampling.resolution = start.becomes.resolution
    #expect(sampling == start.becomes)
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test func entriesOfOtherSensorsAreIgnored() throws {
    let entries: [UInt8] = [
      0x10, 0xE8, 0x03, 0x18, 0xFC, 0x01, 0x00, 0x08, 1, 2, 3, 4, 5, 6, 0x13, 0xFF, 0x7F, 0x00, 0x80, 0x00,
      0x40,
    ]
    let script = Self.plain + [Self.part.read(0x3A, 0x03, 0x80), Self.part.read(0x78, entries)]
    var (driver, bus) = try Self.part.driver(LSM6DSOX.self, script)
    _ = try driver.start(Self.request)
    let reading = try driver.drain()
    let expected = [
      Acceleration(x: 0.061, y: -0.061, z: 0.000061), Acceleration(x: 1.998787, y: -1.998848, z: 0.999424),
    ]
    #expect(!reading.isOverrun && areClose(reading.samples, expected), "\(reading)")
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test func aFIFOWithWrongTagsIsDoubtfulAndRestarted() throws {
    let entries: [UInt8] = [0x08, 1, 2, 3, 4, 5, 6, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
    var script = Self.plain
    script += [Self.part.read(0x3A, 0x02, 0x80), Self.part.read(0x78, entries), Self.part.write(0x0A, 0x00)]
    script += Self.part.set(0x0A, 0x06)
    script += [Self.part.read(0x3A, 0x01, 0x80), Self.part.read(0x78, 0x10, 0, 0, 0, 0, 0, 0x40)]
    var (driver, bus) = try Self.part.driver(LSM6DSO.self, script)
    _ = try driver.start(Self.request)
    #expect(try driver.drain() == FIFOReading(samples: [], isOverrun: false, doubtful: 2))
    let next = try driver.drain()
    #expect(next.samples.count == 1 && !next.isOverrun && next.doubtful == 0)
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test(arguments: [(0x08, true), (0x40, true), (0x20, false), (0x80, false)])
  func onlyOverrunBitsReportAnOverrun(_ row: (status: UInt8, isOverrun: Bool)) throws {
    let script =
      Self.plain + [Self.part.read(0x3A, 0x01, row.status), Self.part.read(0x78, 0x10, 0, 0, 0, 0, 0, 0x40)]
    var (driver, bus) = try Self.part.driver(LSM6DSO.self, script)
    _ = try driver.start(Self.request)
    let reading = try driver.drain()
    #expect(reading.isOverrun == row.isOverrun && reading.samples.count == 1)
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test func aFullFIFOIsReadInStepsWithTheRemainingCount() throws {
    let burst = [UInt8](repeating: 0x10, count: 64 * 7)
    var script = Self.plain
    script += [Self.part.read(0x3A, 0xFF, 0x63), Self.part.read(0x78, burst)]
    script += [Self.part.read(0x3A, 0x41, 0x00), Self.part.read(0x78, burst)]
    script += [Self.part.read(0x3A, 0x01, 0x00), Self.part.read(0x78, Array(burst.prefix(7)))]
    var (driver, bus) = try Self.part.driver(LSM6DSO.self, script)
    _ = try driver.start(Self.request)
    let steps = try (0..<3).map { _ in try driver.drain() }
    #expect(steps.map(\.samples.count) == [64, 64, 1])
    #expect(steps.map(\.waiting) == [448, 1, 0])
    #expect(steps.map(\.isOverrun) == [true, false, false])
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test func anEmptyFIFOIsDistinguishedFromLostSettings() throws {
    let script =
      Self.plain + [
        Self.part.read(0x3A, 0x00, 0x00), Self.part.read(0x10, 0x20), Self.part.read(0x3A, 0x00, 0x00),
        Self.part.read(0x10, 0x00),
      ]
    var (driver, bus) = try Self.part.driver(LSM6DSO.self, script)
    _ = try driver.start(Self.request)
    #expect(try driver.drain() == FIFOReading(samples: [], isOverrun: false))
    let address = try #require(I2CAddress(0x6A))
    #expect(throws: ChipError.settingLost(address, register: 0x10, expected: 0x20, got: 0)) {
      try driver.drain()
    }
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test func aFailedBurstRestartsTheFIFO() throws {
    let address = try #require(I2CAddress(0x6A))
    let script =
      Self.plain + [
        Self.part.read(0x3A, 0x02, 0x00), .fail(0x6A, 0x78, .timedOut(address)), Self.part.write(0x0A, 0x00),
      ] + Self.part.set(0x0A, 0x06)
    var (driver, bus) = try Self.part.driver(LSM6DSO.self, script)
    _ = try driver.start(Self.request)
    #expect(throws: ChipError.bus(.timedOut(address))) { try driver.drain() }
    #expect(try driver.drain() == FIFOReading(samples: [], isOverrun: true))
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  /// 7.8125 mg per step up to 492 mg, 31.25 mg beyond.
  @Test(arguments: [
    (0.064, 0.0, 0x08, 0x10), (0, 0.05, 0x01, 0x30), (0.492, 9, 0x3F, 0x70), (1, 0, 0x20, 0x00),
  ])
  func wakeOnMotionUsesTheHighPassFilter(
    _ row: (g: Double, seconds: Double, threshold: UInt8, duration: UInt8)
  )
    throws
  {
    let script =
      Self.reset() + [
        Self.part.write(0x17, 0x60), Self.part.write(0x56, 0x51),
        Self.part.write(0x5B, row.threshold, row.duration),
      ] + Self.part.set(0x10, 0x20) + [Self.part.write(0x58, 0x80), Self.part.read(0x1B, 0x0F)]
      + Self.part.set(0x5E, 0x20) + [Self.part.read(0x1B, 0x0C), Self.part.read(0x1B, 0x00)]
    var (driver, bus) = try Self.part.driver(LSM6DSO.self, script)
    try driver.watchForMotion(MotionWatch(threshold: row.g, duration: row.seconds))
    #expect(try driver.motionSeen())
    #expect(try !driver.motionSeen())
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  /// Bits of `WAKE_UP_DUR`, `MD1_CFG` and `WAKE_UP_SRC` as in ST's `lsm6dso_reg.h`, 512 samples per step as
  /// in ST's activity example. `registers`: WAKE_UP_THS, WAKE_UP_DUR.
  static let stillnessCases: [(request: StillnessWatch, becomes: StillnessWatch, registers: [UInt8])] = [
    (StillnessWatch(), StillnessWatch(threshold: 0.0625, duration: 4 * 512 / 26.0), [0x08, 0x14]),
    (
      StillnessWatch(threshold: 0, duration: 0), StillnessWatch(threshold: 2 / 256.0, duration: 16 / 26.0),
      [0x01, 0x10]
    ),
    (
      StillnessWatch(threshold: 0.5, duration: 0.7), StillnessWatch(threshold: 0.5, duration: 512 / 26.0),
      [0x10, 0x01]
    ),
    (
      StillnessWatch(threshold: 9, duration: 9999),
      StillnessWatch(threshold: 63 / 32.0, duration: 15 * 512 / 26.0),
      [0x3F, 0x0F]
    ),
    (
      StillnessWatch(threshold: .nan, duration: .nan),
      StillnessWatch(threshold: 2 / 64.0, duration: 16 / 26.0),
      [0x01, 0x00]
    ),
  ]

  @Test(arguments: stillnessCases.indices) func onlyTheStartOfInactivityIsReported(_ index: Int) throws {
    let row = Self.stillnessCases[index]
    let script =
      Self.reset() + [
        Self.part.write(0x17, 0x60), Self.part.write(0x56, 0x51),
        Self.part.write(0x5B, row.registers[0], row.registers[1]),
      ] + Self.part.set(0x10, 0x20) + [Self.part.write(0x58, 0x80), Self.part.read(0x1B, 0x0F)]
      + Self.part.set(0x5E, 0x80) + [
        Self.part.read(0x1B, 0x10), Self.part.read(0x1B, 0x50), Self.part.read(0x1B, 0x4C),
      ]
    var (driver, bus) = try Self.part.driver(LSM6DSO.self, script)
    #expect(try driver.watchForStillness(row.request) == row.becomes)
    #expect(
      try [driver.stillnessSeen(), driver.stillnessSeen(), driver.stillnessSeen()] == [false, true, false])
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  /// ST's limits: 50 to 1700 mg, here 122 µg per LSB.
  @Test(arguments: [(411, true), (409, false), (13_930, true), (13_940, false), (-411, true), (-409, false)])
  func selfTestComparesMeans(_ row: (change: Int16, passes: Bool)) throws {
    let low = UInt8(truncatingIfNeeded: row.change)
    let high = UInt8(truncatingIfNeeded: row.change >> 8)
    let script =
      Self.reset(control6: 0x00) + Self.part.set(0x10, 0x38)
      + [ScriptedBus.Transaction](repeating: Self.part.read(0x28, 0, 0, 0, 0, 0, 0), count: 5)
      + Self.part.set(0x14, 0x01)
      + [ScriptedBus.Transaction](repeating: Self.part.read(0x28, low, high, low, high, low, high), count: 5)
      + [Self.part.write(0x14, 0x00), Self.part.write(0x10, 0x00)]
    var (driver, bus) = try Self.part.driver(LSM6DSO.self, script)
    let (end, _) = try selfTest(&driver)
    #expect((end == .passed) == row.passes, "\(end)")
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test(arguments: [(0x00, 0x00, 25.0), (0x00, 0xE7, 0), (0x80, 0x0A, 35.5)])
  func temperatureCountsFromTwentyFiveDegrees(_ row: (low: UInt8, high: UInt8, celsius: Double)) throws {
    let script = Self.plain + [Self.part.read(0x20, row.low, row.high), Self.part.write(0x10, 0x00)]
    var (driver, bus) = try Self.part.driver(LSM6DSO.self, script)
    _ = try driver.start(Self.request)
    #expect(try driver.dieTemperature() == row.celsius)
    try driver.powerDown()
    #expect(try driver.dieTemperature() == nil)
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test func aDifferentChipIsRejected() throws {
    let (driver, bus) = try Self.part.driver(
      LSM6DSO.self, [Self.part.read(0x0F, 0x6C), Self.part.read(0x0F, 0x6A)])
    try driver.identify()
    let address = try #require(I2CAddress(0x6A))
    #expect(throws: ChipError.wrongIdentity(address, register: 0x0F, expected: [0x6C], got: 0x6A)) {
      try driver.identify()
    }
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }
}
