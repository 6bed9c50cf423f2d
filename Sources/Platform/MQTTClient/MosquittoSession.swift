import CMosquitto
import EventLoop
import Glibc
import Quantities
import System

/// One connection to a broker, based on libmosquitto: QoS 1. It runs in a process of its own (``SessionProcess``), because
/// the library may abort on the bytes of a broker.
///
/// The host name is resolved on a short-lived thread; everything else runs on the loop's thread. A session ends once
/// and is not reused. After its end, no callback is made.
final class MosquittoSession {
  /// The keep-alive interval (MQTT 5 section 3.1.2.10), unless the broker requires a shorter one.
  static let keepAlive = Duration.seconds(60)
  /// How long the broker keeps a session with a subscription after the connection, in s: messages of this time arrive at
  /// the next connection. With MQTT 3.1.1 the broker decides.
  static let sessionExpiry: UInt32 = 7 * 86_400
  /// The largest packet in bytes that a broker of MQTT 5 may send to a session with a subscription.
  static let largestPacket: UInt32 = 8192

  private let broker: MQTTBroker
  private let version: MQTTVersion
  private let subscription: String?
  private var keepAlive = MosquittoSession.keepAlive
  private let loop: EventLoop
  private let handle: MosquittoHandle
  private let onReport: (SessionReport) -> Void
  private let resolved: EventDescriptor
  private var phase = Phase.starting
  private var watch: (registration: EventLoop.Registration, socket: Int32, isWriting: Bool)?
  private var timer: LoopTimer?
  /// Ends the wait for the answer to CONNECT.
  private var answerTimer: LoopTimer?
  private var hasReachedBroker = false
  /// The topics of the messages without an acknowledgement, by packet identifier.
  private var inFlight: [Int32: String] = [:]
  /// The events from libmosquitto's callbacks, processed after the library has returned.
  private var pending: [SessionReport] = []
  private var budget: ReadBudget

  /// The time after which a silent broker is assumed not to know MQTT 5. A round trip with TLS takes up to 3 s over GPRS.
  static let answerTimeout = Duration.seconds(10)

  private enum Phase {
    case starting
    /// The name is being resolved on another thread, which signals its end.
    case resolving(EventLoop.Registration)
    /// The broker has not accepted the connection yet.
    case connecting
    case connected, ended
  }

  /// Starts to connect. The broker publishes `will` if the connection ends without DISCONNECT.
  ///
  /// With the topic `subscription`, the session subscribes to it with QoS 1, and the broker keeps its messages for the next
  /// connection of this client.
  init(
    _ connection: SessionConnection, loop: EventLoop, onReport: @escaping (SessionReport) -> Void
  ) throws(MQTTFailure) {
    let broker = connection.broker
    subscription = connection.subscription
    guard let handle = MosquittoHandle(clientID: broker.clientID, isPersistent: subscription != nil) else {
      throw .invalid(reason: "libmosquitto failed to start")
    }
    self.broker = broker
    version = connection.version
    self.loop = loop
    self.handle = handle
    self.onReport = onReport
    budget = ReadBudget(now: loop.now)
    do throws(SystemError) {
      resolved = try EventDescriptor(blocking: false)
    } catch {
      throw .unreachable(broker: broker.displayURL, reason: "\(error)")
    }
    try configure(connection.will)
    let signal = resolved
    let (host, port) = (broker.host, broker.port)
    let seconds = Int32(clamping: Self.keepAlive.components.seconds)
    do throws(SystemError) {
      phase = .resolving(
        try loop.watch(signal.raw, for: .readable) { [weak self] _ in self?.takeOver() })
      try DetachedThread.start("mqtt resolver") {
        handle.connect(host: host, port: port, keepAlive: seconds)
        signal.signal()
      }
    } catch {
      endPhase()
      throw .unreachable(broker: broker.displayURL, reason: "\(error)")
    }
  }

  deinit {
    endResolving()
    release()
  }

