import Quantities

import Chips

/// A gauge read once a minute on a simulated clock.
struct GaugeDay {
  var monitor: BatteryMonitor
  var now = Moment(nanoseconds: 3_600_000_000_000)
  var events: [BatteryEvent] = []
  var states: [BatteryState] = []

  init(_ supply: BatteryRules.Supply = .battery(capacity: 2000), rules: BatteryRules = BatteryRules()) {
    monitor = BatteryMonitor(measuring: supply, rules: rules)
  }

  var condition: BatteryCondition { monitor.condition }

  mutating func take(_ reading: GaugeReading) {
    now = now + .seconds(60)
    events += monitor.take(reading, at: now)
    if states.last != condition.state { states.append(condition.state) }
  }

  mutating func take(
    _ percent: Double?, _ volts: Double?, rate: Double? = nil, current: Double? = nil, minutes: Int = 1
  ) {
    var reading = GaugeReading()
    (reading.stateOfCharge, reading.voltage, reading.rate, reading.current) = (
      percent, volts, rate, current
    )
    for _ in 0..<minutes { take(reading) }
  }

  /// Changes the charge linearly, with the open-circuit voltage shifted by the current.
  mutating func go(from: Double, to: Double, rate: Double, shift: Double, reported: Reported = .rate) {
    let minutes = Int((abs(to - from) / abs(rate) * 60).rounded())
    for minute in 0...minutes {
      let percent = from + (to - from) * Double(minute) / Double(minutes)
      let volts = min(OpenCircuitVoltage.lithiumIon.voltage(at: percent) + shift, 4.2)
      switch reported {
      case .rate: take(percent, volts, rate: rate)
      case .current: take(percent, volts, current: rate * 20)
      case .voltage: take(percent, volts)
      }
    }
  }

  enum Reported: CaseIterable { case rate, current, voltage }
}
