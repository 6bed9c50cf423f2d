import Glibc

/// Owner of a file descriptor. It cannot be copied, so the descriptor is closed exactly once.
public struct Descriptor: ~Copyable {
  public let raw: Int32

  public init(owning raw: Int32) { self.raw = raw }

  deinit { close(raw) }

  /// Gives up ownership; the caller closes the descriptor.
  public consuming func release() -> Int32 {
    let raw = self.raw
    discard self
    return raw
  }

  /// Gives the file to the owner of its directory, so that root can create files for a service. Other users cannot.
  public borrowing func giveToOwner(of directory: String) {
    var owner = stat()
    if stat(directory, &owner) == 0 { _ = fchown(raw, owner.st_uid, owner.st_gid) }
  }

  /// Writes all bytes, despite interruptions; a file that accepts no bytes fails with EIO. `subject` names
  /// the file in messages. Throws the error of write(2).
  public borrowing func write(_ bytes: [UInt8], to subject: String) throws(SystemError) {
    var remainder = bytes[...]
    while !remainder.isEmpty {
      let count = remainder.withUnsafeBytes { Glibc.write(raw, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw SystemError(call: "write", subject: subject, number: count == 0 ? EIO : errno)
      }
      remainder = remainder.dropFirst(count)
    }
  }
}
