import Testing

import Chips

/// Register addresses and bits as in the kernel's `inv_mpu_iio.h`.
@Suite struct MPUAccelerometerTests {
  static let part = PartScript(address: 0x68)

  static let starts = [
    StartCase(
      rate: 1, range: 2, watermark: nil,
      becomes: Sampling(rate: 1000.0 / 256, range: 2, resolution: 1.0 / 16384, capacity: 170, watermark: nil),
      registers: [0xFF, 0x06, 0x00]),
    StartCase(
      rate: 25, range: 4, watermark: 25,
      becomes: Sampling(rate: 25, range: 4, resolution: 1.0 / 8192, capacity: 170, watermark: nil),
      registers: [0x27, 0x05, 0x08]),
    StartCase(
      rate: 30, range: 8, watermark: nil,
      becomes: Sampling(rate: 1000.0 / 33, range: 8, resolution: 1.0 / 4096, capacity: 170, watermark: nil),
      registers: [0x20, 0x05, 0x10]),
    StartCase(
      rate: 100, range: 16, watermark: nil,
      becomes: Sampling(rate: 100, range: 16, resolution: 1.0 / 2048, capacity: 170, watermark: nil),
      registers: [0x09, 0x03, 0x18]),
  ]

  static let waking = [
    part.write(0x6B, 0x00, 0x07), part.write(0x38, 0x00), part.write(0x69, 0x00, 0x00),
    part.write(0x23, 0x00),
  ]
  static let restarting =
    [part.write(0x23, 0x00), part.write(0x6A, 0x04)] + part.set(0x6A, 0x40) + [part.write(0x23, 0x08)]

  /// `registers`: SMPLRT_DIV, CONFIG, ACCEL_CONFIG.
  static func starting(_ registers: [UInt8], second: Bool = false) -> [ScriptedBus.Transaction] {
    waking + [part.write(0x19, registers[0], registers[1], 0x00, registers[2])]
      + (second ? [part.write(0x1D, registers[1])] : []) + [part.write(0x37, 0x20, 0x10)] + restarting
  }

  static let plain = starting([0x27, 0x05, 0x00])
  static let request = SamplingRequest(rate: 25, range: 2)

  @Test(arguments: starts) func startsAtTheNextRateAndRange(_ start: StartCase) throws {
    var (driver, bus) = try Self.part.driver(MPU6050.self, Self.starting(start.registers))
    #expect(try driver.start(start.request) == start.becomes)
    #expect(bus.isExhausted, "\(bus.mismatches)")
    var (second, secondBus) = try Self.part.driver(MPU9250.self, Self.starting(start.registers, second: true))
    var becomes = start.becomes
    becomes.capacity = 85
    #expect(try second.start(start.request) == becomes)
    #expect(secondBus.isExhausted, "\(secondBus.mismatches)")
  }

