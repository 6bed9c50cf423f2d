import Chips
import Devices
import Quantities
import Records
import Settings
import SystemLoop
import Tracking

extension Logger {
  /// Starts the fuel gauge of the board, if one is configured. Logging does not depend on it.
  func startGauge() {
    let monitor = BatteryMonitor(
      measuring: BatteryRules.Supply(configuration), rules: BatteryRules(configuration))
    switch configuration.gauge {
    case nil: break
    case .powerSupply(let name, _):
      start(GaugeSource(loop: loop, gauge: PowerSupplyGauge(name: name), monitor: monitor))
    case .part(let settings):
      guard let part = GaugePart.named(settings.chip),
        let address = settings.address.map({ I2CAddress($0) }) ?? part.addresses.first
      else {
        journal.log(.warning, "gauge.chip: no driver for \(settings.chip); the battery state is unknown")
        return
      }
      let gauge = BusGauge(
        path: settings.bus, part: part, address: address, wiring: GaugeWiring(settings), openBus: openBus)
      start(GaugeSource(loop: loop, gauge: gauge, monitor: monitor))
    }
  }

  private func start(_ gauge: GaugeSource) {
    let measuresBattery = configuration.supply == .battery
    if measuresBattery { process(.battery(Battery(state: .unknown, percent: nil)), now: loop.now) }
    gauge.onReading = { [unowned self] condition in processPowerReading(condition, now: loop.now) }
    gauge.onCondition = { [unowned self, unowned gauge] condition in
      reportSupply(gauge.snapshot, measuresBattery: measuresBattery)
      // For a vehicle or mains, a monitor measures the voltage, which is no state of charge.
      if measuresBattery { recordEnergy(condition, now: loop.now) }
      guard measuresBattery || configuration.isGaugeBelieved else { return }
      process(.battery(Battery(condition)), now: loop.now)
    }
    gauge.onNotice = { [unowned self, unowned gauge] notice in
      process(.occurred(EventRecord(notice, of: gauge.location)), now: loop.now)
      switch notice {
      case .lost, .returned: reportSupply(gauge.snapshot, measuresBattery: measuresBattery)
      case .battery: break
      }
    }
    self.gauge = gauge
    gauge.start()
  }

  /// Passes the supply to the tracker as a motion sensor; nil while the gauge is lost, even if its last reading is fresh.
  private func reportSupply(_ snapshot: GaugeSource.Snapshot, measuresBattery: Bool) {
    let reading = snapshot.loss == nil ? SupplyReading(snapshot.condition, ofBattery: measuresBattery) : nil
    process(.supply(reading), now: loop.now)
  }
}

extension GaugeWiring {
  init(_ settings: GaugePartSettings) {
    self.init(
      shunt: settings.shuntOhm, largestCurrent: settings.largestCurrentA, capacity: settings.capacityMAh,
      isReversed: settings.isReversed)
  }
}

extension BatteryRules {
  init(_ configuration: Configuration) {
    self.init()
    range = SupplyRange(least: configuration.power.underVolts, most: configuration.power.overVolts)
  }
}

extension BatteryRules.Supply {
  init(_ configuration: Configuration) {
    switch configuration.supply {
    case .battery:
      var capacity: Double?
      if case .part(let part)? = configuration.gauge { capacity = part.capacityMAh }
      self = .battery(cells: configuration.gauge?.cells ?? 1, capacity: capacity)
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
  var isGaugeBelieved: Bool {
    guard supply == .mains, (origins["supply"] ?? .default) == .default else { return false }
    return switch gauge {
    case nil: false
    case .powerSupply: true
    case .part(let settings): GaugePart.named(settings.chip)?.cells != nil
    }
  }
}

extension SupplyReading {
  /// The reading of the supply. A vehicle and mains are no charger of the device's battery.
  init(_ condition: BatteryCondition, ofBattery: Bool) {
    self.init(voltage: condition.voltage)
    guard ofBattery else { return }
    switch condition.state {
    case .charging, .full: isCharging = true
    case .unplugged: isCharging = false
    case .unknown: break
    }
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
