import CLinux
import CSerial
import Glibc
import SystemLoop

/// A serial line, raw 8N1, opened for this process alone.
public final class SerialPort {
  /// What may be done with the line.
  public enum Access: Sendable {
    /// Never writes a byte: the descriptor itself cannot.
    case readOnly
    case readWrite
  }

  public let path: String
  private let descriptor: Descriptor

  /// Opens without waiting for a carrier, takes the line exclusively and keeps what its buffer already holds.
  ///
  /// Throws what open(2), flock(2), `TIOCEXCL` or `TCSETS2` say: EBUSY or EWOULDBLOCK when another program has
  /// the line, ENOTTY when the path is no serial line.
  public init(path: String, speed: UInt32, access: Access) throws(SystemError) {
    let mode = access == .readOnly ? O_RDONLY : O_RDWR
    let descriptor = Descriptor(
      owning: try check("open", on: path, open(path, mode | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)))
    // TIOCEXCL does not keep root out; the lock does, among programs that ask.
    try check("flock", on: path, flock(descriptor.raw, LOCK_EX | LOCK_NB))
    try check("TCSETS2", on: path, serial_make_raw(descriptor.raw, speed))
    // Last, so that a failed attempt leaves the mark of another program alone.
    try check("TIOCEXCL", on: path, ioctl(descriptor.raw, outrider_TIOCEXCL))
    self.path = path
    self.descriptor = descriptor
  }

  // The mark outlives the descriptor where another program holds the line open too (tty_ioctl(4)).
  deinit { _ = ioctl(descriptor.raw, outrider_TIOCNXCL) }

  public var raw: Int32 { descriptor.raw }

  /// Sets the line's speed in baud, any speed the hardware divides to.
  public func setSpeed(_ speed: UInt32) throws(SystemError) {
    try check("TCSETS2", on: path, serial_make_raw(descriptor.raw, speed))
  }

  /// Throws away what has arrived and was not read.
  public func discardInput() { tcflush(descriptor.raw, TCIFLUSH) }

  /// What a read gave.
  public enum Reading: Equatable, Sendable {
    case bytes(Int)
    /// Nothing waits.
    case empty
    /// The line is gone (unplugged, or its other end closed).
    case gone(SystemError)
  }

  /// Reads at most `buffer.count` bytes without waiting.
  public func read(into buffer: UnsafeMutableRawBufferPointer) -> Reading {
    while true {
      let count = Glibc.read(descriptor.raw, buffer.baseAddress, buffer.count)
      if count > 0 { return .bytes(count) }
      if count == 0 { return .gone(SystemError(call: "read", subject: path, number: ENODEV)) }
      switch errno {
      case EINTR: continue
      case EAGAIN: return .empty
      default: return .gone(SystemError(call: "read", subject: path, number: errno))
      }
    }
  }

  // MARK: Writing

  /// What a write gave.
  public enum Writing: Equatable, Sendable {
    case bytes(Int)
    /// The line takes nothing now.
    case full
    case gone(SystemError)
  }

  /// Writes as many of the bytes as the line takes, without waiting.
  public func write(_ bytes: ArraySlice<UInt8>) -> Writing {
    while true {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor.raw, $0.baseAddress, $0.count) }
      if count >= 0 { return .bytes(count) }
      switch errno {
      case EINTR: continue
      case EAGAIN: return .full
      default: return .gone(SystemError(call: "write", subject: path, number: errno))
      }
    }
  }

  /// Bytes that were written and have not left the driver (`TIOCOUTQ`); 0 where it does not tell. The UART itself may
  /// hold a few more.
  public var unsentBytes: Int { max(0, Int(serial_unsent(descriptor.raw))) }

  /// Throws away what was written and has not left. Without it, closing a line that takes nothing waits for half a
  /// minute (`closing_wait` of setserial(8)).
  public func discardOutput() { tcflush(descriptor.raw, TCOFLUSH) }

  /// False for a USB modem class port (`/dev/ttyACM0`), where the speed is kept and has no meaning.
  public var hasSpeed: Bool { serial_major(descriptor.raw) != Self.majorOfUSBModems }

  /// Of `ttyACM` (devices.txt of the kernel).
  private static let majorOfUSBModems: Int32 = 166
}
