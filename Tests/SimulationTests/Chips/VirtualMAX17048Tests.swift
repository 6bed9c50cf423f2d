import Chips
import Quantities
import Testing
import Simulation

@Suite struct VirtualMAX17048Tests {
  /// Data sheet 19-6171, table "Register Summary".
  @Test(
    arguments: [
      (0x06, 0x0000), (0x08, 0x0012), (0x0A, 0x8030), (0x0C, 0x971C), (0x14, 0x00FF), (0x18, 0x960C),
      (0x1A, 0x0100), (0x10, 0x0000), (0x40, 0x0000),
    ] as [(UInt8, UInt16)])
  func itStartsWithTheDefaultsOfTheDataSheet(_ register: UInt8, _ value: UInt16) throws {
    let bench = try MAX17048Bench(CellTrack(percent: 80, rate: -4))
    #expect(try bench.bus.word(register, at: bench.address) == value)
  }

  @Test func theDriverReadsTheStateOfTheCell() throws {
    var bench = try MAX17048Bench(CellTrack(csv: "t_s,volts,percent,percent_per_hour\n0,3.9,80,-4\n".utf8))
    try bench.driver.identify()
    #expect(try bench.driver.start() == .seconds(1))
    bench.bus.now = second(1)
    let reading = try bench.reading()
    #expect(abs(try #require(reading.voltage) - 3.9) <= 78.125e-6)
    #expect(reading.stateOfCharge == 80)
    #expect(abs(try #require(reading.rate) + 4) <= 0.104)
    #expect(reading.wasReset)
    #expect(try !bench.reading().wasReset)
    #expect(try bench.driver.start() == .zero)
  }

  @Test func aCellModelChargesAndDischarges() throws {
    let track = CellTrack(percent: 50, rates: [(0, -10), (3600, 20), (36000, 0)])
    var bench = try MAX17048Bench(track)
    for (hour, percent, rate) in [(0.5, 45.0, -10.0), (1.5, 50, 20), (4.1, 100, 0), (11, 100, 0)] {
      bench.bus.now = second(hour * 3600)
      let reading = try bench.reading()
      // A hibernating chip measures every 45 s.
      #expect(abs(try #require(reading.stateOfCharge) - percent) <= 0.3)
      #expect(abs(try #require(reading.rate) - rate) <= 0.104)
    }
  }

  @Test func aMissingRateIsDerivedFromTheRows() throws {
    let track = try CellTrack(csv: "0,4.0,80\n1800,3.9,70\n3600,3.9,70".utf8)
    let early = track.state(at: second(900))
    #expect((early.voltage, early.percent, early.rate) == (3.95, 75, -20))
    #expect(track.state(at: second(2000)).rate == 0)
  }

  @Test func itAlertsOnLowChargeAtThePredictedMoment() throws {
    let bench = try MAX17048Bench(CellTrack(percent: 30, rate: -10))
    // ATHD 0x0C: below 20 %, an hour later.
    try bench.bus.set(0x0C, 0x97, 0x0C, at: bench.address)
    let change = try #require(bench.bus.nextInterruptChange(at: bench.address, until: second(7200)))
    #expect(change > second(3600) && change <= second(3646))
    bench.bus.now = change
    #expect(bench.bus.isInterruptRaised(at: bench.address))
    #expect(try bench.bus.word(0x1A, at: bench.address) & 0x1000 != 0)
    #expect(try bench.bus.word(0x0C, at: bench.address) == 0x972C)
    try bench.bus.set(0x0C, 0x97, 0x0C, at: bench.address)
    #expect(!bench.bus.isInterruptRaised(at: bench.address))
    bench.bus.now = second(9000)
    #expect(!bench.bus.isInterruptRaised(at: bench.address))
  }

