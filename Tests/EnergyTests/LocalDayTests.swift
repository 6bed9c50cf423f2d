import Quantities
import Testing

@testable import Energy

/// The accounts of the ledger are days in local time.
@Suite struct LocalDayTests {
  private static let currents: BoardCurrents = {
    var currents = BoardCurrents(supply: SupplyRail(volts: 5))
    currents.set(.hostBase, milliamperes: 100, volts: 5)
    return currents
  }()
  /// 2026-03-01T00:00:00Z.
  private static let midnight = Timestamp(milliseconds: 20_513 * 86_400_000)

  /// A ledger of 36 hours from noon UTC of 28 February, which receives the time every quarter of an hour.
  private func ledger(ahead: Duration) -> EnergyLedger {
    var ledger = EnergyLedger(Self.currents, now: .zero)
    ledger.record(.host, drawing: .hostBase, now: .zero)
    for quarter in 0...144 {
      let passed = Duration.seconds(900 * quarter)
      ledger.record(time: Self.midnight + (passed - .seconds(43_200)), ahead: ahead, now: .zero + passed)
    }
    return ledger
  }

  @Test(
    arguments: [
      (0, [12, 24], 24), (9, [3, 24, 9], 24 + 9), (-5, [17, 19], 19), (14, [22, 14], 36 - 22),
    ] as [(Int64, [Int64], Int64)])
  func aDayEndsAtLocalMidnight(hoursAhead: Int64, dayAccounts: [Int64], sinceMarch: Int64) {
    let ledger = ledger(ahead: .seconds(3600 * hoursAhead))
    let now = Moment.zero + .seconds(36 * 3600)
    let whole = ledger.dayAccounts.map(\.duration) + [ledger.account(since: .max, now: now).duration]
    #expect(whole.filter { $0 > .zero } == dayAccounts.map { .seconds(3600 * $0) })
    if hoursAhead < 14 {
      #expect(ledger.account(since: 20_513, now: now).duration == .seconds(3600 * sinceMarch))
    }
    #expect(ledger.account(now: now).duration == .seconds(36 * 3600))
  }

  @Test func theDayIsStored() {
    let ledger = ledger(ahead: .seconds(9 * 3600))
    let now = Moment.zero + .seconds(36 * 3600)
    var next = EnergyLedger(Self.currents, now: .zero)
    next.restore(ledger.text(now: now))
    #expect(next.dayAccounts.map(\.day) == [20_512, 20_513, 20_514])
    #expect(next.account(since: 20_513, now: .zero) == ledger.account(since: 20_513, now: now))
  }

  @Test func anAccountOfAnEarlierReleaseIsADayInUTC() {
    var ledger = EnergyLedger(Self.currents, now: .zero)
    ledger.restore("energy 1\n\(Self.midnight.milliseconds)\t60\t5000\t-\t0\th=100/60")
    #expect(ledger.dayAccounts.map(\.day) == [20_513])
  }
}
