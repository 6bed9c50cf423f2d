import Quantities

/// What is said in the journal of settings that one server sends and that are not taken: so many lines an hour, then one
/// that says so, and later one with the count of those that were left out.
struct ServerComplaints {
  static let mostLines = 20
  static let hour = Duration.seconds(3600)

  private var since: Moment?
  private var count = 0

  /// The lines to say when there is one more.
  mutating func add(_ line: String, now: Moment) -> [String] {
    var lines: [String] = []
    if since.map({ now - $0 >= Self.hour }) ?? true {
      let leftOut = count - Self.mostLines
      if leftOut > 0 { lines.append("\(leftOut) more settings of its server were not taken") }
      (since, count) = (now, 0)
    }
    count = min(count, Int.max - 1) + 1
    if count <= Self.mostLines { return lines + [line] }
    if count == Self.mostLines + 1 {
      lines.append("what else of its server is not taken is counted for an hour")
    }
    return lines
  }
}
