import CPostgreSQL
import EventLoop
import Quantities
import System

/// A connection to PostgreSQL on the event loop: it connects by itself, again and again, and performs requests one after
/// the other. The statements of a request are sent together (pipeline mode of libpq), in one round trip.
///
/// Names of hosts are looked up beside the loop.
public final class PostgresConnection {
  /// A change of the connection.
  public enum Event: Equatable, Sendable {
    case connected
    /// The connection failed or ended; the next attempt follows by itself.
    case lost(PostgresError)
  }

  public typealias Completion = (Result<[QueryResult], PostgresError>) -> Void

  private struct Job {
    let request: PostgresRequest
    let completion: Completion
  }

  private let address: String
  private let loop: EventLoop
  private let onEvent: (Event) -> Void
  private let lookup: DatabaseLookup
  private var schedule = ConnectionSchedule()
  private var timer: LoopTimer?
  private var raw: OpaquePointer?
  private var watch: (registration: EventLoop.Registration, interest: EventLoop.Interest)?
  /// The names of the statements that the server has prepared, by their text.
  private var prepared: [String: String] = [:]
  private var exchange: PipelineExchange?
  private var current: Job?
  private var queue: [Job] = []
  /// The server's process whose request was abandoned.
  private var abandoned: Int32?
  /// False until that process was ended.
  private var isReady = false

  /// Creates a connection; ``start()`` connects. `address` is a connection string or URI of libpq. `lookUp` finds the
  /// addresses of a host, on a thread of its own.
  public init(
    _ address: String, loop: EventLoop, onEvent: @escaping (Event) -> Void = { _ in },
    lookUp: @escaping @Sendable (String) -> Result<[NetworkAddress], NameFailure> = NameService.lookUp
  ) {
    self.address = address
    lookup = DatabaseLookup(address, loop: loop, lookUp)
    self.loop = loop
    self.onEvent = onEvent
    timer = loop.addTimer("database") { [weak self] now in self?.handleTimeout(now) }
  }

  deinit {
    unwatch()
    if let timer { loop.removeTimer(timer) }
    if let raw { PQfinish(raw) }
  }

  /// Connects; without effect if that has happened before.
  public func start() {
    guard schedule.phase == .closed else { return }
    connect()
  }

  /// Ends the connection. Requests in progress fail.
  public func close() {
    schedule.closed()
    timer?.arm(at: nil)
    end(.unreachable(reason: "closed"))
  }

  public var isConnected: Bool {
    switch schedule.phase {
    case .idle, .busy: isReady
    case .connecting, .waiting, .closed: false
    }
  }

  /// True if a request would be sent at once.
  public var isIdle: Bool { isReady && schedule.phase == .idle && queue.isEmpty }

  /// Performs a request after those before it. The completion is called once, on the loop's thread, never within this
  /// call. Without a connection, it fails.
  public func perform(_ request: PostgresRequest, completion: @escaping Completion) {
    guard isConnected else {
      loop.callNextTurn { completion(.failure(.unreachable(reason: "not connected"))) }
      return
    }
    queue.append(Job(request: request, completion: completion))
    if schedule.phase == .idle { loop.callNextTurn { [weak self] in self?.sendNext() } }
  }

  // MARK: Connecting

  private func connect() {
    schedule.attemptStarted(now: loop.now)
    timer?.arm(at: schedule.nextTimeout)
    lookup.find { [weak self] result in
      switch result {
      case .success(let hosts): self?.connect(to: hosts)
      case .failure(let error): self?.end(error)
      }
    }
  }

  private func connect(to hosts: DatabaseLookup.Options) {
    // The address replaces those before it, and the hosts replace its own.
    let options: [(String, String)] =
      [
        ("fallback_application_name", "outrider-collector"), ("options", "-c TimeZone=UTC"),
        ("tcp_user_timeout", "\(ConnectionSchedule.hostLimit.wholeMilliseconds)"),
        ("dbname", address), ("client_encoding", "UTF8"),
      ] + hosts
    raw = Self.withTexts(options.map(\.0)) { keys in
      Self.withTexts(options.map(\.1)) { values in PQconnectStartParams(keys, values, 1) }
    }
    guard let raw else { return end(.unreachable(reason: "out of memory")) }
    outrider_pq_silence(raw)
    guard PQstatus(raw) != CONNECTION_BAD else { return end(.unreachable(reason: failure)) }
    watchSocket(for: .writable)
  }

  private static func withTexts<Value>(
    _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Value
  ) -> Value {
    let bytes = texts.map { Array($0.utf8CString) }
    let all = bytes.flatMap { $0 }
    return all.withUnsafeBufferPointer { buffer in
      var pointers: [UnsafePointer<CChar>?] = []
      var offset = 0
      for text in bytes {
        pointers.append(buffer.baseAddress.map { $0 + offset })
        offset += text.count
      }
      pointers.append(nil)
      return pointers.withUnsafeBufferPointer { list in
        list.baseAddress.map(body) ?? withUnsafePointer(to: nil) { body($0) }
      }
    }
  }

  private func continueConnecting() {
    guard let raw else { return }
    // libpq may have replaced its socket by another one with the same number, so it is watched anew.
    switch PQconnectPoll(raw) {
    case PGRES_POLLING_READING: watchSocket(for: .readable)
    case PGRES_POLLING_WRITING: watchSocket(for: .writable)
    case PGRES_POLLING_OK:
      guard PQsetnonblocking(raw, 1) == 0, PQenterPipelineMode(raw) == 1 else {
        return end(.unreachable(reason: failure))
      }
      prepared = [:]
      schedule.connected()
      timer?.arm(at: nil)
      watchSocket(for: .readable)
      endAbandoned()
    default: end(.unreachable(reason: failure))
    }
  }

