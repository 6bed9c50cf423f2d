import Quantities

/// Limits the log lines about rejected and ignored settings of one server.
///
/// After ``mostLines`` in an hour one more line announces the limit. The first line of a later hour is preceded by the number
/// of suppressed lines.
struct SettingsLogLimiter {
  /// The maximum number of lines in one ``hour``.
  static let mostLines = 20
  static let hour = Duration.seconds(3600)

  private var since: Moment?
  private var count = 0

  /// Returns the lines to log for a new line.
  mutating func add(_ line: String, now: Moment) -> [String] {
    var lines: [String] = []
    if since.map({ now - $0 >= Self.hour }) ?? true {
      let leftOut = count - Self.mostLines
      if leftOut > 0 { lines.append("\(leftOut) more settings rejected or ignored") }
      (since, count) = (now, 0)
    }
    count = min(count, Int.max - 1) + 1
    if count <= Self.mostLines { return lines + [line] }
    if count == Self.mostLines + 1 {
      lines.append("further settings rejected or ignored within an hour are only counted")
    }
    return lines
  }
}
