import SystemLoop

/// What the logger says to people: one line a change of decision, on standard error.
///
/// Under systemd each line carries its priority (sd-daemon(3)), so that `journalctl -p` can choose.
public struct Journal: Sendable {
  public enum Level: Int, Comparable, Sendable {
    case error = 3
    case warning = 4
    case notice = 5
    case debug = 7

    public static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
  }

  /// The least important level that is still written.
  public var threshold: Level
  private let hasPriorities: Bool
  private let write: @Sendable (String) -> Void

  /// Writes to standard error, whose reader is never waited for: lines that it does not take are dropped and counted
  /// (``SystemLoop/UnblockedStream``).
  public init(threshold: Level = .notice) {
    let hasPriorities = ProcessSurroundings.variable("JOURNAL_STREAM") != nil
    self.init(threshold: threshold, hasPriorities: hasPriorities) { line in
      UnblockedStream.standardError.write(Array(line.utf8)) { count in
        Self.line(.warning, Self.words(dropped: count), hasPriorities: hasPriorities)
      }
    }
  }

  /// Tells of lines that were dropped, for a person.
  public static func words(dropped count: Int) -> String {
    "\(count) \(count == 1 ? "line was" : "lines were") dropped here, because the reader of this stream did not take them"
  }

  /// Hands each finished line, with its line end, to `write`.
  public init(threshold: Level, hasPriorities: Bool, write: @escaping @Sendable (String) -> Void) {
    self.threshold = threshold
    self.hasPriorities = hasPriorities
    self.write = write
  }

  public func say(_ level: Level, _ message: @autoclosure () -> String) {
    guard level <= threshold else { return }
    write(Self.line(level, message(), hasPriorities: hasPriorities))
  }

  private static func line(_ level: Level, _ message: String, hasPriorities: Bool) -> String {
    let priority = hasPriorities ? "<\(level.rawValue)>" : ""
    let word =
      switch level {
      case .error: "error: "
      case .warning: "warning: "
      case .notice, .debug: ""
      }
    let text = message.split(whereSeparator: \.isNewline).joined(separator: " | ")
    return "\(priority)\(word)\(text)\n"
  }
}
