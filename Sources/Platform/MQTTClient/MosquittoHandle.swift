import CMosquitto
import Glibc
import Synchronization

/// libmosquitto's object for one connection. It belongs first to the connecting thread, then to the loop's thread,
/// never to both. The last reference frees it.
final class MosquittoHandle: @unchecked Sendable {
  let raw: OpaquePointer
  /// The result of mosquitto_connect_async(3) on the connecting thread; nil while it runs.
  private let answer = Mutex<(code: Int32, errno: Int32)?>(nil)
  /// The last OpenSSL error from libmosquitto's log, which either thread may write.
  private let encryptionError = Mutex<String?>(nil)
  /// The receiver of the callbacks, accessed on the loop's thread only.
  weak var session: MosquittoSession?

  private static let isStarted = outrider_mosquitto_start() == 0

  /// `isPersistent` is true for a session that the broker keeps after the connection.
  init?(clientID: String, isPersistent: Bool) {
    guard Self.isStarted, let raw = mosquitto_new(clientID, !isPersistent, nil) else { return nil }
    self.raw = raw
    // Unretained: libmosquitto's object is freed together with this one.
    mosquitto_user_data_set(raw, Unmanaged.passUnretained(self).toOpaque())
    mosquitto_log_callback_set(raw) { _, context, _, line in
      guard let line, let handle = MosquittoHandle.of(context) else { return }
      handle.record(log: String(cString: line))
    }
  }

  /// Returns the object for the pointer that libmosquitto passes to its callbacks.
  static func of(_ context: UnsafeMutableRawPointer?) -> MosquittoHandle? {
    context.map { Unmanaged<MosquittoHandle>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Stores the properties of CONNECT for MQTT 5 (section 3.1.2.11): how long the broker keeps the session, in s, and the
  /// largest packet that it may send, in bytes.
  ///
  /// mosquitto_connect_async(3) has no parameter for them, and the function that has one blocks. Without a host it fails
  /// after it has stored them.
  func storeProperties(sessionExpiry: UInt32, largestPacket: UInt32) {
    var properties: OpaquePointer?
    defer { mosquitto_property_free_all(&properties) }
    let expiry = Int32(MQTT_PROP_SESSION_EXPIRY_INTERVAL.rawValue)
    let size = Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue)
    guard mosquitto_property_add_int32(&properties, expiry, sessionExpiry) == MOSQ_ERR_SUCCESS.rawValue,
      mosquitto_property_add_int32(&properties, size, largestPacket) == MOSQ_ERR_SUCCESS.rawValue
    else { return }
    _ = mosquitto_connect_bind_v5(raw, nil, 0, 60, nil, properties)
  }

  private func record(log line: String) {
    guard line.hasPrefix("OpenSSL Error") else { return }
    let message = line.split(separator: ":").last.map { $0.drop { $0 == " " }.lowercased() }
    encryptionError.withLock { $0 = message }
  }

  var tlsError: String? { encryptionError.withLock { $0 } }

  deinit { mosquitto_destroy(raw) }

  var connected: (code: Int32, errno: Int32)? { answer.withLock { $0 } }

  /// Resolves the host name, which blocks, and starts to connect, which does not.
  func connect(host: String, port: UInt16, keepAlive: Int32) {
    let code = mosquitto_connect_async(raw, host, Int32(port), keepAlive)
    let number = errno
    answer.withLock { $0 = (code, number) }
  }
}
