import Chips
import Quantities
import Simulation
import Testing

/// A reader that is called at its deadlines and when the interrupt line rises, on a simulated clock.
struct ReaderBench {
  let bus = VirtualBus()
  let address: I2CAddress
  var reader: AccelerometerReader
  var controller: AccelerometerController?
  var notices: [(at: Moment, notice: AccelerometerNotice)] = []
  /// Number of steps by deadline and by line.
  var wakes = (deadline: 0, line: 0)

  init(
    _ activities: [(from: Double, activity: AccelerationTrack.Activity)], part: String = "lis3dh",
    hasLine: Bool = false, rateError: Double = 0, prepare: (inout VirtualLIS3DH) -> Void = { _ in }
  ) throws {
    address = try .of(0x18)
    var chip = VirtualLIS3DH(track: AccelerationTrack(activities, seed: 7), rateError: rateError)
    prepare(&chip)
    bus.attach(chip, at: address)
    reader = AccelerometerReader(
      part: try #require(AccelerometerPart.named(part)), address: address, hasLine: hasLine, now: .zero)
  }

  /// `line` is true if the interrupt line is wired.
  mutating func run(until end: Moment, line isWired: Bool = true) {
    while true {
      let deadline = reader.nextTimeout.map { max($0, bus.now) }
      let limit = min(deadline ?? end, end)
      if isWired, reader.hasLine,
        let rise = bus.isInterruptRaised(at: address)
          ? nil : bus.nextInterruptChange(at: address, until: limit)
      {
        bus.now = rise
        wakes.line += 1
        step(.line)
        continue
      }
      guard let deadline, deadline <= end else {
        bus.now = end
        return
      }
      bus.now = deadline
      wakes.deadline += 1
      step(.deadline)
    }
  }

  private mutating func step(_ cause: AccelerometerReader.Cause) {
    let bus = bus
    for notice in reader.step(on: { () throws(I2CError) in bus }, cause: cause, now: bus.now) {
      notices.append((bus.now, notice))
      switch notice {
      case .burst(let burst): controller?.take(burst, now: bus.now)
      case .moved: controller?.moved(now: bus.now)
      case _: break
      }
    }
    if let controller { reader.setDesiredMode(controller.desiredMode, now: bus.now) }
  }

  var bursts: [AccelerationBurst] {
    notices.compactMap { if case .burst(let burst) = $0.notice { burst } else { nil } }
  }

  var reported: [AccelerometerNotice] {
    notices.map(\.notice).filter { if case .burst = $0 { false } else { true } }
  }
}

@Suite struct AccelerometerReaderTests {
  static let samples = DesiredAccelerometerMode.samples(SamplingRequest(rate: 25), within: .seconds(5))

  @Test(arguments: [-0.1, 0, 0.1])
  func eachWakeUpReadsAtLeast25SamplesWithoutLoss(_ rateError: Double) throws {
    var bench = try ReaderBench([(0, .walking)], rateError: rateError)
    bench.reader.setDesiredMode(Self.samples, now: .zero)
    bench.run(until: second(3600))
    #expect(bench.reader.selfTest == .passed)
    let bursts = bench.bursts
    #expect(bursts.dropFirst().allSatisfy { $0.samples.count >= 25 && !$0.isAfterGap })
    var count = 0
    for burst in bursts { count += burst.samples.count }
    let trueRate: Double = 25 * (1 + rateError)
    #expect(abs(Double(count) - 3600 * trueRate) < 60)
    #expect(bench.reader.losses.overruns == 0)
    let rate = try #require(bench.reader.rate)
    #expect(abs(rate / trueRate - 1) < 0.002)
    // The self-test takes some dozen steps at the beginning.
    #expect(bench.wakes.deadline <= bursts.count + 20)
    #expect(bench.reader.dieTemperature == 25)
  }

