import Testing

import Chips

/// Validation of charge values.
@Suite struct BatteryDoubtTests {
  @Test func slightlyOutOfRangeChargesAreClamped() {
    var day = GaugeDay()
    day.take(99, 4.15, rate: 5)
    day.take(115, 4.2, rate: 5)
    #expect(day.condition.percent == 100 && day.condition.doubt == nil)
    day.take(-2, 3.2, rate: -5)
    #expect(day.condition.percent == 0, "the voltage confirms it")
    for nonsense in [255.99, -40, .nan, .infinity] as [Double] {
      day.take(nonsense, 3.9, rate: 0)
      #expect(day.condition.percent == nil && day.condition.doubt == .outOfRange)
    }
  }

  @Test func aJumpIsIgnoredUntilConfirmed() {
    var day = GaugeDay()
    day.take(70, 3.9, rate: -6, minutes: 10)
    day.take(45, 3.9, rate: -6)
    #expect(day.condition.percent == 70 && day.condition.doubt == .jumped)
    day.take(69.9, 3.9, rate: -6)
    #expect(day.condition.percent == 69.9 && day.condition.doubt == nil, "a single outlier")
    day.take(45, 3.9, rate: -6)
    day.take(44.9, 3.9, rate: -6)
    #expect(day.condition.percent == 69.9)
    day.take(44.8, 3.9, rate: -6)
    #expect(day.condition.percent == 44.8 && day.condition.doubt == nil)
    #expect(day.events.isEmpty)
  }

  @Test func aGaugeThatJumpsRepeatedlyIsNotTrusted() {
    var day = GaugeDay()
    day.take(70, 3.9)
    for percent in [40, 95, 41, 96, 42, 97] as [Double] { day.take(percent, 3.98) }
    #expect(day.condition.percent == nil && day.condition.doubt == .unsteady)
    day.take(80, 4.0, minutes: 3)
    #expect(day.condition.percent == 80)
  }

  @Test func anExchangedBatteryIsAcceptedImmediatelyIfTheVoltageConfirmsIt() {
    var day = GaugeDay()
    day.take(95, 4.1)
    day.take(12, 3.5)
    #expect(day.condition.percent == 12)
  }

  @Test func aResetIsAcceptedButNotItsInvalidCharge() {
    var day = GaugeDay()
    day.take(70, 3.93, rate: -6, minutes: 5)
    var reading = GaugeReading()
    (reading.stateOfCharge, reading.voltage, reading.wasReset) = (0, 3.93, true)
    day.take(reading)
    #expect(day.condition.percent == nil && day.condition.doubt == .contradictsVoltage, "never 0")
    #expect(day.events == [.gaugeWasReset, .gaugeContradictsItself(percent: 0, cellVoltage: 3.93)])
    day.take(0, 3.93, minutes: 30)
    #expect(day.condition.percent == nil && day.events.count == 2)
    (reading.stateOfCharge, reading.wasReset) = (52, true)
    day.take(reading)
    #expect(day.condition.percent == 52 && day.condition.doubt == nil)
  }

  @Test func aContradictionIsReportedOnceUntilChargeAndVoltageAgree() {
    var day = GaugeDay()
    day.take(100, 3.9)
    for _ in 0..<20 {
      day.take(100, 3.74)
      day.take(100, 3.76)
    }
    #expect(day.condition.percent == nil && day.condition.voltage == 3.76)
    day.take(100, 3.85)
    #expect(day.condition.percent == 100)
    #expect(day.events == [.gaugeContradictsItself(percent: 100, cellVoltage: 3.74)])
  }

  @Test func cellsWithoutACurveAreNotChecked() {
    var rules = BatteryRules()
    rules.openCircuit = nil
    var day = GaugeDay(.battery(cells: 4), rules: rules)
    day.take(90, 13.2)
    #expect(day.condition.percent == 90)
  }

  @Test func cellsInSeriesShareTheVoltage() {
    var day = GaugeDay(.battery(cells: 3))
    day.take(50, 11.5)
    #expect(day.condition.percent == 50 && day.condition.voltage == 11.5)
    var reading = GaugeReading()
    (reading.stateOfCharge, reading.voltage, reading.cells) = (50, 7.6, 2)
    day.take(reading)
    #expect(day.condition.percent == 50, "a two-cell gauge overrides the setting")
  }
}
