import Daemon
import Glibc
import Synchronization
import SystemLoop

/// The standard streams, written without buffering of their own.
enum Console {
  private static let outputError = Mutex<Int32?>(nil)
  private static let waits = Mutex(true)

  /// From now on no reader of the standard streams is waited for: what it does not take is dropped and counted. For a
  /// program that must not stand still because somebody stopped a terminal.
  static func stopWaiting() { waits.withLock { $0 = false } }

  /// Why standard output did not take what was printed; nil while it does, and where its reader has left.
  static var failure: String? {
    outputError.withLock { $0 }.map { "standard output: \(String(cString: strerror($0)))" }
  }

  /// Sees to it that no file or socket gets the number of a stream that was closed before the start, and with it what
  /// is printed. Writing to that stream fails as before.
  static func occupyClosedStreams() {
    for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(stream, F_GETFD) < 0 {
      // The lowest free number is this one.
      _ = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// Writes all bytes to standard output; false when it takes no more, be it that its reader has left or a
  /// ``failure``.
  @discardableResult
  static func write(_ bytes: [UInt8]) -> Bool {
    guard let error = write(bytes, to: STDOUT_FILENO) else { return true }
    if error != EPIPE { outputError.withLock { $0 = $0 ?? error } }
    return false
  }

  static func print(_ line: String) { write(Array((line + "\n").utf8)) }

  /// Under the name of the program, where the line does not begin with it.
  static func complain(_ line: String) {
    _ = write(Array(("\(line.hasPrefix("outrider ") ? "" : "outrider: ")\(line)\n").utf8), to: STDERR_FILENO)
  }

  /// The error number of write(2); nil when all was written.
  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
    guard waits.withLock({ $0 }) else {
      let stream = descriptor == STDERR_FILENO ? UnblockedStream.standardError : .standardOutput
      return stream.write(bytes) { count in "outrider: \(Journal.words(dropped: count))\n" }
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
        // Whoever started the program may have left the stream non-blocking.
        var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&room, 1, -1)
      } else if errno != EINTR {
        return errno
      }
    }
    return nil
  }
}
