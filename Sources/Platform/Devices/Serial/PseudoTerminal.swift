import CLinux
import CSerial
import Glibc
import Quantities
import System

/// A serial line without hardware: bytes written here are read at ``path``, as from a receiver's UART.
public final class PseudoTerminal {
  private let descriptor: Descriptor
  // Kept open, so that bytes wait for a later reader, and a reader that closes the line causes no hang-up.
  private let line: Descriptor
  /// The device that a logger opens.
  public let path: String

  public init() throws(SystemError) {
    let flags = O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC
    descriptor = Descriptor(owning: try check("open", on: "/dev/ptmx", open("/dev/ptmx", flags)))
    var unlocked: Int32 = 0
    try check("TIOCSPTLCK", ioctl(descriptor.raw, outrider_TIOCSPTLCK, &unlocked))
    var number: UInt32 = 0
    try check("TIOCGPTN", ioctl(descriptor.raw, outrider_TIOCGPTN, &number))
    path = "/dev/pts/\(number)"
    line = Descriptor(owning: try check("open", on: path, open(path, flags)))
    try check("TCSETS2", on: path, serial_make_raw(line.raw, 9600))
  }

  public var raw: Int32 { descriptor.raw }

  /// The baud rate that the reader has set, in bit/s.
  public var speed: UInt32 { UInt32(clamping: serial_speed(descriptor.raw)) }

  /// Writes as much as the line's buffer accepts and returns the number of bytes.
  public func write(_ bytes: some Collection<UInt8>) -> Int {
    let copy = Array(bytes)
    return max(0, Glibc.write(descriptor.raw, copy, copy.count))
  }

  /// Writes as ``write(_:)`` does, and returns when the bytes can be read, at most 4095 of them: the kernel passes them on
  /// in a separate thread. Nobody else may read meanwhile.
  public func writeThrough(_ bytes: some Collection<UInt8>) -> Int {
    let before = unread
    let count = write(bytes)
    let expected = min(before + count, 4095)
    let limit = SystemClock.moment() + .seconds(1)
    while unread < expected, SystemClock.moment() < limit { sched_yield() }
    return count
  }

  /// The number of bytes that can be read at ``path`` (ioctl_tty(2), FIONREAD).
  private var unread: Int {
    var count: Int32 = 0
    _ = ioctl(line.raw, UInt(FIONREAD), &count)
    return Int(count)
  }

  /// Reads the bytes written to the line, as many as its buffer holds.
  public func read() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
      count = max(0, Glibc.read(descriptor.raw, buffer.baseAddress, buffer.count))
    }
  }
}
