import Quantities
import Testing

import Chips

/// An LSM6DSO with its own oscillator, on a bus of 100 kHz with realistic transaction times. The x axis
/// counts the samples.
private final class FillingLSM6: I2CBus {
  static let depth = 512

  var now = Moment.zero
  let rate: Double
  private var registers: [UInt8: UInt8] = [0x0F: 0x6C]
  private var began: Moment?
  private var taken = 0
  private var isOverrun = false

  init(rate: Double) { self.rate = rate }

  /// Number of samples so far.
  private var made: Int { began.map { Int((now - $0).inSeconds * rate) } ?? 0 }

  /// Time of a sample.
  func moment(of sample: Int) -> Moment { (began ?? .zero) + .seconds(Double(sample + 1) / rate) }

  func transfer(to address: I2CAddress, write: [UInt8], readCount: Int) throws(I2CError) -> [UInt8] {
    guard let register = write.first else { return [] }
    for (offset, byte) in write.dropFirst().enumerated() { registers[register + UInt8(offset)] = byte }
    if write.count > 1, register == 0x0A { (began, taken) = (now, 0) }
    // The chip answers with its state at the start of the transaction.
    let bytes = read(register, readCount)
    now = now + .microseconds(90 * (2 + write.count + readCount))
    return bytes
  }

  private func read(_ register: UInt8, _ count: Int) -> [UInt8] {
    switch register {
    case 0x3A where count == 2:
      if made - taken > Self.depth { (taken, isOverrun) = (made - Self.depth, true) }
      defer { isOverrun = false }
      let level = made - taken
      return [UInt8(truncatingIfNeeded: level), UInt8(level >> 8) | (isOverrun ? 0x48 : 0)]
    case 0x78:
      return (0..<count / 7).flatMap { _ in
        defer { taken += 1 }
        return [0x10, UInt8(truncatingIfNeeded: taken), UInt8(truncatingIfNeeded: taken >> 8), 0, 0, 0, 0x40]
      }
    case _: return (0..<count).map { registers[register &+ UInt8($0)] ?? 0 }
    }
  }
}

@Suite struct LongFIFOTests {
  /// A reading every four seconds has more than four hundred samples, in seven steps. The self-test fails
  /// because this chip has no test force.
  @Test(arguments: [-0.08, 0, 0.08]) func samplesReadInManyStepsHaveCorrectTimes(_ rateError: Double) throws {
    let bus = FillingLSM6(rate: 104 * (1 + rateError))
    let part = try #require(AccelerometerPart.named("lsm6dso"))
    var reader = AccelerometerReader(
      part: part, address: try #require(part.addresses.first), hasLine: false, now: .zero)
    reader.setDesiredMode(.samples(SamplingRequest(rate: 100, range: 2), within: .seconds(60)), now: .zero)
    var next = 0
    var worst = Duration.zero
    var bursts: [Int] = []
    while bus.now < .zero + .seconds(400) {
      bus.now = max(bus.now, try #require(reader.nextTimeout))
      let before = bus.now
      for notice in reader.step(on: { () throws(I2CError) in bus }, now: bus.now) {
        guard case .burst(let burst) = notice else { continue }
        bursts.append(burst.samples.count)
        for (index, sample) in burst.samples.enumerated() {
          let count = Int16(truncatingIfNeeded: next)
          #expect(Int16((sample.x / 61e-6).rounded()) == count, "no sample lost or repeated")
          // The rate is known after some readings.
          if bursts.count > 10 {
            let error = burst.moment(of: index) - bus.moment(of: next)
            worst = max(worst, error < .zero ? .zero - error : error)
          }
          next += 1
        }
      }
      #expect(bus.now - before <= .milliseconds(50))
    }
    #expect(bursts.count > 80 && bursts.allSatisfy { $0 > 400 }, "\(bursts)")
    #expect(reader.losses.overruns == 0)
    #expect(worst < .milliseconds(20), "two periods: \(worst)")
    #expect(abs(try #require(reader.rate) / bus.rate - 1) < 0.002)
  }

  /// The FIFO overran because it was not read, and the first step is only the first of many.
  @Test func aFullFIFOAfterAnOverrunIsDatedByItsEnd() throws {
    let bus = FillingLSM6(rate: 104)
    let part = try #require(AccelerometerPart.named("lsm6dso"))
    var reader = AccelerometerReader(
      part: part, address: try #require(part.addresses.first), hasLine: false, now: .zero)
    reader.setDesiredMode(.samples(SamplingRequest(rate: 100, range: 2), within: .seconds(60)), now: .zero)
    var bursts: [AccelerationBurst] = []
    func step() throws {
      bus.now = max(bus.now, try #require(reader.nextTimeout))
      for notice in reader.step(on: { () throws(I2CError) in bus }, now: bus.now) {
        if case .burst(let burst) = notice { bursts.append(burst) }
      }
    }
    while bus.now < .zero + .seconds(60) { try step() }
    bus.now = bus.now + .seconds(30)
    let steps = bus.now + .seconds(10)
    // The reading in progress comes first, because it does not belong to the following samples.
    while bursts.last?.isAfterGap != true, bus.now < steps { try step() }
    let burst = try #require(bursts.last)
    #expect(burst.isAfterGap && burst.samples.count > 512 && reader.losses.overruns == 1)
    func number(_ sample: Acceleration?) throws -> Int { Int((try #require(sample).x / 61e-6).rounded()) }
    let first = try number(burst.samples.first)
    let error = burst.first - bus.moment(of: first)
    #expect(error > .milliseconds(-20) && error < .milliseconds(20), "\(error)")
    let lost = try first - number(bursts.dropLast().last?.samples.last) - 1
    #expect(lost > 2000 && abs(reader.losses.missing - lost) < 20, "\(reader.losses.missing) of \(lost)")
  }
}
