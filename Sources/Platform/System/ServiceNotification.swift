import CLinux
import Glibc
import Quantities

/// Sends messages to the service supervisor, one datagram each to `$NOTIFY_SOCKET` (sd_notify(3)).
///
/// Without a supervisor every call does nothing.
public struct ServiceNotification: Sendable {
  private let path: String?
  /// Half of the supervisor's watchdog timeout; nil without a watchdog (sd_watchdog_enabled(3)).
  public let watchdogInterval: Duration?

  /// Creates the notifier. `environment` returns a variable; `processID` is compared with `WATCHDOG_PID`.
  public init(environment: (String) -> String?, processID: Int32) {
    path = environment("NOTIFY_SOCKET").flatMap { $0.isEmpty ? nil : $0 }
    let isForUs = environment("WATCHDOG_PID").flatMap { Int32($0) }.map { $0 == processID } ?? true
    watchdogInterval =
      isForUs
      ? environment("WATCHDOG_USEC").flatMap { Int64($0) }.flatMap { $0 > 0 ? .microseconds($0 / 2) : nil }
      : nil
  }

  public func ready(status: String) { send("READY=1\nSTATUS=\(Self.oneLine(status))") }
  /// Extends the timeout of the start by this duration from now (`EXTEND_TIMEOUT_USEC`).
  public func starting(status: String, for timeout: Duration) {
    let microseconds = timeout / .microseconds(1)
    send("EXTEND_TIMEOUT_USEC=\(Int64(microseconds))\nSTATUS=\(Self.oneLine(status))")
  }

  public func status(_ status: String) { send("STATUS=\(Self.oneLine(status))") }
  public func stopping() { send("STOPPING=1") }
  public func watchdog() { send("WATCHDOG=1") }

  private static func oneLine(_ text: String) -> String {
    String(text.map { $0.isNewline ? " " : $0 })
  }

  private func send(_ message: String) {
    guard let path else { return }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var name = Array(path.utf8)
    guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
    // A leading @ stands for the NUL of an abstract socket.
    if name.first == UInt8(ascii: "@") { name[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let length = socklen_t(MemoryLayout.offset(of: \sockaddr_un.sun_path).map { $0 + name.count } ?? 0)
    let socket = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { return }
    let owned = Descriptor(owning: socket)
    let bytes = Array(message.utf8)
    _ = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(owned.raw, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT), $0, length)
      }
    }
  }
}
