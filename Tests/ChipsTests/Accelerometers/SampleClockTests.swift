import Quantities
import Testing

import Chips

@Suite struct SampleClockTests {
  /// A chip with a deviating oscillator, whose FIFO is read from time to time.
  struct Part {
    var rate: Double
    var capacity = 32
    /// Number of samples read or lost so far.
    var drained = 0

    /// The reading at a second, and the number of its first sample.
    mutating func drain(at second: Double) -> (reading: FIFOReading, first: Int) {
      let taken = Int((second * rate).rounded(.down))
      let waiting = taken - drained
      let kept = min(waiting, capacity)
      drained = taken
      let samples = [Acceleration](repeating: Acceleration(x: 0, y: 0, z: 1), count: kept)
      return (FIFOReading(samples: samples, isOverrun: waiting > capacity), taken - kept)
    }

    /// Time of a sample; the first, number 0, is one period after the start.
    func second(of number: Int) -> Double { Double(number + 1) / rate }
  }

  static func moment(_ second: Double) -> Moment { Moment.zero + .seconds(second) }

  /// The burst, which must exist.
  static func date(_ reading: FIFOReading, at second: Double, by clock: inout SampleClock) throws
    -> AccelerationBurst
  {
    let burst = clock.date(reading, drainedAt: moment(second))
    return try #require(burst)
  }

  /// The first part of a long FIFO, with nothing after it.
  @Test func samplesStillInTheFIFOAreYoungerThanTheReading() throws {
    var clock = SampleClock(nominalRate: 100)
    let samples = [Acceleration](repeating: Acceleration(x: 0, y: 0, z: 1), count: 64)
    let all = try Self.date(FIFOReading(samples: samples, isOverrun: true), at: 10, by: &clock)
    clock = SampleClock(nominalRate: 100)
    let some = try Self.date(FIFOReading(samples: samples, isOverrun: true, waiting: 448), at: 10, by: &clock)
    #expect(all.first - some.first == .milliseconds(4480))
  }

  @Test(arguments: [-0.1, -0.07, -0.02, 0, 0.003, 0.05, 0.1], [1.0, 25, 100]) func theTrueRateIsLearned(
    _ error: Double, _ nominal: Double
  ) throws {
    var part = Part(rate: nominal * (1 + error))
    var clock = SampleClock(nominalRate: nominal)
    var random = SplitMix64(seed: UInt64(nominal))
    var second = 0.0
    for burst in 0..<1200 {
      second += Double.random(in: 20...26, using: &random) / part.rate
      let (reading, first) = part.drain(at: second)
      let dated = try Self.date(reading, at: second, by: &clock)
      #expect(dated.samples == reading.samples)
      #expect(!dated.isAfterGap)
      let expected = part.second(of: first)
      let got = dated.first.nanoseconds
      let periods = (Double(got) / 1e9 - expected) * part.rate
      // A tenth of a period per sample before the rate is known, less than one period in total afterwards.
      #expect(abs(periods) < (burst < 40 ? 3.6 : 1.05), "burst \(burst): \(periods) periods")
    }
    #expect(abs(clock.rate / part.rate - 1) < 0.001, "\(clock.rate) for \(part.rate)")
  }

