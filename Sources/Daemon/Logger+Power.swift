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
}

extension Logger {
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
    switch powerDuty.stage {
    case .normal: break
    case .low, .lastPosition:
      settings.sendInterval = settings.sendInterval.map { max($0, Self.sparingInterval) }
    case .survival: settings.sendInterval = nil
    }
    return settings
  }

  /// A reading of the gauge, changed or not.
  func notePower(_ condition: BatteryCondition, now: Moment) {
    guard configuration.supply != .mains else { return }
    tell(.power(PowerReading(condition)), now: now)
  }

  /// Nil where the box has a supply that does not end.
  var powerReport: StatusReport.Power? {
    guard tracker.settings.power != nil else { return nil }
    let power = tracker.power
    return StatusReport.Power(level: power.level.rawValue, reason: power.cause.words)
  }
}
