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
  private func book(ahead: Duration) -> EnergyBook {
    var book = EnergyBook(Self.currents, now: .zero)
    book.note(.host, does: .hostBase, now: .zero)
    for quarter in 0...144 {
      let passed = Duration.seconds(900 * quarter)
      book.note(time: Self.midnight + (passed - .seconds(43_200)), ahead: ahead, now: .zero + passed)
    }
    return book
  }

  @Test(
    arguments: [
      (0, [12, 24], 24), (9, [3, 24, 9], 24 + 9), (-5, [17, 19], 19), (14, [22, 14], 36 - 22),
    ] as [(Int64, [Int64], Int64)])
  func aDayEndsAtLocalMidnight(hoursAhead: Int64, pages: [Int64], sinceMarch: Int64) {
    let book = book(ahead: .seconds(3600 * hoursAhead))
    let now = Moment.zero + .seconds(36 * 3600)
    let whole = book.pages.map(\.duration) + [book.account(since: .max, now: now).duration]
    #expect(whole.filter { $0 > .zero } == pages.map { .seconds(3600 * $0) })
    if hoursAhead < 14 {
      #expect(book.account(since: 20_513, now: now).duration == .seconds(3600 * sinceMarch))
    }
    #expect(book.account(now: now).duration == .seconds(36 * 3600))
  }

  @Test func theDayIsStored() {
    let book = book(ahead: .seconds(9 * 3600))
    let now = Moment.zero + .seconds(36 * 3600)
    var next = EnergyBook(Self.currents, now: .zero)
    next.restore(book.text(now: now))
    #expect(next.pages.map(\.day) == [20_512, 20_513, 20_514])
    #expect(next.account(since: 20_513, now: .zero) == book.account(since: 20_513, now: now))
  }

  @Test func anAccountOfAnEarlierReleaseIsADayInUTC() {
    var book = EnergyBook(Self.currents, now: .zero)
    book.restore("energy 1\n\(Self.midnight.milliseconds)\t60\t5000\t-\t0\th=100/60")
    #expect(book.pages.map(\.day) == [20_513])
  }
}
