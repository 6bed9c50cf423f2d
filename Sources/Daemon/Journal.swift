import Glibc
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

  /// Writes to standard error.
  public init(threshold: Level = .notice) {
    self.init(threshold: threshold, hasPriorities: ProcessSurroundings.variable("JOURNAL_STREAM") != nil) {
      let line = Array($0.utf8)
      _ = Glibc.write(STDERR_FILENO, line, line.count)
    }
  }

  /// Hands each finished line, with its line end, to `write`.
  public init(threshold: Level, hasPriorities: Bool, write: @escaping @Sendable (String) -> Void) {
    self.threshold = threshold
    self.hasPriorities = hasPriorities
    self.write = write
  }

  public func say(_ level: Level, _ message: @autoclosure () -> String) {
    guard level <= threshold else { return }
    let priority = hasPriorities ? "<\(level.rawValue)>" : ""
    let word =
      switch level {
      case .error: "error: "
      case .warning: "warning: "
      case .notice, .debug: ""
      }
    let text = message().split(whereSeparator: \.isNewline).joined(separator: " | ")
    write("\(priority)\(word)\(text)\n")
  }
}
