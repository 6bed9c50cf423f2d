import Quantities
import Testing

import Chips

/// Promises for every accelerometer.
@Suite struct AccelerometerPartTests {
  /// Register values for identification, with samples available.
  static let registers: [String: [UInt8: UInt8]] = [
    "lis3dh": [0x0F: 0x33, 0x2F: 0x03], "lis2dh12": [0x0F: 0x33, 0x2F: 0x03],
    "lsm6dso": [0x0F: 0x6C, 0x3A: 0x03, 0x78: 0x10], "lsm6dsox": [0x0F: 0x6C, 0x3A: 0x03, 0x78: 0x10],
    "adxl345": [0x00: 0xE5, 0x39: 0x03], "mpu6050": [0x75: 0x68, 0x73: 18],
    "mpu6500": [0x75: 0x70, 0x73: 18],
    "mpu9250": [0x75: 0x71, 0x73: 18],
  ]

  /// A bus with an accelerometer that has three samples.
  static func bus(of name: String) throws -> RegisterFileBus {
    let bus = RegisterFileBus()
    bus.registers = try #require(registers[name])
    if name.hasPrefix("lsm6") { bus.round = 0x78...0x7E }
    return bus
  }

  static let errors: [@Sendable (I2CAddress) -> I2CError] = [
    { .noAcknowledge($0) }, { .timedOut($0) }, { .system($0, errno: 121) },
    { .shortRead($0, expected: 6, got: 1) },
  ]

  /// All operations of a driver.
  static let operations: [(name: String, perform: @Sendable (inout any Accelerometer) throws -> Void)] = [
    ("identify", { try $0.identify() }),
    ("start", { _ = try $0.start(SamplingRequest(rate: 25, range: 4, watermark: 25)) }),
    (
      "drain",
      {
        _ = try $0.start(SamplingRequest(rate: 25))
        _ = try $0.drain()
        _ = try $0.dieTemperature()
      }
    ),
    (
      "watch",
      {
        try $0.watchForMotion(MotionWatch())
        _ = try $0.motionSeen()
      }
    ),
    (
      "watch for stillness",
      { driver in
        do throws(ChipError) {
          _ = try driver.watchForStillness(StillnessWatch())
          _ = try driver.stillnessSeen()
        } catch {
          guard case .cannot = error else { throw error }
          try driver.identify()
        }
      }
    ),
    ("self-test", { for _ in 0..<11 { _ = try $0.selfTestStep() } }),
    ("power down", { try $0.powerDown() }),
  ]

