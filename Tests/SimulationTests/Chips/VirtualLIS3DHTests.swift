import Chips
import Quantities
import Testing
import Simulation

@Suite struct VirtualLIS3DHTests {
  static let still = "t_s,ax_g,ay_g,az_g\n0,0.5,-0.25,1\n"

  /// Data sheet DocID17530, table 17.
  @Test(
    arguments: [
      (0x07, 0x00), (0x0F, 0x33), (0x1E, 0x10), (0x1F, 0x00), (0x20, 0x07), (0x21, 0x00), (0x22, 0x00),
      (0x23, 0x00), (0x24, 0x00), (0x25, 0x00), (0x26, 0x00), (0x2E, 0x00), (0x2F, 0x20), (0x30, 0x00),
      (0x32, 0x00),
      (0x33, 0x00), (0x0E, 0x00), (0x7F, 0x00),
    ] as [(UInt8, UInt8)])
  func itStartsWithTheDefaultsOfTheDataSheet(_ register: UInt8, _ value: UInt8) throws {
    let bench = try LIS3DHBench(csv: Self.still)
    #expect(try bench.bus.get(register, at: bench.address) == value)
  }

  @Test(arguments: [1.0, 10, 25, 50, 100], [2.0, 4, 8, 16])
  func samplesEqualTheTrack(_ rate: Double, _ range: Double) throws {
    var bench = try LIS3DHBench(csv: Self.still)
    try bench.driver.identify()
    let sampling = try bench.driver.start(SamplingRequest(rate: rate, range: range, watermark: 25))
    bench.bus.now = second(30.5 / rate)
    let reading = try bench.driver.drain()
    #expect(reading.samples.count == 30 && !reading.isOverrun)
    for sample in reading.samples {
      #expect(abs(Double(sample.x) - 0.5) <= sampling.resolution / 2 + 1e-6)
      #expect(abs(Double(sample.y) + 0.25) <= sampling.resolution / 2 + 1e-6)
      #expect(abs(Double(sample.z) - 1) <= sampling.resolution / 2 + 1e-6)
    }
    #expect(try bench.driver.drain() == FIFOReading(samples: [], isOverrun: false))
  }

  /// Table 4: g per LSB, and the position of the word. `CTRL_REG1`, `CTRL_REG4` and the bits.
  @Test(
    arguments: [
      (0x5F, 0x00, 8, 0.016), (0x5F, 0x10, 8, 0.032), (0x5F, 0x30, 8, 0.192), (0x57, 0x00, 10, 0.004),
      (0x57, 0x20, 10, 0.016), (0x57, 0x08, 12, 0.001), (0x57, 0x18, 12, 0.002), (0x57, 0x38, 12, 0.012),
    ] as [(UInt8, UInt8, Int, Double)])
  func eachModeHasItsResolution(_ control1: UInt8, _ control4: UInt8, _ bits: Int, _ step: Double) throws {
    let bench = try LIS3DHBench(csv: "0,0.768,-0.384,5000")
    try bench.bus.set(0x23, control4, at: bench.address)
    try bench.bus.set(0x20, control1, at: bench.address)
    bench.bus.now = second(0.1)
    let bytes = try bench.bus.transfer(to: bench.address, write: [0xA8], readCount: 6)
    let words = stride(from: 0, to: 6, by: 2).map {
      Int16(bytes[$0]) | Int16(bitPattern: UInt16(bytes[$0 + 1]) << 8)
    }
    #expect(words[0] == Int16(0.768 / step) << Int16(16 - bits))
    #expect(words[1] == Int16(-0.384 / step) << Int16(16 - bits))
    #expect(words[2] == Int16(1 << (bits - 1) - 1) << Int16(16 - bits))
  }

  @Test func theStatusShowsNewAndOverwrittenSamples() throws {
    let bench = try LIS3DHBench(csv: Self.still)
    try bench.bus.set(0x20, 0x57, at: bench.address)
    #expect(try bench.bus.get(0x27, at: bench.address) == 0)
    bench.bus.now = second(0.011)
    #expect(try bench.bus.get(0x27, at: bench.address) == 0x0F)
    bench.bus.now = second(0.021)
    #expect(try bench.bus.get(0x27, at: bench.address) == 0xFF)
    _ = try bench.bus.transfer(to: bench.address, write: [0xA8], readCount: 6)
    #expect(try bench.bus.get(0x27, at: bench.address) == 0)
  }

