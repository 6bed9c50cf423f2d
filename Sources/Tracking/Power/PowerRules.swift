import Quantities

/// Where the levels of the battery begin and end.
public struct PowerRules: Equatable, Sendable {
  /// The limits of one quantity, in its unit. Nil: the quantity does not lead into that level.
  public struct Limits: Equatable, Sendable {
    public var low: Double?
    public var critical: Double?
    /// How far above a limit the quantity must be to leave its level; more than 0.
    public let gap: Double
    /// The same while charge flows in.
    var gapWhileCharging: Double { gap * 0.4 }

    /// `resume` is where `low`, or without it `critical`, is left; at or below that limit it is moved `leastGap` above.
    public init(low: Double?, critical: Double?, resume: Double, leastGap: Double) {
      self.low = low
      self.critical = critical
      let limit = low ?? critical ?? resume
      gap = max(resume - limit, leastGap)
    }

    /// Where a value stands for a box that is at `level`.
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

  /// Percent of charge.
  public var charge: Limits?
  /// V over all cells, or of the supply.
  public var voltage: Limits?
  /// V that count while neither charge nor ``voltage`` can.
  public var voltageWithoutCharge: Limits?
  /// °C of a cell; nil: no limit.
  public var coldest: Double?
  public var hottest: Double?
  /// Readings on end that a change of level takes.
  public var confirmations = 3

  /// °C by which a cell must be within its limits again.
  static let temperatureGap = 3.0
  /// Without a reading for so long the level is normal: a lost gauge strands no box.
  static let patience = Duration.seconds(3600)
  /// A voltage, and a charge without one, that stand still for so long at another level than normal are a stuck gauge's.
  static let stuckVoltage = Duration.seconds(24 * 3600)
  static let stuckCharge = Duration.seconds(7 * 24 * 3600)

  public init() {}

  /// A level that one quantity of a reading asks for.
  struct Wish: Equatable, Sendable {
    var level: PowerLevel
    var cause: PowerCause
  }

  /// What a reading asks of a box that is at `level`; nil where it says nothing.
  func wish(_ reading: PowerReading, from level: PowerLevel) -> Wish? {
    if case .full = reading.state { return Wish(level: .normal, cause: .charger) }
    let isCharging = reading.state == .charging
    var wishes: [Wish] = []
    if let percent = reading.percent, let charge {
      let (wished, limit) = charge.level(of: percent, from: level, isCharging: isCharging)
      wishes.append(Wish(level: wished, cause: .charge(percent, limit: limit)))
    }
    let limits = voltage ?? (reading.percent == nil || charge == nil ? voltageWithoutCharge : nil)
    if let volts = reading.voltage, let limits {
      let (wished, limit) = limits.level(of: volts, from: level, isCharging: isCharging)
      wishes.append(Wish(level: wished, cause: .voltage(volts, limit: limit)))
    }
    if let temperature = reading.temperature, let wish = wish(temperature, from: level) {
      wishes.append(wish)
    }
    // Of equals the first: the charge says most.
    var worst = wishes.first
    for wish in wishes.dropFirst() where wish.level > worst?.level ?? .normal { worst = wish }
    if worst == nil, isCharging { return Wish(level: .normal, cause: .charger) }
    return worst
  }

  private func wish(_ temperature: Double, from level: PowerLevel) -> Wish? {
    let gap = level == .normal ? 0 : Self.temperatureGap
    if let coldest, temperature < coldest + gap {
      return Wish(level: .low, cause: .temperature(temperature, limit: coldest))
    }
    if let hottest, temperature > hottest - gap {
      return Wish(level: .low, cause: .temperature(temperature, limit: hottest))
    }
    return nil
  }
}
