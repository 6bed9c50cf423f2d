import Quantities
import System

/// Writes the log lines of the logger to standard error, one for every change of a decision.
///
/// A line begins with its subject (`receiver:`, `store:`, `upload NAME:`). Under systemd it has a priority prefix
/// (sd-daemon(3)), which `journalctl -p` filters by.
public struct Journal: Sendable {
  /// The least important level that is written.
  public var threshold: LogLevel
  private let hasPriorities: Bool
  private let write: @Sendable (String) -> Void

  /// A journal on standard error. It never blocks: lines that the reader does not take are dropped and counted
  /// (``UnblockedStream``).
  public init(threshold: LogLevel = .notice) {
    let hasPriorities = ProcessEnvironment.variable("JOURNAL_STREAM") != nil
    self.init(threshold: threshold, hasPriorities: hasPriorities) { line in
      UnblockedStream.standardError.write(Array(line.utf8)) { count in
        Self.line(.warning, "journal: \(Self.text(dropped: count))", hasPriorities: hasPriorities)
      }
    }
  }

  /// The text that reports dropped lines.
  public static func text(dropped count: Int) -> String {
    "\(count) \(count == 1 ? "line" : "lines") dropped, because the reader of this stream is too slow"
  }

  /// A journal that passes every line, with its line end, to `write`.
  public init(threshold: LogLevel, hasPriorities: Bool, write: @escaping @Sendable (String) -> Void) {
    self.threshold = threshold
    self.hasPriorities = hasPriorities
    self.write = write
  }

  /// Writes one line; line breaks in the message become ` | `.
  public func log(_ level: LogLevel, _ message: @autoclosure () -> String) {
    guard level.priority <= threshold.priority else { return }
    write(Self.line(level, message(), hasPriorities: hasPriorities))
  }

  private static func line(_ level: LogLevel, _ message: String, hasPriorities: Bool) -> String {
    let priority = hasPriorities ? "<\(level.priority)>" : ""
    let prefix =
      switch level {
      case .error: "error: "
      case .warning: "warning: "
      case .notice, .debug: ""
      }
    let text = message.split(whereSeparator: \.isNewline).joined(separator: " | ")
    return "\(priority)\(prefix)\(text)\n"
  }
}

extension LogLevel {
  /// The priority of syslog(3).
  fileprivate var priority: Int {
    switch self {
    case .error: 3
    case .warning: 4
    case .notice: 5
    case .debug: 7
    }
  }
}
