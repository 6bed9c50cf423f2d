import Database
import Glibc
import Records
import Synchronization
import System

/// A copy of the log without its free pages, made while records continue to be written.
enum LogCopy {
  /// The result of a copy.
  enum Result: Equatable, Sendable {
    /// The file ``StorageDirectory/unfinished`` has the log as of the start of the copy. It is not durable yet.
    case complete
    case failed(reason: String)
  }

  /// Copies the log of a directory through a connection of its own (`VACUUM INTO`). The snapshot lets the write-ahead log
  /// grow by the records that are written meanwhile.
  static func make(in directory: StorageDirectory) -> Result {
    do throws(DatabaseError) {
      let source = try Connection(path: directory.database, access: .readOnly)
      try source.execute("PRAGMA cache_size = -512")
      try source.run("VACUUM INTO ?", [.text(directory.unfinished)])
    } catch { return .failed(reason: "\(error)") }
    // Most of the writing happens here, and not in the writer, which must not wait for it.
    do throws(StoreError) { try directory.flushFile(directory.unfinished) } catch {
      return .failed(reason: "\(error)")
    }
    return .complete
  }
}

/// Makes a ``LogCopy``.
protocol LogCopier: AnyObject {
  /// Starts a copy; false if that is impossible.
  func begin(in directory: StorageDirectory) -> Bool
  /// Returns the result once; nil while the copy runs.
  func take() -> LogCopy.Result?
}

/// Copies at once, for tests and commands.
final class WaitingCopier: LogCopier {
  private var result: LogCopy.Result?

  func begin(in directory: StorageDirectory) -> Bool {
    result = LogCopy.make(in: directory)
    return true
  }

  func take() -> LogCopy.Result? {
    defer { result = nil }
    return result
  }
}

/// Copies on a temporary thread, which takes minutes on an SD card.
final class ThreadedCopier: LogCopier {
  private final class Shared: Sendable {
    let result = Mutex<LogCopy.Result?>(nil)
  }

  private let shared = Shared()
  private let whenDone: @Sendable () -> Void

  /// - Parameter whenDone: called on the temporary thread when ``take()`` has the result.
  init(whenDone: @escaping @Sendable () -> Void) { self.whenDone = whenDone }

  func begin(in directory: StorageDirectory) -> Bool {
    do throws(SystemError) {
      try DetachedThread.start("shrink") { [shared, whenDone] in
        // On Linux this affects the current thread only: the writer has priority (nice(2)).
        _ = nice(19)
        let made = LogCopy.make(in: directory)
        shared.result.withLock { $0 = made }
        whenDone()
      }
    } catch { return false }
    return true
  }

  func take() -> LogCopy.Result? {
    shared.result.withLock { result in
      defer { result = nil }
      return result
    }
  }
}