  @Test func wholeSamplesAreReadInOneBurst() throws {
    let bytes: [UInt8] = [0x40, 0x00, 0xC0, 0x00, 0x00, 0x01, 0x7F, 0xFF, 0x80, 0x00, 0x20, 0x00]
    let script =
      Self.plain + [
        Self.part.read(0x3A, 0x01), Self.part.read(0x72, 0x00, 0x0F), Self.part.read(0x74, bytes),
      ]
    var (driver, bus) = try Self.part.driver(MPU6050.self, script)
    _ = try driver.start(Self.request)
    let reading = try driver.drain()
    let expected = [
      Acceleration(x: 1, y: -1, z: 1 / 16384), Acceleration(x: 32767 / 16384, y: -2, z: 0.5),
    ]
    #expect(reading == FIFOReading(samples: expected, isOverrun: false))
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  /// The status reports it, or the FIFO is completely full, or the count is impossible.
  @Test(arguments: [(0x10, 0x00, 0x06), (0x00, 0x04, 0x00), (0x11, 0x04, 0x00), (0x00, 0xFF, 0xFF)])
  func anOverrunRestartsTheFIFO(_ row: (status: UInt8, high: UInt8, low: UInt8)) throws {
    let script =
      Self.plain + [Self.part.read(0x3A, row.status), Self.part.read(0x72, row.high, row.low)]
      + Self.restarting
    var (driver, bus) = try Self.part.driver(MPU6050.self, script)
    _ = try driver.start(Self.request)
    #expect(try driver.drain() == FIFOReading(samples: [], isOverrun: true))
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test func aLongFIFOIsReadInStepsOfWholeSamples() throws {
    let burst = [UInt8](repeating: 1, count: 510)
    var script = Self.plain
    script += [Self.part.read(0x3A, 0x00), Self.part.read(0x72, 0x03, 0xFC), Self.part.read(0x74, burst)]
    script += [Self.part.read(0x3A, 0x00), Self.part.read(0x72, 0x01, 0xFE), Self.part.read(0x74, burst)]
    var (driver, bus) = try Self.part.driver(MPU6050.self, script)
    _ = try driver.start(Self.request)
    let steps = try (0..<2).map { _ in try driver.drain() }
    #expect(steps.map(\.samples.count) == [85, 85] && steps.map(\.waiting) == [85, 0])
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test func aFailedBurstRestartsTheFIFO() throws {
    let address = try #require(I2CAddress(0x68))
    let script =
      Self.plain + [
        Self.part.read(0x3A, 0x00), Self.part.read(0x72, 0x00, 0x0C), .fail(0x68, 0x74, .timedOut(address)),
        Self.part.read(0x3A, 0x00), Self.part.read(0x72, 0x00, 0x08),
      ] + Self.restarting
    var (driver, bus) = try Self.part.driver(MPU6050.self, script)
    _ = try driver.start(Self.request)
    #expect(throws: ChipError.bus(.timedOut(address))) { try driver.drain() }
    #expect(try driver.drain() == FIFOReading(samples: [], isOverrun: true))
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test func anEmptyFIFOIsDistinguishedFromLostSettings() throws {
    let empty = [Self.part.read(0x3A, 0x00), Self.part.read(0x72, 0x00, 0x00)]
    let script =
      Self.plain + empty + [Self.part.read(0x6B, 0x00), Self.part.read(0x6A, 0x40)] + empty + [
        Self.part.read(0x6B, 0x40)
      ]
    var (driver, bus) = try Self.part.driver(MPU6050.self, script)
    _ = try driver.start(Self.request)
    #expect(try driver.drain() == FIFOReading(samples: [], isOverrun: false))
    let address = try #require(I2CAddress(0x68))
    #expect(throws: ChipError.settingLost(address, register: 0x6B, expected: 0, got: 0x40)) {
      try driver.drain()
    }
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test func theFirstGenerationDetectsMotionWithAHighPassFilter() throws {
    let script =
      Self.waking + [
        Self.part.write(0x19, 0x00, 0x00, 0x00), Self.part.write(0x1C, 0x01), Self.part.write(0x1F, 0x20),
        Self.part.write(0x20, 0x02), Self.part.write(0x69, 0x15), Self.part.write(0x37, 0x20, 0x40),
        Self.part.write(0x6B, 0x28, 0x47), Self.part.read(0x6B, 0x28), Self.part.read(0x3A, 0x41),
        Self.part.read(0x3A, 0x40), Self.part.read(0x3A, 0x01),
      ]
    var (driver, bus) = try Self.part.driver(MPU6050.self, script)
    try driver.watchForMotion(MotionWatch(threshold: 0.064, duration: 0.4))
    #expect(try driver.motionSeen())
    #expect(try !driver.motionSeen())
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test func theSecondGenerationComparesSuccessiveSamples() throws {
    let script =
      Self.waking + [
        Self.part.write(0x19, 0x00, 0x00, 0x00), Self.part.write(0x1C, 0x00), Self.part.write(0x1D, 0x01),
        Self.part.write(0x1E, 0x05), Self.part.write(0x1F, 0x10), Self.part.write(0x69, 0xC0),
        Self.part.write(0x37, 0x20, 0x40), Self.part.write(0x6B, 0x28, 0x07), Self.part.read(0x6B, 0x28),
        Self.part.read(0x3A, 0x00), Self.part.read(0x3A, 0x40),
      ]
    var (driver, bus) = try Self.part.driver(MPU6500.self, script)
    try driver.watchForMotion(MotionWatch(threshold: 0.064))
    #expect(try driver.motionSeen())
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  /// Registers and bits as in i2cdevlib's `MPU6050.cpp`. The chip's behaviour was not verified by an
  /// independent source.
  @Test(arguments: [
    (0.064, 10.0, 0x20, 0x9D), (0, 0, 0x01, 0x01), (1, 0.064, 0xFF, 0x01), (0.01, 60, 0x05, 0xFF),
    (.nan, .nan, 0x01, 0x01),
  ])
  func theFirstGenerationDetectsZeroMotion(
    _ row: (g: Double, seconds: Double, threshold: UInt8, duration: UInt8)
  ) throws {
    let script =
      Self.waking + [Self.part.write(0x19, 0x00, 0x00, 0x00, 0x04)] + Self.part.set(0x21, row.threshold)
      + Self.part.set(0x22, row.duration) + [
        Self.part.write(0x37, 0x20, 0x20), Self.part.read(0x6B, 0x00), Self.part.read(0x3A, 0x21),
        Self.part.read(0x3A, 0x01), Self.part.read(0x3A, 0x21), Self.part.read(0x61, 0x01),
        Self.part.read(0x3A, 0x20), Self.part.read(0x61, 0x40),
      ]
    var (driver, bus) = try Self.part.driver(MPU6050.self, script)
    let watch = try driver.watchForStillness(StillnessWatch(threshold: row.g, duration: row.seconds))
    #expect(abs(watch.threshold - 0.002 * Double(row.threshold)) < 1e-12)
    #expect(abs(watch.duration - 0.064 * Double(row.duration)) < 1e-12)
    #expect(
      try [driver.stillnessSeen(), driver.stillnessSeen(), driver.stillnessSeen()] == [false, true, false])
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test func theSecondGenerationRejectsZeroMotionAndKeepsSampling() throws {
    let script =
      Self.starting([0x27, 0x05, 0x00], second: true) + [
        Self.part.read(0x3A, 0x01), Self.part.read(0x72, 0x00, 0x06),
        Self.part.read(0x74, 0x40, 0, 0, 0, 0, 0),
      ]
    var (driver, bus) = try Self.part.driver(MPU9250.self, script)
    _ = try driver.start(Self.request)
    let error = ChipError.cannot(
      try #require(I2CAddress(0x68)), "a zero-motion interrupt on this chip")
    #expect(throws: error) { try driver.watchForStillness(StillnessWatch()) }
    #expect(throws: error) { try driver.stillnessSeen() }
    #expect(try driver.drain().samples.count == 1)
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  /// At ±8 g, 4096 LSB/g. Code 1 of each axis means 0.34 g, code 31 means 0.92 g.
  @Test(arguments: [
    ([0x00, 0x00, 0x00, 0x15], 1393, true), ([0x00, 0x00, 0x00, 0x15], 1600, false),
    ([0xE0, 0xE0, 0xE0, 0x3F], 3768, true), ([0xE0, 0xE0, 0xE0, 0x3F], 4310, false),
    ([0xE0, 0xE0, 0xE0, 0x3F], 1393, false), ([0x1F, 0x1F, 0x1F, 0xC0], 2000, true),
  ])
  func theFirstGenerationStoresItsTrimIn(_ row: (trim: [UInt8], change: UInt16, passes: Bool)) throws {
    let (high, low) = (UInt8(row.change >> 8), UInt8(row.change & 0xFF))
    let script =
      Self.waking + [Self.part.write(0x19, 0x09, 0x02, 0x00, 0x10), Self.part.read(0x0D, row.trim)]
      + [ScriptedBus.Transaction](repeating: Self.part.read(0x3B, 0, 0, 0, 0, 0, 0), count: 5)
      + Self.part.set(0x1C, 0xF0)
      + [ScriptedBus.Transaction](repeating: Self.part.read(0x3B, high, low, high, low, high, low), count: 5)
      + [Self.part.write(0x1C, 0x10), Self.part.write(0x6B, 0x40)]
    var (driver, bus) = try Self.part.driver(MPU6050.self, script)
    let (end, _) = try selfTest(&driver)
    #expect((end == .passed) == row.passes, "\(end)")
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  /// 2620 LSB for code 1, and half as much either way; 3072 for code 17.
  @Test(arguments: [
    (1, 1320, true), (1, 1300, false), (1, 3920, true), (1, 3940, false), (17, 1530, false), (0, 3700, true),
  ])
  func theSecondGenerationCarriesItsTrimIn(_ row: (code: UInt8, change: UInt16, passes: Bool)) throws {
    let (high, low) = (UInt8(row.change >> 8), UInt8(row.change & 0xFF))
    let script =
      Self.waking + [
        Self.part.write(0x19, 0x09, 0x02, 0x00, 0x00), Self.part.write(0x1D, 0x02),
        Self.part.read(0x0D, row.code, row.code, row.code, 0xFF),
      ] + [ScriptedBus.Transaction](repeating: Self.part.read(0x3B, 0, 0, 0, 0, 0, 0), count: 5)
      + Self.part.set(0x1C, 0xE0)
      + [ScriptedBus.Transaction](repeating: Self.part.read(0x3B, high, low, high, low, high, low), count: 5)
      + [Self.part.write(0x1C, 0x00), Self.part.write(0x6B, 0x40)]
    var (driver, bus) = try Self.part.driver(MPU9250.self, script)
    let (end, _) = try selfTest(&driver)
    #expect((end == .passed) == row.passes, "\(end)")
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  /// The kernel has (raw + 12420) · 2.941176 and (raw + 7011) · 2.995178 m°C.
  @Test(arguments: [Int16.min, -521, 0, 1000, Int16.max]) func temperatureIsThatOfTheKernel(_ raw: Int16) {
    #expect(abs(MPU6050Part.temperature(raw) - (Double(raw) + 12420) * 2.941176e-3) < 0.01)
    #expect(abs(MPU6500Part.temperature(raw) - (Double(raw) + 7011) * 2.995178e-3) < 0.01)
  }

  @Test func eachChipIdentifiesItself() throws {
    let address = try #require(I2CAddress(0x68))
    for (code, name) in [(0x68, "mpu6050"), (0x70, "mpu6500"), (0x71, "mpu9250"), (0x73, "mpu9250")]
      as [(UInt8, String)]
    {
      for candidate in [MPU6050.name, MPU6500.name, MPU9250.name] {
        let bus = ScriptedBus(Self.part.read(0x75, code))
        let driver = try #require(AccelerometerPart.named(candidate)).driver(bus, address)
        if candidate == name {
          try driver.identify()
        } else {
          #expect(throws: ChipError.self) { try driver.identify() }
        }
        #expect(bus.isExhausted, "\(bus.mismatches)")
      }
    }
  }
}

/// The driver against an independent model of the chip.
@Suite(
  .enabled(
    if: ChipsModelBus.isPresent,
    "recordings and rig are missing: put them in ../shared, or set OUTRIDER_SHARED to their folder"))
struct MPU6050ModelTests {
  @Test(arguments: [5.0, 25, 100], [2.0, 4, 8, 16])
  func samplesEqualTheSimulatedAcceleration(_ rate: Double, _ range: Double) throws {
    let bus = try ChipsModelBus("mpu6050", at: 0x68, track: [[0, 0.5, -0.25, 1]])
    var driver = MPU6050(bus: bus, address: try #require(I2CAddress(0x68)))
    try driver.identify()
    #expect(try driver.start(SamplingRequest(rate: rate, range: range)).rate == rate)
    try bus.advance(to: 0)
    try bus.advance(to: 100.5 / rate)
    let expected = [Acceleration](repeating: Acceleration(x: 0.5, y: -0.25, z: 1), count: 100)
    #expect(
      try driver.drain()
        == FIFOReading(samples: Array(expected.prefix(85)), isOverrun: false, waiting: 15))
    #expect(try driver.drain() == FIFOReading(samples: Array(expected.prefix(15)), isOverrun: false))
    #expect(try #require(try driver.dieTemperature()) > 24.9)
    try bus.advance(to: 300.5 / rate)
    #expect(try driver.drain() == FIFOReading(samples: [], isOverrun: true))
    try bus.advance(to: 310.5 / rate)
    #expect(try driver.drain() == FIFOReading(samples: Array(expected.prefix(10)), isOverrun: false))
    try bus.interruptSupply()
    #expect(throws: ChipError.self) { try driver.drain() }
  }

  @Test func itWakesOnMotionAndNotOnGravity() throws {
    let bus = try ChipsModelBus(
      "mpu6050", at: 0x68, track: [[0, 0, 0, 1], [20, 0, 0, 1], [20.5, 0.5, 0, 1]])
    var driver = MPU6050(bus: bus, address: try #require(I2CAddress(0x68)))
    try driver.watchForMotion(MotionWatch())
    try bus.advance(to: 0)
    try bus.advance(to: 19)
    #expect(try !driver.motionSeen())
    try bus.advance(to: 30)
    #expect(try driver.motionSeen())
    try bus.advance(to: 60)
    #expect(try !driver.motionSeen())
  }
}
