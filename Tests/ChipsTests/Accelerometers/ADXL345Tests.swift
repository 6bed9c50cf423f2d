import Testing

import Chips

/// Register addresses as in the kernel's `adxl345.h`.
@Suite struct ADXL345Tests {
  static let part = PartScript(address: 0x53)

  static let starts = [
    StartCase(
      rate: 1, range: 2, watermark: nil,
      becomes: Sampling(rate: 1.5625, range: 2, resolution: 1 / 256, capacity: 32, watermark: nil),
      registers: [0x08, 0x04, 0x80, 0x00]),
    StartCase(
      rate: 12.5, range: 2.5, watermark: 0,
      becomes: Sampling(rate: 12.5, range: 4, resolution: 1 / 256, capacity: 32, watermark: 1),
      registers: [0x09, 0x07, 0x81, 0x02]),
    StartCase(
      rate: 25, range: 8, watermark: 25,
      becomes: Sampling(rate: 25, range: 8, resolution: 1 / 256, capacity: 32, watermark: 25),
      registers: [0x0A, 0x08, 0x99, 0x02]),
    StartCase(
      rate: 100, range: 16, watermark: 32,
      becomes: Sampling(rate: 100, range: 16, resolution: 1 / 256, capacity: 32, watermark: 31),
      registers: [0x0B, 0x0A, 0x9F, 0x02]),
  ]

  /// `registers`: DATA_FORMAT, BW_RATE, FIFO_CTL, INT_ENABLE.
  static func starting(_ registers: [UInt8]) -> [ScriptedBus.Transaction] {
    var script = [part.write(0x2D, 0x00, 0x00)]
    script += part.set(0x31, registers[0])
    script += [part.write(0x2C, registers[1]), part.write(0x38, 0x00)]
    script += part.set(0x38, registers[2])
    script += [part.write(0x2E, registers[3], 0x00)]
    script += part.set(0x2D, 0x08)
    return script
  }

  static let plain = starting([0x08, 0x08, 0x80, 0x00])

