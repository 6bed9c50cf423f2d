import CLinux
import CSerial
import Glibc
import System

/// A serial line, raw 8N1, opened exclusively for this process.
public final class SerialPort {
  /// Permitted operations on the line.
  public enum Access: Sendable {
    /// Never writes a byte: the descriptor is read-only.
    case readOnly
    case readWrite
  }

  public let path: String
  private let descriptor: Descriptor

  /// Opens the line exclusively, without waiting for a carrier, and keeps the content of its buffer.
  ///
  /// Throws the error of open(2), flock(2), `TIOCEXCL` or `TCSETS2`: EBUSY or EWOULDBLOCK if another program
  /// has the line, ENOTTY if the path is not a serial line.
  public init(path: String, speed: UInt32, access: Access) throws(SystemError) {
    let mode = access == .readOnly ? O_RDONLY : O_RDWR
    let descriptor = Descriptor(
      owning: try check("open", on: path, open(path, mode | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)))
    // TIOCEXCL does not exclude root; the lock does, among cooperating programs.
    try check("flock", on: path, flock(descriptor.raw, LOCK_EX | LOCK_NB))
    try check("TCSETS2", on: path, serial_make_raw(descriptor.raw, speed))
    // Set last, so that a failed attempt does not change the flag of another program.
    try check("TIOCEXCL", on: path, ioctl(descriptor.raw, outrider_TIOCEXCL))
    self.path = path
    self.descriptor = descriptor
  }

  // The flag outlives the descriptor if another program also has the line open (tty_ioctl(4)).
  deinit { _ = ioctl(descriptor.raw, outrider_TIOCNXCL) }

  public var raw: Int32 { descriptor.raw }

  /// Sets the baud rate, any value that the hardware supports.
  public func setSpeed(_ speed: UInt32) throws(SystemError) {
    try check("TCSETS2", on: path, serial_make_raw(descriptor.raw, speed))
  }

  /// Discards unread input.
  public func discardInput() { tcflush(descriptor.raw, TCIFLUSH) }

  /// The result of a read.
  public enum Reading: Equatable, Sendable {
    case bytes(Int)
    /// No bytes available.
    case empty
    /// The line is gone (unplugged, or closed at its other end).
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

  /// The result of a write.
  public enum Writing: Equatable, Sendable {
    case bytes(Int)
    /// The line accepts no bytes now.
    case full
    case gone(SystemError)
  }

  /// Writes as many bytes as the line accepts, without waiting.
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

  /// Number of bytes written that have not left the driver (`TIOCOUTQ`); 0 if the driver does not report it.
  /// The UART itself may hold a few more.
  public var unsentBytes: Int { max(0, Int(serial_unsent(descriptor.raw))) }

  /// Discards unsent output. Without it, closing a blocked line waits for half a minute (`closing_wait` of
  /// setserial(8)).
  public func discardOutput() { tcflush(descriptor.raw, TCOFLUSH) }

  /// True if the port has a baud rate. A USB modem class port (`/dev/ttyACM0`) stores a baud rate without using it.
  public var hasSpeed: Bool { serial_major(descriptor.raw) != Self.majorOfUSBModems }

  /// Major number of `ttyACM` (devices.txt of the kernel).
  private static let majorOfUSBModems: Int32 = 166
}
