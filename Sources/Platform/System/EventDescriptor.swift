import CLinux
import Glibc

/// A counter in the kernel by which one thread wakes another (`eventfd`).
public final class EventDescriptor: Sendable {
  public let raw: Int32

  /// Creates the counter. If `blocking`, ``wait()`` sleeps until there is a signal; otherwise the descriptor
  /// is for use in a loop.
  public init(blocking: Bool) throws(SystemError) {
    let flags = Int32(EFD_CLOEXEC) | (blocking ? 0 : Int32(EFD_NONBLOCK))
    raw = try check("eventfd", eventfd(0, flags))
  }

  deinit { close(raw) }

  /// Wakes the waiting thread. Safe from any thread.
  public func signal() {
    var one: UInt64 = 1
    _ = write(raw, &one, MemoryLayout<UInt64>.size)
  }

  /// Consumes all signals so far; if the descriptor blocks, sleeps until the first one.
  public func wait() {
    var count: UInt64 = 0
    while read(raw, &count, MemoryLayout<UInt64>.size) < 0, errno == EINTR {}
  }
}
