import Chips
import EventLoop
import Quantities
import System

/// The cost of reading an accelerometer's FIFO, compared with a read that finds it empty.
///
/// One loop does both alternately, each in a separate wake-up, so both figures include the cost of a wake-up
/// of an idle host.
final class FIFOMeasurement {
  private static let wakes = 120
  /// Interval at which a FIFO of 32 samples at 25 Hz is read, for two alternating reads.
  private static let pause = Duration.milliseconds(563)
  private static let quickPause = Duration.milliseconds(50)
  private static let level: UInt8 = 28

  private struct Turn {
    let bus = CannedLIS3DH()
    var reader: AccelerometerReader
    var time = Duration.zero
    var wakes = 0
  }

  private let loop: EventLoop
  private var turns: [Turn]
  private var current = 0
  private var stamp: Duration?
  private var left: Int
  private var samples = 0
  private var timer: LoopTimer?

  static func run(in directory: String) throws -> [Measurement] {
    let measurement = try FIFOMeasurement()
    try measurement.loop.run()
    return [
      Measurement(
        "FIFO of \(level) samples, one wake-up", measurement.cost(of: 1), unit: "µs",
        reference: measurement.cost(of: 0), wanted: "at most 1.3",
        note:
          "\(wakes / 2) wake-ups each, \(pause) apart, alternating in one loop; reference: an empty FIFO; "
          + "the bus answers from memory")
    ]
  }

  private init() throws {
    loop = try EventLoop()
    guard let part = AccelerometerPart.named("lis3dh"), let address = part.addresses.first else {
      throw BenchError("no driver for the LIS3DH")
    }
    let now = loop.now
    turns = [0, Self.level].map { level in
      let turn = Turn(
        reader: AccelerometerReader(part: part, address: address, hasLine: false, now: now))
      turn.bus.level = level
      return turn
    }
    left = Self.wakes
    for index in turns.indices {
      turns[index].reader.setDesiredMode(
        .samples(SamplingRequest(rate: 25), within: .seconds(2)), now: now)
    }
    timer = loop.addTimer("turn") { [unowned self] now in step(now: now) }
    timer?.arm(at: now)
  }

  private func step(now: Moment) {
    let spent = SystemClock.threadTime()
    let isSetUp = turns.allSatisfy { $0.reader.sampling != nil }
    if let stamp, isSetUp {
      turns[current].time += spent - stamp
      turns[current].wakes += 1
      left -= 1
      guard left > 0 else { return loop.stop() }
    }
    stamp = isSetUp ? spent : nil
    current = 1 - current
    let bus = turns[current].bus
    for notice in turns[current].reader.step(on: { () throws(I2CError) in bus }, now: now) {
      if case .burst(let burst) = notice { samples &+= burst.samples.count }
    }
    timer?.arm(at: now + (isSetUp ? Self.pause : Self.quickPause))
  }

  /// The mean processor time of one reading in µs; nil if there was none.
  private func cost(of index: Int) -> Double? {
    let turn = turns[index]
    return turn.wakes > 0 ? turn.time.inSeconds * 1e6 / Double(turn.wakes) : nil
  }
}
