import CCurl
import EventLoop
import Glibc
import Quantities
import System

/// An HTTP client on the event loop, based on libcurl's multi interface (curl_multi_socket_action(3)).
///
/// The client does not poll: libcurl reports the sockets and the deadline to wait for. TLS certificates are always
/// verified, redirects are never followed. Connections and TLS sessions are reused. Names are looked up and files are
/// read on threads beside the loop, by ``ConnectionPreparer``: libcurl itself does neither, because it would wait for its
/// own resolver thread. A connection of TLS ends after 100 handshake messages, session tickets and key updates included:
/// OpenSSL reads all that have arrived, and that arrive meanwhile, in one call (SSL_read(3)).
///
/// Not thread-safe: all calls and completions run on the loop's thread, completions never inside
/// ``perform(_:completion:)``.
public final class HTTPClient {
  /// Identifies a running request.
  public struct Handle: Hashable, Sendable {
    fileprivate let serial: UInt64
  }

  private struct Watch {
    var registration: EventLoop.Registration
    var interest: EventLoop.Interest
  }

  private let loop: EventLoop
  private let utc: () -> Timestamp
  private let multi: UnsafeMutableRawPointer
  private let share: UnsafeMutableRawPointer?
  private let authorities = TrustedAuthorities.ofSystem()
  private let preparer: ConnectionPreparer
  /// The contents of files at the last new connection, by which libcurl finds a kept connection.
  private var files: [TLSFiles: TLSFiles.Bytes] = [:]
  private var timer: LoopTimer?
  private var refusals: LoopTimer?
  private var transfers: [UInt64: Transfer] = [:]
  private var serials: [UnsafeMutableRawPointer: UInt64] = [:]
  private var watches: [Int32: Watch] = [:]
  private var refused: [(serial: UInt64, completion: (HTTPOutcome) -> Void, failure: TransportFailure)] = []
  private var lastSerial: UInt64 = 0

  // curl_global_init(3) is not thread-safe; a static is initialised once.
  private static let isStarted = outrider_curl_start() == CURLE_OK

  /// Creates a client. `utc` supplies the time to evaluate a date in `Retry-After`; by default the loop's clock does.
  /// `lookUp` finds the addresses of a name and may block; it is called on other threads.
  public init(
    loop: EventLoop, utc: (() -> Timestamp)? = nil,
    lookUp: @escaping @Sendable (String) -> Result<[NetworkAddress], NameFailure> = NameService.lookUp
  ) throws(SystemError) {
    preparer = try ConnectionPreparer(loop: loop, lookUp: lookUp)
    guard Self.isStarted, let multi = curl_multi_init() else {
      throw SystemError(call: "curl_multi_init", number: ENOMEM)
    }
    self.loop = loop
    self.utc = utc ?? loop.clock.timestamp
    self.multi = multi
    share = curl_share_init()
    if let share { _ = outrider_share_sessions(share) }
    timer = loop.addSystemTimer("http client") { [weak self] _ in self?.timeOut() }
    refusals = loop.addTimer("http refusals") { [weak self] _ in self?.completeRefused() }
    loop.awaitInSimulation(.peer) { [weak self] in self.map { !$0.transfers.isEmpty } ?? false }
    _ = outrider_multi_set_number(multi, CURLMOPT_MAXCONNECTS, 4)
    registerCallbacks()
  }

  deinit {
    for transfer in transfers.values { curl_multi_remove_handle(multi, transfer.easy) }
    transfers = [:]
    // Closing the cached connections must not call back into an object that is being destroyed.
    _ = outrider_multi_set_socket_callback(multi, nil, nil)
    _ = outrider_multi_set_timer_callback(multi, nil, nil)
    curl_multi_cleanup(multi)
    if let share { curl_share_cleanup(share) }
    for watch in watches.values { loop.remove(watch.registration) }
    if let timer { loop.removeTimer(timer) }
    if let refusals { loop.removeTimer(refusals) }
  }

