import LocalAPI

extension StatusText {
  /// So many outcomes are shown, the last ones first.
  static let mostOutcomes = 5

  /// What servers have set: what is on trial, and what became of the rest.
  static func rows(_ remote: StatusReport.Remote) -> [(String, String)] {
    var rows: [(String, String)] = []
    for trial in remote.on_trial ?? [] {
      let left = trial.goes_back_in_s.map { ", goes back in \(duration($0)) without proof" } ?? ""
      rows.append(("on trial", "\(trial.key) by \(trial.destination)\(left)"))
    }
    if let next = remote.checks_in_in_s { rows.append(("checks in", "in \(duration(next))")) }
    let told = remote.keys.filter { !["applied", "unchanged"].contains($0.outcome) }
      .sorted { ($0.age_s ?? .infinity) < ($1.age_s ?? .infinity) }
    for key in told.prefix(mostOutcomes) {
      let source = key.destination.map { " by \($0)" } ?? ""
      let age = key.age_s.map { " \(duration($0)) ago" } ?? ""
      rows.append(
        ("from afar", "\(key.key) \(key.outcome)\(source)\(age)\(key.reason.map { ": \($0)" } ?? "")"))
    }
    if told.count > mostOutcomes {
      rows.append(("from afar", "\(told.count - mostOutcomes) more from before; --json has them all"))
    }
    return rows
  }
}
