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
}
