import CMosquitto
import Glibc
import Synchronization

/// libmosquitto's object for one connection. It belongs to the connecting thread first and to the loop's afterwards, never
/// to both; whoever of them lets it go last frees it.
final class MosquittoHandle: @unchecked Sendable {
  let raw: OpaquePointer
  /// What mosquitto_connect_async(3) answered on the connecting thread; nil while it runs.
  private let answer = Mutex<(code: Int32, errno: Int32)?>(nil)

  private static let isStarted = outrider_mosquitto_start() == 0

  init?(clientID: String) {
    guard Self.isStarted, let raw = mosquitto_new(clientID, true, nil) else { return nil }
    self.raw = raw
  }

  deinit { mosquitto_destroy(raw) }

  var connected: (code: Int32, errno: Int32)? { answer.withLock { $0 } }

  /// Resolves the name, which blocks, and begins to connect, which does not.
  func connect(host: String, port: UInt16, keepAlive: Int32) {
    let code = mosquitto_connect_async(raw, host, Int32(port), keepAlive)
    let number = errno
    answer.withLock { $0 = (code, number) }
  }
}
