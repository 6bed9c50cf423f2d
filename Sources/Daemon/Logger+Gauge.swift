import Chips
import Devices
import Quantities
import Records
import Settings
import SystemLoop
import Tracking

extension Logger {
  /// Reads the gauge of the board, where there is one. A logger without it, or with one that fails, is still a logger.
  func startGauge() {
    let judge = BatteryJudge(
      tellsPowerOf: BatteryRules.Supply(configuration), rules: BatteryRules(configuration))
    switch configuration.gauge {
    case nil: break
    case .powerSupply(let name, _):
      start(GaugeSource(loop: loop, gauge: PowerSupplyGauge(name: name), judge: judge))
    case .part(let settings):
      guard let part = GaugePart.named(settings.chip),
        let address = settings.address.map({ I2CAddress($0) }) ?? part.addresses.first
      else {
        journal.say(.warning, "gauge.chip: no driver for \(settings.chip); the battery is unknown")
        return
      }
      let gauge = BusGauge(
        path: settings.bus, part: part, address: address, wiring: GaugeWiring(settings), openBus: openBus)
      start(GaugeSource(loop: loop, gauge: gauge, judge: judge))
    }
  }

  private func start(_ gauge: GaugeSource) {
    let tellsOfBattery = configuration.supply == .battery
    if tellsOfBattery { tell(.battery(Battery(state: .unknown, percent: nil)), now: loop.now) }
    gauge.onReading = { [unowned self] condition in notePower(condition, now: loop.now) }
    gauge.onCondition = { [unowned self, unowned gauge] condition in
      tellSupply(gauge.standing, tellsOfBattery: tellsOfBattery)
      // Of a vehicle or the mains a monitor tells the voltage; that is no state of charge.
      if tellsOfBattery { noteEnergy(condition, now: loop.now) }
      guard tellsOfBattery || configuration.isGaugeBelieved else { return }
      tell(.battery(Battery(condition)), now: loop.now)
    }
    gauge.onNotice = { [unowned self, unowned gauge] notice in
      tell(.occurred(EventRecord(notice, of: gauge.place)), now: loop.now)
      switch notice {
      case .lost, .returned: tellSupply(gauge.standing, tellsOfBattery: tellsOfBattery)
      case .battery: break
      }
    }
    self.gauge = gauge
    gauge.start()
  }

  /// What the supply tells of motion; nothing while the gauge is lost, however fresh its last reading.
  private func tellSupply(_ standing: GaugeSource.Standing, tellsOfBattery: Bool) {
    let reading = standing.loss == nil ? SupplyReading(standing.condition, ofBattery: tellsOfBattery) : nil
    tell(.supply(reading), now: loop.now)
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
  /// Nobody has said what feeds the box, and there is a gauge that tells the charge of a battery: what it tells goes out,
  /// instead of the full battery of a box on the mains. Power monitors tell no charge.
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
  /// A vehicle and the mains are no charger of the box's own battery.
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
  /// The charge cut to whole percent, as the Overland protocol has it.
  init(_ condition: BatteryCondition) {
    self.init(
      state: condition.state,
      percent: condition.percent.flatMap { UInt8(exactly: min(max($0, 0), 100).rounded(.down)) })
  }
}