  @Test(arguments: [-0.1, -0.03, 0, 0.05])
  func theTrueRateHasTheGivenDeviation(_ error: Double) throws {
    var bench = try LIS3DHBench(AccelerationTrack(.stationary, seed: 1), rateError: error)
    _ = try bench.driver.start(SamplingRequest(rate: 25))
    var count = 0
    for elapsed in 1...600 {
      bench.bus.now = second(Double(elapsed))
      count += try bench.driver.drain().samples.count
    }
    #expect(abs(Double(count) - 15000 * (1 + error)) <= 1)
  }

  @Test func theInterruptRisesAtTheWatermarkAtThePredictedMoment() throws {
    var bench = try LIS3DHBench(csv: Self.still)
    _ = try bench.driver.start(SamplingRequest(rate: 25, watermark: 25))
    let change = bench.bus.nextInterruptChange(at: bench.address, until: second(60))
    #expect(change == second(1))
    #expect(bench.bus.nextInterruptChange(at: bench.address, until: second(0.99)) == nil)
    bench.bus.now = second(0.999)
    #expect(!bench.bus.isInterruptRaised(at: bench.address))
    bench.bus.now = second(1)
    #expect(bench.bus.isInterruptRaised(at: bench.address))
    #expect(try bench.driver.drain().samples.count == 25)
    #expect(!bench.bus.isInterruptRaised(at: bench.address))
  }

  @Test func anOverrunIsSeenOnceAndKeepsTheNewest() throws {
    var bench = try LIS3DHBench(csv: "0,0,0,0\n10,1,0,0")
    _ = try bench.driver.start(SamplingRequest(rate: 50, range: 2))
    bench.bus.now = second(2.01)
    let late = try bench.driver.drain()
    #expect(late.isOverrun && late.samples.count == 32)
    #expect(abs(late.samples[31].x - 0.2) < 0.003 && abs(late.samples[0].x - 0.138) < 0.003)
    bench.bus.now = second(2.21)
    let next = try bench.driver.drain()
    #expect(!next.isOverrun && next.samples.count == 10)
  }

