import Chips
import Quantities
import Testing
import Simulation

@Suite struct VirtualBusTests {
  static func bench() throws -> LIS3DHBench { try LIS3DHBench(AccelerationTrack(.stationary, seed: 5)) }

  @Test func onlyTheRefusedTransactionIsNotAcknowledged() throws {
    let bench = try Self.bench()
    bench.bus.refuse(2, at: bench.address)
    for _ in 0..<2 {
      #expect(throws: ChipError.bus(.noAcknowledge(bench.address))) { try bench.driver.identify() }
    }
    try bench.driver.identify()
    #expect(bench.bus.transactions == 3)
  }

  @Test func anEmptyAddressIsNotAcknowledged() throws {
    let bench = try Self.bench()
    let other = try I2CAddress.of(0x19)
    #expect(throws: I2CError.noAcknowledge(other)) { try bench.bus.get(0x0F, at: other) }
  }

  @Test func aStuckBusTimesOutAndComesBack() throws {
    var bench = try Self.bench()
    _ = try bench.driver.start(SamplingRequest(rate: 25))
    bench.bus.stick(during: second(0.5)..<second(0.9))
    bench.bus.now = second(0.5)
    #expect(throws: ChipError.bus(.timedOut(bench.address))) { try bench.driver.drain() }
    bench.bus.now = second(0.9)
    let reading = try bench.driver.drain()
    #expect(reading.samples.count == 22 && !reading.isOverrun)
  }

