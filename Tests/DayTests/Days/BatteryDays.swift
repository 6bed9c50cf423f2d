import DaySupport
import Energy
import Quantities
import Records
import Scheduling
import Testing
import Tracking

/// Days with a weak battery.
@Suite struct BatteryDays {
  static func settings() -> TrackerSettings {
    var settings = TrackedDay.settings()
    settings.batteryWithoutGauge = .unknown
    var power = PowerRules()
    power.charge = PowerRules.Limits(low: 15, critical: 6, resume: 20, leastGap: 1)
    settings.power = power
    return settings
  }

  /// A critical battery recovers without load and sags again: from noon on its charge alternates between just below and just
  /// above the resume limit.
  @Test(arguments: [1, 2])
  func aChargeThatVariesAroundTheResumeLimitWakesTheReceiverOnce(readings: Int) {
    let day = TrackedDay(Self.settings(), at: "2026-03-21T06:00:00Z")
    day.stop(.seconds(1800))
    for percent in [5.0, 5, 5, 5] {
      day.handle(.power(PowerReading(.unplugged, percent: percent)))
      day.stop(.seconds(60))
    }
    #expect(day.tracker.summary.powerStage == .survival)
    let (starts, noon) = (day.receiver.starts, day.now)
    for number in 0..<360 {
      let percent = number / readings % 2 == 0 ? 10.8 : 11.2
      day.handle(.power(PowerReading(.unplugged, percent: percent)))
      day.stop(.seconds(60))
    }
    #expect(day.tracker.summary.powerStage == .survival, "three consecutive readings are required")
    #expect(day.receiver.starts == starts && day.onTime(from: noon, to: day.now) == .zero)
    // A constant charge restores the level, and after that the same variation does not lower it again.
    for number in 0..<360 {
      day.handle(.power(PowerReading(.unplugged, percent: number < 5 ? 21 : number % 2 == 0 ? 19.5 : 20.5)))
      day.stop(.seconds(60))
    }
    let levels = day.events(.powerLevel).count
    #expect((2...3).contains(levels), "\(levels)")
    #expect(day.receiver.starts <= starts + 30)
    #expect(day.wrongPower(stationary: 30..<900, ofMotion: 0...1, starts: 1...40).isEmpty)
    day.drive(6000, at: 15)
    day.stop(.seconds(1800))
    #expect(day.trips.count == 1)
  }

  /// A month of short drives, on a battery that would be empty before the twentieth day.
  struct Winter {
    static let days = 30
    static let capacity = 640.0
    /// The charge per day in mAh that is independent of sampling.
    static let base = 12.0
    var day: TrackedDay
    private(set) var emptyAfter: Int?
    /// The seconds with power on every day.
    private(set) var powered: [Double] = []
    private(set) var points: [Int] = []
    private var reviewed: Moment

    init(hasDate: Bool) {
      var settings = BatteryDays.settings()
      let until = hasDate ? Timestamp(iso8601: "2026-12-31T00:00:00Z") : nil
      settings.budget = PowerBudget.Rules(
        capacity: Charge(milliampereHours: Self.capacity), reserve: 0.1, until: until)
      day = TrackedDay(settings, at: "2026-12-01T00:00:00Z")
      reviewed = day.now
    }

    /// The charge in mAh: in total, and for sampling.
    private var drawn: (all: Double, sampled: Double) {
      let states = day.intervals
      let sampled = states.filter(\.state.isPowered).charge(at: .neoM8N).milliampereHours
      let baseLoad = (day.now - .zero).inSeconds / 86_400 * Self.base
      return (states.charge(at: .neoM8N).milliampereHours + baseLoad, sampled)
    }

    mutating func live() {
      for number in 0..<Self.days {
        let (start, before) = (day.now, day.points.count)
        // Frost in the second week reduces the capacity by a quarter.
        let isFrost = (10..<17).contains(number)
        for _ in 0..<3 {
          day.stop(.seconds(6 * 3600))
          review(isFrost: isFrost)
        }
        for course in [90.0, 270] { day.drive(8000, at: 8, course: course) }
        day.stop(until: start + .seconds(86_400))
        review(isFrost: isFrost)
        powered.append(day.onTime(from: start, to: day.now).inSeconds)
        points.append(day.points.count - before)
        if drawn.all > Self.capacity, emptyAfter == nil { emptyAfter = number }
      }
    }

    private mutating func review(isFrost: Bool) {
      let left = max(Self.capacity - drawn.all, 0)
      let percent = left / Self.capacity * 100
      day.handle(.power(PowerReading(.unplugged, percent: percent)))
      day.handle(
        .powerUse(
          PowerUse(
            remaining: Charge(milliampereHours: left), drawn: Charge(milliampereHours: drawn.all),
            sampled: Charge(milliampereHours: drawn.sampled), ran: day.now - .zero,
            temperature: isFrost ? -8 : 4)))
    }
  }

  @Test func aWinterMonthOnABudgetEndsWithChargeAndLocationsOfEveryDay() {
    var careless = Winter(hasDate: false)
    careless.live()
    #expect(careless.emptyAfter.map { $0 < 26 } == true, "\(careless.powered)")
    var month = Winter(hasDate: true)
    month.live()
    #expect(month.emptyAfter == nil, "\(month.powered)")
    #expect(month.points.allSatisfy { $0 >= 2 }, "\(month.points)")
    // Fewer than without a budget, and never none.
    let (spared, spent) = (month.powered.reduce(0, +), careless.powered.reduce(0, +))
    #expect(spared < 0.9 * spent && month.powered.allSatisfy { $0 > 20 })
    #expect(
      month.day.wrongPower(stationary: 100..<90_000, ofMotion: 0.05...0.98, starts: 100...20_000).isEmpty)
    #expect(zip(month.day.points, month.day.points.dropFirst()).allSatisfy { $0.time < $1.time })
  }
}
