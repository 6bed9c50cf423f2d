import Testing

import Chips

/// The driver against an independent model of the chip.
@Suite(
  .enabled(
    if: ChipsModelBus.isPresent,
    "recordings and rig are missing: put them in ../shared, or set OUTRIDER_SHARED to their folder"))
struct LIS3DHModelTests {
  static let still = [[0, 0.5, -0.25, 1]]

  static func bus(_ track: [[Double]] = still) throws -> (LIS3DH, ChipsModelBus) {
    let bus = try ChipsModelBus("lis3dh", at: 0x18, track: track)
    return (LIS3DH(bus: bus, address: try #require(I2CAddress(0x18))), bus)
  }

  @Test(arguments: [1.0, 10, 25, 50, 100], [2.0, 4, 8, 16])
  func samplesEqualTheSimulatedAcceleration(_ rate: Double, _ range: Double) throws {
    var (driver, bus) = try Self.bus()
    try driver.identify()
    let sampling = try driver.start(SamplingRequest(rate: rate, range: range, watermark: 25))
    #expect(sampling.rate == rate)
    try bus.advance(to: 30.5 / rate)
    let reading = try driver.drain()
    #expect(reading.samples.count == 30 && !reading.isOverrun)
    for sample in reading.samples {
      #expect(abs(Double(sample.x) - 0.5) <= sampling.resolution / 2 + 1e-6)
      #expect(abs(Double(sample.y) + 0.25) <= sampling.resolution / 2 + 1e-6)
      #expect(abs(Double(sample.z) - 1) <= sampling.resolution / 2 + 1e-6)
    }
    #expect(try driver.drain() == FIFOReading(samples: [], isOverrun: false))
  }

  @Test func theLineIsRaisedAtTheWatermarkAndLoweredByTheBurst() throws {
    var (driver, bus) = try Self.bus()
    _ = try driver.start(SamplingRequest(rate: 25, range: 2, watermark: 25))
    try bus.advance(to: 24.5 / 25)
    #expect(!bus.isLineRaised)
    try bus.advance(to: 25.5 / 25)
    #expect(bus.isLineRaised)
    let before = bus.count
    #expect(try driver.drain().samples.count == 25)
    #expect(bus.count - before == 2)
  }

  @Test func anOverrunIsReportedOnce() throws {
    var (driver, bus) = try Self.bus()
    _ = try driver.start(SamplingRequest(rate: 50, range: 2))
    try bus.advance(to: 2.01)
    let late = try driver.drain()
    #expect(late.isOverrun && late.samples.count == 32)
    try bus.advance(to: 2.21)
    let next = try driver.drain()
    #expect(!next.isOverrun && next.samples.count == 10)
  }

  @Test func itWakesOnMotionAndNotOnGravity() throws {
    var (driver, bus) = try Self.bus([[0, 0, 0, 1], [20, 0, 0, 1], [20.2, 0.4, 0, 1], [20.4, 0, 0, 1]])
    try driver.watchForMotion(MotionWatch())
    try bus.advance(to: 19)
    #expect(!bus.isLineRaised)
    #expect(try !driver.motionSeen())
    try bus.advance(to: 30)
    #expect(bus.isLineRaised)
    #expect(try driver.motionSeen())
    #expect(!bus.isLineRaised)
    try bus.advance(to: 60)
    #expect(try !driver.motionSeen())
  }

  /// The chip comes to rest tilted after 20 s; at 1 Hz the filter needs a long time to adapt.
  @Test(arguments: [(5.0, 25.0, 32.0), (40, 60, 90)])
  func inactivityIsReportedAfterItsDurationAndNotBefore(
    _ row: (duration: Double, earliest: Double, latest: Double)
  ) throws {
    let swing = (0...80).map { [Double($0) * 0.25, $0 % 2 == 0 ? 0.3 : -0.3, 0, 1] }
    var (driver, bus) = try Self.bus(swing + [[20.1, 0.5, 0, 0.87], [500, 0.5, 0, 0.87]])
    let watch = try driver.watchForStillness(StillnessWatch(duration: row.duration))
    #expect(watch.duration == row.duration)
    try bus.advance(to: row.earliest)
    #expect(!bus.isLineRaised)
    #expect(try !driver.stillnessSeen())
    try bus.advance(to: row.earliest)
    try bus.advance(to: row.latest + row.duration)
    #expect(bus.isLineRaised)
    #expect(try driver.stillnessSeen())
    #expect(!bus.isLineRaised)
  }

  @Test func aLossOfSupplyIsDetectedAndRepaired() throws {
    var (driver, bus) = try Self.bus()
    _ = try driver.start(SamplingRequest(rate: 25, range: 2))
    try bus.advance(to: 1)
    try bus.interruptSupply()
    try bus.advance(to: 2)
    #expect(throws: ChipError.self) { try driver.drain() }
    _ = try driver.start(SamplingRequest(rate: 25, range: 2))
    try bus.advance(to: 3.01)
    #expect(try driver.drain().samples.count == 25)
  }

  @Test func aPoweredDownChipDoesNotSample() throws {
    var (driver, bus) = try Self.bus()
    _ = try driver.start(SamplingRequest(rate: 25, range: 2, watermark: 5))
    try driver.powerDown()
    try bus.advance(to: 10)
    #expect(!bus.isLineRaised)
  }
}