  @Test(arguments: 0..<24) func burstsNeverOverlapNorRunAhead(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var part = Part(rate: 25 * Double.random(in: 0.9...1.1, using: &random))
    var clock = SampleClock(nominalRate: 25)
    var second = 0.0
    var last: Moment?
    var bursts = 0
    for _ in 0..<500 {
      second += Double.random(in: 0.001...1.6, using: &random)
      let (reading, _) = part.drain(at: second)
      guard let burst = clock.date(reading, drainedAt: Self.moment(second)) else {
        #expect(reading.samples.isEmpty)
        continue
      }
      if let last { #expect(burst.first > last) }
      let newest = burst.moment(of: burst.samples.count - 1)
      // Half a period, plus the remaining error of the rate over the burst.
      let ahead = 0.5 / burst.rate + Double(burst.samples.count) * abs(1 / burst.rate - 1 / part.rate)
      #expect(newest <= Self.moment(second + ahead + 1e-6))
      #expect(burst.rate >= 22.5 && burst.rate <= 27.5)
      last = burst.first
      bursts += 1
    }
    #expect(bursts > 400)
  }

  @Test func anOverrunRestartsTheCountAndReportsTheMissingSamples() throws {
    var part = Part(rate: 25)
    var clock = SampleClock(nominalRate: 25)
    let early = try Self.date(part.drain(at: 1.01).reading, at: 1.01, by: &clock)
    #expect(!early.isAfterGap && early.missing == nil)
    let late = try Self.date(part.drain(at: 4.01).reading, at: 4.01, by: &clock)
    #expect(late.isAfterGap)
    let missing = try #require(late.missing)
    #expect((42...44).contains(missing), "75 taken, 32 kept: \(missing)")
    let next = try Self.date(part.drain(at: 5.01).reading, at: 5.01, by: &clock)
    #expect(!next.isAfterGap && next.missing == 0)
  }

  @Test func anOverrunWithoutSamplesIsNotForgotten() throws {
    var clock = SampleClock(nominalRate: 25)
    let samples = [Acceleration](repeating: Acceleration(x: 0, y: 0, z: 1), count: 25)
    let reading = FIFOReading(samples: samples, isOverrun: false)
    _ = clock.date(reading, drainedAt: Self.moment(1))
    let none = clock.date(FIFOReading(samples: [], isOverrun: true), drainedAt: Self.moment(8))
    #expect(none == nil)
    let next = try Self.date(reading, at: 9, by: &clock)
    #expect(next.isAfterGap)
    #expect((173...177).contains(try #require(next.missing)))
  }

  /// Three samples are missing, which the time alone would not show.
  @Test func aSmallReportedLossIsAGap() throws {
    var clock = SampleClock(nominalRate: 25)
    let samples = [Acceleration](repeating: Acceleration(x: 0, y: 0, z: 1), count: 25)
    let reading = FIFOReading(samples: samples, isOverrun: false)
    _ = clock.date(reading, drainedAt: Self.moment(1))
    _ = clock.date(FIFOReading(samples: [], isOverrun: true), drainedAt: Self.moment(1.12))
    let next = try Self.date(reading, at: 2.12, by: &clock)
    #expect(next.isAfterGap && next.missing == 3)
  }

  /// As after a suspension of the host, or after an interruption of the chip's supply.
  @Test(arguments: [(25, 30.0), (3, 1.2), (25, 0.4), (25, -5)])
  func samplesThatDoNotMatchTheTimeRestartTheCount(
    _ row: (count: Int, seconds: Double)
  ) throws {
    var part = Part(rate: 25)
    var clock = SampleClock(nominalRate: 25)
    for second in 1...20 {
      _ = clock.date(part.drain(at: Double(second)).reading, drainedAt: Self.moment(Double(second)))
    }
    let samples = [Acceleration](repeating: Acceleration(x: 0, y: 0, z: 1), count: row.count)
    let reading = FIFOReading(samples: samples, isOverrun: false)
    let burst = try Self.date(reading, at: 20 + row.seconds, by: &clock)
    #expect(burst.isAfterGap)
    #expect(burst.rate > 24 && burst.rate < 26)
  }

  @Test func aRestartIsAGapOfUnknownLengthAndKeepsTheRate() throws {
    var part = Part(rate: 26)
    var clock = SampleClock(nominalRate: 25)
    for second in 1...200 {
      _ = clock.date(part.drain(at: Double(second)).reading, drainedAt: Self.moment(Double(second)))
    }
    let rate = clock.rate
    #expect(rate > 25.9)
    clock.restart()
    let burst = try Self.date(part.drain(at: 201).reading, at: 201, by: &clock)
    #expect(burst.rate == rate && burst.isAfterGap && burst.missing == nil)
  }

  @Test(arguments: [0, -1, .nan, .infinity, 1e-300] as [Double]) func anInvalidRateIsHarmless(
    _ rate: Double
  ) {
    var clock = SampleClock(nominalRate: rate)
    let reading = FIFOReading(samples: [Acceleration(x: 0, y: 0, z: 1)], isOverrun: false)
    for moment in [Moment.zero, Moment(nanoseconds: .max), Moment(nanoseconds: .min), .zero] {
      let burst = clock.date(reading, drainedAt: moment)
      #expect(burst?.rate.isFinite == true)
    }
  }
}
