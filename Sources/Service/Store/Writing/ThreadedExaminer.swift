import Glibc
import Records
import Synchronization
import System

/// Checks a whole log on a temporary thread, which takes minutes on an SD card: SQLite cannot check the structure of a
/// file in steps.
final class ThreadedExaminer: LogExaminer {
  private final class Result: Sendable {
    let findings = Mutex<LogFindings?>(nil)
  }

  private let result = Result()
  private let whenDone: @Sendable () -> Void

  /// - Parameter whenDone: called on the temporary thread when ``take()`` has the findings.
  init(whenDone: @escaping @Sendable () -> Void) { self.whenDone = whenDone }

  func begin(_ path: String, through last: RecordID) -> Bool {
    do throws(SystemError) {
      try DetachedThread.start("check") { [result, whenDone] in
        // On Linux this affects the current thread only: the writer has priority (nice(2)).
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
