import Glibc

/// The standard streams of a command, whose output must arrive whole.
///
/// A logger or a server must not wait for the reader of its output: it writes to an ``UnblockedStream``.
public enum StandardStreams {
  /// Occupies the descriptors of streams that were closed before the start.
  ///
  /// Otherwise a file or socket would get such a number, and with it the program's output. Writing to that stream fails
  /// as before.
  public static func occupyClosed() {
    for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(stream, F_GETFD) < 0 {
      // The lowest free number is this one.
      _ = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// Writes all bytes, and waits while the reader is slow. Returns the error number of write(2); nil if all were written.
  public static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
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