  private var isConnected: Bool { if case .connected = phase { true } else { false } }
  private var hasEnded: Bool { if case .ended = phase { true } else { false } }
  /// Disconnects properly: the broker publishes no will.
  func close() {
    guard !hasEnded else { return }
    let wasConnected = isConnected
    endPhase()
    if wasConnected { mosquitto_disconnect(handle.raw) }
    release()
  }

  /// Drops the connection without DISCONNECT, like a loss of power.
  func drop() {
    endPhase()
    release()
  }

  private func endPhase() {
    endResolving()
    phase = .ended
  }

  private func endResolving() {
    if case .resolving(let registration) = phase { loop.remove(registration) }
  }

  private func release() {
    if let watch { loop.remove(watch.registration) }
    for timer in [timer, answerTimer].compactMap({ $0 }) { loop.removeTimer(timer) }
    watch = nil
    timer = nil
    answerTimer = nil
    // The connecting thread may still use the object; its callbacks must not find a session.
    handle.session = nil
  }

  // MARK: Connecting

  private func configure(_ will: MQTTMessage?) throws(MQTTFailure) {
    let raw = handle.raw
    let number = version == .five ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311
    mosquitto_int_option(raw, MOSQ_OPT_PROTOCOL_VERSION, number)
    // Without a limit of its own the library sends every message at once; the owner limits them.
    mosquitto_int_option(raw, MOSQ_OPT_SEND_MAXIMUM, Int32(UInt16.max))
    if subscription != nil, version == .five {
      handle.storeProperties(sessionExpiry: Self.sessionExpiry, largestPacket: Self.largestPacket)
    }
    if let user = broker.user { try checked(mosquitto_username_pw_set(raw, user, broker.password), "user") }
    if let will {
      let code = mosquitto_will_set(
        raw, will.topic, Int32(clamping: will.payload.count), will.payload, 1, will.isRetained)
      try checked(code, "topic \(will.topic)")
    }
    guard broker.isEncrypted else { return }
    for (key, path) in [
      ("ca_file", broker.authorityFile), ("client_certificate", broker.clientCertificateFile),
      ("client_key", broker.clientKeyFile),
    ] {
      guard let path else { continue }
      do throws(CertificateFile.Failure) {
        // The library opens the path itself, and would wait for the writer of a pipe.
        _ = try CertificateFile.read(path)
      } catch {
        throw .invalid(reason: "\(key) \(error)")
      }
    }
    let directory = broker.authorityFile == nil ? "/etc/ssl/certs" : nil
    try checked(
      mosquitto_tls_set(
        raw, broker.authorityFile, directory, broker.clientCertificateFile, broker.clientKeyFile, nil),
      "certificates")
  }

  private func checked(_ code: Int32, _ what: String) throws(MQTTFailure) {
    guard code != MOSQ_ERR_SUCCESS.rawValue else { return }
    throw .invalid(reason: "\(what): \(Self.message(code))")
  }

  /// Takes over the object for the loop: the name is resolved and the connection started.
  private func takeOver() {
    resolved.wait()
    endResolving()
    guard !hasEnded else { return }
    phase = .connecting
    guard let (code, number) = handle.connected else { return }
    guard code == MOSQ_ERR_SUCCESS.rawValue else { return end(failure(code, errno: number)) }
    setCallbacks()
    timer = loop.addSystemTimer("mqtt") { [weak self] _ in self?.attend { mosquitto_loop_misc($0) } }
    if version == .five {
      answerTimer = loop.addTimer("mqtt answer") { [weak self] _ in self?.giveUpAnswer() }
      answerTimer?.arm(after: Self.answerTimeout)
    }
    follow()
    noteReached()
  }

  /// Reports once that the TCP connection exists: what follows is the answer of the broker.
  private func noteReached() {
    guard !hasEnded, !hasReachedBroker, let watch else { return }
    var address = sockaddr()
    var size = socklen_t(MemoryLayout<sockaddr>.size)
    guard getpeername(watch.socket, &address, &size) == 0 else { return }
    hasReachedBroker = true
    onReport(.reached)
  }

