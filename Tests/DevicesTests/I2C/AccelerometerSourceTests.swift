import Chips
import Devices
import EventLoop
import Quantities
import Simulation
import System
import TestSupport
import Testing

@Suite struct AccelerometerSourceTests {
  private func source(
    _ loop: EventLoop, _ bus: LiveBus, interrupt: LineWiring? = nil
  ) throws -> AccelerometerSource {
    let part = try #require(AccelerometerPart.named("lis3dh"))
    let address = try #require(part.addresses.first)
    bus.bus.attach(VirtualLIS3DH(track: AccelerationTrack(.walking, seed: 3)), at: address)
    return AccelerometerSource(
      loop: loop, path: "/dev/i2c-9", part: part, address: address, interrupt: interrupt
    ) { _, _ throws(I2CError) in bus }
  }

  @Test func burstsArriveOnTheLoop() throws {
    let loop = try EventLoop()
    let bus = LiveBus(loop: loop)
    let source = try source(loop, bus)
    var bursts: [AccelerationBurst] = []
    source.onNotice = { notice, _ in
      guard case .burst(let burst) = notice else { return }
      bursts.append(burst)
      if bursts.count == 2 { loop.stop() }
    }
    source.setDesiredMode(.samples(SamplingRequest(rate: 100), within: .milliseconds(200)), now: loop.now)
    source.start()
    try loop.run()
    #expect(bursts.allSatisfy { $0.samples.count >= 10 })
    #expect(source.condition.selfTest == .passed)
  }

  @Test func aMissingBusIsReportedWithItsName() throws {
    let loop = try EventLoop()
    let part = try #require(AccelerometerPart.named("lis3dh"))
    let address = try #require(part.addresses.first)
    let source = AccelerometerSource(
      loop: loop, path: "/dev/no-such-bus", part: part, address: address, interrupt: nil)
    var notices: [AccelerometerNotice] = []
    source.onNotice = { notice, _ in
      notices.append(notice)
      loop.stop()
    }
    source.start()
    try loop.run()
    #expect(notices == [.lost(.bus(.system(address, errno: 2)))])
  }

  @Test func anUnavailableLineIsReportedAndTheChipPolled() throws {
    let loop = try EventLoop()
    let bus = LiveBus(loop: loop)
    let source = try source(loop, bus, interrupt: LineWiring(chip: "/dev/no-such-gpiochip", line: 4))
    var refusals: [SystemError] = []
    source.onLineRefused = { refusals.append($0) }
    source.onNotice = { notice, _ in if notice == .moved { loop.stop() } }
    source.setDesiredMode(.motion(MotionWatch()), now: loop.now)
    source.start()
    try loop.run()
    #expect(refusals.map(\.number) == [2])
    #expect(!source.condition.hasLine)
  }
}
