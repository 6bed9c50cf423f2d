import LocalAPI

extension StatusText {
  /// What servers have set: what is on trial, and what was not taken.
  static func rows(_ remote: StatusReport.Remote) -> [(String, String)] {
    var rows: [(String, String)] = []
    for trial in remote.on_trial ?? [] {
      let left = trial.goes_back_in_s.map { ", goes back in \(duration($0)) without proof" } ?? ""
      rows.append(("on trial", "\(trial.key) by \(trial.destination)\(left)"))
    }
    if let next = remote.checks_in_in_s { rows.append(("checks in", "in \(duration(next))")) }
    for key in remote.keys where !["applied", "unchanged"].contains(key.outcome) {
      let source = key.destination.map { " by \($0)" } ?? ""
      rows.append(("from afar", "\(key.key) \(key.outcome)\(source)\(key.reason.map { ": \($0)" } ?? "")"))
    }
    return rows
  }
}