  @Test func aChipThatLostItsSupplyHasLostItsSettings() throws {
    var bench = try Self.bench()
    _ = try bench.driver.start(SamplingRequest(rate: 25, watermark: 25))
    bench.bus.vanish(bench.address, during: second(2)..<second(3))
    bench.bus.now = second(1.5)
    #expect(bench.bus.nextInterruptChange(at: bench.address, until: second(60)) == second(2))
    bench.bus.now = second(2)
    #expect(!bench.bus.isInterruptRaised(at: bench.address))
    #expect(throws: ChipError.bus(.noAcknowledge(bench.address))) { try bench.driver.drain() }
    bench.bus.now = second(3)
    #expect(throws: ChipError.settingLost(bench.address, register: 0x2E, expected: 0x98, got: 0)) {
      try bench.driver.drain()
    }
    _ = try bench.driver.start(SamplingRequest(rate: 25, watermark: 25))
    bench.bus.now = second(4.01)
    #expect(try bench.driver.drain().samples.count == 25)
  }

  @Test func aDisconnectedChipWithSupplyKeepsItsState() throws {
    var bench = try Self.bench()
    _ = try bench.driver.start(SamplingRequest(rate: 25))
    bench.bus.vanish(bench.address, during: second(0.2)..<second(0.8), keepingSupply: true)
    bench.bus.now = second(0.4)
    #expect(throws: ChipError.bus(.noAcknowledge(bench.address))) { try bench.driver.drain() }
    bench.bus.now = second(1.01)
    let reading = try bench.driver.drain()
    #expect(reading.samples.count == 25 && !reading.isOverrun)
  }

  @Test func lossAndReturnAreReported() throws {
    var bench = try Self.bench()
    var presence = ChipPresence()
    var notices: [ChipPresence.Notice] = []
    _ = try bench.driver.start(SamplingRequest(rate: 25))
    bench.bus.vanish(bench.address, during: second(1)..<second(20))
    bench.bus.now = second(1)
    while bench.bus.now < second(60),
      !notices.contains(where: { $0 != .lost(.bus(.noAcknowledge(bench.address))) })
    {
      do throws(ChipError) {
        if presence.isLost { _ = try bench.driver.start(SamplingRequest(rate: 25)) }
        _ = try bench.driver.drain()
        if let notice = presence.succeeded(now: bench.bus.now) { notices.append(notice) }
      } catch {
        if let notice = presence.failed(error, now: bench.bus.now) { notices.append(notice) }
      }
      bench.bus.now = presence.nextTimeout ?? bench.bus.now + .seconds(1)
    }
    #expect(notices == [.lost(.bus(.noAcknowledge(bench.address))), .returned(after: .seconds(35))])
  }

  /// Chips with and without a separate supply.
  @Test(arguments: [false, true])
  func theGaugeOfAnUnpluggedAdapterIsLostAndFound(_ keepingSupply: Bool) throws {
    let bench = try MAX17048Bench(CellTrack(percent: 60, rate: 0))
    let bus = bench.bus
    bus.unplug(during: second(200)..<second(1000), keepingSupply: keepingSupply)
    var opened = 0
    let part = try #require(GaugePart.named("max17048"))
    let gauge = PartGauge(part: part, address: bench.address, wiring: GaugeWiring()) { () throws(I2CError) in
      opened += 1
      return bus
    }
    var reader = GaugeReader(gauge, monitor: BatteryMonitor(measuring: .battery()), now: .zero)
    var losses: [ChipError] = []
    var returns: [Duration] = []
    func run(until end: Moment) {
      while reader.nextTimeout < end {
        bus.now = reader.nextTimeout
        for notice in reader.step(now: bus.now) {
          switch notice {
          case .lost(let failure): losses.append(failure)
          case .returned(let after): returns.append(after)
          case .battery: break
          }
        }
      }
    }
    run(until: second(200))
    #expect(losses.isEmpty && reader.condition.percent != nil && opened == 1)
    run(until: second(1000))
    let expected = I2CError.noAcknowledge(bench.address)
    #expect(losses == [.bus(expected)])
    #expect(reader.loss?.failure == .bus(expected) && reader.condition.percent == nil)
    let searches = opened
    run(until: second(1400))
    #expect(losses.count == 1 && returns.count == 1 && reader.loss == nil)
    #expect(opened == searches + 1, "the bus is reopened")
    let percent = try #require(reader.condition.percent)
    #expect(abs(percent - 60) < 2)
  }

  @Test func anAdapterWithShortReadsGivesTheSameSamples() throws {
    var samples: [[Acceleration]] = []
    for longest in [8192, 32, 6] {
      var bench = try Self.bench()
      bench.bus.longestRead = longest
      _ = try bench.driver.start(SamplingRequest(rate: 25))
      bench.bus.now = second(1)
      samples.append(try bench.driver.drain().samples)
    }
    #expect(samples[0].count == 25 && samples[1] == samples[0] && samples[2] == samples[0])
  }

  @Test func clonesAreRejected() throws {
    let accelerometer = try LIS3DHBench(AccelerationTrack(.stationary, seed: 5)) { $0.identity = 0x32 }
    #expect(
      throws: ChipError.wrongIdentity(accelerometer.address, register: 0x0F, expected: [0x33], got: 0x32)
    ) { try accelerometer.driver.identify() }
    let gauge = try MAX17048Bench(CellTrack(percent: 50, rate: 0)) { $0.version = 0x0003 }
    #expect(
      throws: ChipError.wrongIdentity(gauge.address, register: 0x08, expected: [0x0011, 0x0012], got: 3)
    ) {
      try gauge.driver.identify()
    }
  }

  @Test func theSurveyFindsBothChips() throws {
    let bench = try Self.bench()
    bench.bus.attach(VirtualMAX17048(track: CellTrack(percent: 50, rate: 0)), at: try .of(0x36))
    let found = I2CSurvey.of(bench.bus).map { ($0.address.rawValue, $0.finding) }
    #expect(found.map(\.0) == [0x18, 0x36])
    #expect(found.first?.1 == .parts(["lis3dh", "lis2dh12"]))
    guard case .parts(let names)? = found.last?.1 else { return #expect(Bool(false), "no gauge") }
    #expect(names.contains("max17048"))
  }

  @Test func theTimeDoesNotRunBack() throws {
    let bench = try Self.bench()
    bench.bus.now = second(5)
    bench.bus.now = second(4)
    #expect(bench.bus.now == second(5))
  }
}
