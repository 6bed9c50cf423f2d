import Quantities

/// The result of a run.
struct LoadReport {
  var requests = 0
  var drops = 0
  /// Connections that failed, or ended before an answer.
  var failures = 0
  var lostIdle = 0
  var acknowledged = 0
  /// The exclusive or, and the sum, of the checksums of acknowledged records.
  var checksum: Int64 = 0
  var sum: Int64 = 0
  /// The times that a queue went back to `have`, and the records that were sent again because of it.
  var rewinds = 0
  var refilled = 0
  /// Answers by which a device would set records aside: 4xx without 429.
  var setAside = 0
  /// Answers 429 and 503 without `Retry-After`.
  var withoutDelay = 0
  /// Devices that had not finished in time.
  var unfinished = 0
  var time = Duration.zero
  private var statuses: [Int: Int] = [:]
  private var times: [Double] = []
  private var errors: [String] = []

  private static let mostErrors = 5

  /// Counts an answer. The times at the end do not count, when all devices ask for `have` at once.
  mutating func count(status: Int, after time: Duration, isEnding: Bool) {
    statuses[status, default: 0] += 1
    if status == 200, !isEnding { times.append(time / .milliseconds(1)) }
    if (400..<500).contains(status), status != 429 { setAside += 1 }
  }

  mutating func add(checksum: Int64) {
    self.checksum ^= checksum
    sum &+= checksum
  }

  /// Keeps the text of an unexpected answer.
  mutating func note(_ error: String) {
    if errors.count < Self.mostErrors { errors.append(error) }
  }

  /// The times of answers in milliseconds at these shares of them.
  private func quantiles(_ shares: [Double]) -> [Double?] {
    let sorted = times.sorted()
    return shares.map { share in
      guard !sorted.isEmpty else { return nil }
      return (sorted[min(Int(Double(sorted.count) * share), sorted.count - 1)] * 10).rounded() / 10
    }
  }

  /// The report as JSON in one line.
  var json: String {
    let numbers: [(String, Int)] = [
      ("requests", requests), ("drops", drops), ("failures", failures), ("acknowledged", acknowledged),
      ("checksum", Int(checksum)), ("sum", Int(sum)), ("rewinds", rewinds), ("refilled", refilled),
      ("set_aside", setAside), ("without_delay", withoutDelay), ("unfinished", unfinished),
      ("time_ms", Int(time / .milliseconds(1))),
    ]
    var members = numbers.map { "\"\($0.0)\":\($0.1)" }
    for (name, value) in zip(["p50_ms", "p99_ms", "max_ms"], quantiles([0.5, 0.99, 1])) {
      members.append("\"\(name)\":\(value.map { "\($0)" } ?? "null")")
    }
    let codes = statuses.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
    var texts: [UInt8] = []
    for error in errors {
      if !texts.isEmpty { texts.append(",") }
      texts.appendJSONString(error)
    }
    members.append("\"statuses\":{\(codes.joined(separator: ","))}")
    members.append("\"errors\":[\(String(decoding: texts, as: UTF8.self))]")
    return "{\(members.joined(separator: ","))}"
  }

  var text: String {
    let times = quantiles([0.5, 0.99, 1]).map { $0.map { "\($0)" } ?? "-" }
    let seconds = time / .seconds(1)
    let codes = statuses.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
    return """
      records/s \(Int(Double(acknowledged) / max(seconds, 0.001))), requests \(requests) (\(codes)), \
      drops \(drops), failures \(failures), lost idle connections \(lostIdle), time \(Int(seconds)) s
      answer in ms: p50 \(times[0]), p99 \(times[1]), max \(times[2])
      queues gone back \(rewinds), records sent again \(refilled), set aside \(setAside), unfinished \(unfinished)
      acknowledged \(acknowledged), checksum \(checksum), sum \(sum)\(errors.map { "\nerror: \($0)" }.joined())
      """
  }
}