  @Test func aBurstIsNotOlderThanDemanded() throws {
    var bench = try ReaderBench([(0, .walking)])
    bench.reader.setDesiredMode(.samples(SamplingRequest(rate: 10), within: .seconds(1)), now: .zero)
    bench.run(until: second(60))
    for (at, notice) in bench.notices {
      guard case .burst(let burst) = notice else { continue }
      #expect(at - burst.first <= .milliseconds(1100))
    }
    #expect(bench.bursts.count > 50)
  }

  @Test func withALineAStationaryChipCausesNoWakeUps() throws {
    var bench = try ReaderBench([(0, .stationary), (5000, .walking)], hasLine: true)
    bench.reader.setDesiredMode(.motion(MotionWatch()), now: .zero)
    bench.run(until: second(10))
    let before = bench.wakes
    bench.run(until: second(3600))
    #expect(bench.wakes.deadline == before.deadline && bench.wakes.line == before.line)
    bench.run(until: second(5010))
    let moved = bench.notices.filter { $0.notice == .moved }
    let first = try #require(moved.first?.at)
    let last = try #require(moved.last?.at)
    #expect(first < second(5003))
    #expect(last > second(5000))
  }

  @Test func withoutALineMotionIsFoundByPolling() throws {
    var bench = try ReaderBench([(0, .stationary), (100, .walking)])
    bench.reader.setDesiredMode(.motion(MotionWatch()), now: .zero)
    bench.run(until: second(99))
    #expect(!bench.notices.contains { $0.notice == .moved })
    bench.run(until: second(110))
    let first = try #require(bench.notices.first { $0.notice == .moved })
    #expect(first.at < second(105))
  }

  @Test func aSilentLineIsReportedAndTheChipPolled() throws {
    var bench = try ReaderBench([(0, .stationary), (100, .walking)], hasLine: true)
    bench.reader.setDesiredMode(.motion(MotionWatch()), now: .zero)
    bench.run(until: second(4000), line: false)
    #expect(bench.reported.contains(.lineUnusable(.silent)))
    #expect(bench.reported.contains(.moved))
    #expect(!bench.reader.hasLine)
  }

  @Test func aNoisyLineIsReportedAndTheChipPolled() throws {
    var bench = try ReaderBench([(0, .stationary)], hasLine: true)
    bench.reader.setDesiredMode(.motion(MotionWatch()), now: .zero)
    bench.run(until: second(10))
    let bus = bench.bus
    var reported: [AccelerometerNotice] = []
    for rise in 0..<100 {
      bus.now = second(10 + Double(rise) / 10)
      reported += bench.reader.step(on: { () throws(I2CError) in bus }, cause: .line, now: bus.now)
    }
    #expect(reported == [.lineUnusable(.noisy)])
    let timeout = try #require(bench.reader.nextTimeout)
    #expect(timeout <= bus.now + .seconds(2))
  }

  /// Parked, driven, parked: sampling during motion, wake-on-motion when stationary.
  @Test(arguments: [false, true])
  func theModeFollowsTheMotion(_ hasLine: Bool) throws {
    var bench = try ReaderBench([(0, .stationary), (1000, .driving), (2000, .stationary)], hasLine: hasLine)
    bench.controller = AccelerometerController(now: .zero)
    bench.reader.setDesiredMode(AccelerometerController.samples, now: .zero)
    bench.run(until: second(70))
    #expect(bench.controller?.isStationary == true && bench.reader.sampling == nil)
    bench.run(until: second(999))
    #expect(bench.controller?.isStationary == true)
    bench.run(until: second(1006))
    #expect(bench.controller?.isStationary == false && bench.reader.sampling != nil)
    bench.run(until: second(2000))
    #expect(bench.controller?.isStationary == false)
    bench.run(until: second(2070))
    #expect(bench.controller?.isStationary == true && bench.reader.sampling == nil)
    #expect(bench.reader.losses.overruns == 0)
  }

