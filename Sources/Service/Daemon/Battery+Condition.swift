import Chips
import Energy
import Quantities
import Scheduling
import Tracking

extension PowerUse {
  /// The use of power by the ledger; nil before any use is measured.
  init?(_ account: ChargeAccount, _ condition: BatteryCondition, capacity: Double?) {
    let drawn = account.total + (account.unexplained ?? .zero)
    guard drawn > .zero else { return nil }
    let isSampling: [EnergyShare] = [
      .receiver(.searching), .receiver(.settling), .receiver(.tracking), .receiver(.cyclic), .radioSending,
      .radioTail,
    ]
    let percent = condition.percent
    self.init(
      remaining: capacity.flatMap { capacity in
        percent.map { Charge(milliampereHours: capacity * $0 / 100) }
      }, drawn: drawn,
      sampled: isSampling.reduce(.zero) { $0 + (account.entries[$1]?.charge ?? .zero) },
      ran: account.duration,
      temperature: PowerReading(condition).temperature)
  }
}

extension PowerReading {
  init(_ condition: BatteryCondition) {
    let isOfCells = condition.temperatureSource == .battery
    self.init(
      condition.state, percent: condition.percent, voltage: condition.voltage,
      temperature: isOfCells ? condition.temperature : nil)
  }
}

extension SupplyReading {
  /// The reading of the supply. A vehicle and mains are no charger of the device's battery.
  init(_ condition: BatteryCondition, ofBattery: Bool) {
    self.init(voltage: condition.voltage)
    guard ofBattery else { return }
    isCharging = condition.isPlugged
  }
}

extension Battery {
  /// The battery of a record, with the charge truncated to whole percent as in the Overland protocol.
  init(_ condition: BatteryCondition) {
    self.init(
      state: condition.state,
      percent: condition.percent.flatMap { UInt8(exactly: min(max($0, 0), 100).rounded(.down)) })
  }
}
