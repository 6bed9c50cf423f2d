import Quantities
import Testing

import Chips

@Suite struct BatteryMonitorTests {
  /// A power monitor reports no charge; the voltage of a cell shows when the pack is low.
  @Test(arguments: [(1, 3.9, 3.4), (2, 7.8, 6.8), (4, 15.6, 13.6), (8, 31.2, 27.2)])
  func aPackIsEvaluatedByTheVoltageOfOneCell(_ row: (cells: Int, good: Double, low: Double)) {
    var day = GaugeDay(.battery(cells: row.cells))
    day.take(nil, row.good, current: -300)
    #expect(day.condition.voltage == row.good && day.condition.state == .unplugged && day.events.isEmpty)
    day.take(nil, row.low, current: -300)
    #expect(day.events == [.low(percent: nil, voltage: row.low)])
  }

  @Test func anImpossiblyHighVoltageIsReportedOnce() {
    var day = GaugeDay(.battery())
    day.take(nil, 7.8, minutes: 5)
    #expect(day.events == [.voltageDoesNotFit(voltage: 7.8, cells: 1)] && day.condition.voltage == nil)
    for _ in 0..<5 {
      day.take(nil, 5.9)
      day.take(nil, 6.1)
    }
    #expect(day.events.count == 1, "no repetition near the limit")
    day.take(nil, 3.9)
    #expect(day.events.count == 1 && day.condition.voltage == 3.9)
    day.take(nil, 7.9, minutes: 5)
    #expect(day.events.count == 2)
    day.take(nil, .nan, minutes: 5)
    day.take(nil, .infinity, minutes: 5)
    #expect(day.events.count == 2)
  }