  private func giveUpAnswer() {
    guard !hasEnded, !isConnected, hasReachedBroker else { return }
    end(.versionRefused(broker: broker.displayURL, reason: "no answer", isStated: false))
  }

  private func setCallbacks() {
    let raw = handle.raw
    handle.session = self
    mosquitto_connect_v5_callback_set(raw) { _, context, code, _, properties in
      var (seconds, maximum): (UInt16, UInt16) = (0, 0)
      _ = mosquitto_property_read_int16(
        properties, Int32(MQTT_PROP_SERVER_KEEP_ALIVE.rawValue), &seconds, false)
      _ = mosquitto_property_read_int16(
        properties, Int32(MQTT_PROP_RECEIVE_MAXIMUM.rawValue), &maximum, false)
      MosquittoHandle.of(context)?.session?.handleConnected(
        code, keepAlive: seconds, receiveMaximum: maximum)
    }
    mosquitto_publish_v5_callback_set(raw) { _, context, number, code, _ in
      MosquittoHandle.of(context)?.session?.handlePublished(number, code)
    }
    guard subscription != nil else { return }
    mosquitto_message_v5_callback_set(raw) { _, context, message, _ in
      guard let message = message?.pointee, let topic = message.topic else { return }
      let payload = UnsafeRawBufferPointer(start: message.payload, count: Int(max(message.payloadlen, 0)))
      MosquittoHandle.of(context)?.session?.handleReceived(
        MQTTMessage(
          topic: String(cString: topic), payload: Array(payload.prefix(Int(MosquittoSession.largestPacket))),
          isRetained: message.retain))
    }
    mosquitto_subscribe_v5_callback_set(raw) { _, context, _, count, codes, _ in
      guard count > 0, let code = codes?.pointee else { return }
      MosquittoHandle.of(context)?.session?.handleSubscribed(code)
    }
  }

  /// Handles CONNACK. `seconds` is the keep-alive interval that the broker requires, `maximum` its Receive Maximum; 0 if
  /// it requires none.
  private func handleConnected(_ code: Int32, keepAlive seconds: UInt16, receiveMaximum maximum: UInt16) {
    guard !isConnected else { return }
    guard code == 0 else {
      return pending.append(.ended(MQTTFailure(connection: code, of: broker.displayURL, version: version)))
    }
    phase = .connected
    if seconds > 0 { keepAlive = min(keepAlive, .seconds(seconds)) }
    answerTimer.map(loop.removeTimer)
    pending.append(.connected(receiveMaximum: maximum > 0 ? maximum : .max))
    subscribe()
  }

  private func subscribe() {
    guard let subscription else { return }
    // MQTT 5 section 3.8.3.1: no retained messages at the subscription.
    let options = version == .five ? Int32(MQTT_SUB_OPT_SEND_RETAIN_NEVER.rawValue) : 0
    let code = mosquitto_subscribe_v5(handle.raw, nil, subscription, 1, options, nil)
    if code != MOSQ_ERR_SUCCESS.rawValue { pending.append(.notSubscribed(Self.message(code))) }
  }

  /// Handles SUBACK (MQTT 5 section 3.9.3; MQTT 3.1.1 has the code 128 only).
  private func handleSubscribed(_ code: Int32) {
    guard code >= 128 else { return }
    let text = version == .five ? mosquitto_reason_string(code).map { String(cString: $0) } : nil
    pending.append(.notSubscribed(text?.lowercased().filter { $0 != "." } ?? "code \(code)"))
  }

  private func handleReceived(_ message: MQTTMessage) {
    guard !hasEnded else { return }
    pending.append(.received(message))
  }

  private func handlePublished(_ number: Int32, _ code: Int32) {
    guard let topic = inFlight.removeValue(forKey: number) else { return }
    if code == Int32(MQTT_RC_NO_MATCHING_SUBSCRIBERS.rawValue) { return pending.append(.unrouted(number)) }
    guard code >= 128 else { return pending.append(.published(number)) }
    pending.append(.refused(number, MQTTFailure(message: code, to: topic, of: broker.displayURL)))
  }

