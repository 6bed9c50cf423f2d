import Quantities

// How the box spares its battery.

extension Schema {
  static let powerLow = Of<Double?>(
    "power.low", \.power.low, .offOr(.number(0...100, "%")), default: 15, applies: .atOnce,
    effect: .requires(.charge),
    "Charge at which the battery is low: positions are then taken sparsely and sent each half hour at most, so that "
      + "the rest lasts several times as long. Three readings on end decide, here and below; a box without a gauge, or "
      + "with one that is lost, is never held back.")
  static let powerCritical = Of<Double?>(
    "power.critical", \.power.critical, .offOr(.number(0...100, "%")), default: 6, applies: .atOnce,
    effect: .requires(.charge),
    "Charge at which one last position is recorded and sent and the receiver is switched off until the battery has "
      + "recovered. Off lets the box run until its supply ends, which costs the last position and strains the cell."
  )
  static let powerResume = Of<Double>(
    "power.resume", \.power.resume, .number(0...100, "%"), default: 20, applies: .atOnce,
    effect: .requires(.chargeLimit),
    "Charge from which a battery that was low is well again; critical is left as far above power.critical as this is "
      + "above power.low, and less will do while charge flows in. The nearer, the more often the box goes back and forth."
  )
  static let powerLowVolts = Of<Double?>(
    "power.low_V", \.power.lowVolts, .offOr(.number(0.5...100, "V")), default: nil, applies: .atOnce,
    effect: .requires(.voltage),
    "Voltage of the whole battery, or of a vehicle's supply, at which it counts as low whatever the charge is said to "
      + "be. Without it a battery of unknown charge is judged as lithium, at 3.45 V a cell, and a vehicle's not at all; "
      + "12.2 spares a lead battery of 12 V.")
  static let powerCriticalVolts = Of<Double?>(
    "power.critical_V", \.power.criticalVolts, .offOr(.number(0.5...100, "V")), default: nil,
    applies: .atOnce, effect: .requires(.voltage),
    "The same for power.critical; 11.9 keeps a vehicle with a lead battery of 12 V able to start.")
  static let powerResumeVolts = Of<Double?>(
    "power.resume_V", \.power.resumeVolts, .offOr(.number(0.5...100, "V")), default: nil, applies: .atOnce,
    effect: .requires(.voltageLimit),
    "The same for power.resume; off takes 3 % above the limit. A voltage recovers when the load ends, so keep a distance."
  )
  static let powerUnderVolts = Of<Double?>(
    "power.under_V", \.power.underVolts, .offOr(.number(0.5...100, "V")), default: nil,
    applies: .afterRestart, effect: .requires(.gauge),
    "Voltage of the whole battery or supply below which an event says that it is too low, and another one when it is well "
      + "again, 2 % above; three readings on end decide. Nothing else changes, unlike at power.low_V. Wants a gauge or a "
      + "power monitor; 4.75 suits a supply of 5 V.")
  static let powerOverVolts = Of<Double?>(
    "power.over_V", \.power.overVolts, .offOr(.number(0.5...100, "V")), default: nil, applies: .afterRestart,
    effect: .requires(.gauge),
    "The same above a voltage; 15 shows a charging regulator that fails in a vehicle of 12 V.")
  static let powerColdest = Of<Double?>(
    "power.coldest_C", \.power.coldest, .offOr(.number(-60...30, "°C")), default: -20, applies: .atOnce,
    effect: .requires(.charge),
    "Temperature of the cells below which the battery counts as low; cold cells give less than they are said to hold. "
      + "Wants a gauge that measures the cells.")
  static let powerHottest = Of<Double?>(
    "power.hottest_C", \.power.hottest, .offOr(.number(30...100, "°C")), default: 60, applies: .atOnce,
    effect: .requires(.charge),
    "The same for heat, in which cells wear out.")
  static let powerLastUntil = Of<CalendarDate?>(
    "power.last_until", \.power.lastUntil, .offOr(.date), default: nil, applies: .atOnce,
    effect: .requires(.capacity),
    "Date until whose beginning (UTC) the battery is to last: checks at rest, sparse sampling and sends are then spaced "
      + "out, up to 48 times and a day, until the charge suffices, and level H gives way to level S. Wants a gauge, the "
      + "battery's capacity and, to be exact, the currents of the board; it is looked at every six hours.")
  static let powerReserve = Of<Double>(
    "power.reserve", \.power.reserve, .number(0...90, "%"), default: 10, applies: .atOnce,
    effect: .requires(.lastUntil),
    "Charge that sampling leaves for alarms and the last position when power.last_until is set; less than power.critical "
      + "cannot be used.")
  static let powerCapacity = Of<Double?>(
    "power.capacity_mAh", \.power.capacityMAh, .offOr(.number(1...1_000_000, "mAh")), default: nil,
    applies: .atOnce, effect: .requires(.ownCapacity),
    "Capacity of the battery where gauge.capacity_mAh does not say it, as for a battery of the kernel; without either "
      + "there is no forecast.")
}

/// How the box spares its battery.
public struct PowerSettings: Equatable, Sendable {
  /// Percent; nil: off.
  public var low: Double? = Schema.powerLow.fallback
  public var critical: Double? = Schema.powerCritical.fallback
  public var resume: Double = Schema.powerResume.fallback
  /// V of the whole battery or supply; nil: off.
  public var lowVolts: Double? = Schema.powerLowVolts.fallback
  public var criticalVolts: Double? = Schema.powerCriticalVolts.fallback
  public var resumeVolts: Double? = Schema.powerResumeVolts.fallback
  public var underVolts: Double? = Schema.powerUnderVolts.fallback
  public var overVolts: Double? = Schema.powerOverVolts.fallback
  /// °C of the cells; nil: off.
  public var coldest: Double? = Schema.powerColdest.fallback
  public var hottest: Double? = Schema.powerHottest.fallback
  /// Nil: off.
  public var lastUntil: CalendarDate? = Schema.powerLastUntil.fallback
  /// Percent.
  public var reserve: Double = Schema.powerReserve.fallback
  /// Nil: as the gauge has it.
  public var capacityMAh: Double? = Schema.powerCapacity.fallback

  public init() {}
}
