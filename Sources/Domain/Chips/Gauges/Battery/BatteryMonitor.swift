import Quantities

/// A change of the battery or gauge that is worth a record in the log.
public enum BatteryEvent: Hashable, Sendable {
  case chargerAttached
  case chargerRemoved
  /// The battery was charged and is full; reported once until it was discharged.
  case full(percent: Double?)
  /// V of all cells in series, or of the supply; reported once until the voltage has changed sides again.
  case supply(SupplyRange.Side, voltage: Double)
  /// Percent and V; reported once until the battery was charged or has recovered.
  case low(percent: Double?, voltage: Double?)
  /// The gauge's percentage and the V of a cell contradict each other; reported once until they agree.
  case gaugeContradictsItself(percent: Double, cellVoltage: Double)
  /// A voltage in V that is impossible for the configured number of cells in series; reported once until it
  /// is possible. There are more cells than configured.
  case voltageDoesNotFit(voltage: Double, cells: Int)
  /// The gauge lost its supply and must learn the battery again.
  case gaugeWasReset
  case gaugeFellSilent
  case gaugeIsBack
}

/// Validates gauge readings and derives the battery state.
///
/// The owner passes each reading with its time, and calls ``lapse(at:)`` at ``nextDeadline``. Both return the
/// events and update the ``condition``.
public struct BatteryMonitor: Sendable {
  public let rules: BatteryRules
  public let supply: BatteryRules.Supply
  public private(set) var condition = BatteryCondition()

  private var charge: ChargeFilter
  private var state: ChargeState
  private var trend = VoltageTrend()
  /// Time of the last reading; nil before the first.
  public private(set) var lastReading: Moment?
  private var isSilent = false
  private var wasPlugged: Bool?
  private var isLow = false
  private var isAboveAllCells = false
  private var range: SupplyRange
  /// True if the battery was charged since it was last full or discharging.
  private var wasCharging = false
  private var hasReportedFull = false

  public init(measuring supply: BatteryRules.Supply, rules: BatteryRules = BatteryRules()) {
    self.supply = supply
    self.rules = rules
    range = rules.range
    charge = ChargeFilter(rules)
    state = ChargeState(rules.openCircuit)
  }

  /// The time at which ``lapse(at:)`` is due unless a reading comes before; nil if no value can become
  /// outdated.
  public var nextDeadline: Moment? {
    guard !isSilent else { return nil }
    let (timeout, overflow) = rules.readingInterval.wholeNanoseconds
      .multipliedReportingOverflow(by: Int64(max(1, rules.missedReadings)))
    return lastReading.map { $0 + Duration(wholeNanoseconds: overflow ? .max : max(0, timeout)) }
  }

  /// Discards outdated values. A failed reading requires no separate call.
  public mutating func lapse(at now: Moment) -> [BatteryEvent] {
    guard let nextDeadline, now >= nextDeadline else { return [] }
    isSilent = true
    condition = BatteryCondition()
    condition.doubt = .silent
    trend.forget()
    state.forget()
    return [.gaugeFellSilent]
  }

  public mutating func take(_ raw: GaugeReading, at now: Moment) -> [BatteryEvent] {
    var events = lapse(at: now)
    if isSilent { events.append(.gaugeIsBack) }
    (isSilent, lastReading) = (false, now)
    switch supply {
    case .vehicle:
      condition = BatteryCondition()
      condition.voltage = raw.voltage.flatMap { (0...100).contains($0) ? $0 : nil }
    case .battery(let cells, let capacity):
      let count = max(1, raw.cells ?? cells)
      // If the gauge knows its number of cells, such a voltage is a fault that no setting can correct.
      if raw.cells == nil { reportImplausibleVoltage(raw.voltage, cells: count, &events) }
      assess(raw, cells: Double(count), capacity: capacity, at: now, &events)
    }
    if let voltage = condition.voltage, let side = range.take(voltage) {
      events.append(.supply(side, voltage: voltage))
    }
    return events
  }

