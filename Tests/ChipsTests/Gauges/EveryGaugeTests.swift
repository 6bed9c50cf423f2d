import Quantities
import Testing

import Chips

/// Promises for all gauges and monitors.
@Suite struct EveryGaugeTests {
  static let names = GaugePart.all.map(\.name)

  private func make(_ name: String) throws -> (bus: PretendPart, gauge: any Gauge) {
    let bus = try #require(PretendPart.good(name))
    let part = try #require(GaugePart.named(name))
    let address = try #require(I2CAddress(bus.address))
    return (bus, part.make(bus, address, GaugeWiring(shunt: 0.01, capacity: 2000)))
  }

  /// One use of every function that the logger needs.
  private func session(_ gauge: inout any Gauge) throws -> GaugeReading? {
    try gauge.identify()
    _ = try gauge.start()
    for _ in 0..<3 {
      if case .reading(let reading) = try gauge.read() { return reading }
    }
    return nil
  }

  @Test func everyGaugeHasAUniqueNameAndAddresses() {
    #expect(Set(Self.names).count == 11)
    for part in GaugePart.all {
      #expect(!part.addresses.isEmpty && part.witness != nil)
      #expect(part.name == part.name.lowercased())
    }
    #expect(GaugePart.named("max17999") == nil)
  }

  @Test(arguments: names) func aWorkingGaugeIsIdentifiedAndRead(_ name: String) throws {
    var (_, gauge) = try make(name)
    let reading = try #require(try session(&gauge))
    #expect(try (1...20).contains(#require(reading.voltage)))
  }

  @Test(arguments: names) func identifyingWritesNothingToAForeignChip(_ name: String) throws {
    let part = try #require(GaugePart.named(name))
    for fill in [0x00, 0xFF, 0x5A] as [UInt8] {
      let words = Dictionary(uniqueKeysWithValues: (UInt8.min...UInt8.max).map { ($0, [fill, fill]) })
      for address in part.addresses {
        let bus = PretendPart(address.rawValue, words)
        let gauge = part.make(bus, address, GaugeWiring())
        if name == "ina219", fill == 0x00 {
          try gauge.identify()  // Nothing tells a part of zeros from one without an identity.
        } else {
          #expect(throws: ChipError.self) { try gauge.identify() }
        }
        #expect(bus.writes.isEmpty)
      }
    }
  }

  @Test(arguments: names)
  func aFaultAtAnyTransactionIsPassedOnAndTheDriverStaysUsable(_ name: String) throws {
    var (whole, gauge) = try make(name)
    _ = try session(&gauge)
    let count = whole.log.count
    let address = try #require(I2CAddress(whole.address))
    let errors: [I2CError] = [
      .noAcknowledge(address), .timedOut(address), .system(address, errno: 5),
      .unsupported(address, transaction: "word"), .shortRead(address, expected: 2, got: 1),
    ]
    for error in errors {
      for at in 0..<count {
        var (bus, gauge) = try make(name)
        bus.fault = (at, error)
        #expect(throws: ChipError.bus(error)) { try session(&gauge) }
        #expect(bus.log.count == at + 1, "no transaction after a fault")
        bus.fault = nil
        let reading = try #require(try session(&gauge), "after a fault at \(at)")
        #expect(reading.voltage != nil)
      }
    }
  }

  @Test(arguments: names) func aShortAnswerIsAFault(_ name: String) throws {
    final class ShortBus: I2CBus {
      func transfer(to address: I2CAddress, write: [UInt8], readCount: Int) throws(I2CError) -> [UInt8] {
        Array(repeating: 0, count: max(0, readCount - 1))
      }
    }
    let part = try #require(GaugePart.named(name))
    let address = try #require(part.addresses.first)
    var gauge = part.make(ShortBus(), address, GaugeWiring())
    let short = { (error: any Error) in
      guard case .bus(.shortRead)? = error as? ChipError else { return false }
      return true
    }
    #expect(throws: (any Error).self) { try gauge.identify() }
    do {
      while case .wait = try gauge.read() {}
      Issue.record("a reading from an empty answer")
    } catch {
      #expect(short(error))
    }
  }

  @Test(arguments: 0..<20) func noBytesAtAllTrapADriver(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for part in GaugePart.all {
      for address in part.addresses {
        let words = Dictionary(
          uniqueKeysWithValues: (UInt8.min...UInt8.max).map { ($0, [random.byte(), random.byte()]) })
        let bus = PretendPart(address.rawValue, words, checksum: part.name == "lc709203f")
        let wiring = GaugeWiring(
          shunt: random.oneOf([nil, 0, -1, .nan, .infinity, 1e-300, 0.1]),
          largestCurrent: random.oneOf([nil, 0, .nan, .infinity, 3]),
          capacity: random.oneOf([nil, 0, .nan, -5, 1e300, 2000]), isReversed: random.byte() & 1 == 0)
        var gauge = part.make(bus, address, wiring)
        _ = try? gauge.identify()
        _ = try? gauge.start()
        for _ in 0..<8 { _ = try? gauge.read() }
        _ = try? GaugePart.candidates(on: bus, at: address)
      }
    }
  }

  @Test func anEmptyAddressHasNoGauge() throws {
    let address = try #require(I2CAddress(0x36))
    let bus = PretendPart(0x40, [:])
    #expect(throws: ChipError.bus(.noAcknowledge(address))) {
      try GaugePart.candidates(on: bus, at: address)
    }
  }

  @Test(arguments: names) func detectionFindsTheGaugeAmongThoseAtItsAddress(_ name: String) throws {
    let bus = try #require(PretendPart.good(name))
    let address = try #require(I2CAddress(bus.address))
    let found = try GaugePart.candidates(on: bus, at: address).map(\.name)
    let twins = [["max17048", "max17049"], ["max17043", "max17044"]].first { $0.contains(name) }
    #expect(found == twins ?? [name])
    #expect(bus.writes == (name == "bq27441" ? [[0x00, 0x01, 0x00]] : []))
  }
}