  /// Ends the server's process of an abandoned request, then reports the connection. A process that waits for the synchronous
  /// standby does not notice that its client is gone, and keeps its connection for ever.
  private func endAbandoned() {
    guard let process = abandoned else { return becomeReady() }
    let command = PostgresCommand(Self.termination, [.int4(process)], isPrepared: false)
    queue.append(
      Job(request: .statement(command)) { [weak self] result in
        switch result {
        case .failure(.unreachable), .failure(.interrupted): break
        case .success, .failure: self?.becomeReady()
        }
      })
    sendNext()
  }

  /// Another process may have the number by now; one that has worked on a request for so long does not.
  private static let termination = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1::int4 AND usename = current_user
      AND application_name = current_setting('application_name') AND state = 'active'
      AND xact_start < now() - interval '500 milliseconds'
    """

  private func becomeReady() {
    (abandoned, isReady) = (nil, true)
    onEvent(.connected)
    sendNext()
  }

  /// Watches the socket anew.
  private func watchSocket(for interest: EventLoop.Interest) {
    unwatch()
    guard let raw else { return }
    do throws(SystemError) {
      let registration = try loop.watch(PQsocket(raw), for: interest) { [weak self] readiness in
        self?.handle(readiness)
      }
      watch = (registration, interest)
    } catch {
      end(.unreachable(reason: "\(error)"))
    }
  }

  private func unwatch() {
    if let watch { loop.remove(watch.registration) }
    watch = nil
  }

  private func handleTimeout(_ now: Moment) {
    switch schedule.handleTimeout(now: now) {
    case .connect: connect()
    case .abandon(let reason):
      if current != nil, abandoned == nil, let raw { abandoned = PQbackendPID(raw) }
      end(.unreachable(reason: reason))
    case nil: timer?.arm(at: schedule.nextTimeout)
    }
  }

  /// Ends the connection, and reports the failure to the requests and to the owner.
  private func end(_ error: PostgresError) {
    lookup.cancel()
    unwatch()
    if let raw { PQfinish(raw) }
    raw = nil
    isReady = false
    exchange = nil
    schedule.lost(now: loop.now)
    timer?.arm(at: schedule.nextTimeout)
    let (interrupted, unsent) = (current, queue)
    current = nil
    queue = []
    let reason: String
    if case .unreachable(let text) = error { reason = text } else { reason = "\(error)" }
    if let interrupted {
      loop.callNextTurn { interrupted.completion(.failure(.interrupted(reason: reason))) }
    }
    for job in unsent { loop.callNextTurn { job.completion(.failure(.unreachable(reason: reason))) } }
    if schedule.phase != .closed { onEvent(.lost(error)) }
  }

  /// libpq's last message, in one line.
  private var failure: String {
    guard let raw, let text = PQerrorMessage(raw) else { return "out of memory" }
    return String(cString: text).split(separator: "\n").joined(separator: "; ")
  }

  // MARK: Requests

  private func sendNext() {
    guard schedule.phase == .idle, !queue.isEmpty, let raw else { return }
    let job = queue.removeFirst()
    current = job
    schedule.requestStarted(limit: job.request.limit, now: loop.now)
    timer?.arm(at: schedule.nextTimeout)
    var exchange = PipelineExchange(job.request.work, on: raw, prepared: prepared)
    do throws(PostgresError) {
      try exchange.send()
      self.exchange = exchange
      flush()
    } catch {
      // What was already sent makes the connection unusable.
      end(error)
    }
  }

  private func handle(_ readiness: EventLoop.Readiness) {
    if case .connecting = schedule.phase { return continueConnecting() }
    guard let raw else { return }
    if readiness.contains(.writable) { flush() }
    guard self.raw == raw, !readiness.isDisjoint(with: [.readable, .hangup]) else { return }
    guard PQconsumeInput(raw) == 1 else { return end(.unreachable(reason: failure)) }
    flush()
    read()
  }

  /// Sends what libpq has buffered, and waits until the socket accepts the rest.
  private func flush() {
    guard let raw else { return }
    let state = PQflush(raw)
    guard state >= 0 else { return end(.unreachable(reason: failure)) }
    let interest: EventLoop.Interest = state == 0 ? .readable : [.readable, .writable]
    guard let watch, watch.interest != interest else { return }
    do throws(SystemError) {
      try loop.change(watch.registration, to: interest)
      self.watch = (watch.registration, interest)
    } catch {
      end(.unreachable(reason: "\(error)"))
    }
  }

  private func read() {
    guard let raw, var exchange else { return }
    self.exchange = nil
    let outcome = exchange.read()
    guard let outcome else {
      self.exchange = exchange
      if PQstatus(raw) == CONNECTION_BAD { end(.unreachable(reason: failure)) }
      return
    }
    prepared = exchange.prepared
    // A server that shuts down reports an error and closes the connection.
    if case .failure = outcome, PQstatus(raw) == CONNECTION_BAD { return end(.unreachable(reason: failure)) }
    guard exchange.isPipelined else { return end(.unreachable(reason: failure)) }
    let job = current
    current = nil
    schedule.requestEnded()
    timer?.arm(at: nil)
    job?.completion(outcome)
    sendNext()
  }
}
