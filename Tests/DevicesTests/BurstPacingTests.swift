import Quantities
import Testing

import Devices

@Suite struct BurstPacingTests {
  typealias Receiver = ModelLine.Receiver

  struct Line: Sendable, CustomTestStringConvertible {
    var hertz: Double
    var bytes: Int
    var baud: Double
    var closesAt = 1.0
    var drift = 0.0
    var jitter = 0.020
    var missesOneIn: Int?

    var testDescription: String {
      "\(hertz) Hz, \(bytes) bytes at \(baud) baud, closed at \(closesAt), drift \(drift) ppm, jitter \(jitter) s"
    }

    var receiver: Receiver {
      Receiver(
        interval: 1 / hertz, bytes: bytes, closesAt: closesAt, baud: baud, jitter: jitter, drift: drift,
        missesOneIn: missesOneIn)
    }
  }

  static let lines: [Line] =
    [280, 500, 720, 900].flatMap { bytes in
      [-100.0, 0, 100].map { Line(hertz: 1, bytes: bytes, baud: 9600, drift: $0) }
    } + [
      Line(hertz: 1, bytes: 940, baud: 9600, drift: 100, jitter: 0.005),
      Line(hertz: 1, bytes: 940, baud: 9600, closesAt: 0.3, drift: -100),
      Line(hertz: 1, bytes: 280, baud: 9600, drift: 100, jitter: 0),
      Line(hertz: 1, bytes: 2400, baud: 115_200, closesAt: 0.4, drift: 100),
      Line(hertz: 1, bytes: 500, baud: 9600, drift: 100, missesOneIn: 200),
      Line(hertz: 0.5, bytes: 900, baud: 9600, drift: 100),
      Line(hertz: 0.1, bytes: 900, baud: 9600, drift: 100),
      Line(hertz: 0.1, bytes: 900, baud: 9600, drift: -100),
      Line(hertz: 5, bytes: 150, baud: 9600, drift: -100),
      Line(hertz: 5, bytes: 280, baud: 115_200, drift: 100), Line(hertz: 5, bytes: 940, baud: 115_200),
      Line(hertz: 10, bytes: 280, baud: 115_200, drift: 100),
      Line(hertz: 10, bytes: 500, baud: 115_200, drift: -100),
      Line(hertz: 10, bytes: 940, baud: 115_200, jitter: 0.005),
    ]

  /// Capacity of a line's buffer in bytes (n_tty).
  static let lineBuffer = 4095

  @Test(arguments: lines, [1, 2, 3] as [UInt64])
  func anEpochCostsOneWakeUpAndIsReadSoonAfterItIsComplete(_ line: Line, seed: UInt64) {
    var model = ModelLine(seed: seed)
    let settled = max(60, 30 / line.hertz)
    let learning = model.run(line.receiver, seconds: settled)
    let steady = model.run(line.receiver, seconds: max(3600, 600 / line.hertz))
    #expect(model.pacing.isPacing)
    #expect(steady.epochs > 590)
    #expect(steady.wakeupsPerEpoch <= 1.1)
    // A missing epoch may be a late one, which is read with the next.
    if line.missesOneIn == nil { #expect(steady.largestLatency <= max(0.1, 0.015 / line.hertz)) }
    #expect(max(learning.mostUnread, steady.mostUnread) < Self.lineBuffer)
  }
}

/// Disturbances, after which pacing recovers to one wake-up per epoch.
@Suite struct BurstPacingRecoveryTests {
  typealias Receiver = ModelLine.Receiver

  static let usual = Receiver(bytes: 600, jitter: 0.020, drift: 50)
  static let seeds: [UInt64] = [1, 2, 3, 4, 5]

  /// A line after ten minutes of pacing.
  private func pacedLine(seed: UInt64) -> ModelLine {
    var model = ModelLine(seed: seed)
    _ = model.run(Self.usual, seconds: 600)
    #expect(model.pacing.isPacing)
    return model
  }

  private func expectSteady(_ tally: ModelLine.Tally) {
    #expect(tally.wakeupsPerEpoch <= 1.1)
    #expect(tally.largestLatency <= 0.1)
    #expect(tally.mostUnread < BurstPacingTests.lineBuffer)
  }

  @Test(arguments: seeds)
  func aSilentLineCausesNoWakeUps(seed: UInt64) {
    var model = pacedLine(seed: seed)
    model.silence(seconds: 3600)
    let silence = model.run(Self.usual, seconds: 3590)
    #expect(silence.epochs <= 1)
    #expect(silence.wakeups <= 20)
  }

  @Test(arguments: seeds)
  func theFirstEpochAfterASilenceIsReadImmediately(seed: UInt64) {
    var model = pacedLine(seed: seed)
    model.silence(seconds: 30.37)
    let back = model.run(Self.usual, seconds: 45)
    #expect(back.epochs >= 12)
    #expect(back.largestLatency <= 0.15)
    #expect(back.wakeups <= back.epochs + 30)
    expectSteady(model.run(Self.usual, seconds: 600))
  }

  @Test(arguments: seeds)
  func aMissedEpochCostsFewReadings(seed: UInt64) {
    var model = pacedLine(seed: seed)
    model.silence(seconds: 1)
    let around = model.run(Self.usual, seconds: 10)
    #expect(around.wakeups <= around.epochs + 8)
    expectSteady(model.run(Self.usual, seconds: 600))
  }