  /// The minimum in the upper, the maximum in the lower byte, 20 mV per LSB: 0xC4 is 3.92 V, 0xC2 is 3.88 V.
  @Test(arguments: [(0x00FF, 0), (0xC2C4, 0), (0xC4FF, 0x0400), (0x00C2, 0x0200)] as [(UInt16, UInt16)])
  func itAlertsOnVoltagesBeyondVALRT(_ limits: UInt16, _ flags: UInt16) throws {
    let bench = try MAX17048Bench(try CellTrack(csv: "0,3.9,80".utf8))
    try bench.bus.set(0x14, UInt8(limits >> 8), UInt8(limits & 0xFF), at: bench.address)
    bench.bus.now = second(0.3)
    #expect(try bench.bus.word(0x1A, at: bench.address) & 0x0600 == flags)
    #expect(bench.bus.isInterruptRaised(at: bench.address) == (flags != 0))
  }

  @Test func theCommandResetsIt() throws {
    let bench = try MAX17048Bench(CellTrack(percent: 80, rate: -4))
    try bench.bus.set(0x1A, 0, 0, at: bench.address)
    try bench.bus.set(0x0C, 0x12, 0x1F, at: bench.address)
    #expect(try bench.bus.word(0x1A, at: bench.address) == 0)
    try bench.bus.set(0xFE, 0x54, 0x00, at: bench.address)
    #expect(try bench.bus.word(0x1A, at: bench.address) == 0x0100)
    #expect(try bench.bus.word(0x0C, at: bench.address) == 0x971C)
  }

  @Test func anExchangedCellResetsItAndEnVRAlerts() throws {
    let bench = try MAX17048Bench(
      try CellTrack(csv: "0,3.9,80\n10,3.9,80\n10.5,0,80\n12,0,80\n12.5,4.1,95".utf8))
    try bench.bus.set(0x1A, 0x40, 0, at: bench.address)
    bench.bus.now = second(15)
    #expect(try bench.bus.word(0x1A, at: bench.address) == 0x0900)
    #expect(bench.bus.isInterruptRaised(at: bench.address))
  }

  @Test func itHibernatesAtASmallRateAndMeasuresEvery45Seconds() throws {
    let bench = try MAX17048Bench(CellTrack(percent: 80, rate: -4))
    bench.bus.now = second(350)
    #expect(try bench.bus.word(0x06, at: bench.address) == 0)
    bench.bus.now = second(370)
    #expect(try bench.bus.word(0x06, at: bench.address) == 0x1000)
    let charge = try bench.bus.word(0x04, at: bench.address)
    bench.bus.now = second(400)
    #expect(try bench.bus.word(0x04, at: bench.address) == charge)
    bench.bus.now = second(410)
    #expect(try bench.bus.word(0x04, at: bench.address) < charge)
  }

  @Test func theDriverWakesASleepingChip() throws {
    var bench = try MAX17048Bench(CellTrack(percent: 80, rate: -60))
    bench.bus.now = second(2)
    try bench.bus.set(0x06, 0x20, 0, at: bench.address)
    try bench.bus.set(0x0C, 0x97, 0x9C, at: bench.address)
    let charge = try bench.bus.word(0x04, at: bench.address)
    bench.bus.now = second(1000)
    #expect(try bench.bus.word(0x04, at: bench.address) == charge)
    #expect(try bench.driver.start() == .seconds(1))
    bench.bus.now = second(1001)
    #expect(try bench.bus.word(0x04, at: bench.address) < charge)
  }

  @Test(arguments: [UInt64(31), 32, 33])
  func noBytesAndNoTimeTrapIt(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var part = VirtualMAX17048(track: CellTrack(percent: .nan, rate: .infinity))
    part.powerUp(at: Moment(nanoseconds: .min))
    for _ in 0..<3000 {
      let bytes = (0..<Int.random(in: 0...5, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      _ = part.transfer(write: bytes, readCount: Int.random(in: -1...20, using: &random))
      part.advance(to: part.nextStep ?? .zero)
    }
    part.advance(to: Moment(nanoseconds: .max))
    _ = part.nextInterruptChange(until: Moment(nanoseconds: .max))
  }
}
