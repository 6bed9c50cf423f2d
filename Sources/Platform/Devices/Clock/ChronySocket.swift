import CLinux
import Glibc
import System

/// One time for chrony, as its SOCK driver reads it from a datagram (refclock_sock.c of chrony).
public struct ChronySample: Equatable, Sendable {
  /// The system's UTC at the measurement, in nanoseconds since 1970.
  public var systemNanoseconds: Int64
  /// True time minus system time in seconds.
  public var offset: Double

  public init(systemNanoseconds: Int64, offset: Double) {
    self.systemNanoseconds = systemNanoseconds
    self.offset = offset
  }

  /// The magic number of every sample: "SOCK" in ASCII.
  static let magic: Int32 = 0x534f_434b

  /// The datagram, in the byte order and layout of this platform. It announces no leap second (`leap` 0), and is a whole
  /// time instead of a pulse (`pulse` 0).
  public var bytes: [UInt8] {
    var sample = outrider_sock_sample()
    let (seconds, remainder) = systemNanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    // A timeval has no negative microseconds.
    let isBefore = remainder < 0
    sample.system_time.tv_sec = Int(truncatingIfNeeded: isBefore ? seconds - 1 : seconds)
    sample.system_time.tv_usec = Int(
      truncatingIfNeeded: (isBefore ? remainder + 1_000_000_000 : remainder) / 1000)
    sample.offset = offset
    sample.pulse = 0
    sample.leap = 0
    sample.padding = 0
    sample.magic = Self.magic
    return withUnsafeBytes(of: sample) { Array($0) }
  }
}

/// Sends samples to the socket of a SOCK reference clock, which chronyd creates.
///
/// Nothing is kept open towards chronyd: every sample goes to the socket that is at the path at that time. So chronyd may
/// be absent, or restart with a new socket. Each kind of failure is reported once, until samples pass again. A sample that
/// cannot be sent is lost. Nothing waits, and nothing is retried.
public final class ChronySocket {
  /// A change of the connection.
  public enum Notice: Equatable, Sendable {
    case failed(SystemError)
    case recovered
  }

  public let path: String
  private let address: UnixAddress?
  // −1 before the first sample.
  private var socket = Descriptor(owning: -1)
  /// The errors that were reported since a sample passed.
  private var reported: Set<Int32> = []

  /// Creates the sender; nothing is opened before the first sample. `path` is that of the socket.
  public init(path: String) {
    self.path = path
    address = UnixAddress(path: path)
  }

  /// Sends a sample. Returns a notice if it fails for a reason that was not reported yet, or is the first one that passes
  /// after a failure.
  public func send(_ sample: ChronySample) -> Notice? {
    do throws(SystemError) {
      try transmit(sample.bytes)
    } catch {
      return reported.insert(error.number).inserted ? .failed(error) : nil
    }
    defer { reported = [] }
    return reported.isEmpty ? nil : .recovered
  }

  private func transmit(_ bytes: [UInt8]) throws(SystemError) {
    guard let address else { throw SystemError(call: "sendto", subject: path, number: ENAMETOOLONG) }
    let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    if socket.raw < 0 {
      socket = Descriptor(owning: try check("socket", on: path, Glibc.socket(AF_UNIX, kind, 0)))
    }
    try check("sendto", on: path, address.send(bytes, through: socket.raw))
  }
}

/// The address of a Unix socket in the file system (unix(7)).
private struct UnixAddress {
  private let address: sockaddr_un
  private let length: socklen_t

  /// Creates an address; nil for an empty path or one that is too long (107 bytes).
  init?(path: String) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let name = Array(path.utf8)
    guard !name.isEmpty, name.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    self.address = address
    length = socklen_t(MemoryLayout<sockaddr_un>.size)
  }

  /// The result of sendto(2).
  func send(_ bytes: [UInt8], through socket: Int32) -> Int {
    withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, length)
      }
    }
  }
}
