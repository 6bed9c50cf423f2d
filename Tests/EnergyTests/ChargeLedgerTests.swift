import Quantities
import Testing

import Energy

@Suite struct ChargeLedgerTests {
  @Test func aConstantCurrentIsChargeOverTime() {
    #expect(Charge(milliamperes: 28, for: .seconds(3600)).milliampereHours == 28)
    #expect(Charge(milliamperes: 28, for: .seconds(-5)) == .zero)
  }

  @Test func intervalsOfTheReceiverAddUp() {
    let intervals = [
      StateInterval(ReceiverState.searching, from: second(0), to: second(360)),
      StateInterval(.settling, from: second(360), to: second(720)),
      StateInterval(.backup, from: second(720), to: second(3600)),
    ]
    let charge = intervals.charge(at: .neoM8N)
    #expect(abs(charge.milliampereHours - (3.1 + 2.8 + 0.012)) < 1e-9)
  }

  @Test func aModuleWithoutCyclicTrackingTracks() {
    var currents = ReceiverCurrents.neoM8N
    currents.cyclic = nil
    #expect(currents[.cyclic] == currents[.tracking])
  }

  @Test func theBatteryChargeExceedsTheRailCharge() {
    let drawn = Charge(milliampereHours: 10).drawn(fromVolts: 3.7, railVolts: 5, efficiency: 0.85)
    #expect(abs(drawn.milliampereHours - 15.898) < 0.001)
    #expect(
      Charge(milliampereHours: 10).drawn(fromVolts: 0, railVolts: 5, efficiency: 0).milliampereHours == 10)
  }

  @Test func theUnexplainedDifferenceIsReported() {
    var ledger = ChargeLedger(start: second(0))
    ledger.enter(.host, as: .hostBase, milliamperes: 100, now: second(0))
    ledger.gauge(remaining: Charge(milliampereHours: 2000), now: second(0))
    ledger.gauge(remaining: Charge(milliampereHours: 1850), now: second(3600))
    #expect(ledger.explained == Charge(milliampereHours: 100))
    #expect(ledger.unexplained == Charge(milliampereHours: 50))
  }

  @Test func withoutAGaugeThereIsNoUnexplainedDifference() {
    var ledger = ChargeLedger(start: second(0))
    ledger.enter(.host, as: .hostBase, milliamperes: 100, now: second(0))
    #expect(ledger.unexplained == nil)
    #expect(ledger.total(now: second(3600)).milliampereHours == 100)
  }

  @Test func aChargerEndsTheComparison() {
    var ledger = ChargeLedger(start: second(0))
    ledger.enter(.host, as: .hostBase, milliamperes: 100, now: second(0))
    ledger.gauge(remaining: Charge(milliampereHours: 2000), now: second(0))
    ledger.gauge(remaining: Charge(milliampereHours: 1890), now: second(3600))
    ledger.chargerAttached()
    ledger.chargerAttached()
    ledger.gauge(remaining: Charge(milliampereHours: 2500), now: second(7200))
    ledger.gauge(remaining: Charge(milliampereHours: 2390), now: second(10_800))
    #expect(ledger.seenByGauge == Charge(milliampereHours: 220))
    #expect(ledger.unexplained.map { abs($0.milliampereHours - 20) < 1e-9 } == true)
  }

  @Test(arguments: [UInt64(1), 2, 3, 4, 5])
  func sharesAndDifferenceEqualTheGauge(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var ledger = ChargeLedger(start: second(0))
    var now = second(0)
    ledger.gauge(remaining: Charge(milliampereHours: 5000), now: now)
    var remaining = 5000.0
    for _ in 0..<500 {
      now = now + .seconds(Int.random(in: 0...600, using: &random))
      switch Int.random(in: 0..<3, using: &random) {
      case 0:
        let state = ReceiverState.allCases.randomElement(using: &random) ?? .off
        ledger.enter(
          .receiver, as: .receiver(state), milliamperes: ReceiverCurrents.neoM8N[state], now: now)
      case 1:
        ledger.add(Charge(milliampereHours: Double.random(in: 0...1, using: &random)), to: .radioSending)
      default:
        remaining -= Double.random(in: 0...3, using: &random)
        ledger.gauge(remaining: Charge(milliampereHours: remaining), now: now)
      }
    }
    ledger.gauge(remaining: Charge(milliampereHours: remaining), now: now)
    let shares = EnergyShare.all.reduce(Charge.zero) { $0 + ledger.charge(of: $1, now: now) }
    #expect(abs((shares - ledger.total(now: now)).milliampereHours) < 1e-6)
    let seen = try #require(ledger.seenByGauge)
    let remainder = try #require(ledger.unexplained)
    #expect(abs((shares + remainder - seen).milliampereHours) < 1e-6)
    #expect(abs(seen.milliampereHours - (5000 - remaining)) < 1e-6)
  }

  private func second(_ second: Int64) -> Moment { Moment(nanoseconds: second * 1_000_000_000) }
}
