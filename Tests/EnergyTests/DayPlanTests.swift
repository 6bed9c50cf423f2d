import Energy
import Quantities
import Testing

/// The arithmetic of a battery unit, against figures computed by hand from the same currents.
@Suite struct DayPlanTests {
  static func currents(idle: Double, down: Double) -> BoardCurrents {
    var currents = BoardCurrents(supply: .battery(cells: 1))
    currents.set(.hostBase, milliamperes: idle, volts: 5)
    currents.set(.hostDown, milliamperes: down, volts: 3.7)
    currents.set(.receiver(.backup), milliamperes: 0.042, volts: 3)
    currents.set(.receiver(.tracking), milliamperes: 10, volts: 3)
    currents.set(.accelerometer, milliamperes: 0.004, volts: 3.3)
    currents.set(.gauge, milliamperes: 0.023, volts: 3.7)
    return currents
  }

  /// The currents at the cell of a host whose start and stop take 20 s and `cycle` mAh at 5 V.
  static func host(_ currents: BoardCurrents, cycle: Double) -> HostCurrents {
    let mean = currents.supply.milliamperes(for: cycle / 20 * 3600, atVolts: 5)
    return HostCurrents(
      idle: currents[.hostBase] ?? 0, down: currents[.hostDown] ?? 0, starting: mean, stopping: mean,
      startTime: .seconds(15), stopTime: .seconds(5))
  }

  struct Case: Sendable {
    let name: String
    let starts: Int
    let idle: Double
    let down: Double
    /// mAh at 5 V.
    let cycle: Double
    /// mAh a day at the cell.
    let expected: Double
    var moving = 0.0
  }

  static let cases: [Case] = [
    Case(name: "hourly, stock image, HAT", starts: 24, idle: 110, down: 1, cycle: 0.86, expected: 77),
    Case(name: "15 minutes, stock image, HAT", starts: 96, idle: 110, down: 1, cycle: 0.86, expected: 230),
    Case(
      name: "a check in 4 hours, stock image, HAT", starts: 6, idle: 110, down: 1, cycle: 0.86, expected: 38),
    Case(name: "hourly, latch, tuned", starts: 24, idle: 105, down: 0.03, cycle: 0.44, expected: 36),
    Case(name: "hourly, PiJuice, tuned", starts: 24, idle: 105, down: 1.65, cycle: 0.44, expected: 75),
    Case(
      name: "vehicle, 2.5 hours, HAT, tuned while moving", starts: 12, idle: 75, down: 1, cycle: 0.86,
      expected: 371, moving: 2.5),
  ]

  @Test(arguments: cases.indices) func aDayIsTheSumOfStartsWorkAndStandby(_ index: Int) {
    let row = Self.cases[index]
    let currents = Self.currents(idle: row.idle, down: row.down)
    var plan = DayPlan(starts: row.starts, moving: .seconds(row.moving * 3600))
    plan.hasGauge = true
    let sum = plan.charges(currents, host: Self.host(currents, cycle: row.cycle)).values.reduce(0, +)
    #expect(abs(sum - row.expected) / row.expected < 0.03, "\(row.name): \(sum)")
  }

  @Test func aHostThatIsAlwaysOnDrawsTheSameWhateverItDoes() {
    let currents = Self.currents(idle: 75, down: 35)
    let sums = [0, 24].map { DayPlan(starts: $0).charges(currents, host: nil)[.hostBase] ?? 0 }
    #expect(sums[0] == sums[1] && abs(sums[0] - 2861) < 5, "\(sums)")
  }

  @Test func moreStartsThanADayHoldsStayWithinIt() {
    let currents = Self.currents(idle: 75, down: 1)
    let charges = DayPlan(starts: 10_000, moving: .seconds(1e6)).charges(
      currents, host: Self.host(currents, cycle: 0.86))
    #expect(charges.values.allSatisfy { $0.isFinite && $0 >= 0 })
    #expect((charges[.hostBase] ?? 0) <= 24 * (currents[.hostBase] ?? 0) + 1e-6)
  }

  static let lives:
    [(perDay: Double, fewest: ClosedRange<Double>, likeliest: ClosedRange<Double>, most: ClosedRange<Double>)] =
      [
        (77, 75...82, 92...96, 105...111), (4580, 1.4...1.5, 1.7...1.8, 1.9...2.0),
        (20, 230...240, 275...285, 330...336),
      ]

  @Test(arguments: lives.indices) func theDaysOfABatteryAreARange(_ index: Int) throws {
    let row = Self.lives[index]
    let life = try #require(BatteryLife(capacity: 10_000, perDay: row.perDay))
    #expect(
      row.fewest.contains(life.fewest) && row.likeliest.contains(life.likeliest)
        && row.most.contains(life.most), "\(life)")
    #expect(abs(life.selfDischargePerDay - 8.33) < 0.01)
  }

  @Test func nothingIsForecastWithoutCapacityOrDraw() {
    for (capacity, perDay) in [(0.0, 10.0), (1000, 0), (-1, 10), (1000, -1), (.infinity, 10), (1000, .nan)] {
      #expect(BatteryLife(capacity: capacity, perDay: perDay) == nil)
    }
  }
}