  // MARK: Publishing

  /// Publishes a message with QoS 1 and returns its packet identifier; nil if the session has ended. The result is an
  /// event: `published`, `unrouted`, `refused` or `ended`.
  ///
  /// Further messages may be published before that, at most the Receive Maximum of the broker. It keeps their order.
  func publish(_ message: MQTTMessage) -> Int32? {
    guard !hasEnded else { return nil }
    var packet: Int32 = 0
    errno = 0
    let code = mosquitto_publish(
      handle.raw, &packet, message.topic, Int32(clamping: message.payload.count), message.payload, 1,
      message.isRetained)
    let number = errno
    switch code {
    case MOSQ_ERR_SUCCESS.rawValue: break
    case MOSQ_ERR_MALFORMED_UTF8.rawValue, MOSQ_ERR_NOMEM.rawValue:
      // The message itself is impossible.
      end(.invalid(reason: "\(broker.displayURL): \(Self.message(code))"))
      return nil
    default:
      end(failure(code, errno: number))
      return nil
    }
    budget.earn()
    inFlight[packet] = message.topic
    follow()
    return hasEnded ? nil : packet
  }

  // MARK: The socket

  /// Watches the socket for the events that libmosquitto waits for.
  private func follow() {
    guard !hasEnded else { return }
    let socket = mosquitto_socket(handle.raw)
    guard socket >= 0 else { return end(failure(MOSQ_ERR_CONN_LOST.rawValue, errno: 0)) }
    let isWriting = mosquitto_want_write(handle.raw)
    timer?.arm(after: keepAlive / 2, slack: keepAlive / 4)
    if let watch, watch.socket == socket {
      guard watch.isWriting != isWriting else { return }
      let interest: EventLoop.Interest = isWriting ? [.readable, .writable] : .readable
      if (try? loop.change(watch.registration, to: interest)) != nil {
        self.watch?.isWriting = isWriting
        return
      }
    }
    if let watch { loop.remove(watch.registration) }
    watch = nil
    let registration = try? loop.watch(socket, for: isWriting ? [.readable, .writable] : .readable) {
      [weak self] readiness in self?.proceed(readiness)
    }
    guard let registration else {
      return end(.unreachable(broker: broker.displayURL, reason: "too many open files"))
    }
    watch = (registration, socket, isWriting)
  }

  private func proceed(_ readiness: EventLoop.Readiness) {
    // libmosquitto does not detect the failure of a TCP connection under TLS.
    if readiness.contains(.hangup), !isConnected, let number = lostConnection {
      return end(failure(MOSQ_ERR_ERRNO.rawValue, errno: number))
    }
    noteReached()
    // The error of a dead socket is reported by reading.
    if readiness.contains(.readable) || readiness.contains(.hangup) {
      guard budget.spend(now: loop.now) else { return end(.flooded(broker: broker.displayURL)) }
      attend { mosquitto_loop_read($0, 1) }
    }
    if readiness.contains(.writable), !hasEnded { attend { mosquitto_loop_write($0, 1) } }
  }

  /// The error of a socket that is not connected; nil if it is connected.
  private var lostConnection: Int32? {
    guard let watch else { return nil }
    var number: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    if getsockopt(watch.socket, SOL_SOCKET, SO_ERROR, &number, &size) == 0, number != 0 { return number }
    var address = sockaddr()
    size = socklen_t(MemoryLayout<sockaddr>.size)
    guard getpeername(watch.socket, &address, &size) != 0, errno == ENOTCONN else { return nil }
    // The kernel reports the error once, and libmosquitto has consumed it.
    let taken = handle.connected?.errno ?? 0
    return taken == 0 || taken == EINPROGRESS || taken == EAGAIN ? ENOTCONN : taken
  }

