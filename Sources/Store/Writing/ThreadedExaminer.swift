import Glibc
import Records
import Synchronization
import SystemLoop

/// Reads a whole log on a thread that lives as long as that takes: minutes, on a card. SQLite cannot check the
/// structure of a file in parts.
final class ThreadedExaminer: LogExaminer {
  private final class Result: Sendable {
    let findings = Mutex<LogFindings?>(nil)
  }

  private let result = Result()
  private let whenDone: @Sendable () -> Void

  /// `whenDone` is called on the thread that has read the log, when ``take()`` has the findings.
  init(whenDone: @escaping @Sendable () -> Void) { self.whenDone = whenDone }

  func begin(_ path: String, through last: RecordID) -> Bool {
    do throws(SystemError) {
      try DetachedThread.start("check") { [result, whenDone] in
        // Of this thread alone, on Linux: the writer goes first where both want the processor (nice(2)).
        _ = nice(19)
        let found = LogFindings.read(path, through: last)
        result.findings.withLock { $0 = found }
        whenDone()
      }
    } catch { return false }
    return true
  }

  func take() -> LogFindings? {
    result.findings.withLock { findings in
      defer { findings = nil }
      return findings
    }
  }
}