  @Test(arguments: [(0.0, 0.3), (0.0, 0.9), (0.2, 0), (0.7, 0), (0.0, 2.7)], seeds)
  func pacingRecoversFromAPhaseShiftAndABlockedLoop(_ shift: (receiver: Double, loop: Double), seed: UInt64) {
    var model = pacedLine(seed: seed)
    model.silence(seconds: shift.receiver)
    model.stall(seconds: shift.loop)
    let around = model.run(Self.usual, seconds: 60)
    #expect(around.epochs >= 57)
    #expect(around.wakeups <= around.epochs + 90)
    expectSteady(model.run(Self.usual, seconds: 600))
  }

  @Test(arguments: [280, 900], seeds)
  func pacingAdaptsToADifferentBurstLength(bytes: Int, seed: UInt64) {
    var model = pacedLine(seed: seed)
    var other = Self.usual
    other.bytes = bytes
    let around = model.run(other, seconds: 90)
    #expect(around.wakeups <= around.epochs + 60)
    expectSteady(model.run(other, seconds: 600))
  }

  struct Change: Sendable, CustomTestStringConvertible {
    var from: Double, to: Double
    var testDescription: String { "\(from) Hz to \(to) Hz" }
  }

  static let changes = [
    Change(from: 1, to: 5), Change(from: 5, to: 1), Change(from: 1, to: 10), Change(from: 10, to: 1),
    Change(from: 1, to: 2), Change(from: 2, to: 1), Change(from: 10, to: 5), Change(from: 1, to: 0.2),
    Change(from: 0.2, to: 1),
  ]

  @Test(arguments: changes, seeds)
  func aChangedRateIsLearned(_ change: Change, seed: UInt64) {
    var model = ModelLine(seed: seed)
    var receiver = Receiver(interval: 1 / change.from, bytes: 400, baud: 115_200, jitter: 0.01)
    _ = model.run(receiver, seconds: 600)
    receiver.interval = 1 / change.to
    let settled = model.run(receiver, seconds: max(30, 15 / change.to))
    #expect(settled.mostUnread < BurstPacingTests.lineBuffer)
    #expect(model.pacing.isPacing)
    let steady = model.run(receiver, seconds: 1800)
    expectSteady(steady)
    #expect(steady.epochs >= Int(1790 * change.to))
  }

  @Test(arguments: seeds)
  func burstsWithoutTimeGiveTheIntervalAndTheFirstEpochIsReadWithinIt(seed: UInt64) {
    var model = ModelLine(seed: seed)
    var receiver = Self.usual
    receiver.closesAt = nil
    _ = model.run(receiver, seconds: 30)
    #expect(model.pacing.isPacing)
    let blind = model.run(receiver, seconds: 3600)
    #expect(blind.wakeups <= 3960)
    let first = model.run(Self.usual, seconds: 20)
    #expect(first.epochs >= 18)
    #expect(first.largestLatency <= 1.05)
    expectSteady(model.run(Self.usual, seconds: 600))
  }

  @Test(arguments: [0.1, 0.2, 0.5])
  func slowBurstsWithoutTimeAreReadOnArrival(hertz: Double) {
    var model = ModelLine(seed: 1)
    var receiver = Receiver(interval: 1 / hertz, bytes: 400, closesAt: nil)
    _ = model.run(receiver, seconds: 20 / hertz)
    receiver.closesAt = 1
    let first = model.run(receiver, seconds: 3 / hertz)
    #expect(first.largestLatency <= 0.11)
  }

  /// A recording that is replayed a hundred times faster than it was made.
  @Test(arguments: seeds)
  func aFloodIsReadOnArrivalAndPacingResumesAfterwards(seed: UInt64) {
    var model = pacedLine(seed: seed)
    let replay = Receiver(interval: 0.01, bytes: 500, baud: 1_000_000)
    let onset = model.run(replay, seconds: 2)
    #expect(onset.epochs > 90)
    let flood = model.run(replay, seconds: 5)
    #expect(flood.largestLatency <= 0.01)
    #expect(flood.mostUnread < BurstPacingTests.lineBuffer)
    // The replay's data remains on the line for a second.
    _ = model.run(Self.usual, seconds: 2)
    let after = model.run(Self.usual, seconds: 30)
    #expect(after.wakeups <= 200)
    expectSteady(model.run(Self.usual, seconds: 600))
  }

  /// Random readings at random times.
  @Test(arguments: 0..<32 as Range<UInt64>)
  func noSequenceOfReadingsTrapsOrSleepsLongerThanTenSeconds(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var pacing = BurstPacing()
    var now = Moment.zero
    var sleeps = 0
    for _ in 0..<5000 {
      let drain = BurstPacing.Drain(
        bytes: [0, 0, 16, 400, 900, 4096, 1_000_000_000].randomElement(using: &random) ?? 0,
        closedEpochs: [0, 0, 1, 1, 1, 2, 9].randomElement(using: &random) ?? 0)
      let steps: [Duration] = [
        .zero, .milliseconds(5), .milliseconds(100), .milliseconds(250), .seconds(1), .seconds(90),
      ]
      now = now + (steps.randomElement(using: &random) ?? .zero)
      if case .sleep(let until) = pacing.drained(drain, now: now) {
        sleeps += 1
        #expect(until <= now + .milliseconds(10_010))
      }
    }
    #expect(sleeps > 0)
  }
}