  /// Starts a request. `completion` is called once, later, unless the request is cancelled.
  @discardableResult
  public func perform(
    _ request: HTTPClientRequest, completion: @escaping (HTTPOutcome) -> Void
  ) -> Handle {
    lastSerial &+= 1
    let serial = lastSerial
    if request.hasControlCharacters {
      refuse(serial, completion, reason: "control character in url or header")
    } else if let transfer = Transfer(request, start: loop.now, completion: completion),
      transfer.prepare(share: share, authorities: authorities)
    {
      transfers[serial] = transfer
      serials[transfer.easy] = serial
      if let paths = TLSFiles(request) {
        // Without a kept connection of these files, libcurl is refused its lookup, and they are read again.
        if let known = files[paths] {
          start(serial, with: known)
        } else {
          prepare(serial, files: paths, name: nil)
        }
      } else {
        start(serial)
      }
    } else {
      refuse(serial, completion, reason: "libcurl rejects its options")
    }
    return Handle(serial: serial)
  }

  /// Cancels a request; its completion is not called. Does nothing if the request has completed.
  public func cancel(_ handle: Handle) {
    refused.removeAll { $0.serial == handle.serial }
    guard let transfer = transfers[handle.serial] else { return }
    preparer.cancel(handle.serial)
    curl_multi_remove_handle(multi, transfer.easy)
    forget(handle.serial)
  }

  private func refuse(_ serial: UInt64, _ completion: @escaping (HTTPOutcome) -> Void, reason: String) {
    refuse(serial, completion, .invalidRequest(reason: reason))
  }

  private func refuse(
    _ serial: UInt64, _ completion: @escaping (HTTPOutcome) -> Void, _ failure: TransportFailure
  ) {
    refused.append((serial, completion, failure))
    refusals?.arm(at: loop.now)
  }

  /// Ends a request without libcurl, in a later turn of the loop.
  private func fail(_ serial: UInt64, _ failure: TransportFailure) {
    guard let transfer = transfers[serial] else { return }
    forget(serial)
    refuse(serial, transfer.completion, failure)
  }

  // MARK: Attempts

  private func start(_ serial: UInt64, with bytes: TLSFiles.Bytes) {
    guard let transfer = transfers[serial] else { return }
    guard transfer.setFiles(bytes) else {
      return fail(serial, .invalidRequest(reason: "libcurl rejects its certificates"))
    }
    start(serial)
  }

  private func start(_ serial: UInt64) {
    guard let transfer = transfers[serial] else { return }
    guard transfer.begin(now: loop.now) else { return fail(serial, transfer.timeoutBeforeAttempt) }
    if curl_multi_add_handle(multi, transfer.easy) != CURLM_OK {
      fail(serial, .invalidRequest(reason: "libcurl rejects it"))
    }
  }

  /// Obtains what an attempt was refused, beside the loop; then starts the request again.
  private func handleRefusal(_ serial: UInt64, _ transfer: Transfer) {
    switch transfer.needs.handleRefusal(transfer.errorMessage) {
    case .giveUp:
      fail(serial, transfer.failure(.other("libcurl requires another name"), of: nil))
    case .prepare(files: false, name: nil): start(serial)
    case .prepare(let needsFiles, let name):
      prepare(serial, files: needsFiles ? TLSFiles(transfer.request) : nil, name: name)
    }
  }

  private func prepare(_ serial: UInt64, files paths: TLSFiles?, name: ConnectionHosts.Host?) {
    guard let transfer = transfers[serial] else { return }
    let order = ConnectionPreparer.Order(files: paths, name: name?.name, deadline: transfer.connectDeadline)
    preparer.prepare(serial, order) { [weak self] outcome in
      guard let self, let transfer = transfers[serial] else { return }
      switch outcome {
      case .noFile(let failure): fail(serial, transfer.failure(failure))
      case .noName(let failure): fail(serial, transfer.failure(failure, of: name))
      case .ready(let bytes, let addresses):
        if let name, !transfer.setAddresses(addresses, of: name) {
          return fail(serial, .invalidRequest(reason: "libcurl rejects its address"))
        }
        guard let paths, let bytes else { return start(serial) }
        transfer.needs.filesAreNew()
        remember(bytes, of: paths)
        start(serial, with: bytes)
      }
    }
  }

  private func remember(_ bytes: TLSFiles.Bytes, of paths: TLSFiles) {
    // More are named by no configuration at once.
    if files.count >= 16, files[paths] == nil { files = [:] }
    files[paths] = bytes
  }

  private func forget(_ serial: UInt64) {
    guard let transfer = transfers.removeValue(forKey: serial) else { return }
    serials[transfer.easy] = nil
  }

