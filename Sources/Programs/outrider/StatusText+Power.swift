import LocalAPI

extension StatusText {
  /// The source of the time, by the name of its quality.
  static func describe(clock quality: String?) -> String {
    switch quality {
    case "receiver": "set by the receiver"
    case "network": "set by the network"
    case "clockChip": "set by the clock chip"
    case "saved": "continued from the previous run"
    default: "unknown"
    }
  }

  /// Returns the row `network`.
  static func describe(_ network: StatusReport.Network) -> String {
    let failures = network.failures > 0 ? ", \(counted(network.failures, "switching failure"))" : ""
    return "\(network.state), \(counted(network.sessions, "session")) since the start\(failures)"
  }

  /// Returns the row `host`.
  static func describe(_ host: StatusReport.Host) -> String {
    let failures = host.failures > 0 ? ", \(host.failures) failed" : ""
    let slept = host.sleeps > 0 ? ", asleep for \(duration(host.slept_s))" : ""
    return
      "\(host.state): \(host.reason); \(counted(host.sleeps, "sleep")) since the start\(slept)\(failures)"
  }

  /// Returns the rows of power level, forecast and battery target.
  static func rows(_ power: StatusReport.Power) -> [(String, String)] {
    var rows = [("power level", "\(power.level): \(power.reason)")]
    if let days = power.days_left {
      let rate = power.draws_mAh_day.map { " at \($0) mAh/day" } ?? ""
      rows.append(
        (
          "forecast",
          "\(days.likeliest) days left (\(days.fewest) to \(days.most))\(rate); "
            + "\(days.most_if_sampled_least) days with the fewest fixes"
        ))
    }
    if let until = power.last_until, let budget = power.budget {
      rows.append(("battery target", "\(until.prefix(10)): \(budget)"))
    }
    return rows
  }
}
