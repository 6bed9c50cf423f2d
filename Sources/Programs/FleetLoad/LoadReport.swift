/// The result of a run.
struct LoadReport {
  var requests = 0
  var drops = 0
  /// Connections that failed, or ended before an answer.
  var failures = 0
  var lostIdle = 0
  var acknowledged = 0
  var checksum: Int64 = 0
  var time = Duration.zero
  private var statuses: [Int: Int] = [:]
  private var times: [Double] = []
  private var errors: [String] = []

  private static let mostErrors = 5

  mutating func count(status: Int, after time: Duration) {
    statuses[status, default: 0] += 1
    if status == 200 { times.append(time / .milliseconds(1)) }
  }

  /// Keeps the text of an unexpected answer.
  mutating func note(_ error: String) {
    if errors.count < Self.mostErrors { errors.append(error) }
  }

  var text: String {
    let sorted = times.sorted()
    func quantile(_ share: Double) -> String {
      guard !sorted.isEmpty else { return "-" }
      let value = sorted[min(Int(Double(sorted.count) * share), sorted.count - 1)]
      return "\((value * 10).rounded() / 10)"
    }
    let seconds = time / .seconds(1)
    let codes = statuses.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
    return """
      records/s \(Int(Double(acknowledged) / max(seconds, 0.001))), requests \(requests) (\(codes)), \
      drops \(drops), failures \(failures), lost idle connections \(lostIdle), time \(Int(seconds)) s
      answer in ms: p50 \(quantile(0.5)), p99 \(quantile(0.99)), max \(quantile(1))
      acknowledged \(acknowledged), checksum \(checksum)\(errors.map { "\nerror: \($0)" }.joined())
      """
  }
}
