import Quantities
import Testing

@testable import Energy

@Suite struct EnergyLedgerTests {
  /// A Raspberry Pi Zero 2 W on one lithium cell with a u-blox M10.
  static let currents: BoardCurrents = {
    var currents = BoardCurrents(supply: .battery(cells: 1))
    currents.set(.hostBase, milliamperes: 75, volts: 5)
    currents.set(.receiver(.searching), milliamperes: 13, volts: 3)
    currents.set(.receiver(.tracking), milliamperes: 10, volts: 3)
    currents.set(.receiver(.backup), milliamperes: 0.042, volts: 3)
    return currents
  }()

  private static let noon = Timestamp(milliseconds: 20_000 * 86_400_000 + 43_200_000)

  private func second(_ second: Int64) -> Moment { Moment(nanoseconds: second * 1_000_000_000) }

  private func near(_ charge: Charge?, _ expected: Double) -> Bool {
    charge.map { abs($0.milliampereHours - expected) < 1e-6 } ?? false
  }

  @Test func aRailAboveTheBatteryVoltageDrawsMore() {
    #expect(Self.currents[.hostBase].map { abs($0 - 119.2368) < 0.001 } == true)
    #expect(Self.currents[.receiver(.settling)] == 10)
    #expect(Self.currents[.receiver(.cyclic)] == 10)
    #expect(Self.currents[.receiver(.off)] == 0)
    #expect(Self.currents[.accelerometer] == nil)
  }

  @Test func anUnknownCurrentIsTimeWithoutCharge() throws {
    var ledger = EnergyLedger(Self.currents, now: second(0))
    ledger.record(.accelerometer, drawing: .accelerometer, now: second(0))
    ledger.record(.receiver, drawing: .receiver(.tracking), now: second(0))
    let account = ledger.account(now: second(3600))
    let entry = try #require(account.entries[.accelerometer])
    #expect(entry.isIncomplete && entry.time == .seconds(3600) && entry.charge == .zero)
    #expect(account.entries[.receiver(.tracking)]?.isIncomplete == false)
    #expect(near(account.total, 10))
  }

  @Test func aRepeatedStateChangesNothing() {
    var ledger = EnergyLedger(Self.currents, now: second(0))
    ledger.record(.receiver, drawing: .receiver(.tracking), now: second(0))
    let before = ledger
    ledger.record(.receiver, drawing: .receiver(.tracking), now: second(50))
    #expect(ledger == before)
  }

  @Test func everyDayHasAnAccountAndTheGaugeIsComparedAcrossDays() {
    var ledger = EnergyLedger(Self.currents, now: second(0))
    ledger.record(.receiver, drawing: .receiver(.tracking), now: second(0))
    ledger.gauge(remaining: Charge(milliampereHours: 1000), now: second(0))
    // The date is known after one hour; thirteen hours later it is another day.
    ledger.record(time: Self.noon + .seconds(3600), now: second(3600))
    ledger.gauge(remaining: Charge(milliampereHours: 900), now: second(36_000))
    ledger.record(time: Self.noon + .seconds(50_400), now: second(50_400))
    ledger.gauge(remaining: Charge(milliampereHours: 800), now: second(54_000))
    #expect(ledger.dayAccounts.map(\.start) == [Self.noon])
    #expect(near(ledger.dayAccounts.first?.total, 140))
    let all = ledger.account(now: second(54_000))
    #expect(near(all.total, 150))
    #expect(near(all.seenByGauge, 200))
    #expect(near(all.explained, 150))
    #expect(near(all.unexplained, 50))
    let today = ledger.account(since: Self.noon.day + 1, now: second(54_000))
    #expect(near(today.total, 10))
    #expect(today.start == Self.noon + .seconds(50_400))
    #expect(near(today.seenByGauge, 100))
    #expect(near(today.explained, 50))
  }

  @Test func theComparisonIsSuspendedWhileCharging() {
    var ledger = EnergyLedger(Self.currents, now: second(0))
    ledger.record(.receiver, drawing: .receiver(.tracking), now: second(0))
    ledger.gauge(remaining: nil, now: second(0))
    #expect(ledger.account(now: second(10)).seenByGauge == nil)
    ledger.gauge(remaining: Charge(milliampereHours: 1000), now: second(0))
    ledger.gauge(remaining: Charge(milliampereHours: 980), now: second(3600))
    ledger.gauge(remaining: nil, now: second(7200))
    ledger.gauge(remaining: Charge(milliampereHours: 1000), now: second(10_800))
    #expect(near(ledger.account(now: second(10_800)).unexplained, 10))
  }

