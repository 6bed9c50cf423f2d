import LocalAPI
import Quantities
import Settings

extension SettingsState {
  /// The remote settings in the status; nil if no server has sent any.
  func report(now: Moment) -> StatusReport.Remote? {
    guard !outcomes.isEmpty || !server.values.isEmpty else { return nil }
    let rows = outcomes.flatMap { name, outcomes in
      outcomes.map { path, outcome in (path, name, outcome) }
    }
    var report = StatusReport.Remote(
      keys: rows.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map { path, name, outcome in
        .init(
          key: path, outcome: outcome.kind.rawValue, reason: outcome.reason.isEmpty ? nil : outcome.reason,
          destination: name.isEmpty ? nil : name, age_s: outcome.at.map { (now - $0).inSeconds })
      })
    let trials = server.trials.sorted { $0.key < $1.key }
    if !trials.isEmpty {
      report.on_trial = trials.map { key, trial in
        .init(
          key: key.path, destination: trial.by,
          goes_back_in_s: server.rollbackTime(key).map { ($0 - now).inSeconds })
      }
    }
    report.checks_in_in_s = server.nextCheckIn.map { ($0 - now).inSeconds }
    return report
  }
}
