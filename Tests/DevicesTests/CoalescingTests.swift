import Quantities
import Testing

import Devices

/// Epochs that collect in the line's buffer and are read in groups.
@Suite struct CoalescingTests {
  struct Line: Sendable, CustomTestStringConvertible {
    var hertz = 1.0
    var bytes: Int
    var drift = 0.0
    /// Number of epochs that one reading should take.
    var coalesces: Double

    var testDescription: String { "\(hertz) Hz, \(bytes) bytes, drift \(drift) ppm" }
    var receiver: ModelLine.Receiver {
      ModelLine.Receiver(interval: 1 / hertz, bytes: bytes, baud: 115_200, jitter: 0.005, drift: drift)
    }
  }

  static let lines = [
    Line(bytes: 100, coalesces: 20), Line(bytes: 100, drift: 100, coalesces: 20),
    Line(bytes: 100, drift: -100, coalesces: 20), Line(bytes: 300, coalesces: 9),
    Line(bytes: 900, coalesces: 3),
    Line(bytes: 2400, coalesces: 1), Line(hertz: 5, bytes: 100, coalesces: 27),
    Line(hertz: 0.1, bytes: 100, coalesces: 2),
  ]
  static let seeds: [UInt64] = [1, 2, 3]

  @Test(arguments: lines, seeds)
  func asManyEpochsCollectAsLatencyBudgetAndBufferPermit(_ line: Line, seed: UInt64) {
    var model = ModelLine(seed: seed)
    _ = model.run(line.receiver, seconds: max(60, 30 / line.hertz))
    model.setLatencyBudget(seconds: 20)
    _ = model.run(line.receiver, seconds: 300)
    let seconds = max(3600, 600 / line.hertz)
    let tally = model.run(line.receiver, seconds: seconds)
    #expect(abs(Double(tally.epochs) - seconds * line.hertz) <= line.coalesces + 1)
    // Some readings come slightly before the last epoch is complete and need a second one.
    #expect(tally.wakeupsPerEpoch <= 1.7 / line.coalesces)
    #expect(tally.wakeupsPerEpoch >= 0.9 / line.coalesces)
    #expect(tally.mostUnread < BurstPacingTests.lineBuffer)
    #expect(tally.largestLatency <= line.coalesces / line.hertz + 1)
    #expect(tally.completionErrors.allSatisfy { abs($0) <= 1.01 / line.hertz })
    let close = tally.completionErrors.filter { abs($0) < 0.1 }
    #expect(close.count * 100 >= tally.completionErrors.count * 98)
  }

  @Test(arguments: seeds)
  func aMissingEpochDoesNotEndCollecting(seed: UInt64) {
    var model = ModelLine(seed: seed)
    var receiver = ModelLine.Receiver(bytes: 200, jitter: 0.01)
    _ = model.run(receiver, seconds: 60)
    model.setLatencyBudget(seconds: 10)
    receiver.missesOneIn = 50
    let tally = model.run(receiver, seconds: 3600)
    #expect(tally.epochs > 3400)
    #expect(tally.wakeupsPerEpoch < 0.3)
    #expect(tally.mostUnread < BurstPacingTests.lineBuffer)
    #expect(tally.largestLatency < 21)
  }

  @Test(arguments: seeds)
  func zeroLatencyBudgetReadsTheNextEpochWhenItIsComplete(seed: UInt64) {
    var model = ModelLine(seed: seed)
    let receiver = ModelLine.Receiver(bytes: 200, jitter: 0.01)
    _ = model.run(receiver, seconds: 60)
    model.setLatencyBudget(seconds: 15)
    _ = model.run(receiver, seconds: 302.4)
    #expect(model.pacing.isCoalescing)
    model.setLatencyBudget(seconds: 0)
    let hasty = model.run(receiver, seconds: 60)
    #expect(hasty.wakeupsPerEpoch < 1.3)
    // The first reading takes the epochs collected so far.
    #expect(hasty.latencies.suffix(50).allSatisfy { $0 < 0.1 })
    #expect(hasty.epochs >= 59)
  }

  @Test(arguments: [0.2, 5, 10] as [Double], seeds)
  func aChangedRateIsLearnedWhileEpochsCollect(hertz: Double, seed: UInt64) {
    var model = ModelLine(seed: seed)
    _ = model.run(ModelLine.Receiver(bytes: 100), seconds: 60)
    model.setLatencyBudget(seconds: 10)
    _ = model.run(ModelLine.Receiver(bytes: 100), seconds: 120)
    let other = ModelLine.Receiver(interval: 1 / hertz, bytes: 100, baud: 115_200)
    let around = model.run(other, seconds: 120)
    #expect(Double(around.epochs) > 100 * hertz)
    let steady = model.run(other, seconds: 600)
    #expect(steady.wakeupsPerEpoch < max(0.15, 1.1 / (10 * hertz)))
    #expect(steady.mostUnread < BurstPacingTests.lineBuffer)
  }

  @Test(arguments: seeds)
  func afterASilenceTheLineIsPacedAgain(seed: UInt64) {
    var model = ModelLine(seed: seed)
    let receiver = ModelLine.Receiver(bytes: 200, jitter: 0.01)
    _ = model.run(receiver, seconds: 60)
    model.setLatencyBudget(seconds: 10)
    _ = model.run(receiver, seconds: 100)
    model.silence(seconds: 300.6)
    let silence = model.run(receiver, seconds: 290)
    #expect(silence.wakeups < 20)
    _ = model.run(receiver, seconds: 60)
    let back = model.run(receiver, seconds: 600)
    #expect(back.wakeupsPerEpoch < 0.2)
  }
}
