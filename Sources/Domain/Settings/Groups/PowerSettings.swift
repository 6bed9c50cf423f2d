import Quantities

/// The limits of the power levels, and the battery budget.
public struct PowerSettings: Equatable, Sendable {
  /// Low charge in percent; nil if off.
  public var low: Double? = Schema.powerLow.fallback
  public var critical: Double? = Schema.powerCritical.fallback
  public var resume: Double = Schema.powerResume.fallback
  /// Low voltage of the whole battery or supply in V; nil if off.
  public var lowVolts: Double? = Schema.powerLowVolts.fallback
  public var criticalVolts: Double? = Schema.powerCriticalVolts.fallback
  public var resumeVolts: Double? = Schema.powerResumeVolts.fallback
  public var underVolts: Double? = Schema.powerUnderVolts.fallback
  public var overVolts: Double? = Schema.powerOverVolts.fallback
  /// Lowest temperature of the cells in °C; nil if off.
  public var coldest: Double? = Schema.powerColdest.fallback
  public var hottest: Double? = Schema.powerHottest.fallback
  /// Date until which the battery should last; nil if off.
  public var lastUntil: CalendarDate? = Schema.powerLastUntil.fallback
  /// Reserve in percent.
  public var reserve: Double = Schema.powerReserve.fallback
  /// Capacity of the battery in mAh; nil for that of the gauge.
  public var capacityMAh: Double? = Schema.powerCapacity.fallback

  public init() {}
}

extension Schema {
  static let powerLow = Of<Double?>(
    "power.low", \.power.low, .offOr(.number(0...100, "%")), default: 15, applies: .atOnce,
    effect: .requires(.charge),
    "Charge at which the battery is low, in percent. Fixes are then taken sparsely and sent every "
      + "half hour at most, so that the remaining charge lasts several times as long. Three readings in "
      + "succession decide, here and for the other limits. Without a gauge, or with a lost one, nothing "
      + "is reduced.")
  static let powerCritical = Of<Double?>(
    "power.critical", \.power.critical, .offOr(.number(0...100, "%")), default: 6, applies: .atOnce,
    effect: .requires(.charge),
    "Charge at which the battery is critical, in percent. One last location is recorded and sent, "
      + "and the receiver stays off until the battery has recovered. Off runs the device until its "
      + "supply ends, which costs the last location and strains the cell.")
  static let powerResume = Of<Double>(
    "power.resume", \.power.resume, .number(0...100, "%"), default: 20, applies: .atOnce,
    effect: .requires(.chargeLimit),
    "Charge at which a low battery has recovered, in percent. A critical battery has recovered as "
      + "far above power.critical as this is above power.low. While charging, less is enough. The "
      + "smaller the difference, the more often the power level changes.")
  static let powerLowVolts = Of<Double?>(
    "power.low_V", \.power.lowVolts, .offOr(.number(0.5...100, "V")), default: nil, applies: .atOnce,
    effect: .requires(.voltage),
    "Voltage of the battery or the vehicle's supply at which it is low, in V, whatever charge is "
      + "reported. Without it, a battery of unknown charge counts as lithium, at 3.45 V per cell, and a "
      + "vehicle's supply is never low. 12.2 V spares a 12 V lead battery.")
  static let powerCriticalVolts = Of<Double?>(
    "power.critical_V", \.power.criticalVolts, .offOr(.number(0.5...100, "V")), default: nil,
    applies: .atOnce, effect: .requires(.voltage),
    "Voltage at which the battery is critical, in V, as with power.critical. 11.9 V keeps a vehicle "
      + "with a 12 V lead battery able to start.")
  static let powerResumeVolts = Of<Double?>(
    "power.resume_V", \.power.resumeVolts, .offOr(.number(0.5...100, "V")), default: nil, applies: .atOnce,
    effect: .requires(.voltageLimit),
    "Voltage at which a low battery has recovered, in V, as with power.resume. Off uses 3 % above "
      + "the limit. The voltage rises when the load ends, so keep a distance.")
  static let powerUnderVolts = Of<Double?>(
    "power.under_V", \.power.underVolts, .offOr(.number(0.5...100, "V")), default: nil,
    applies: .afterRestart, effect: .requires(.gauge),
    "Undervoltage limit of the whole battery or supply, in V. Falling below it is an event; the "
      + "recovery, 2 % above, is another. Three readings in succession decide. Nothing else changes, "
      + "unlike with power.low_V. It requires a gauge or power monitor. 4.75 V suits a 5 V supply.")
  static let powerOverVolts = Of<Double?>(
    "power.over_V", \.power.overVolts, .offOr(.number(0.5...100, "V")), default: nil, applies: .afterRestart,
    effect: .requires(.gauge),
    "Overvoltage limit of the whole battery or supply, in V, as with power.under_V. 15 V reveals a "
      + "failing charging regulator in a 12 V vehicle.")
  static let powerColdest = Of<Double?>(
    "power.coldest_C", \.power.coldest, .offOr(.number(-60...30, "°C")), default: -20, applies: .atOnce,
    effect: .requires(.charge),
    "Cell temperature below which the battery counts as low, in °C. Cold cells deliver less than the "
      + "reported charge. It requires a gauge that measures the temperature of the cells.")
  static let powerHottest = Of<Double?>(
    "power.hottest_C", \.power.hottest, .offOr(.number(30...100, "°C")), default: 60, applies: .atOnce,
    effect: .requires(.charge),
    "Cell temperature above which the battery counts as low, in °C. Heat wears the cells. It "
      + "requires a gauge that measures the temperature of the cells.")
  static let powerLastUntil = Of<CalendarDate?>(
    "power.last_until", \.power.lastUntil, .offOr(.date), default: nil, applies: .atOnce,
    effect: .requires(.capacity),
    "Date to whose start (UTC) the battery must last. Until the charge suffices, position checks, "
      + "sparse sampling and sends are spaced out by a factor of up to 48, at most to one day. Level H "
      + "gives way to level S. It requires a gauge, the battery's capacity and, for accuracy, the "
      + "currents of the board. It is reviewed every six hours.")
  static let powerReserve = Of<Double>(
    "power.reserve", \.power.reserve, .number(0...90, "%"), default: 10, applies: .atOnce,
    effect: .requires(.lastUntil),
    "Charge in percent that power.last_until leaves for alarms and the last location. A value below "
      + "power.critical counts as power.critical.")
  static let powerCapacity = Of<Double?>(
    "power.capacity_mAh", \.power.capacityMAh, .offOr(.number(1...1_000_000, "mAh")), default: nil,
    applies: .atOnce, effect: .requires(.ownCapacity),
    "Capacity of the battery in mAh if gauge.capacity_mAh does not give it, as for a battery of the "
      + "kernel. Without either there is no forecast.")
}

extension PowerSettings {
  /// The declarations in the order of the reference.
  static let declared: [any SettingDeclaration<Configuration>] = [
    Schema.powerLow, Schema.powerCritical, Schema.powerResume, Schema.powerLowVolts,
    Schema.powerCriticalVolts, Schema.powerResumeVolts, Schema.powerUnderVolts, Schema.powerOverVolts,
    Schema.powerColdest, Schema.powerHottest, Schema.powerLastUntil, Schema.powerReserve,
    Schema.powerCapacity,
  ]
}