  @Test(arguments: GaugeDay.Reported.allCases) func aDayOfDischargeChargeFullAndUnplugging(
    _ reported: GaugeDay.Reported
  ) {
    var day = GaugeDay()
    day.go(from: 80, to: 10, rate: -8, shift: -0.05, reported: reported)
    #expect(day.condition.state == .unplugged && day.condition.percent == 10)
    #expect(day.events.count == 1, "\(day.events)")
    guard case .low(let percent?, _)? = day.events.first else {
      Issue.record("\(day.events)")
      return
    }
    #expect(percent <= 15 && percent > 14.8)

    day.go(from: 10, to: 99, rate: 40, shift: 0.08, reported: reported)
    #expect(day.condition.state == .charging)
    #expect(day.events.dropFirst() == [.chargerAttached])
    day.take(
      99.5, 4.2, rate: reported == .rate ? 0.2 : nil, current: reported == .current ? 6 : nil, minutes: 60)
    #expect(day.condition.state == .full && day.condition.percent == 99.5)
    day.go(from: 99, to: 90, rate: -8, shift: -0.05, reported: reported)
    #expect(day.condition.state == .unplugged)
    #expect(day.events.dropFirst(2) == [.full(percent: 99.5), .chargerRemoved])
    // Voltages alone need some time to show a slope.
    #expect(
      day.states == (reported == .voltage ? [.unknown] : []) + [.unplugged, .charging, .full, .unplugged])
  }

  @Test func fullIsReportedOnceUntilTheBatteryWasUsed() {
    var day = GaugeDay()
    func full() -> [BatteryEvent] { day.events.filter { if case .full = $0 { true } else { false } } }
    day.take(100, 4.2, rate: 0, minutes: 5)
    #expect(full().isEmpty, "it was not charged")
    day.take(95, 4.1, rate: 6, minutes: 5)
    day.take(99, 4.2, rate: 0, minutes: 5)
    #expect(day.condition.state == .full && full() == [.full(percent: 99)])
    // Topped up from time to time.
    for _ in 0..<5 {
      day.take(96, 4.0, rate: 6, minutes: 5)
      #expect(day.condition.state == .charging)
      day.take(99, 4.2, rate: 0, minutes: 5)
      #expect(day.condition.state == .full)
    }
    #expect(full().count == 1)
    day.take(97, 4.1, rate: -6, minutes: 5)
    day.take(98, 4.1, rate: 6, minutes: 5)
    day.take(99, 4.2, rate: 0, minutes: 5)
    #expect(full().count == 2)
  }

  /// Three successive readings, and a return by 2 %.
  @Test(arguments: [BatteryRules.Supply.vehicle, .battery(cells: 4)])
  func aSupplyOutOfRangeIsReportedOnceUntilItReturns(_ supply: BatteryRules.Supply) {
    var rules = BatteryRules()
    rules.range = SupplyRange(least: 12, most: 15)
    rules.lowCellVoltage = 0
    var day = GaugeDay(supply, rules: rules)
    func read(_ volts: Double...) { for volt in volts { day.take(nil, volt, current: -100) } }
    func reported() -> [BatteryEvent] { day.events.filter { if case .supply = $0 { true } else { false } } }
    read(12.6, 11.9, 11.8, 12.6, 11.9, 11.9)
    #expect(reported().isEmpty)
    read(11.8)
    #expect(reported() == [.supply(.under, voltage: 11.8)])
    read(11.0, 12.1, 12.1, 12.1, 12.2, 12.3, 12.1, 12.3, 12.3)
    #expect(reported().count == 1)
    read(12.4)
    #expect(reported().last == .supply(.within, voltage: 12.4))
    read(15.0, 15.1, 15.1, 15.2, 14.8, 14.8, 14.8, 14.6, 14.6, 14.6)
    #expect(reported().dropFirst(2) == [.supply(.over, voltage: 15.2), .supply(.within, voltage: 14.6)])
    // From one side to the other.
    read(15.5, 15.5, 15.5, 11, 11, 11)
    #expect(reported().dropFirst(4) == [.supply(.over, voltage: 15.5), .supply(.under, voltage: 11)])
  }

  @Test func fullIsNotAHundredPercent() {
    var day = GaugeDay()
    day.take(100, 4.18, rate: -6, minutes: 5)
    #expect(day.condition.state == .unplugged && day.condition.percent == 100)
    day.take(100, 4.2, rate: 12, minutes: 5)
    #expect(day.condition.state == .charging)
    var full = GaugeDay()
    full.take(94, 4.2, rate: 5, minutes: 3)
    full.take(94, 4.2, rate: 0, minutes: 3)
    #expect(full.condition.state == .full && full.condition.percent == 94)
  }

  @Test func aGaugesOwnStateIsUsedImmediately() {
    var day = GaugeDay()
    var reading = GaugeReading()
    (reading.stateOfCharge, reading.voltage, reading.isPlugged, reading.isCharging) = (60, 3.9, true, true)
    day.take(reading)
    #expect(day.condition.state == .charging)
    (reading.isPlugged, reading.isCharging) = (false, false)
    day.take(reading)
    #expect(day.condition.state == .unplugged)
    (reading.isPlugged, reading.isCharging, reading.isFull) = (true, false, true)
    day.take(reading)
    #expect(day.condition.state == .full)
    (reading.isFull, reading.current) = (false, -40)
    day.take(reading)
    #expect(day.condition.state == .unknown, "there is no state for plugged in and discharging")
    #expect(day.events == [.chargerRemoved, .chargerAttached])
  }

  typealias KernelReading = (status: String, percent: Int, volts: Double, current: Int?)

  struct Kernel: Sendable, CustomTestStringConvertible {
    let promise: String
    /// Status, charge in percent, voltage in V and current in mA of a reading per minute.
    let readings: [KernelReading]
    let state: BatteryState
    var isPlugged: Bool?
    var testDescription: String { promise }
  }

  /// A voltage that rises from 3.7 V by 6 mV per minute, or falls from 3.9 V.
  private static func slope(_ status: String, rises: Bool) -> [KernelReading] {
    (0..<30).map { minute in
      KernelReading(status, 60, rises ? 3.7 + Double(minute) * 0.006 : 3.9 - Double(minute) * 0.006, nil)
    }
  }

  static let kernels = [
    Kernel(
      promise: "at a limit of 80 %", readings: [("Not charging", 80, 4.02, 0)], state: .unknown,
      isPlugged: true),
    Kernel(
      promise: "in the middle", readings: [("Not charging", 63, 3.9, nil)], state: .unknown, isPlugged: true),
    Kernel(
      promise: "nearly full", readings: [("Not charging", 94, 4.1, nil)], state: .unknown, isPlugged: true),
    Kernel(promise: "at the top", readings: [("Not charging", 100, 4.18, 0)], state: .full, isPlugged: true),
    Kernel(
      promise: "at the top, rested", readings: [("Not charging", 99, 4.08, nil)], state: .full,
      isPlugged: true),
    Kernel(
      promise: "charged, then stopped by the temperature",
      readings: [("Charging", 70, 3.95, 900), ("Not charging", 70, 3.93, 0)], state: .unknown, isPlugged: true
    ),
    Kernel(
      promise: "full, then used up to the limit",
      readings: [("Full", 100, 4.2, 0)] + Array(repeating: ("Not charging", 88, 4.05, nil), count: 60),
      state: .unknown, isPlugged: true),
    Kernel(
      promise: "not charging while the voltage rises", readings: slope("Not charging", rises: true),
      state: .unknown, isPlugged: true),
    Kernel(promise: "unknown at once", readings: [("Unknown", 60, 3.85, 300)], state: .unknown),
    Kernel(
      promise: "charging, then unknown", readings: [("Charging", 60, 3.9, 500), ("Unknown", 60, 3.9, 500)],
      state: .unknown),
    Kernel(
      promise: "unknown while the voltage rises", readings: slope("Unknown", rises: true), state: .unknown),
    Kernel(
      promise: "unknown while the voltage falls", readings: slope("Unknown", rises: false), state: .unplugged,
      isPlugged: false),
    Kernel(
      promise: "full, then unknown at the top",
      readings: [("Full", 100, 4.2, 0), ("Unknown", 100, 4.2, nil)], state: .full, isPlugged: true),
    Kernel(
      promise: "full, then unknown below",
      readings: [("Full", 100, 4.2, 0), ("Unknown", 80, 3.95, nil), ("Unknown", 80, 3.95, nil)],
      state: .unknown),
    Kernel(
      promise: "a status of a later kernel", readings: slope("Conserving", rises: true), state: .unknown),
    Kernel(
      promise: "no status: the voltage decides", readings: slope("", rises: true), state: .charging,
      isPlugged: true),
    Kernel(promise: "charging", readings: [("Charging", 60, 3.9, nil)], state: .charging, isPlugged: true),
    Kernel(promise: "full", readings: [("Full", 96, 4.15, 0)], state: .full, isPlugged: true),
    Kernel(
      promise: "discharging", readings: [("Discharging", 60, 3.9, nil)], state: .unplugged, isPlugged: false),
  ]

  @Test(arguments: kernels) func aKernelBatteryChargesOnlyIfItSaysSo(_ test: Kernel) {
    var day = GaugeDay()
    for reading in test.readings {
      var uevent = "POWER_SUPPLY_NAME=BAT0\nPOWER_SUPPLY_TYPE=Battery\n"
      if !reading.status.isEmpty { uevent += "POWER_SUPPLY_STATUS=\(reading.status)\n" }
      uevent +=
        "POWER_SUPPLY_CAPACITY=\(reading.percent)\nPOWER_SUPPLY_VOLTAGE_NOW=\(Int(reading.volts * 1e6))\n"
      if let current = reading.current { uevent += "POWER_SUPPLY_CURRENT_NOW=\(current * 1000)\n" }
      day.take(PowerSupplyReading(uevent: Array(uevent.utf8)).reading)
      if reading.status == "Not charging" || reading.status == "Unknown" {
        #expect(day.condition.state != .charging)
      }
    }
    #expect(day.condition.state == test.state, "\(test.promise)")
    #expect(day.condition.isPlugged == test.isPlugged, "\(test.promise)")
  }

  /// A PiJuice or PiSugar that is supplied and does not charge: at its limit, or because it is too cold.
  @Test(arguments: [
    (100.0, 4.19, BatteryState.full), (98, 4.1, .full), (80, 4.0, .unknown), (40, 3.75, .unknown),
  ])
  func aSuppliedGaugeThatDoesNotChargeIsFullOrUnknown(percent: Double, voltage: Double, state: BatteryState) {
    var day = GaugeDay()
    var reading = GaugeReading()
    (reading.stateOfCharge, reading.voltage, reading.isPlugged, reading.isCharging) = (
      percent, voltage, true, true
    )
    day.take(reading)
    #expect(day.condition.state == .charging)
    reading.isCharging = false
    day.take(reading)
    #expect(day.condition.state == state && day.condition.isPlugged == true)
  }

  @Test func aCurrentAtTheThresholdDoesNotFlutter() {
    var day = GaugeDay()
    day.take(60, 3.9, current: 30, minutes: 3)
    for _ in 0..<50 {
      day.take(60, 3.9, current: 19)
      day.take(60, 3.9, current: 21)
      day.take(60, 3.9, current: -30)
      day.take(60, 3.9, current: 15)
    }
    #expect(day.states == [.charging])
  }

  @Test func aSilentGaugeMakesTheConditionUnknown() {
    var day = GaugeDay()
    #expect(day.monitor.nextDeadline == nil)
    day.take(70, 3.93, rate: -6, minutes: 3)
    let deadline = day.now + .seconds(300)
    #expect(day.monitor.nextDeadline == deadline)
    #expect(day.monitor.lapse(at: deadline - .milliseconds(1)).isEmpty && day.condition.percent == 70)
    #expect(day.monitor.lapse(at: deadline) == [.gaugeFellSilent])
    #expect(day.condition.state == .unknown && day.condition.percent == nil && day.condition.voltage == nil)
    #expect(day.condition.doubt == .silent && day.monitor.nextDeadline == nil)
    #expect(day.monitor.lapse(at: deadline + .seconds(9999)).isEmpty, "once")
    day.now = deadline + .seconds(7200)
    day.take(58, 3.85, rate: -6)
    #expect(day.condition.percent == 58 && day.condition.state == .unplugged)
    #expect(day.events == [.gaugeIsBack])
  }

  @Test func aSilenceWithoutATimeoutIsDetectedAtTheNextReading() {
    var day = GaugeDay()
    day.take(70, 3.93, rate: -6)
    day.now = day.now + .seconds(3600)
    day.take(64, 3.9, rate: -6)
    #expect(day.events == [.gaugeFellSilent, .gaugeIsBack])
  }

  @Test func aCurrentHasItsSource() {
    var day = GaugeDay(.battery(capacity: 2000))
    day.take(70, 3.93, rate: -6)
    #expect(day.condition.current == BatteryCurrent(milliamperes: -120, source: .estimated))
    day.take(70, 3.93, rate: -6, current: -131)
    #expect(day.condition.current == BatteryCurrent(milliamperes: -131, source: .measured))
    var unknown = GaugeDay(.battery())
    unknown.take(70, 3.93, rate: -6)
    #expect(unknown.condition.current == nil && unknown.condition.rate == -6)
  }

  @Test func aVehicleSupplyHasOnlyAVoltage() {
    var day = GaugeDay(.vehicle)
    var reading = GaugeReading()
    (reading.voltage, reading.current, reading.stateOfCharge) = (13.8, -400, 50)
    day.take(reading)
    #expect(day.condition.voltage == 13.8 && day.condition.state == .unknown)
    #expect(day.condition.percent == nil && day.condition.current == nil)
    day.take(nil, 0)
    #expect(day.condition.voltage == 0, "zero volts is a valid measurement")
    for nonsense in [.nan, .infinity, -1, 500] as [Double] {
      day.take(nil, nonsense)
      #expect(day.condition.voltage == nil)
    }
    #expect(day.events.isEmpty)
    #expect(day.monitor.lapse(at: day.now + .seconds(300)) == [.gaugeFellSilent])
  }

  @Test func lowIsReportedOnceAndAgainAfterCharging() {
    var day = GaugeDay()
    for percent in [16, 15, 16, 14, 19, 15] as [Double] { day.take(percent, 3.6, rate: -6) }
    #expect(day.events == [.low(percent: 15, voltage: 3.6)])
    day.take(15, 3.7, rate: 30, minutes: 3)
    day.take(14, 3.6, rate: -6, minutes: 3)
    #expect(day.events.filter { if case .low = $0 { true } else { false } }.count == 2)
    var blind = GaugeDay()
    blind.take(nil, 3.4, current: -200, minutes: 3)
    #expect(blind.events == [.low(percent: nil, voltage: 3.4)])
  }

  @Test func zeroVoltageIsImpossibleForABattery() {
    var day = GaugeDay()
    day.take(nil, 0, current: .infinity)
    #expect(day.condition.voltage == nil && day.condition.current == nil && day.condition.state == .unknown)
  }

  /// Random readings at random times: no trap, 0...100, and unknown values are nil.
  @Test(arguments: 0..<40) func nothingTrapsAndPercentStaysInItsRange(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let odd: [Double?] = [
      nil, .nan, .infinity, -.infinity, .greatestFiniteMagnitude, -1e308, .leastNonzeroMagnitude, 0, -0.0,
      100, 115, 255.99,
    ]
    func value(_ range: ClosedRange<Double>) -> Double? {
      random.byte() < 30
        ? random.oneOf(odd) : range.lowerBound + random.unit() * (range.upperBound - range.lowerBound)
    }
    var rules = BatteryRules()
    rules.readingInterval = random.oneOf([.seconds(60), .zero, .seconds(-5), .seconds(Int64.max)])
    rules.missedReadings = random.oneOf([5, 0, -3, .max])
    rules.confirmations = random.oneOf([3, 0, 1, .min, .max])
    rules.openCircuit = random.oneOf([nil, .lithiumIon])
    let supply = random.oneOf(
      [
        .battery(cells: 1, capacity: 2000), .battery(cells: .min, capacity: .nan), .battery(capacity: 1e308),
        .vehicle,
      ]
        as [BatteryRules.Supply])
    var monitor = BatteryMonitor(measuring: supply, rules: rules)
    var now = Moment.zero
    for _ in 0..<400 {
      switch random.byte() {
      case 0..<4: now = Moment(nanoseconds: Int64(bitPattern: random.next()))
      case 4..<12: now = now - .seconds(Int64(random.byte()))
      default: now = now + .seconds(Int64(random.byte()))
      }
      if random.byte() < 40 { _ = monitor.lapse(at: now) }
      var reading = GaugeReading()
      reading.stateOfCharge = value(-20...130)
      reading.voltage = value(2.5...4.5)
      reading.cells = random.oneOf([nil, nil, nil, 1, 2, 0, -1, .max])
      reading.current = value(-3000...3000)
      reading.rate = value(-80...80)
      reading.temperature = value(-70...160)
      reading.isFull = random.oneOf([nil, nil, false, true])
      reading.isPlugged = random.oneOf([nil, nil, false, true])
      reading.isCharging = random.oneOf([nil, nil, nil, false, true])
      reading.wasReset = random.byte() < 8
      _ = monitor.take(reading, at: now)
      _ = monitor.nextDeadline
      let condition = monitor.condition
      if let percent = condition.percent { #expect((0...100).contains(percent)) }
      #expect(condition.percent != nil || condition.doubt != nil || supply == .vehicle)
      for number in [
        condition.voltage, condition.current?.milliamperes, condition.rate, condition.temperature,
      ] {
        #expect(number?.isFinite != false)
      }
    }
  }
}
