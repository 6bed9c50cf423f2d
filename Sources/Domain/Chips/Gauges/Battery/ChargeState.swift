import Quantities

/// Distinguishes charging, full and unplugged, with hysteresis in value and in time.
struct ChargeState: Sendable {
  /// Direction of the charge according to one reading.
  enum Flow: Hashable, Sendable { case charging, steady, discharging }

  /// One reading with the values derived from it.
  struct Evidence {
    var reading: GaugeReading
    var cellVoltage: Double?
    var percent: Double?
    /// Change of the cell voltage in V per hour.
    var slope: Double?
    /// Capacity of the battery in mAh.
    var capacity: Double?
  }

  /// Smallest rate of a charging or discharging battery in percent per hour.
  private static let rate = 0.8
  /// Smallest change of the cell voltage of such a battery in V per hour.
  private static let slope = 0.015
  /// Number of successive readings that confirm a change.
  private static let confirmations = 2
  /// Smallest charge of a full battery in percent.
  private static let fullPercent = 97.0
  /// Fall of the voltage of a full cell in V when its charger is removed.
  private static let sag = 0.06

  private let curve: OpenCircuitVoltage?
  private(set) var state: BatteryState = .unknown
  private var pending: (state: BatteryState, readings: Int)?
  private var isFirst = true
  /// Maximum cell voltage in V since the battery is full.
  private var fullVoltage: Double?

  init(_ curve: OpenCircuitVoltage?) { self.curve = curve }

  mutating func take(_ evidence: Evidence) {
    let (indicated, isReported) = indicated(by: evidence)
    defer { if state != .full { fullVoltage = nil } }
    if state == .full, let voltage = evidence.cellVoltage {
      fullVoltage = max(fullVoltage ?? voltage, voltage)
    }
    guard indicated != state else {
      pending = nil
      return
    }
    let readings = pending?.state == indicated ? (pending?.readings ?? 0) + 1 : 1
    pending = (indicated, readings)
    guard isReported || isFirst || readings >= Self.confirmations else { return }
    (state, pending, isFirst) = (indicated, nil, false)
  }

  /// Resets the state to unknown.
  mutating func forget() { self = ChargeState(curve) }

  private func indicated(by evidence: Evidence) -> (BatteryState, isReported: Bool) {
    let reading = evidence.reading
    guard reading.deniesCharging, reading.isPlugged == nil else { return derived(from: evidence) }
    if flow(of: evidence) == .discharging { return (.unplugged, false) }
    let isStillFull = state == .full && isAtTop(evidence) && !hasSagged(evidence)
    return (isStillFull ? .full : .unknown, state == .charging)
  }

  private func derived(from evidence: Evidence) -> (BatteryState, isReported: Bool) {
    let reading = evidence.reading
    if reading.isPlugged == false { return (.unplugged, true) }
    let flow = flow(of: evidence)
    let isReported = reading.isCharging != nil || reading.isPlugged != nil
    if reading.isFull == true, flow != .discharging { return (.full, true) }
    let isAtTop = reading.isFull ?? isAtTop(evidence)
    switch flow {
    case .charging: return (state == .full && isAtTop ? .full : .charging, isReported)
    // Plugged in while discharging means that the supply is too weak; no state describes this.
    case .discharging: return (reading.isPlugged == true ? .unknown : .unplugged, isReported)
    case .steady:
      if reading.isPlugged == true {
        // A charger also stops below the top: at a limit, for the temperature, or for a fault. No state describes this.
        let isComplete = reading.isCharging == false && isComplete(evidence)
        return (isAtTop || isComplete ? .full : .unknown, isReported)
      }
      switch state {
      case .unknown, .unplugged: return (state, false)
      case .charging: return (isAtTop ? .full : .unknown, false)
      case .full: return (hasSagged(evidence) ? .unplugged : .full, false)
      }
    case nil: return (state, false)
    }
  }

  private func flow(of evidence: Evidence) -> Flow? {
    let reading = evidence.reading
    if let isCharging = reading.isCharging {
      if isCharging { return .charging }
      if let current = reading.current, current < 0 { return .discharging }
      return .steady
    }
    if let current = reading.current {
      return flow(current, beyond: max(5, (evidence.capacity ?? 2000) / 100))
    }
    if let rate = reading.rate { return flow(rate, beyond: Self.rate) }
    return evidence.slope.map { flow($0, beyond: Self.slope) }
  }

  /// Derives the flow from a value. A flow that already applies requires only half the threshold of a new one.
  private func flow(_ value: Double, beyond threshold: Double) -> Flow {
    if value > (state == .charging ? threshold / 2 : threshold) { return .charging }
    if value < (state == .unplugged ? threshold / -2 : -threshold) { return .discharging }
    return .steady
  }

  /// True if voltage and charge permit a full battery; the end of the charging current is checked separately.
  private func isAtTop(_ evidence: Evidence) -> Bool {
    guard let voltage = evidence.cellVoltage, let curve else {
      return (evidence.percent ?? 0) >= Self.fullPercent
    }
    guard let percent = evidence.percent else { return voltage >= curve.top + 0.07 }
    return voltage >= curve.top && percent >= Self.fullPercent || voltage >= curve.top + 0.07 && percent >= 90
  }

  /// True if the charge is that of a full battery, for a charger that reports that it has stopped.
  private func isComplete(_ evidence: Evidence) -> Bool {
    isAtTop(evidence) || evidence.percent ?? 0 >= Self.fullPercent
  }

  /// True if the voltage has fallen since the battery was full. Only a gauge without current measurement must use this.
  private func hasSagged(_ evidence: Evidence) -> Bool {
    guard evidence.reading.current == nil, let fullVoltage, let voltage = evidence.cellVoltage else {
      return false
    }
    return voltage < fullVoltage - Self.sag
  }
}
