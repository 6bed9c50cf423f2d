import Daemon
import Glibc
import Synchronization
import System

/// Writes to the standard streams without buffering.
enum Console {
  private static let outputError = Mutex<Int32?>(nil)
  private static let waits = Mutex(true)

  /// True if standard output is a terminal.
  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Makes all later writes non-blocking: output that the reader does not accept is dropped and counted.
  ///
  /// A logger must not block because its terminal is stopped.
  static func stopWaiting() { waits.withLock { $0 = false } }

  /// The reason why writing to standard output failed; nil if it works, and after its reader closed it.
  static var failure: String? {
    outputError.withLock { $0 }.map { "standard output: \(String(cString: strerror($0)))" }
  }

  /// Writes all bytes to standard output; false if its reader has closed it, and on a ``failure``.
  @discardableResult
  static func write(_ bytes: [UInt8]) -> Bool {
    guard let error = write(bytes, to: STDOUT_FILENO) else { return true }
    if error != EPIPE { outputError.withLock { $0 = $0 ?? error } }
    return false
  }

  static func print(_ line: String) { write(Array((line + "\n").utf8)) }

  /// Prints a line to standard error, after the name of the program unless the line begins with it.
  static func complain(_ line: String) {
    _ = write(Array(("\(line.hasPrefix("outrider ") ? "" : "outrider: ")\(line)\n").utf8), to: STDERR_FILENO)
  }

  /// Returns the error number of write(2); nil if all was written.
  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
    guard waits.withLock({ $0 }) else {
      let stream = descriptor == STDERR_FILENO ? UnblockedStream.standardError : .standardOutput
      return stream.write(bytes) { count in "outrider: \(Journal.text(dropped: count))\n" }
    }
    return StandardStreams.write(bytes, to: descriptor)
  }
}