  private func attend(_ call: (OpaquePointer) -> Int32) {
    guard !hasEnded else { return }
    errno = 0
    let code = call(handle.raw)
    let number = errno
    reportEvents()
    guard !hasEnded else { return }
    guard code == MOSQ_ERR_SUCCESS.rawValue else { return end(failure(code, errno: number)) }
    follow()
  }

  private func reportEvents() {
    while !pending.isEmpty, !hasEnded {
      let event = pending.removeFirst()
      if case .ended(let failure) = event { end(failure) } else { onReport(event) }
    }
  }

  private func end(_ failure: MQTTFailure) {
    guard !hasEnded else { return }
    endPhase()
    release()
    onReport(.ended(failure))
  }

  /// The failure of a connection that ended before the broker accepted the client, or brought something else than CONNACK.
  /// Brokers that support only older versions close such a connection, with or without a part of an answer.
  private func lossBeforeAnswer(_ reason: String) -> MQTTFailure {
    version == .five
      ? .versionRefused(broker: broker.displayURL, reason: reason, isStated: false)
      : .notAccepted(broker: broker.displayURL, reason: reason)
  }

  /// True if a system error before CONNACK is the end of a TCP connection by the broker: 0 is the end of the stream within a
  /// packet. Without a network nothing is learned about the broker.
  private func isLoss(_ number: Int32) -> Bool {
    switch number {
    case ETIMEDOUT, EHOSTUNREACH, ENETUNREACH, ENETDOWN: false
    case ECONNRESET, EPIPE: hasReachedBroker || !broker.isEncrypted
    default: hasReachedBroker
    }
  }

  private func failure(_ code: Int32, errno number: Int32) -> MQTTFailure {
    let reason =
      if number != 0 {
        String(cString: strerror(number)).lowercased()
      } else {
        code == MOSQ_ERR_ERRNO.rawValue ? "connection closed" : Self.message(code)
      }
    switch code {
    case MOSQ_ERR_EAI.rawValue: return .nameNotResolved(broker: broker.displayURL)
    // A handshake that fails in SSL_read(3) or SSL_write(3) ends in libmosquitto with EPROTO.
    case MOSQ_ERR_ERRNO.rawValue where number == EPROTO && handle.tlsError != nil,
      MOSQ_ERR_TLS.rawValue, MOSQ_ERR_TLS_HANDSHAKE.rawValue:
      return .tls(broker: broker.displayURL, reason: handle.tlsError ?? Self.message(code))
    case MOSQ_ERR_NOMEM.rawValue, MOSQ_ERR_MALFORMED_UTF8.rawValue, MOSQ_ERR_DUPLICATE_PROPERTY.rawValue,
      MOSQ_ERR_MALFORMED_PACKET.rawValue:
      // libmosquitto reports a packet that it cannot store, or does not know, as a lack of memory.
      let reason = "unreadable packet"
      return isConnected
        ? .interrupted(broker: broker.displayURL, reason: reason) : lossBeforeAnswer(reason)
    case MOSQ_ERR_CONN_LOST.rawValue, MOSQ_ERR_PROTOCOL.rawValue:
      return isConnected
        ? .interrupted(broker: broker.displayURL, reason: reason) : lossBeforeAnswer(reason)
    case MOSQ_ERR_ERRNO.rawValue, MOSQ_ERR_NO_CONN.rawValue, MOSQ_ERR_CONN_REFUSED.rawValue,
      MOSQ_ERR_KEEPALIVE.rawValue:
      if isConnected { return .interrupted(broker: broker.displayURL, reason: reason) }
      return isLoss(number) ? lossBeforeAnswer(reason) : unreachable(reason)
    default:
      if !isConnected, hasReachedBroker { return lossBeforeAnswer(reason) }
      return .invalid(reason: "\(broker.displayURL): \(Self.message(code))")
    }
  }

  private func unreachable(_ reason: String) -> MQTTFailure {
    .unreachable(broker: broker.displayURL, reason: reason)
  }

  private static func message(_ code: Int32) -> String {
    String(cString: mosquitto_strerror(code)).lowercased().filter { $0 != "." }
  }
}