  private mutating func assess(
    _ raw: GaugeReading, cells: Double, capacity: Double?, at now: Moment, _ events: inout [BatteryEvent]
  ) {
    let reading = raw.plausible(cells: cells)
    let cellVoltage = reading.voltage.map { $0 / cells }
    if reading.wasReset { events.append(.gaugeWasReset) }

    // A voltage near zero is impossible for a cell, and so is the percentage with it: a data line stuck low
    // reads as zeros.
    let checkedVoltage = cellVoltage ?? raw.voltage.flatMap { $0 / cells < 0.5 ? $0 / cells : nil }
    let contradicted = charge.contradictsVoltage
    let verdict = charge.assess(
      reading.stateOfCharge, cellVoltage: checkedVoltage, wasReset: reading.wasReset, at: now)
    if charge.contradictsVoltage, !contradicted, let percent = reading.stateOfCharge, let checkedVoltage {
      events.append(.gaugeContradictsItself(percent: percent, cellVoltage: checkedVoltage))
    }

    if let cellVoltage { trend.add(cellVoltage, at: now) }
    state.take(
      ChargeState.Evidence(
        reading: reading, cellVoltage: cellVoltage, percent: verdict.percent, slope: trend.slope,
        capacity: capacity))

    condition.state = state.state
    (condition.percent, condition.doubt) = (verdict.percent, verdict.doubt)
    condition.voltage = reading.voltage
    condition.rate = reading.rate
    condition.current = current(of: reading, capacity: capacity)
    (condition.temperature, condition.temperatureSource) = (reading.temperature, reading.temperatureSource)
    reportCharger(reading, &events)
    reportFull(&events)
    reportLow(cellVoltage, &events)
  }

  /// The charge in percent below which a full battery counts as used.
  private static let used = 90.0

  /// Reports a full battery once, even if the charger tops it up repeatedly.
  private mutating func reportFull(_ events: inout [BatteryEvent]) {
    switch condition.state {
    case .charging: wasCharging = true
    case .unplugged: (wasCharging, hasReportedFull) = (false, false)
    case .full:
      if wasCharging, !hasReportedFull {
        hasReportedFull = true
        events.append(.full(percent: condition.percent))
      }
      wasCharging = false
    case .unknown: break
    }
    if let percent = condition.percent, percent < Self.used { hasReportedFull = false }
  }

  /// Hysteresis of an impossible cell voltage in V.
  private static let voltageHysteresis = 0.5

  private mutating func reportImplausibleVoltage(
    _ voltage: Double?, cells: Int, _ events: inout [BatteryEvent]
  ) {
    guard let voltage, voltage.isFinite else { return }
    let wasAbove = isAboveAllCells
    let limit = GaugeReading.cellVoltages.upperBound - (wasAbove ? Self.voltageHysteresis : 0)
    isAboveAllCells = voltage / Double(cells) > limit
    if isAboveAllCells, !wasAbove { events.append(.voltageDoesNotFit(voltage: voltage, cells: cells)) }
  }

  private func current(of reading: GaugeReading, capacity: Double?) -> BatteryCurrent? {
    if let current = reading.current { return BatteryCurrent(milliamperes: current, source: .measured) }
    guard let rate = reading.rate, let capacity, (1...1_000_000).contains(capacity) else { return nil }
    return BatteryCurrent(milliamperes: rate * capacity / 100, source: .estimated)
  }

  private mutating func reportCharger(_ reading: GaugeReading, _ events: inout [BatteryEvent]) {
    let isPlugged: Bool?
    switch condition.state {
    case .charging, .full: isPlugged = true
    case .unplugged: isPlugged = false
    case .unknown: isPlugged = reading.isPlugged
    }
    condition.isPlugged = isPlugged
    guard let isPlugged else { return }
    if let wasPlugged, wasPlugged != isPlugged {
      events.append(isPlugged ? .chargerAttached : .chargerRemoved)
    }
    wasPlugged = isPlugged
  }

  private mutating func reportLow(_ cellVoltage: Double?, _ events: inout [BatteryEvent]) {
    let (isBelow, hasRecovered): (Bool, Bool)
    if let percent = condition.percent {
      (isBelow, hasRecovered) = (percent <= rules.low, percent >= rules.low + 5)
    } else if let cellVoltage {
      (isBelow, hasRecovered) = (
        cellVoltage <= rules.lowCellVoltage, cellVoltage >= rules.lowCellVoltage + 0.15
      )
    } else {
      return
    }
    if isLow {
      isLow = !hasRecovered && condition.state != .charging
    } else if isBelow, condition.state != .charging {
      isLow = true
      events.append(.low(percent: condition.percent, voltage: condition.voltage))
    }
  }
}

extension GaugeReading {
  /// The possible voltages of a cell in V.
  static let cellVoltages = 0.5...6.0

  /// The reading without values that are impossible for a battery.
  fileprivate func plausible(cells: Double) -> GaugeReading {
    var reading = self
    reading.voltage = voltage.flatMap { Self.cellVoltages.contains($0 / cells) ? $0 : nil }
    reading.current = current.flatMap { (-100_000...100_000).contains($0) ? $0 : nil }
    reading.rate = rate.flatMap { (-1000...1000).contains($0) ? $0 : nil }
    reading.temperature = temperature.flatMap { (-60...150).contains($0) ? $0 : nil }
    if reading.temperature == nil { reading.temperatureSource = nil }
    return reading
  }
}
