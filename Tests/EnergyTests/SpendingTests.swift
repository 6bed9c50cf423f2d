import Quantities
import Testing

@testable import Energy

/// Charges besides the states of parts: processor time, storage time, and the radio's active time after sending.
@Suite struct SpendingTests {
  private static let currents: BoardCurrents = {
    var currents = BoardCurrents(supply: SupplyRail(volts: 5))
    currents.set(.hostBase, milliamperes: 100, volts: 5)
    currents.set(.processor, milliamperes: 72, volts: 5)
    currents.set(.radioWaiting, milliamperes: 10, volts: 5)
    currents.set(.radioSending, milliamperes: 500, volts: 5)
    currents.set(.radioTail, milliamperes: 150, volts: 5)
    currents.radioTail = .seconds(12)
    return currents
  }()

  private func second(_ second: Int64) -> Moment { .zero + .seconds(second) }

  private func times(_ ledger: EnergyLedger, _ now: Moment) -> [EnergyShare: Duration] {
    ledger.account(now: now).entries.mapValues(\.time)
  }

  @Test func processorTimeIsChargedByTheCurrentOfACore() throws {
    var ledger = EnergyLedger(Self.currents, now: .zero)
    ledger.spend(.seconds(50), as: .processor)
    ledger.spend(.seconds(-5), as: .processor)
    let entry = try #require(ledger.account(now: second(3600)).entries[.processor])
    #expect(entry.time == .seconds(50) && !entry.isIncomplete)
    #expect(abs(entry.charge.milliampereHours - 1) < 1e-9)
  }

  @Test func withoutAFigureTheTimeCountsAndTheChargeIsUnknown() throws {
    var ledger = EnergyLedger(Self.currents, now: .zero)
    ledger.spend(.seconds(3), as: .storage)
    let entry = try #require(ledger.account(now: second(3600)).entries[.storage])
    #expect(entry.isIncomplete && entry.charge == .zero && entry.time == .seconds(3))
  }

  @Test(
    arguments: [
      (0, nil, 0), (1, nil, 15), (1, 4096, 15), (1, 4096 * 3, 19), (10, 4096 * 5, 150), (-3, 4096, 2),
      (0, -50_000, 0),
    ] as [(Int64, Int64?, Int64)])
  func aFlushAndEveryFurtherPageTakeTime(flushes: Int64, bytes: Int64?, milliseconds: Int64) {
    #expect(StorageWriting.time(flushes: flushes, bytes: bytes) == .milliseconds(milliseconds))
  }

  @Test func theRadioTailIsChargedAfterSending() {
    var ledger = EnergyLedger(Self.currents, now: .zero)
    ledger.recordRadio(.idle, now: .zero)
    ledger.recordRadio(.sending, now: second(100))
    ledger.recordRadio(.idle, now: second(102))
    // One call within the tail and one long after it: the tail has its exact end.
    ledger.recordRadio(.idle, now: second(105))
    ledger.recordRadio(.idle, now: second(200))
    #expect(
      times(ledger, second(200))
        == [.radioWaiting: .seconds(100 + 86), .radioSending: .seconds(2), .radioTail: .seconds(12)])
  }

  @Test func sendingOrSwitchingOffEndsTheTail() {
    var ledger = EnergyLedger(Self.currents, now: .zero)
    ledger.recordRadio(.sending, now: .zero)
    ledger.recordRadio(.idle, now: second(2))
    ledger.recordRadio(.sending, now: second(5))
    ledger.recordRadio(.idle, now: second(6))
    ledger.recordRadio(.off, now: second(10))
    #expect(times(ledger, second(99)) == [.radioSending: .seconds(3), .radioTail: .seconds(7)])
  }

  @Test func withoutAFigureThereIsNoTail() {
    var currents = Self.currents
    currents.radioTail = nil
    var ledger = EnergyLedger(currents, now: .zero)
    ledger.recordRadio(.sending, now: .zero)
    ledger.recordRadio(.idle, now: second(2))
    #expect(times(ledger, second(3)) == [.radioSending: .seconds(2), .radioWaiting: .seconds(1)])
  }

  @Test func aNewDayWithinOrAfterATailLosesNothing() {
    let evening = Timestamp(milliseconds: 20_000 * 86_400_000 - 60_000)
    for turn in [Int64(105), 150] {
      var ledger = EnergyLedger(Self.currents, now: .zero)
      ledger.record(time: evening, now: .zero)
      ledger.recordRadio(.sending, now: second(100))
      ledger.recordRadio(.idle, now: second(102))
      ledger.record(time: evening + .seconds(turn), now: second(turn))
      ledger.recordRadio(.idle, now: second(200))
      let all = times(ledger, second(200))
      #expect(all[.radioSending] == .seconds(2) && all[.radioTail] == .seconds(12))
      #expect(all[.radioWaiting] == .seconds(86))
      #expect(ledger.dayAccounts.count == 1)
    }
  }

  @Test(arguments: [UInt64(1), 2, 3, 4, 5])
  func sharesAndDifferenceEqualTheGauge(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var ledger = EnergyLedger(Self.currents, now: .zero)
    var now = Moment.zero
    var remaining = 5000.0
    ledger.gauge(remaining: Charge(milliampereHours: remaining), now: now)
    ledger.record(.host, drawing: .hostBase, now: now)
    for _ in 0..<500 {
      now = now + .seconds(Int.random(in: 0...60, using: &random))
      switch Int.random(in: 0..<5, using: &random) {
      case 0: ledger.recordRadio(.sending, now: now)
      case 1: ledger.recordRadio(Bool.random(using: &random) ? .idle : .off, now: now)
      case 2: ledger.spend(.milliseconds(Int.random(in: 0...900, using: &random)), as: .processor)
      case 3: ledger.record(time: Timestamp(milliseconds: 0) + (now - .zero) * 20, now: now)
      default:
        remaining -= Double.random(in: 0...3, using: &random)
        ledger.gauge(remaining: Charge(milliampereHours: remaining), now: now)
      }
    }
    ledger.gauge(remaining: Charge(milliampereHours: remaining), now: now)
    let account = ledger.account(now: now)
    let (seen, remainder) = (try #require(account.seenByGauge), try #require(account.unexplained))
    #expect(abs((account.total + remainder - seen).milliampereHours) < 1e-6)
    #expect(abs(seen.milliampereHours - (5000 - remaining)) < 1e-6)
  }
}
