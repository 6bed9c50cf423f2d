import Chips
import Devices
import Quantities
import Scheduling
import Settings
import Tracking

extension GaugeWiring {
  package init(_ settings: GaugeSettings) {
    self.init(
      shunt: settings.shuntOhm, largestCurrent: settings.largestCurrentA, capacity: settings.capacityMAh,
      isReversed: settings.isReversed)
  }
}

extension BatteryRules {
  package init(_ configuration: Configuration) {
    self.init()
    range = SupplyRange(least: configuration.power.underVolts, most: configuration.power.overVolts)
  }
}

extension BatteryRules.Supply {
  package init(_ configuration: Configuration) {
    switch configuration.supply {
    case .battery:
      self = .battery(cells: configuration.gauge?.cells ?? 1, capacity: configuration.gauge?.capacityMAh)
    case .mains where configuration.isGaugeBelieved:
      self = .battery(cells: configuration.gauge?.cells ?? 1, capacity: nil)
    case .mains, .vehicle: self = .vehicle
    }
  }
}

extension Configuration {
  /// True if `supply` is not set and there is a gauge of the battery's charge, which power monitors are not.
  ///
  /// Then its readings are recorded instead of the full battery of a device on mains.
  package var isGaugeBelieved: Bool {
    guard supply == .mains, (origins["supply"] ?? .default) == .default else { return false }
    return switch gauge?.source {
    case nil: false
    case .powerSupply: true
    case .chip(let name, _): GaugePart.named(name)?.cells != nil
    }
  }
}

extension LineWiring {
  package init(_ settings: LineSettings) {
    self.init(chip: settings.chip, line: settings.line, isActiveLow: settings.isActiveLow)
  }
}
