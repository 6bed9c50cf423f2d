import Energy
import Glibc
import Quantities
import Testing
import TextSnapshots
import Scheduling

/// A battery in a simulated winter: days differ, cells freeze, and longer intervals reduce the use of sampling.
struct WinterMonth {
  static let capacity = 3000.0
  static let start = Timestamp(milliseconds: 1_796_083_200_000)  // 2026-12-01T00:00:00Z

  var budget: PowerBudget
  /// The true charge in mAh.
  private(set) var left = WinterMonth.capacity
  private(set) var drawn = 0.0
  private(set) var sampled = 0.0
  private(set) var hours = 0
  private(set) var factors: [Double] = []
  private(set) var outlooks: [PowerBudget.Outlook] = []
  /// Hours until it was empty; nil before that.
  private(set) var endedAfter: Int?
  /// Use in mAh a day without sampling.
  var base = 40.0
  /// Use of sampling in mAh on a usual day at the set intervals.
  var driving = 90.0
  private var random: SplitMix64

  init(days: Int?, seed: UInt64) {
    let until = days.map { Timestamp(milliseconds: Self.start.milliseconds + Int64($0) * 86_400_000) }
    budget = PowerBudget(
      PowerBudget.Rules(capacity: Charge(milliampereHours: Self.capacity), reserve: 0.1, until: until))
    random = SplitMix64(seed: seed)
  }

  /// True from the 10th to the 16th day.
  var isFrost: Bool { (240..<400).contains(hours) }

  mutating func pass(days: Int) {
    for _ in 0..<days {
      // Some days are spent on the road, others at home.
      let today = driving * Double.random(in: 0.2...1.8, using: &random)
      for _ in 0..<24 { passHour(today) }
    }
  }

  private mutating func passHour(_ today: Double) {
    let frost = isFrost ? 1.2 : 1
    // Sampling is not exactly inverse to the factor, and a start costs more in the cold.
    let sampling = today / 24 * frost / pow(budget.intervalFactor, 0.8)
    let all = base / 24 * frost + sampling
    hours += 1
    left -= all
    drawn += all
    sampled += sampling
    if left <= 0, endedAfter == nil { endedAfter = hours }
    guard hours.isMultiple(of: 6) else { return }
    let gauge = max(left, 0) * Double.random(in: 0.97...1.03, using: &random)
    let use = PowerUse(
      remaining: Charge(milliampereHours: gauge), drawn: Charge(milliampereHours: drawn),
      sampled: Charge(milliampereHours: sampled), ran: .seconds(hours * 3600), temperature: isFrost ? -8 : 4)
    let time = Timestamp(milliseconds: Self.start.milliseconds + Int64(hours) * 3_600_000)
    _ = budget.review(use, time: time)
    factors.append(budget.intervalFactor)
    outlooks.append(budget.outlook)
  }
}

@Suite struct PowerBudgetTests {
  static let texts = TextSnapshot("tracking")

  @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
  func aWinterMonthOnABudgetEndsNearItsReserve(seed: UInt64) {
    var month = WinterMonth(days: 31, seed: seed)
    month.pass(days: 31)
    let share = month.left / WinterMonth.capacity
    #expect((0.07...0.2).contains(share), "\(share)")
    #expect(month.budget.outlook == .over || month.budget.outlook == .lasts)
    var without = WinterMonth(days: nil, seed: seed)
    without.pass(days: 31)
    #expect(without.endedAfter.map { $0 < 27 * 24 } == true, "\(without.left)")
    #expect(without.factors.allSatisfy { $0 == 1 })
  }

  @Test func aSufficientBatteryKeepsTheIntervals() {
    var month = WinterMonth(days: 31, seed: 1)
    (month.base, month.driving) = (20, 40)
    month.pass(days: 30)
    #expect(month.factors.allSatisfy { $0 < 1.3 })
    #expect(month.budget.outlook == .lasts)
  }

