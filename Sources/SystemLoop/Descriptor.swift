import Glibc

/// Owns a file descriptor: it cannot be copied, so it is closed exactly once.
public struct Descriptor: ~Copyable {
  public let raw: Int32

  public init(owning raw: Int32) { self.raw = raw }

  deinit { close(raw) }

  /// Gives the number away; whoever takes it closes it.
  public consuming func release() -> Int32 {
    let raw = self.raw
    discard self
    return raw
  }

  /// Writes all bytes, however often it is interrupted; a file that takes none of them fails with EIO. `subject` names it
  /// for people. Throws what write(2) says.
  public borrowing func write(_ bytes: [UInt8], to subject: String) throws(SystemError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(raw, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw SystemError(call: "write", subject: subject, number: count == 0 ? EIO : errno)
      }
      rest = rest.dropFirst(count)
    }
  }
}
