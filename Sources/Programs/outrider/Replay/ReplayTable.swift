import Replay

/// Sums up the days of a replay per policy, and renders them as a table or JSON.
struct ReplayTable {
  private let policies: [String]
  private var totals: [String: DayScore] = [:]
  private var days: [String: Int] = [:]

  /// Creates a table. `policies` are the names in the order of the table.
  init(policies: [String]) { self.policies = policies }

  mutating func add(_ score: DayScore, of policy: String) {
    totals[policy, default: DayScore()] += score
    days[policy, default: 0] += 1
  }

  /// The total of all days, one line of JSON per policy.
  var json: String {
    policies.compactMap { policy in
      totals[policy]?.json(policy: policy, track: nil, days: days[policy] ?? 1)
    }.joined(separator: "\n")
  }

  var text: String {
    let head = [
      "policy", "mAh/day", "acquire", "track", "cyclic", "on h", "starts", "failed", "points", "mean m",
      "95% m", "max m", "settled", "dist %", "stops", "invented", "departs", "50% s", "95% s",
    ]
    return ([head] + policies.map(row)).map { row in
      row.enumerated().map { column, cell in
        let width = column == 0 ? 14 : 9
        let space = String(repeating: " ", count: max(width - cell.count, 1))
        return column == 0 ? cell + space : space + cell
      }.joined()
    }.joined(separator: "\n")
  }

  private func row(_ policy: String) -> [String] {
    guard let total = totals[policy], let count = days[policy] else { return [policy] }
    let days = Double(count)
    func figure(_ value: Double?, _ decimals: Int) -> String {
      value.map { $0.text(decimals: decimals) } ?? "-"
    }
    return [
      policy, figure(total.charge / days, 2), figure(total.acquiring / days, 2),
      figure(total.tracking / days, 2), figure(total.cyclic / days, 2), figure(total.onTime / days / 3600, 2),
      "\(total.starts)", "\(total.failedSearches)", "\(total.points)", figure(total.errorMean, 1),
      figure(total.error95, 1), figure(total.errorMax, 0), figure(total.settledErrorMax, 0),
      figure(total.distanceErrorPercent, 1), "\(total.stopsKept)/\(total.stops)", "\(total.stopsInvented)",
      "\(total.latencies.count)",
      figure(total.latencyMedian, 1), figure(total.latency95, 1),
    ]
  }
}
