import Quantities

/// The limits of the power levels, from the settings.
public struct PowerRules: Equatable, Sendable {
  /// The limits of one quantity, in its unit. Nil: the quantity does not cause that level.
  public struct Limits: Equatable, Sendable {
    public var low: Double?
    public var critical: Double?
    /// Hysteresis: distance above a limit at which its level is left; more than 0.
    public let gap: Double
    /// The hysteresis while charging.
    var gapWhileCharging: Double { gap * 0.4 }

    /// Creates limits. `resume` is the value at which `low`, or without it `critical`, is left. If it is at or below
    /// that limit, `leastGap` applies.
    public init(low: Double?, critical: Double?, resume: Double, leastGap: Double) {
      self.low = low
      self.critical = critical
      let limit = low ?? critical ?? resume
      gap = max(resume - limit, leastGap)
    }

    /// The level of a value, with hysteresis for a device at `level`, and the limit that decided.
    func level(of value: Double, from level: PowerLevel, isCharging: Bool) -> (
      level: PowerLevel, limit: Double
    ) {
      let gap = isCharging ? gapWhileCharging : gap
      if let critical {
        let limit = level == .critical ? critical + gap : critical
        if level == .critical ? value < limit : value <= limit { return (.critical, limit) }
      }
      guard let low else { return (.normal, (critical ?? value) + gap) }
      let limit = level == .normal ? low : low + gap
      let isLow = level == .normal ? value <= limit : value < limit
      return (isLow ? .low : .normal, limit)
    }
  }

  /// Limits of the charge in percent.
  public var charge: Limits?
  /// Limits of the voltage in V over all cells, or of the supply.
  public var voltage: Limits?
  /// Limits of the voltage in V, used if neither the charge nor ``voltage`` is available.
  public var voltageWithoutCharge: Limits?
  /// Coldest cell temperature in °C; nil for no limit.
  public var coldest: Double?
  /// Hottest cell temperature in °C; nil for no limit.
  public var hottest: Double?
  /// Number of consecutive readings that a change of level requires.
  public var confirmations = 3

  /// Hysteresis of the cell temperature in °C.
  static let temperatureGap = 3.0
  /// Time without a reading after which the level is normal, because a lost gauge must not stop the device.
  static let readingTimeout = Duration.seconds(3600)
  /// Time after which a constant voltage, or a charge without voltage, at another level than normal means a stuck
  /// gauge.
  static let stuckVoltage = Duration.seconds(24 * 3600)
  static let stuckCharge = Duration.seconds(7 * 24 * 3600)

  public init() {}

  /// The level that one quantity of a reading calls for.
  struct LevelProposal: Equatable, Sendable {
    var level: PowerLevel
    var cause: PowerCause
  }

  /// The level that a reading calls for, with hysteresis for a device at `level`; nil if the reading has no usable
  /// value.
  func proposal(_ reading: PowerReading, from level: PowerLevel) -> LevelProposal? {
    if case .full = reading.state { return LevelProposal(level: .normal, cause: .charger) }
    let isCharging = reading.state == .charging
    var proposals: [LevelProposal] = []
    if let percent = reading.percent, let charge {
      let (proposed, limit) = charge.level(of: percent, from: level, isCharging: isCharging)
      proposals.append(LevelProposal(level: proposed, cause: .charge(percent, limit: limit)))
    }
    let limits = voltage ?? (reading.percent == nil || charge == nil ? voltageWithoutCharge : nil)
    if let volts = reading.voltage, let limits {
      let (proposed, limit) = limits.level(of: volts, from: level, isCharging: isCharging)
      proposals.append(LevelProposal(level: proposed, cause: .voltage(volts, limit: limit)))
    }
    if let temperature = reading.temperature, let proposal = proposal(temperature, from: level) {
      proposals.append(proposal)
    }
    // Of equal levels the first counts: the charge is the best evidence.
    var worst = proposals.first
    for proposal in proposals.dropFirst() where proposal.level > worst?.level ?? .normal { worst = proposal }
    if worst == nil, isCharging { return LevelProposal(level: .normal, cause: .charger) }
    return worst
  }

  private func proposal(_ temperature: Double, from level: PowerLevel) -> LevelProposal? {
    let gap = level == .normal ? 0 : Self.temperatureGap
    if let coldest, temperature < coldest + gap {
      return LevelProposal(level: .low, cause: .temperature(temperature, limit: coldest))
    }
    if let hottest, temperature > hottest - gap {
      return LevelProposal(level: .low, cause: .temperature(temperature, limit: hottest))
    }
    return nil
  }
}