  @Test func namesAndAddressesMatchTheBoardFiles() {
    let names = AccelerometerPart.all.map(\.name)
    #expect(
      names == ["lis3dh", "lis2dh12", "lsm6dso", "lsm6dsox", "adxl345", "mpu6050", "mpu6500", "mpu9250"])
    #expect(Set(names).count == names.count)
    #expect(AccelerometerPart.named("adxl345")?.addresses.map(\.rawValue) == [0x53, 0x1D])
    #expect(AccelerometerPart.named("LIS3DH") == nil)
    for part in AccelerometerPart.all {
      #expect(part.addresses.count == 2, "\(part.name)")
      #expect(part.witness?.isEmpty == false, "\(part.name)")
    }
  }

  @Test func chipsAreRecognisedByTheirIdentity() throws {
    for part in AccelerometerPart.all {
      let bus = try Self.bus(of: part.name)
      for address in part.addresses {
        #expect(try AccelerometerPart.candidates(at: address, on: bus).contains { $0.name == part.name })
      }
    }
    let otherChip = RegisterFileBus()
    let address = try #require(I2CAddress(0x68))
    #expect(try AccelerometerPart.candidates(at: address, on: otherChip).isEmpty)
    otherChip.failure = (otherChip.count, .noAcknowledge(address))
    #expect(throws: I2CError.noAcknowledge(address)) {
      try AccelerometerPart.candidates(at: address, on: otherChip)
    }
  }

  /// After a failure of any kind at any transaction, the error is passed on unchanged, there is no further
  /// transaction, and the driver stays usable.
  @Test(arguments: AccelerometerPart.all.map(\.name)) func aBusFaultIsPassedOnAndTheDriverStaysUsable(
    _ name: String
  ) throws {
    let part = try #require(AccelerometerPart.named(name))
    let address = try #require(part.addresses.first)
    for operation in Self.operations {
      let whole = try Self.bus(of: name)
      var driver = part.driver(whole, address)
      try operation.perform(&driver)
      #expect(whole.count > 0)
      for index in 0..<whole.count {
        for error in Self.errors {
          let bus = try Self.bus(of: name)
          var driver = part.driver(bus, address)
          bus.failure = (index, error(address))
          #expect(throws: ChipError.bus(error(address)), "\(operation.name), transaction \(index)") {
            try operation.perform(&driver)
          }
          #expect(bus.count == index + 1, "\(operation.name), transaction \(index)")
          _ = try driver.start(SamplingRequest(rate: 25))
          let reading = try driver.drain()
          #expect(reading.samples.count == 3 && !reading.isOverrun, "\(operation.name), transaction \(index)")
        }
      }
    }
  }

  @Test(arguments: AccelerometerPart.all.map(\.name)) func nothingIsReadBeforeTheStartOrAfterTheEndOfSampling(
    _ name: String
  ) throws {
    let part = try #require(AccelerometerPart.named(name))
    let bus = RegisterFileBus()
    var driver = part.driver(bus, try #require(part.addresses.first))
    #expect(throws: ChipError.self) { try driver.drain() }
    #expect(bus.count == 0)
    _ = try driver.start(SamplingRequest(rate: 25))
    try driver.watchForMotion(MotionWatch())
    let before = bus.count
    #expect(throws: ChipError.self) { try driver.drain() }
    #expect(try driver.dieTemperature() == nil)
    #expect(bus.count == before)
  }

  /// Actual durations for a minute and for ten minutes: nil without such an interrupt.
  @Test(
    arguments: [
      ("lis3dh", 60.0, 127.0), ("lis2dh12", 60, 127), ("lsm6dso", 78.77, 295.38), ("lsm6dsox", 78.77, 295.38),
      ("adxl345", 60, 255), ("mpu6050", 16.32, 16.32), ("mpu6500", nil, nil), ("mpu9250", nil, nil),
    ] as [(String, Double?, Double?)])
  func aChipReportsItsLongestInactivityDuration(_ name: String, _ minute: Double?, _ tenMinutes: Double?)
    throws
  {
    let part = try #require(AccelerometerPart.named(name))
    for (request, taken) in [(60.0, minute), (600, tenMinutes)] {
      var driver = part.driver(try Self.bus(of: name), try #require(part.addresses.first))
      let watch = try? driver.watchForStillness(StillnessWatch(duration: request))
      #expect(watch.map { ($0.duration * 100).rounded() } == taken.map { ($0 * 100).rounded() })
    }
  }

  /// Full FIFOs, on adapters with long and short reads.
  @Test(arguments: AccelerometerPart.all.map(\.name), [8192, 32, 14, 7, 6, 2, 1])
  func noStepOccupiesASlowBusForLongerThan50Milliseconds(_ name: String, longestRead: Int) throws {
    let bus = try Self.bus(of: name)
    bus.longestRead = longestRead
    switch name {
    case "lsm6dso", "lsm6dsox": (bus.registers[0x3A], bus.registers[0x3B]) = (0xFF, 0x01)
    case "adxl345": bus.registers[0x39] = 0x21
    case "mpu6050": (bus.registers[0x72], bus.registers[0x73]) = (0x03, 0xFE)
    case "mpu6500", "mpu9250": (bus.registers[0x72], bus.registers[0x73]) = (0x01, 0xFE)
    case _: bus.registers[0x2F] = 0x1F
    }
    let part = try #require(AccelerometerPart.named(name))
    let address = try #require(part.addresses.first)
    var reader = AccelerometerReader(part: part, address: address, hasLine: false, now: .zero)
    reader.setDesiredMode(.samples(SamplingRequest(rate: 100), within: .seconds(2)), now: .zero)
    var bursts: [Int] = []
    for _ in 0..<200 {
      guard let now = reader.nextTimeout else { break }
      let before = bus.time
      for notice in reader.step(on: { () throws(I2CError) in bus }, now: now) {
        if case .burst(let burst) = notice { bursts.append(burst.samples.count) }
      }
      #expect(bus.time - before <= .milliseconds(50))
    }
    // A chip that cannot read all its axes at once is not used on such an adapter.
    if longestRead >= 6 { #expect(bursts.contains { $0 >= 31 }, "\(bursts)") }
  }

  /// Whatever a chip answers: nothing traps, and no reading is longer than the FIFO.
  @Test(arguments: AccelerometerPart.all.map(\.name), 0..<16) func malformedDataIsTolerated(
    _ name: String, seed: UInt64
  ) throws {
    let part = try #require(AccelerometerPart.named(name))
    let bus = RegisterFileBus(noiseSeed: seed)
    var random = SplitMix64(seed: seed ^ 0xACCE)
    var driver = part.driver(bus, try #require(part.addresses.first))
    var capacity = 0
    for _ in 0..<400 {
      do {
        switch Int.random(in: 0..<14, using: &random) {
        case 0:
          let request = SamplingRequest(
            rate: Double.random(in: -10...200, using: &random),
            range: Double.random(in: -1...20, using: &random),
            watermark: Int.random(in: -1000...1000, using: &random))
          capacity = try driver.start(request).capacity
        case 1: try driver.watchForMotion(MotionWatch(threshold: Double.random(in: -1...40, using: &random)))
        case 2: _ = try driver.motionSeen()
        case 3: _ = try driver.dieTemperature()
        case 12:
          let request = StillnessWatch(
            threshold: Double.random(in: -1...40, using: &random),
            duration: Double.random(in: -10...1000, using: &random))
          let watch = try driver.watchForStillness(request)
          #expect(watch.threshold > 0 && watch.duration > 0)
        case 13: _ = try driver.stillnessSeen()
        case 4, 5: _ = try driver.selfTestStep()
        case 6: try driver.powerDown()
        default: #expect(try driver.drain().samples.count <= capacity + 1)
        }
      } catch {}
    }
  }
}
