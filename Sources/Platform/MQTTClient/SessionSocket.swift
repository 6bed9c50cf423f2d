import Glibc
import System

/// One end of the socket between the logger and the process of a connection.
final class SessionSocket {
  let raw: Int32
  private var outbox: [UInt8] = []

  init(owning descriptor: consuming Descriptor) { raw = descriptor.release() }

  deinit { close(raw) }

  /// Creates both ends: that of the logger, and the descriptor of that of the process, which the caller closes.
  static func pair() throws(SystemError) -> (SessionSocket, Int32) {
    var ends: [Int32] = [-1, -1]
    try check(
      "socketpair", socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends))
    return (SessionSocket(owning: Descriptor(owning: ends[0])), ends[1])
  }

  /// True if bytes wait for room in the socket.
  var isWaiting: Bool { !outbox.isEmpty }

  /// Sends the bytes without blocking, as far as the socket has room; ``flush()`` sends the rest.
  func send(_ bytes: [UInt8]) {
    outbox += bytes
    flush()
  }

  func flush() {
    var sent = 0
    while sent < outbox.count {
      let count = outbox.withUnsafeBytes { bytes in
        Glibc.send(
          raw, bytes.baseAddress?.advanced(by: sent), bytes.count - sent, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        // A broken connection is noticed by reading.
        if errno != EAGAIN { sent = outbox.count }
        break
      }
      sent += count
    }
    outbox.removeFirst(sent)
  }

  /// Sends all bytes, however long that takes; false if the other end is closed.
  func sendAll(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(raw, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// The result of a read.
  enum Arrival {
    case bytes([UInt8])
    case nothing, end
  }

  /// Reads what has arrived, at most 64 KiB.
  func read() -> Arrival {
    let size = 65_536
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      let read = recv(raw, buffer.baseAddress, size, Int32(MSG_DONTWAIT))
      failure = read < 0 ? errno : 0
      count = max(read, 0)
    }
    guard bytes.isEmpty else { return .bytes(bytes) }
    return failure == EAGAIN || failure == EINTR ? .nothing : .end
  }

  /// Waits until the other end is closed, at most `milliseconds`; discards what it sends. Returns true if it is closed.
  func waitForEnd(atMost milliseconds: Int32) -> Bool {
    for _ in 0..<max(milliseconds / 5, 1) {
      flush()
      while true {
        switch read() {
        case .bytes: continue
        case .end: return true
        case .nothing: break
        }
        break
      }
      var entry = pollfd(fd: raw, events: Int16(POLLIN) | (isWaiting ? Int16(POLLOUT) : 0), revents: 0)
      poll(&entry, 1, 5)
    }
    return false
  }
}
