import Chips
import Energy
import Quantities
import Scheduling
import Settings

extension PowerRules {
  /// Voltages of a lithium cell in V that apply while the charge is unknown.
  private static let cellVolts = (low: 3.45, critical: 3.3, resume: 3.6, leastGap: 0.05)

  /// The limits of the power levels; nil if the supply is unlimited.
  package init?(_ configuration: Configuration) {
    let power = configuration.power
    self.init()
    if power.lowVolts != nil || power.criticalVolts != nil {
      let limit = power.lowVolts ?? power.criticalVolts ?? 0
      voltage = Limits(
        low: power.lowVolts, critical: power.criticalVolts, resume: power.resumeVolts ?? limit * 1.03,
        leastGap: limit * 0.005)
    }
    switch configuration.supply {
    case .mains: return nil
    case .vehicle: if voltage == nil { return nil }
    case .battery:
      if power.low != nil || power.critical != nil {
        charge = Limits(low: power.low, critical: power.critical, resume: power.resume, leastGap: 1)
        let cells = Double(max(configuration.gauge?.cells ?? 1, 1))
        voltageWithoutCharge = Limits(
          low: power.low.map { _ in Self.cellVolts.low * cells },
          critical: power.critical.map { _ in Self.cellVolts.critical * cells },
          resume: Self.cellVolts.resume * cells, leastGap: Self.cellVolts.leastGap * cells)
      }
      coldest = power.coldest
      hottest = power.hottest
    }
  }
}

extension PowerBudget.Rules {
  /// The rules of the battery budget; nil if the capacity is unknown.
  package init?(_ configuration: Configuration) {
    guard configuration.supply == .battery, let capacity = configuration.capacityMAh else { return nil }
    let power = configuration.power
    self.init(
      capacity: Charge(milliampereHours: capacity), reserve: max(power.reserve, power.critical ?? 0) / 100,
      until: power.lastUntil.map { Timestamp($0) })
  }
}

extension Configuration {
  /// The nominal capacity of the battery in mAh; nil if it is not configured.
  package var capacityMAh: Double? { gauge?.capacityMAh ?? power.capacityMAh }
}
