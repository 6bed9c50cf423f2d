import Glibc

/// The three standard streams, written without buffering of their own.
enum Console {
  /// Writes all bytes to standard output; false when nobody reads it any more.
  @discardableResult
  static func write(_ bytes: [UInt8]) -> Bool { write(bytes, to: STDOUT_FILENO) }

  static func print(_ line: String) { write(Array((line + "\n").utf8)) }

  static func complain(_ line: String) {
    _ = write(Array(("outrider: " + line + "\n").utf8), to: STDERR_FILENO)
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        Glibc.write(descriptor, buffer.baseAddress?.advanced(by: written), bytes.count - written)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      written += count
    }
    return true
  }
}
