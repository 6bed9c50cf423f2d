import LocalAPI

extension StatusText {
  static func describe(_ network: StatusReport.Network) -> String {
    let failures = network.failures > 0 ? ", \(network.failures) failures of switching" : ""
    return "\(network.state), \(network.sessions) sessions since the start\(failures)"
  }

  static func describe(_ host: StatusReport.Host) -> String {
    let failures = host.failures > 0 ? ", \(host.failures) in vain" : ""
    let slept = host.sleeps > 0 ? ", down for \(duration(host.slept_s))" : ""
    return "\(host.state): \(host.reason); \(host.sleeps) sleeps since the start\(slept)\(failures)"
  }

  /// The level of the battery, and how long it will last.
  static func rows(_ power: StatusReport.Power) -> [(String, String)] {
    var rows = [("power level", "\(power.level): \(power.reason)")]
    if let days = power.days_left {
      let rate = power.draws_mAh_day.map { " at \($0) mAh a day" } ?? ""
      rows.append(
        (
          "forecast",
          "\(days.likeliest) days left (\(days.fewest) to \(days.most))\(rate); \(days.most_if_sampled_least) if "
            + "positions were taken as seldom as can be"
        ))
    }
    if let until = power.last_until, let budget = power.budget {
      rows.append(("to last until", "\(until.prefix(10)): \(budget)"))
    }
    return rows
  }
}