  @Test func aBatteryThatCannotLastIsReportedAndUsesTheLongestIntervals() {
    var month = WinterMonth(days: 31, seed: 1)
    month.base = 150
    month.pass(days: 5)
    #expect(
      month.budget.outlook == .fallsShort && month.budget.intervalFactor == PowerBudget.largestIntervalFactor)
    #expect(month.budget.forecast.map { $0.longestDays < 26 } == true)
  }

  @Test func theForecastIncludesTheActualTime() throws {
    for seed in 1...8 as ClosedRange<UInt64> {
      var month = WinterMonth(days: nil, seed: seed)
      month.pass(days: 8)
      let forecast = try #require(month.budget.forecast)
      #expect(forecast.days.fewest < forecast.days.likeliest && forecast.days.likeliest < forecast.days.most)
      month.pass(days: 40)
      let lasted = try #require(month.endedAfter).quotientAndRemainder(dividingBy: 24).quotient - 8
      #expect(
        (forecast.days.fewest...forecast.days.most).contains(Double(lasted)), "\(forecast.days) \(lasted)")
    }
  }

  @Test func intervalsAreUnchangedWithoutADateAGaugeOrTheTime() {
    let use = { (hours: Int, remaining: Double?) in
      PowerUse(
        remaining: remaining.map(Charge.init(milliampereHours:)),
        drawn: Charge(milliampereHours: Double(hours) * 50),
        sampled: Charge(milliampereHours: Double(hours) * 40), ran: .seconds(hours * 3600))
    }
    let capacity = Charge(milliampereHours: 1000)
    let until = WinterMonth.start
    let before = Timestamp(milliseconds: until.milliseconds - 20 * 86_400_000)
    for (rules, remaining, time) in [
      (PowerBudget.Rules(capacity: capacity, reserve: 0.1, until: nil), 900, before),
      (PowerBudget.Rules(capacity: capacity, reserve: 0.1, until: until), nil, before),
      (PowerBudget.Rules(capacity: capacity, reserve: 0.1, until: until), 900, nil), (nil, 900, before),
    ] as [(PowerBudget.Rules?, Double?, Timestamp?)] {
      var budget = PowerBudget(rules)
      for hours in [0, 6, 12, 18] {
        let hasChanged = budget.review(use(hours, remaining), time: time)
        #expect(!hasChanged)
      }
      #expect(budget.intervalFactor == 1)
    }
    var budget = PowerBudget(.init(capacity: capacity, reserve: 0.1, until: until))
    for hours in [0, 6, 12, 18] { _ = budget.review(use(hours, 900), time: before) }
    #expect(budget.intervalFactor > 4)
    #expect(budget.text == Self.texts.expected("battery budget: longer intervals", budget.text))
    let hasChanged = budget.review(use(24, 900), time: until)
    #expect(hasChanged && budget.intervalFactor == 1 && budget.outlook == .over)
    #expect(budget.text == Self.texts.expected("battery budget: date passed", budget.text))
    budget.change(.init(capacity: capacity, reserve: 0.1, until: nil))
    #expect(budget.intervalFactor == 1 && budget.outlook == .none)
    #expect(budget.text == Self.texts.expected("battery budget: no date", budget.text))
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func forAnyLedgerTheFactorStaysWithinItsLimits(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var budget = PowerBudget(
      .init(capacity: Charge(milliampereHours: 1000), reserve: 0.1, until: WinterMonth.start))
    let unusual: [Double] = [.nan, .infinity, -.infinity, -1e300, 1e300, 0, -5, 7]
    for _ in 0..<2000 {
      let charge = { Charge(milliampereHours: unusual.randomElement(using: &random) ?? 0) }
      let use = PowerUse(
        remaining: charge(), drawn: charge(), sampled: charge(),
        ran: .seconds(Int64.random(in: -1_000_000...1_000_000, using: &random)), temperature: .nan)
      _ = budget.review(
        use, time: Timestamp(milliseconds: Int64.random(in: 0...2_000_000_000_000, using: &random)))
      #expect((1...PowerBudget.largestIntervalFactor).contains(budget.intervalFactor))
    }
  }

  // MARK: Tracking policies

  static let policies: [TrackingPolicy] = [.high, .within(metres: 20), .significant, .within(metres: 50)]

  @Test(arguments: policies)
  func theIntervalsOfAPolicyGrowWithTheFactorUpToADay(policy: TrackingPolicy) {
    var before = Duration.zero
    for factor in [1, 1.2, 2, 4, 8, 16, 48, 1e6] {
      guard case .asleep(let check, let longest, _) = policy.lengthened(by: factor).stationary else {
        Issue.record("\(factor)")
        return
      }
      #expect(check >= before && check <= longest && longest <= .seconds(86_400))
      before = check
    }
    #expect(before == .seconds(86_400))
    #expect(policy.lengthened(by: 1) == policy && policy.lengthened(by: .nan) == policy)
    #expect(TrackingPolicy.off.lengthened(by: 9) == .off)
  }

  @Test(arguments: policies)
  func aLargerFactorReducesTheReceiversOnTime(policy: TrackingPolicy) {
    var before = Duration.seconds(86_400)
    for factor in [1, 3, 12, 48] as [Double] {
      var bench = ReceiverScheduleBench(policy.lengthened(by: factor))
      for _ in 0..<3 {
        bench.pass(3600)
        bench.speed = 8
        bench.shake(true)
        bench.pass(1800)
        bench.speed = 0
        bench.shake(false)
      }
      #expect(bench.onTime < before, "\(factor): \(bench.onTime) after \(before)")
      before = bench.onTime
    }
  }
}