  // MARK: Requests of libcurl

  private func registerCallbacks() {
    // libcurl keeps this pointer, unretained, until deinit removes the callbacks.
    let context = Unmanaged.passUnretained(self).toOpaque()
    _ = outrider_multi_set_socket_callback(
      multi,
      { _, socket, pollMask, context, _ in
        guard let context else { return 0 }
        Unmanaged<HTTPClient>.fromOpaque(context).takeUnretainedValue().watch(socket, for: pollMask)
        return 0
      }, context)
    _ = outrider_multi_set_timer_callback(
      multi,
      { _, milliseconds, context in
        guard let context else { return 0 }
        Unmanaged<HTTPClient>.fromOpaque(context).takeUnretainedValue().arm(milliseconds)
        return 0
      }, context)
  }

  private func watch(_ socket: Int32, for pollMask: Int32) {
    var interest: EventLoop.Interest = []
    if pollMask == CURL_POLL_IN || pollMask == CURL_POLL_INOUT { interest.insert(.readable) }
    if pollMask == CURL_POLL_OUT || pollMask == CURL_POLL_INOUT { interest.insert(.writable) }
    if pollMask == CURL_POLL_IN { acknowledgeAtOnce(socket) }
    if let watch = watches[socket] {
      if pollMask != CURL_POLL_REMOVE {
        if watch.interest == interest { return }
        if (try? loop.change(watch.registration, to: interest)) != nil {
          watches[socket]?.interest = interest
          return
        }
        // The descriptor number belongs to another socket now: watch that one.
      }
      loop.remove(watch.registration)
      watches[socket] = nil
    }
    guard pollMask != CURL_POLL_REMOVE else { return }
    let registration = try? loop.watch(socket, for: interest) { [weak self] readiness in
      self?.proceed(socket, Self.mask(readiness))
    }
    watches[socket] = registration.map { Watch(registration: $0, interest: interest) }
  }

  /// Requests an immediate TCP acknowledgement for the next response (tcp(7), TCP_QUICKACK).
  ///
  /// A server that writes head and body separately delays the body until the head is acknowledged (Nagle), which the
  /// kernel defers by 40 ms. The option is not permanent and must be set for every response.
  private func acknowledgeAtOnce(_ socket: Int32) {
    var on: Int32 = 1
    setsockopt(socket, Int32(IPPROTO_TCP), TCP_QUICKACK, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  private func arm(_ milliseconds: Int) {
    timer?.arm(after: milliseconds < 0 ? nil : .milliseconds(milliseconds))
  }

  private static func mask(_ readiness: EventLoop.Readiness) -> Int32 {
    (readiness.contains(.readable) ? CURL_CSELECT_IN : 0)
      | (readiness.contains(.writable) ? CURL_CSELECT_OUT : 0)
      | (readiness.contains(.hangup) ? CURL_CSELECT_ERR : 0)
  }

  // MARK: Completion

  private func completeRefused() {
    // A completion may cancel other requests and start new ones. Those must wait for the next turn of the loop.
    for _ in 0..<refused.count where !refused.isEmpty {
      let request = refused.removeFirst()
      request.completion(.failure(request.failure))
    }
  }

  private func timeOut() {
    proceed(CURL_SOCKET_TIMEOUT, 0)
    // The loop's clock includes suspended time, libcurl's does not. libcurl may find nothing due, and does not request
    // the same deadline twice.
    guard let timer, !timer.isArmed else { return }
    var milliseconds = -1
    curl_multi_timeout(multi, &milliseconds)
    if milliseconds >= 0 { arm(max(milliseconds, 1)) }
  }

  private func proceed(_ socket: Int32, _ mask: Int32) {
    var running: Int32 = 0
    curl_multi_socket_action(multi, socket, mask, &running)
    var left: Int32 = 0
    while let message = curl_multi_info_read(multi, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle,
        let serial = serials[easy], let transfer = transfers[serial]
      else { continue }
      if transfer.needs.isRefused {
        curl_multi_remove_handle(multi, easy)
        handleRefusal(serial, transfer)
        continue
      }
      // The message becomes invalid when its handle is removed.
      let outcome = transfer.outcome(message.pointee.data.result, utc: utc)
      curl_multi_remove_handle(multi, easy)
      forget(serial)
      transfer.completion(outcome)
    }
  }
}
