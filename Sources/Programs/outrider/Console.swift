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

  /// Occupies the descriptors of standard streams that were closed before the start.
  ///
  /// Otherwise a file or socket would get such a number, and with it the program's output. Writing to that stream fails
  /// as before.
  static func occupyClosedStreams() {
    for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(stream, F_GETFD) < 0 {
      // The lowest free number is this one.
      _ = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
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
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        Glibc.write(descriptor, buffer.baseAddress?.advanced(by: written), bytes.count - written)
      }
      if count > 0 {
        written += count
      } else if count == 0 {
        return EIO
      } else if errno == EAGAIN {
        // The parent process may have left the stream non-blocking.
        var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&room, 1, -1)
      } else if errno != EINTR {
        return errno
      }
    }
    return nil
  }
}