  @Test func theFIFOModeStopsWhenItIsFullAndBypassEmptiesIt() throws {
    let bench = try LIS3DHBench(csv: "0,0,0,0\n10,1,0,0")
    try bench.bus.set(0x24, 0x40, at: bench.address)
    try bench.bus.set(0x2E, 0x40 | 9, at: bench.address)
    try bench.bus.set(0x20, 0x57, at: bench.address)
    bench.bus.now = second(0.095)
    #expect(try bench.bus.get(0x2F, at: bench.address) == 9)
    bench.bus.now = second(0.105)
    #expect(try bench.bus.get(0x2F, at: bench.address) == 0x80 | 10)
    bench.bus.now = second(5)
    #expect(try bench.bus.get(0x2F, at: bench.address) == 0xC0 | 31)
    // At ±2 g in normal mode: the first sample is that of 10 ms, 1 mg, the last that of 320 ms, 32 mg.
    let bytes = try bench.bus.transfer(to: bench.address, write: [0xA8], readCount: 32 * 6)
    #expect(bytes[1] == 0 && bytes[31 * 6 + 1] == 0x02)
    #expect(try bench.bus.get(0x2F, at: bench.address) == 0x20)
    bench.bus.now = second(6)
    #expect(try bench.bus.get(0x2F, at: bench.address) == 0x20)
    try bench.bus.set(0x2E, 0, at: bench.address)
    try bench.bus.set(0x2E, 0x40 | 9, at: bench.address)
    bench.bus.now = second(6.055)
    #expect(try bench.bus.get(0x2F, at: bench.address) == 5)
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func motionWakesAndNoiseDoesNot(_ seed: UInt64) throws {
    let track = AccelerationTrack([(0, .stationary), (600, .walking), (620, .stationary)], seed: seed)
    var bench = try LIS3DHBench(track)
    try bench.driver.watchForMotion(MotionWatch())
    bench.bus.now = second(1)
    let wake = try #require(bench.bus.nextInterruptChange(at: bench.address, until: second(3600)))
    #expect(wake >= second(600) && wake < second(601))
    bench.bus.now = second(599)
    #expect(try !bench.driver.motionSeen())
    bench.bus.now = second(640)
    #expect(bench.bus.isInterruptRaised(at: bench.address))
    #expect(try bench.driver.motionSeen())
    #expect(!bench.bus.isInterruptRaised(at: bench.address))
    bench.bus.now = second(700)
    #expect(try !bench.driver.motionSeen())
    #expect(bench.bus.nextInterruptChange(at: bench.address, until: second(3600)) == nil)
  }

  @Test func motionShorterThanTheDurationDoesNotWake() throws {
    let jolt = "0,0,0,1\n20,0,0,1\n20.05,0.8,0,1\n20.15,0.8,0,1\n20.2,0,0,1"
    for (duration, wakes) in [(0.0, true), (2.0, false)] {
      var bench = try LIS3DHBench(csv: jolt)
      try bench.driver.watchForMotion(MotionWatch(threshold: 0.3, duration: duration))
      bench.bus.now = second(30)
      #expect(try bench.driver.motionSeen() == wakes)
    }
  }

  /// Within a second at 10 Hz; at 1 Hz after the half minute that the filter needs after the last motion.
  @Test(arguments: [UInt64(1), 2, 3], [(10.0, 1.0), (60, 30)])
  func inactivityIsReportedAfterItsDurationAndMotionIsNot(
    _ seed: UInt64, _ watch: (duration: Double, slack: Double)
  ) throws {
    let track = AccelerationTrack(
      [(0, .walking), (300, .stationary), (305, .walking), (400, .stationary)], seed: seed)
    var bench = try LIS3DHBench(track)
    let taken = try bench.driver.watchForStillness(StillnessWatch(duration: watch.duration))
    #expect(taken.duration == watch.duration)
    let change = try #require(bench.bus.nextInterruptChange(at: bench.address, until: second(3600)))
    #expect(change >= second(400 + watch.duration) && change <= second(400 + watch.duration + watch.slack))
    bench.bus.now = second(399)
    #expect(try !bench.driver.stillnessSeen())
    bench.bus.now = second(1000)
    #expect(bench.bus.isInterruptRaised(at: bench.address))
    #expect(try bench.driver.stillnessSeen())
    #expect(!bench.bus.isInterruptRaised(at: bench.address))
    // The chip stays stationary, and reports again.
    let again = try #require(bench.bus.nextInterruptChange(at: bench.address, until: second(3600)))
    #expect(again >= second(1000 + watch.duration) && again <= second(1001 + watch.duration))
  }

  /// The line stays raised even if motion resumes, and walking after the read raises nothing.
  @Test func reportedInactivityIsLatchedUntilRead() throws {
    let track = AccelerationTrack([(0, .stationary), (100, .walking)], seed: 5)
    var bench = try LIS3DHBench(track)
    _ = try bench.driver.watchForStillness(StillnessWatch(duration: 5))
    bench.bus.now = second(200)
    #expect(bench.bus.isInterruptRaised(at: bench.address))
    #expect(try bench.driver.stillnessSeen())
    #expect(bench.bus.nextInterruptChange(at: bench.address, until: second(3600)) == nil)
    bench.bus.now = second(300)
    #expect(try !bench.driver.stillnessSeen())
  }

  /// Each end of motion is waited for in turn: stationary, moved, stationary.
  @Test func motionAndInactivityDetectionAlternate() throws {
    let track = AccelerationTrack(
      [(0, .driving), (60, .stationary), (200, .walking), (230, .stationary)], seed: 6)
    var bench = try LIS3DHBench(track)
    let limit = second(3600)
    _ = try bench.driver.watchForStillness(StillnessWatch(duration: 10))
    bench.bus.now = try #require(bench.bus.nextInterruptChange(at: bench.address, until: limit))
    #expect(try bench.driver.stillnessSeen())
    #expect(bench.bus.now >= second(70) && bench.bus.now < second(80))
    try bench.driver.watchForMotion(MotionWatch())
    bench.bus.now = try #require(bench.bus.nextInterruptChange(at: bench.address, until: limit))
    #expect(try bench.driver.motionSeen())
    #expect(bench.bus.now >= second(200) && bench.bus.now < second(202))
    _ = try bench.driver.watchForStillness(StillnessWatch(duration: 10))
    bench.bus.now = try #require(bench.bus.nextInterruptChange(at: bench.address, until: limit))
    #expect(try bench.driver.stillnessSeen())
    #expect(bench.bus.now >= second(240) && bench.bus.now < second(242))
  }

  @Test(arguments: [(0.5, true), (0.01, false), (3, false)])
  func theSelfTestMeasuresTheForce(_ force: Double, _ passes: Bool) throws {
    var bench = try LIS3DHBench(AccelerationTrack(.stationary, seed: 4)) {
      $0.selfTestForce = SIMD3(repeating: force)
    }
    var step = try bench.driver.selfTestStep()
    for _ in 0..<50 {
      guard case .wait(let pause) = step else { break }
      bench.bus.now = bench.bus.now + pause
      step = try bench.driver.selfTestStep()
    }
    #expect((step == .passed) == passes)
  }

  @Test func theDieTemperatureIsReadable() throws {
    var bench = try LIS3DHBench(AccelerationTrack(.stationary, seed: 4)) { $0.dieTemperature = -7 }
    _ = try bench.driver.start(SamplingRequest(rate: 25))
    #expect(try bench.driver.dieTemperature() == -7)
  }

  /// One burst per watermark, at the predicted time, also with a slow and a fast clock.
  @Test(arguments: [0.0, -0.04, 0.04])
  func anHourAt25HzArrivesInBurstsOf25WithoutLoss(_ rateError: Double) throws {
    var bench = try LIS3DHBench(AccelerationTrack(.driving, seed: 7), rateError: rateError)
    _ = try bench.driver.start(SamplingRequest(rate: 25, watermark: 25))
    var clock = SampleClock(nominalRate: 25)
    let before = bench.bus.transactions
    var (samples, bursts, gaps) = (0, 0, 0)
    while let wake = bench.bus.nextInterruptChange(at: bench.address, until: second(3600)) {
      bench.bus.now = wake
      let reading = try bench.driver.drain()
      let dated = clock.date(reading, drainedAt: wake)
      let burst = try #require(dated)
      samples += burst.samples.count
      bursts += 1
      if burst.isAfterGap || reading.isOverrun { gaps += 1 }
    }
    let expected = Int(90000 * (1 + rateError)) / 25
    #expect(abs(bursts - expected) <= 1 && samples == 25 * bursts && gaps == 0)
    #expect(bench.bus.transactions - before == 2 * bursts)
    #expect(abs(clock.rate - 25 * (1 + rateError)) < 0.02)
  }

  /// The samples are independent of the number of queries in between.
  @Test(arguments: [UInt64(11), 12, 13])
  func smallAndLargeStepsGiveTheSameResult(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var (fine, coarse) = (Self.running(seed), Self.running(seed))
    var time = 0.0
    while time < 20 {
      time += Double.random(in: 0...0.2, using: &random)
      fine.advance(to: second(time))
    }
    coarse.advance(to: second(time))
    let output = fine.transfer(write: [0xA8], readCount: 192)
    #expect(output == coarse.transfer(write: [0xA8], readCount: 192))
    #expect(fine.samplesTaken == coarse.samplesTaken && fine.samplesTaken > 400)
  }

  static func running(_ seed: UInt64) -> VirtualLIS3DH {
    var part = VirtualLIS3DH(track: AccelerationTrack(.walking, seed: seed))
    part.powerUp(at: .zero)
    _ = part.transfer(write: [0x24, 0x40], readCount: 0)
    _ = part.transfer(write: [0x2E, 0x80], readCount: 0)
    _ = part.transfer(write: [0x20, 0x37], readCount: 0)
    return part
  }

  @Test(arguments: [UInt64(21), 22, 23])
  func noBytesAndNoTimeTrapIt(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var part = VirtualLIS3DH(
      track: AccelerationTrack(.driving, noise: .nan, seed: seed), rateError: .infinity)
    part.powerUp(at: Moment(nanoseconds: .min))
    for _ in 0..<3000 {
      let bytes = (0..<Int.random(in: 0...4, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      _ = part.transfer(write: bytes, readCount: Int.random(in: -1...200, using: &random))
      part.advance(to: part.nextSample ?? .zero)
    }
    part.advance(to: .zero)
    part.advance(to: Moment(nanoseconds: .max))
    _ = part.nextInterruptChange(until: Moment(nanoseconds: .max))
  }
}