  @Test func anEarlierStartIsContinued() {
    var first = EnergyLedger(Self.currents, now: second(0))
    first.record(.receiver, drawing: .receiver(.tracking), now: second(0))
    first.record(.radio, drawing: .radioSending, now: second(0))
    first.gauge(remaining: Charge(milliampereHours: 1000), now: second(0))
    first.gauge(remaining: Charge(milliampereHours: 985), now: second(3600))
    first.record(time: Self.noon, now: second(0))
    let before = first.account(now: second(3600))
    var ledger = EnergyLedger(Self.currents, now: second(10_000))
    ledger.record(.receiver, drawing: .receiver(.backup), now: second(10_000))
    ledger.restore(first.text(now: second(3600)))
    let after = ledger.account(now: second(10_000))
    #expect(after == before)
    // The charge that the gauge measured while no logger ran is not included.
    ledger.gauge(remaining: Charge(milliampereHours: 700), now: second(10_000))
    #expect(near(ledger.account(now: second(10_000)).seenByGauge, 15))
  }

  @Test(arguments: [
    "", "energy 2\n1\t2\t3\t4\t5", "energy 1\n-\t-5\t3700\t-\t0\tt=1/1", "energy 1\n\t\t\t\t\t=/?", "\n",
  ])
  func textOfAnotherKindIsIgnored(_ text: String) {
    var ledger = EnergyLedger(Self.currents, now: second(0))
    let before = ledger
    ledger.restore(text)
    #expect(ledger == before)
  }

  @Test func aSeasonFitsAndNothingIsLost() throws {
    var ledger = EnergyLedger(Self.currents, now: second(0))
    var now = second(0)
    var time = Self.noon
    for part in [ChargeLedger.Part.host, .receiver, .overhead] {
      let share: EnergyShare =
        part == .host ? .hostBase : part == .receiver ? .receiver(.tracking) : .overhead
      ledger.record(part, drawing: share, now: now)
    }
    for _ in 0..<400 {
      ledger.record(time: time, now: now)
      now = now + .seconds(86_400)
      time = time + .seconds(86_400)
    }
    #expect(ledger.dayAccounts.count <= EnergyLedger.mostDayAccounts)
    let text = ledger.text(now: now)
    #expect(text.utf8.count <= ChargeAccount.longestText)
    var next = EnergyLedger(Self.currents, now: now)
    next.restore(text)
    let (kept, whole) = (next.account(now: now), ledger.account(now: now))
    #expect(kept.start == Self.noon && kept.duration == .seconds(400 * 86_400))
    #expect(abs(kept.total.milliampereHours - whole.total.milliampereHours) < 0.1)
  }

  @Test func readingRequiresNoBatteryVoltage() {
    var ledger = EnergyLedger(Self.currents, now: second(0))
    ledger.record(.receiver, drawing: .receiver(.tracking), now: second(0))
    var reader = EnergyLedger(BoardCurrents(supply: SupplyRail(volts: 5)), now: .zero)
    reader.restore(ledger.text(now: second(3600)))
    let account = reader.account(now: .zero)
    #expect(near(account.total, 10) && account.supplyVolts == 3.7)
  }

  @Test func accountsOfAnotherBatteryAreNotAdded() {
    var ledger = EnergyLedger(Self.currents, now: second(0))
    ledger.record(.receiver, drawing: .receiver(.tracking), now: second(0))
    var other = BoardCurrents(supply: .battery(cells: 2))
    other.set(.receiver(.tracking), milliamperes: 20, volts: 3)
    ledger.change(other, now: second(3600))
    #expect(near(ledger.account(now: second(7200)).total, 20))
    #expect(near(ledger.dayAccounts.first?.total, 10))
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func noTornTextTraps(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var ledger = EnergyLedger(Self.currents, now: second(0))
    ledger.record(.receiver, drawing: .receiver(.tracking), now: second(0))
    let bytes = Array(ledger.text(now: second(100_000)).utf8)
    for _ in 0..<300 {
      var torn = bytes
      for _ in 0..<3 {
        torn[Int.random(in: 0..<torn.count, using: &random)] = UInt8.random(in: 0...127, using: &random)
      }
      var next = EnergyLedger(Self.currents, now: second(0))
      next.restore(
        String(decoding: torn.prefix(Int.random(in: 0...torn.count, using: &random)), as: UTF8.self))
      _ = next.account(now: second(1)).total
    }
  }
}
