import Chips
import LocalAPI
import Quantities
import Settings
import SystemLoop
import Tracking
import Uplink

/// What the logger does for the level of the battery.
struct PowerDuty {
  var stage = PowerStage.normal
  /// Ends the sending of what a critical battery still sends.
  var timer: LoopTimer?
  /// When the tracker was last told what was drawn.
  var reviewed: Moment?
}

extension Logger {
  /// However much is to be saved, records wait no longer.
  static let longestInterval = Duration.seconds(6 * 3600)
  /// At a low battery records are not sent more often.
  static let sparingInterval = Duration.seconds(1800)
  /// How long a critical battery sends what waits, its last position included.
  static let lastSending = Duration.seconds(300)
  /// At a critical battery the gauge is read by so many times more seldom.
  static let survivalPace = 4

  /// The tracker has another opinion of the battery.
  func followPower(now: Moment) {
    powerDuty.stage = tracker.powerStage
    gauge?.pace = powerDuty.stage == .survival ? Self.survivalPace : 1
    changeDeliveries()
    powerDuty.timer?.arm(at: nil)
    guard powerDuty.stage == .survival else { return }
    commit(now: now)
    if powerDuty.timer == nil {
      powerDuty.timer = loop.addTimer("last sending") { [unowned self] _ in endSending() }
    }
    powerDuty.timer?.arm(at: now + Self.lastSending, slack: .seconds(30))
    sendLast()
  }

  /// While a critical battery may still send, everything that has become durable goes.
  func sendLast() {
    guard powerDuty.stage == .survival, powerDuty.timer?.isArmed == true else { return }
    for lane in deliveries.values { lane.delivery?.sendNow() }
  }

  /// Lanes begun anew hold no connection, and rest.
  private func endSending() {
    stopDeliveries()
    changeDeliveries()
  }

  /// How a destination is served at the level of the battery.
  func deliverySettings(of destination: DestinationSettings) -> DeliveryMachine.Settings {
    var settings = DeliveryMachine.Settings(destination, supply: configuration.supply)
    if let rules = radio?.plan.rules, destination.form != .file { settings.timeout += rules.longestRise }
    settings.sendInterval = settings.sendInterval.map {
      max($0, min($0 * tracker.budget.stretch, Self.longestInterval))
    }
    switch powerDuty.stage {
    case .normal: break
    case .low, .lastPosition:
      settings.sendInterval = settings.sendInterval.map { max($0, Self.sparingInterval) }
    case .survival: settings.sendInterval = nil
    }
    return settings
  }

  /// What the board says of its own supply, asked where somebody is awake anyway: with each reading of the gauge, at the
  /// start, and when retention has looked at the log.
  func lookAtBoard(now: Moment) {
    guard let reading = boardSupply?.read(), let event = brownOut.take(reading, now: now) else { return }
    tell(.occurred(event), now: now)
  }

  /// A reading of the gauge, changed or not.
  func notePower(_ condition: BatteryCondition, now: Moment) {
    lookAtBoard(now: now)
    guard configuration.supply != .mains else { return }
    tell(.power(PowerReading(condition)), now: now)
    reviewPower(condition, now: now)
  }

  /// Every few hours: what has been drawn, for the budget.
  private func reviewPower(_ condition: BatteryCondition, now: Moment) {
    guard tracker.settings.budget != nil, powerDuty.reviewed.map({ now - $0 >= PowerBudget.pause }) ?? true
    else { return }
    let account = energyDuty.book.account(now: now)
    guard let use = PowerUse(account, condition, capacity: configuration.capacityMAh) else { return }
    powerDuty.reviewed = now
    let before = tracker.budget.stretch
    tell(.powerUse(use), now: now)
    if tracker.budget.stretch != before { changeDeliveries() }
  }

  /// Nil where the box has a supply that does not end.
  var powerReport: StatusReport.Power? {
    guard tracker.settings.power != nil else { return nil }
    let power = tracker.power
    var report = StatusReport.Power(level: power.level.rawValue, reason: power.cause.words)
    let budget = tracker.budget
    report.days_left = budget.forecast.map { forecast in
      StatusReport.Power.Days(
        fewest: Self.tenths(forecast.days.fewest), likeliest: Self.tenths(forecast.days.likeliest),
        most: Self.tenths(forecast.days.most), most_if_sampled_least: Self.tenths(forecast.longestDays))
    }
    report.draws_mAh_day = budget.forecast.map { Self.tenths($0.perDay) }
    if let until = budget.rules?.until {
      report.last_until = until.iso8601()
      report.stretch = Self.tenths(budget.stretch)
      report.budget = budget.words
    }
    return report
  }

  private static func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}
