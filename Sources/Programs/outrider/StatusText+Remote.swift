import LocalAPI

extension StatusText {
  /// The number of outcomes that are shown, the newest first.
  static let mostOutcomes = 5

  /// Returns the row of the operator's settings on trial.
  static func row(_ trial: StatusReport.SettingsTrial) -> (String, String) {
    let address = trial.listen.map { "; the local API listens on \($0)" } ?? ""
    return (
      "setting trial",
      "\(trial.keys.joined(separator: ", ")), rolled back in \(duration(trial.goes_back_in_s)) unless confirmed"
        + address
    )
  }

  /// Returns the rows of the remote settings: the trials, the next check-in, and the values that were not applied.
  static func rows(_ remote: StatusReport.Remote) -> [(String, String)] {
    var rows: [(String, String)] = []
    for trial in remote.on_trial ?? [] {
      let left = trial.goes_back_in_s.map { ", rolled back in \(duration($0)) unless proven" } ?? ""
      rows.append(("setting trial", "\(trial.key) by \(trial.destination)\(left)"))
    }
    if let next = remote.checks_in_in_s { rows.append(("next check-in", "in \(duration(next))")) }
    let failed = remote.keys.filter { !["applied", "unchanged"].contains($0.outcome) }
      .sorted { ($0.age_s ?? .infinity) < ($1.age_s ?? .infinity) }
    for key in failed.prefix(mostOutcomes) {
      let source = key.destination.map { " by \($0)" } ?? ""
      let age = key.age_s.map { " \(duration($0)) ago" } ?? ""
      rows.append(
        (
          "remote settings",
          "\(key.key) \(term(outcome: key.outcome))\(source)\(age)\(key.reason.map { ": \($0)" } ?? "")"
        ))
    }
    if failed.count > mostOutcomes {
      rows.append(("remote settings", "\(failed.count - mostOutcomes) older ones; list them with --json"))
    }
    return rows
  }

  /// Returns the term for an outcome, whose raw value is part of the JSON.
  private static func term(outcome: String) -> String {
    switch outcome {
    case "persisted": "proven"
    case "refused": "rejected"
    case "went back": "rolled back"
    case _: outcome
    }
  }
}
