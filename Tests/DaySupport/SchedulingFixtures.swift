import Energy
import Scheduling

extension PowerRules {
  /// The default limits of a battery.
  public static var usual: PowerRules {
    var rules = PowerRules()
    rules.charge = Limits(low: 15, critical: 6, resume: 20, leastGap: 1)
    rules.voltageWithoutCharge = Limits(low: 3.45, critical: 3.3, resume: 3.6, leastGap: 0.05)
    rules.coldest = -20
    rules.hottest = 60
    return rules
  }
}

extension HostCurrents {
  /// A Raspberry Pi Zero 2 W with its radio off, by measured currents; a halt draws 30 mA.
  public static let zero2W = HostCurrents(
    idle: 75, down: 30, starting: 220, stopping: 150, startTime: .seconds(15), stopTime: .seconds(4))
}
