import LoggerConfiguration
import Chips
import EventLoop
import LocalAPI
import Quantities
import Scheduling
import Settings
import Uplink

/// The state of the measures that the power level requires.
struct PowerLevelController {
  var stage = PowerStage.normal
  /// Ends the last upload at a critical battery.
  var timer: LoopTimer?
  /// The time at which the tracker last received the measured use.
  var reviewed: Moment?
}

extension Logger {
  /// The longest send interval to which the battery budget may extend the configured one.
  static let longestInterval = Duration.seconds(6 * 3600)
  /// The shortest send interval at a low battery.
  static let sparingInterval = Duration.seconds(1800)
  /// The time for the last upload at a critical battery, including its last position.
  static let lastSending = Duration.seconds(300)
  /// The factor by which the gauge is read less often at a critical battery.
  static let survivalIntervalFactor = 4

  /// Adapts gauge and deliveries to a changed power level.
  func followPower(now: Moment) {
    powerController.stage = tracker.powerStage
    sensors.gaugeIntervalFactor = powerController.stage == .survival ? Self.survivalIntervalFactor : 1
    changeDeliveries()
    powerController.timer?.arm(at: nil)
    guard powerController.stage == .survival else { return }
    commit(now: now)
    if powerController.timer == nil {
      powerController.timer = loop.addTimer("last sending") { [unowned self] _ in endSending() }
    }
    powerController.timer?.arm(at: now + Self.lastSending, slack: .seconds(30))
    sendLast()
  }

  /// Sends all durable records during the last upload at a critical battery.
  func sendLast() {
    guard powerController.stage == .survival, powerController.timer?.isArmed == true else { return }
    for pipeline in deliveries.values { pipeline.delivery?.sendNow() }
  }

  /// Ends the last upload: new pipelines have no connection and stay idle.
  private func endSending() {
    stopDeliveries()
    changeDeliveries()
  }

  /// The delivery settings of a destination at the present power level.
  func deliverySettings(of destination: DestinationSettings) -> DeliveryMachine.Settings {
    var settings = DeliveryMachine.Settings(destination, supply: configuration.supply)
    if let rules = radio?.schedule.rules, destination.form != .file { settings.timeout += rules.longestRise }
    settings.sendInterval = settings.sendInterval.map {
      max($0, min($0 * tracker.budget.stretch, Self.longestInterval))
    }
    switch powerController.stage {
    case .normal: break
    case .low, .lastPosition:
      settings.sendInterval = settings.sendInterval.map { max($0, Self.sparingInterval) }
    case .survival: settings.sendInterval = nil
    }
    return settings
  }

  /// Processes a reading of the gauge, changed or not.
  func processPowerReading(_ condition: BatteryCondition, now: Moment) {
    guard configuration.supply != .mains else { return }
    process(.power(PowerReading(condition)), now: now)
    reviewPower(condition, now: now)
  }

  /// Passes the measured use to the battery budget, every few hours.
  private func reviewPower(_ condition: BatteryCondition, now: Moment) {
    guard tracker.settings.budget != nil,
      powerController.reviewed.map({ now - $0 >= PowerBudget.pause }) ?? true
    else { return }
    let account = energyMonitor.ledger.account(now: now)
    guard let use = PowerUse(account, condition, capacity: configuration.capacityMAh) else { return }
    powerController.reviewed = now
    let before = tracker.budget.stretch
    process(.powerUse(use), now: now)
    if tracker.budget.stretch != before { changeDeliveries() }
  }

  /// The status of power level and battery budget; nil if the supply is unlimited.
  var powerReport: StatusReport.Power? {
    guard tracker.settings.power != nil else { return nil }
    let power = tracker.power
    var report = StatusReport.Power(level: power.level.rawValue, reason: power.cause.text)
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
      report.budget = budget.text
    }
    return report
  }

  private static func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}