  @Test(arguments: starts) func startsAtTheNextRateAndRange(_ start: StartCase) throws {
    var (driver, bus) = try Self.part.driver(ADXL345.self, Self.starting(start.registers))
    #expect(try driver.start(start.request) == start.becomes)
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test func eachEntryIsASeparateTransaction() throws {
    var script = Self.starting([0x0B, 0x08, 0x80, 0x00])
    script += [
      Self.part.read(0x30, 0x82), Self.part.read(0x38, 0x80, 0x02),
      Self.part.read(0x32, 0x00, 0x01, 0x00, 0xFF, 0x01, 0x00),
      Self.part.read(0x32, 0xFF, 0xFF, 0xFF, 0x0F, 0x00, 0xF0),
    ]
    var (driver, bus) = try Self.part.driver(ADXL345.self, script)
    _ = try driver.start(SamplingRequest(rate: 25, range: 16))
    let reading = try driver.drain()
    let expected = [
      Acceleration(x: 1, y: -1, z: 0.00390625), Acceleration(x: -0.00390625, y: 15.99609375, z: -16),
    ]
    #expect(reading == FIFOReading(samples: expected, isOverrun: false))
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  /// Ten bits at ±2 g, one more for each larger range; the bits above are copies of the sign.
  @Test(arguments: [(2.0, 0x08, 512), (4, 0x09, 1024), (8, 0x0A, 2048), (16, 0x0B, 4096)])
  func anOutOfRangeSampleInvalidatesItsReading(_ row: (range: Double, format: UInt8, steps: Int)) throws {
    func word(_ steps: Int) -> [UInt8] {
      [UInt8(truncatingIfNeeded: steps), UInt8(truncatingIfNeeded: steps >> 8)]
    }
    let stationary: [UInt8] = [0, 0, 0, 1]
    var script = Self.starting([row.format, 0x08, 0x80, 0x00])
    for (first, second) in [
      (row.steps - 1, -row.steps), (0, row.steps), (-row.steps - 1, 0), (0x5A5A, 0x5A5A),
    ] {
      script += [Self.part.read(0x30, 0x82), Self.part.read(0x38, 0x80, 0x02)]
      script += [
        Self.part.read(0x32, word(first) + stationary), Self.part.read(0x32, word(second) + stationary),
      ]
    }
    var (driver, bus) = try Self.part.driver(ADXL345.self, script)
    _ = try driver.start(SamplingRequest(rate: 25, range: row.range))
    #expect(try driver.drain().samples.count == 2)
    for _ in 0..<3 {
      #expect(try driver.drain() == FIFOReading(samples: [], isOverrun: false, doubtful: 2))
    }
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test(arguments: [(0x21, 33), (0x20, 32), (0x3F, 33), (0xA0, 32), (0x00, 0)])
  func theFillLevelIsUsed(_ row: (status: UInt8, count: Int)) throws {
    let entry = Self.part.read(0x32, 0, 0, 0, 0, 0, 1)
    var script = Self.plain
    script += [Self.part.read(0x30, 0x83), Self.part.read(0x38, 0x80, row.status)]
    for _ in 0..<row.count { script.append(entry) }
    var (driver, bus) = try Self.part.driver(ADXL345.self, script)
    _ = try driver.start(SamplingRequest(rate: 25, range: 2))
    let reading = try driver.drain()
    #expect(reading.isOverrun && reading.samples.count == row.count)
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test func aFailedReadingRestartsTheFIFO() throws {
    let address = try #require(I2CAddress(0x53))
    var script = Self.plain
    script += [
      Self.part.read(0x30, 0x82), Self.part.read(0x38, 0x80, 0x02), Self.part.read(0x32, 0, 0, 0, 0, 0, 1),
      .fail(0x53, 0x32, .noAcknowledge(address)), Self.part.write(0x38, 0x00),
    ]
    script += Self.part.set(0x38, 0x80)
    var (driver, bus) = try Self.part.driver(ADXL345.self, script)
    _ = try driver.start(SamplingRequest(rate: 25, range: 2))
    #expect(throws: ChipError.bus(.noAcknowledge(address))) { try driver.drain() }
    #expect(try driver.drain() == FIFOReading(samples: [], isOverrun: true))
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test(arguments: [(0.064, 1), (0.0, 1), (0.5, 8), (100, 255)])
  func activityDetectionRestartsAfterActivity(_ row: (threshold: Double, register: UInt8)) throws {
    var script = [
      Self.part.write(0x2D, 0x00, 0x00), Self.part.write(0x31, 0x08), Self.part.write(0x38, 0x00),
      Self.part.write(0x2C, 0x17), Self.part.write(0x24, row.register),
    ]
    script += Self.part.set(0x27, 0xF0)
    script += Self.part.set(0x2D, 0x08)
    script += [
      Self.part.read(0x30, 0x80), Self.part.write(0x2E, 0x10, 0x00),
      Self.part.read(0x30, 0x92), Self.part.write(0x27, 0x00), Self.part.write(0x27, 0xF0),
      Self.part.read(0x30, 0x82),
    ]
    var (driver, bus) = try Self.part.driver(ADXL345.self, script)
    try driver.watchForMotion(MotionWatch(threshold: row.threshold))
    #expect(try driver.motionSeen())
    #expect(try !driver.motionSeen())
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  struct InactivityRow {
    var g, seconds, takenG, takenSeconds: Double
    var threshold, time: UInt8
  }

  /// Registers and bits as in the kernel's `adxl345_core.c` for inactivity. The chip's behaviour was not
  /// verified by an independent source.
  @Test(arguments: [
    InactivityRow(g: 0.064, seconds: 60, takenG: 0.0625, takenSeconds: 60, threshold: 0x01, time: 0x3C),
    InactivityRow(g: 0, seconds: 0, takenG: 0.0625, takenSeconds: 1, threshold: 0x01, time: 0x01),
    InactivityRow(g: 0.1, seconds: 1.5, takenG: 0.125, takenSeconds: 2, threshold: 0x02, time: 0x02),
    InactivityRow(g: 100, seconds: 3600, takenG: 15.9375, takenSeconds: 255, threshold: 0xFF, time: 0xFF),
    InactivityRow(g: .nan, seconds: .nan, takenG: 0.0625, takenSeconds: 1, threshold: 0x01, time: 0x01),
  ])
  func watchesForInactivity(_ row: InactivityRow) throws {
    var script = [
      Self.part.write(0x2D, 0x00, 0x00), Self.part.write(0x2E, 0x00), Self.part.write(0x31, 0x08),
      Self.part.write(0x38, 0x00), Self.part.write(0x2C, 0x17),
      Self.part.write(0x25, row.threshold, row.time),
    ]
    script += Self.part.set(0x27, 0x0F)
    script += Self.part.set(0x2D, 0x08)
    script += [
      Self.part.read(0x30, 0x88), Self.part.write(0x2E, 0x08, 0x00),
      Self.part.read(0x30, 0x92), Self.part.read(0x30, 0x8A),
    ]
    var (driver, bus) = try Self.part.driver(ADXL345.self, script)
    let watch = try driver.watchForStillness(StillnessWatch(threshold: row.g, duration: row.seconds))
    #expect(watch == StillnessWatch(threshold: row.takenG, duration: row.takenSeconds))
    #expect(try !driver.stillnessSeen())
    #expect(try driver.stillnessSeen())
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  /// Tables 14 and 15 of the data sheet: 50 to 540 LSB in x, the same negative in y, 75 to 875 in z, at 2.5
  /// V.
  static let forces: [(x: Int16, y: Int16, z: Int16, passes: Bool)] = [
    (200, -200, 300, true), (20, -200, 300, false), (200, 200, 300, false), (200, -200, 40, false),
    (1130, -1130, 1470, true), (1200, -200, 300, false),
  ]

  @Test(arguments: forces)
  func selfTestKnowsTheDirections(_ row: (x: Int16, y: Int16, z: Int16, passes: Bool)) throws {
    var force: [UInt8] = []
    for axis in [row.x, row.y, row.z] {
      force.append(UInt8(truncatingIfNeeded: axis))
      force.append(UInt8(truncatingIfNeeded: axis >> 8))
    }
    var script = [Self.part.write(0x2D, 0x00, 0x00)]
    script += Self.part.set(0x31, 0x0B)
    script += [Self.part.write(0x2C, 0x0A), Self.part.write(0x38, 0x00)]
    script += Self.part.set(0x2D, 0x08)
    for _ in 0..<5 { script.append(Self.part.read(0x32, 0, 0, 0, 0, 0, 0)) }
    script += Self.part.set(0x31, 0x8B)
    for _ in 0..<5 { script.append(Self.part.read(0x32, force)) }
    script += [Self.part.write(0x31, 0x08), Self.part.write(0x2D, 0x00, 0x00)]
    var (driver, bus) = try Self.part.driver(ADXL345.self, script)
    let (end, waits) = try selfTest(&driver)
    #expect((end == .passed) == row.passes, "\(end)")
    #expect(waits == 10)
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }

  @Test func itHasNoTemperatureSensorAndIdentifiesItself() throws {
    let address = try #require(I2CAddress(0x53))
    var (driver, bus) = try Self.part.driver(
      ADXL345.self,
      [Self.part.read(0x00, 0xE5), Self.part.read(0x00, 0xE6), Self.part.write(0x2D, 0x00, 0x00)])
    try driver.identify()
    #expect(throws: ChipError.wrongIdentity(address, register: 0x00, expected: [0xE5], got: 0xE6)) {
      try driver.identify()
    }
    #expect(try driver.dieTemperature() == nil)
    try driver.powerDown()
    #expect(bus.isExhausted, "\(bus.mismatches)")
  }
}

/// The driver against an independent model of the chip.
@Suite(
  .enabled(
    if: ChipsModelBus.isPresent,
    "recordings and rig are missing: put them in ../shared, or set OUTRIDER_SHARED to their folder"))
struct ADXL345ModelTests {
  @Test(arguments: [1.5625, 12.5, 25, 100], [2.0, 4, 8, 16])
  func samplesEqualTheSimulatedAcceleration(_ rate: Double, _ range: Double) throws {
    let bus = try ChipsModelBus("adxl345", at: 0x53, track: [[0, 0.5, -0.25, 1]])
    var driver = ADXL345(bus: bus, address: try #require(I2CAddress(0x53)))
    try driver.identify()
    #expect(try driver.start(SamplingRequest(rate: rate, range: range)).rate == rate)
    // The model starts counting at the first access after its start.
    try bus.advance(to: 0)
    try bus.advance(to: 20.5 / rate)
    let reading = try driver.drain()
    let still = [Acceleration](repeating: Acceleration(x: 0.5, y: -0.25, z: 1), count: 20)
    #expect(reading == FIFOReading(samples: still, isOverrun: false))
    try bus.advance(to: 80.5 / rate)
    let late = try driver.drain()
    #expect(late.isOverrun && late.samples.count == 32)
    try bus.advance(to: 85.5 / rate)
    let next = try driver.drain()
    #expect(!next.isOverrun && next.samples.count == 5)
  }

  @Test func itWakesOnMotionAndNotOnGravity() throws {
    let track = [[0, 0, 0, 1], [20, 0, 0, 1], [21, 0.5, 0, 0.8], [90, 0.5, 0, 0.8]]
    let bus = try ChipsModelBus("adxl345", at: 0x53, track: track)
    var driver = ADXL345(bus: bus, address: try #require(I2CAddress(0x53)))
    try driver.watchForMotion(MotionWatch())
    try bus.advance(to: 0)
    try bus.advance(to: 19)
    #expect(try !driver.motionSeen())
    try bus.advance(to: 30)
    #expect(try driver.motionSeen())
    // The chip is tilted from now on, which is not motion.
    try bus.advance(to: 60)
    #expect(try !driver.motionSeen())
  }

  @Test func aLossOfSupplyIsDetected() throws {
    let bus = try ChipsModelBus("adxl345", at: 0x53, track: [[0, 0, 0, 1]])
    var driver = ADXL345(bus: bus, address: try #require(I2CAddress(0x53)))
    _ = try driver.start(SamplingRequest(rate: 25))
    try bus.interruptSupply()
    #expect(throws: ChipError.self) { try driver.drain() }
  }
}