  @Test func aVanishedChipIsReportedProbedAndConfiguredAgain() throws {
    var bench = try ReaderBench([(0, .walking)])
    bench.bus.vanish(bench.address, during: second(100)..<second(160))
    bench.reader.setDesiredMode(Self.samples, now: .zero)
    bench.run(until: second(300))
    let lost = bench.reported.filter { if case .lost = $0 { true } else { false } }
    #expect(lost == [.lost(.bus(.noAcknowledge(bench.address)))])
    guard
      case .returned(let after)? = bench.reported.first(where: {
        if case .returned = $0 { true } else { false }
      }
      )
    else {
      Issue.record("return not reported")
      return
    }
    #expect(after >= .seconds(58) && after <= .seconds(120))
    let last = try #require(bench.notices.last?.at)
    #expect(bench.reader.sampling != nil && last > second(298))
    let gaps = bench.bursts.filter(\.isAfterGap)
    #expect(gaps.count == 1)
  }

  /// Its registers have their power-on values, and it answers.
  @Test func samplingResumesImmediatelyAfterAShortLossOfSupply() throws {
    var bench = try ReaderBench([(0, .walking)])
    bench.bus.vanish(bench.address, during: second(100.2)..<second(100.21))
    bench.reader.setDesiredMode(Self.samples, now: .zero)
    bench.run(until: second(110))
    let pace = try sampling(bench)
    #expect(bench.reported == [.sampling(pace), .sampling(pace)])
    let last = try #require(bench.notices.last?.at)
    #expect(last > second(108))
  }

  private func sampling(_ bench: ReaderBench) throws -> Sampling { try #require(bench.reader.sampling) }

  @Test func aStuckBusCostsOneBurstAndIsCounted() throws {
    var bench = try ReaderBench([(0, .walking)])
    bench.bus.stick(during: second(100)..<second(103))
    bench.reader.setDesiredMode(Self.samples, now: .zero)
    bench.run(until: second(200))
    #expect(bench.reported.contains(.lost(.bus(.timedOut(bench.address)))))
    #expect(bench.reader.sampling != nil && !bench.reader.isLost)
  }

  @Test func aCloneIsNotUsed() throws {
    var bench = try ReaderBench([(0, .walking)]) { $0.identity = 0x44 }
    bench.reader.setDesiredMode(Self.samples, now: .zero)
    bench.run(until: second(60))
    let error = ChipError.wrongIdentity(bench.address, register: 0x0F, expected: [0x33], got: 0x44)
    #expect(bench.reported == [.lost(error)])
    #expect(bench.bursts.isEmpty)
  }

  @Test func aFailedSelfTestIsReportedOnceAndTheChipUsed() throws {
    var bench = try ReaderBench([(0, .stationary)]) { $0.selfTestForce = .zero }
    bench.reader.setDesiredMode(Self.samples, now: .zero)
    bench.run(until: second(60))
    let failures = bench.reported.filter { if case .selfTestFailed = $0 { true } else { false } }
    #expect(failures.count == 1)
    #expect(bench.bursts.count > 40)
  }

  @Test func lateReadingsAreCountedAndReportedOnceAnHour() throws {
    var bench = try ReaderBench([(0, .walking)])
    bench.reader.setDesiredMode(Self.samples, now: .zero)
    bench.run(until: second(10))
    for pause in 1...20 {
      bench.bus.now = second(10 + 10 * Double(pause))
      bench.run(until: bench.bus.now + .seconds(1))
    }
    let reported = bench.reported.filter { if case .overrun = $0 { true } else { false } }
    #expect(reported.count == 1)
    #expect(bench.reader.losses.overruns == 20)
    // Nine seconds at 25 Hz each time, minus the capacity of the FIFO.
    let expected = 20 * (225 - 32 + 25)
    #expect(abs(bench.reader.losses.missing - expected) < 400)
  }

  @Test func anUnusedChipIsPoweredDownAndNotPolled() throws {
    var bench = try ReaderBench([(0, .walking)])
    bench.run(until: second(10))
    #expect(bench.reader.nextTimeout == nil)
    let transactions = bench.bus.transactions
    bench.run(until: second(3600))
    #expect(bench.bus.transactions == transactions)
  }
}
