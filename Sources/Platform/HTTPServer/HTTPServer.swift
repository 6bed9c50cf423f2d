import CMicroHTTPD
import EventLoop
import Glibc
import Quantities
import System

/// An HTTP/1.1 server on the thread of an ``EventLoop``, based on libmicrohttpd without a separate thread.
///
/// The library's epoll descriptor is nested in the loop's. Without connected clients there is no timer and no wake-up.
/// Streamed responses together produce one slice per turn of the loop (``HTTPSlices``). A lasting response that waits
/// causes no wake-up either. The server ends by ``stop()``
/// or with its last reference.
public final class HTTPServer {
  /// The limits for clients.
  public struct Limits: Sendable {
    /// The maximum size of one body in bytes. The response to a larger body is 413.
    public var body: Int
    /// The maximum size of all bodies being received, in bytes, at least `body`. The response to further requests is
    /// 503.
    public var bodiesTogether: Int
    /// The maximum number of connections, up to ``mostConnections``. Further clients wait in the kernel's queue.
    public var connections: Int
    /// True to read the address of the client of every request.
    public var hasPeerAddresses = false
    /// The size of a connection's buffer in bytes, at least 4 KiB. The head of a request must fit into it; the body
    /// passes through it.
    public var connectionMemory = 32 << 10
    /// The time without traffic after which a connection is closed. Whole seconds, at least one. A client that reads nothing
    /// of a long response is disconnected after at most twice this time.
    public var idleTime: Duration
    /// The time limit from the opening of a connection to the end of its first request's head. After a response the
    /// next head may take `idleTime` longer.
    ///
    /// A slower connection is closed, even if it keeps sending. A head is usually one packet, and half a head costs an
    /// attacker nothing. Ten seconds allow three repetitions of a lost packet (RFC 6298: after 1, 2 and 4 s).
    ///
    /// A client that waited in the kernel's queue because of the limit of `connections` had time to send its head there. It
    /// has ``waitedShare`` of this time.
    public var headTime: Duration
    /// The time limit from a request's head to the end of its response. A slower connection is closed, even if it keeps
    /// sending. A response in slices may take this time for every `portion`, and any time for slices of one or two bytes. A lasting response
    /// (``HTTPSlices/init(lasting:)``) is exempt.
    public var requestTime: Duration
    /// The time limit for every ``bodyPortion`` bytes of a body, and for its rest; nil for no other limit than
    /// `requestTime`. A client without progress must not keep the memory of its body.
    public var bodyPortionTime: Duration?
    /// Bytes of a body; in 30 s they are 0.5 KiB/s, which GPRS exceeds.
    public static let bodyPortion = 16 << 10
    /// The number of bytes of a response in slices that a client must read within `requestTime`, at least one. With the
    /// default values, a download ends however long it is if the client reads 0.85 KiB/s: 255 KiB, of which up to 63 KiB are
    /// not seen yet.
    ///
    /// On a Unix socket reading is seen in steps of 16 KiB. On TCP it is what the client's kernel acknowledges. That follows a
    /// slow network, but a program that reads more slowly than its network brings is seen only in steps of its receive buffer:
    /// with the usual 128 KiB (tcp_rmem in tcp(7)) it must read 4.3 KiB/s for `idleTime`.
    public var portion: Int

    public init(
      body: Int = 64 << 10, bodiesTogether: Int = 0, connections: Int = 64,
      idleTime: Duration = .seconds(30), headTime: Duration = .seconds(10),
      requestTime: Duration = .seconds(300), portion: Int = 192 << 10
    ) {
      self.body = body
      self.bodiesTogether = max(bodiesTogether, body)
      self.connections = connections
      self.idleTime = idleTime
      self.headTime = headTime
      self.requestTime = requestTime
      self.portion = max(portion, 1)
    }

    /// With 16 connections and 40 clients that send half a head, the next client is answered after 13 s.
    static let waitedShare = 0.3

    /// The limit of `connections`. The process needs one descriptor for each (RLIMIT_NOFILE of getrlimit(2)).
    public static let mostConnections = 20_000

    var mostAccepted: Int { min(max(connections, 1), Self.mostConnections) }

    /// The number of clients that wait in the kernel's queue while many connect at the same time.
    var backlog: Int32 { connections > 1000 ? 4096 : ListeningSocket.usualBacklog }

    var idleSeconds: UInt32 { UInt32(min(max(idleTime.components.seconds, 1), 86_400)) }
  }

  /// Returns the response to a request. Called on the loop's thread.
  public typealias Handler = (HTTPRequest) -> HTTPResponse
  /// Decides on a request by its head. Called on the loop's thread, with an empty body.
  public typealias Admitter = (HTTPRequest) -> HTTPAdmission
  /// Returns the response to a request that is refused before the handler. `remedy` needs no escaping in JSON.
  ///
  /// Malformed HTTP (400, 431) is answered by the library with its own page. A refusal for lack of memory (503) gets
  /// `Retry-After: 5`, unless it has the header.
  public typealias Refuser = (_ status: Int, _ remedy: String) -> HTTPResponse

  /// The listening address, with the actual port.
  public let address: ListenAddress

  private let loop: EventLoop
  private let reception: Reception
  private let file: ListeningSocket.File?
  private let mostAccepted: Int
  private var daemon: OpaquePointer?
  private var queue: ClientQueue?
  private var registration: EventLoop.Registration?
  private var timer: LoopTimer?
  private var isInsideLibrary = false
  private var isStopping = false
  /// True if a call in the loop's next turn is scheduled.
  private var isDue = false
  /// The number of runs in a row that did nothing, and after which the library asked for another one at once.
  private var idleRuns = 0

  /// Starts to listen. Requests are answered as soon as the loop runs.
  public convenience init(
    loop: EventLoop, listen: ListenAddress, limits: Limits = Limits(),
    refuse: @escaping Refuser = { .json(#"{"error":"\#($1)"}"#, status: $0) }, handler: @escaping Handler
  ) throws(HTTPServerError) {
    try self.init(loop: loop, listen: listen, limits: limits, refuse: refuse, admit: nil, handler: handler)
  }

  /// Starts to listen. `admit` decides on every request before its body is read.
  public convenience init(
    loop: EventLoop, listen: ListenAddress, limits: Limits = Limits(),
    refuse: @escaping Refuser = { .json(#"{"error":"\#($1)"}"#, status: $0) }, admit: @escaping Admitter
  ) throws(HTTPServerError) {
    try self.init(
      loop: loop, listen: listen, limits: limits, refuse: refuse, admit: admit,
      handler: { _ in HTTPResponse(status: 500, contentType: "", body: []) })
  }

  private init(
    loop: EventLoop, listen: ListenAddress, limits: Limits, refuse: @escaping Refuser, admit: Admitter?,
    handler: @escaping Handler
  ) throws(HTTPServerError) {
    (self.loop, mostAccepted) = (loop, limits.mostAccepted)
    let socket: Descriptor
    switch listen {
    case .tcp(let host, let port):
      socket = try ListeningSocket.tcp(address: host, port: port, backlog: limits.backlog)
      address = .tcp(address: host, port: ListeningSocket.port(of: socket.raw) ?? port)
      file = nil
    case .unix(let path):
      socket = try ListeningSocket.unix(path: path, backlog: limits.backlog)
      address = listen
      file = ListeningSocket.File(path: path)
    }
    reception = Reception(limits: limits, loop: loop, refuse: refuse, admit: admit, handler: handler)
    // The library's callbacks use the reception, which outlives the daemon: both end in stop().
    daemon = outrider_MHD_start(
      UInt32(clamping: mostAccepted), limits.idleSeconds, max(limits.connectionMemory, 4096),
      Reception.access, Reception.completed, Reception.connection, Reception.target,
      Unmanaged.passUnretained(reception).toOpaque())
    guard let daemon else {
      file?.remove()
      throw .libraryRefused(address)
    }
    timer = loop.addSystemTimer("http server") { [weak self] _ in self?.serve() }
    reception.needsRun = { [weak self] in self?.serveNextTurn() }
    loop.everyTurn { [weak self] _ in self?.serveResumed() }
    do {
      registration = try loop.watch(outrider_MHD_epoll_descriptor(daemon), for: .readable) {
        [weak self] _ in self?.serve()
      }
      queue = try ClientQueue(loop: loop, socket) { [weak self] in self?.accept() }
    } catch {
      stop()
      throw .system(error)
    }
  }

  deinit { stop() }

  /// True unless the file of the Unix socket was removed or replaced; always true for a TCP address.
  public var hasFile: Bool { file.map { ListeningSocket.File(path: $0.path) == $0 } ?? true }

  /// The TCP port; nil on a Unix socket.
  public var port: UInt16? {
    switch address {
    case .tcp(_, let port): port
    case .unix: nil
    }
  }

  /// The number of connected clients.
  public var connectionCount: Int { daemon.map { Int(outrider_MHD_connections($0)) } ?? 0 }

  /// The number of requests whose head was received and whose response was not sent.
  public var openRequestCount: Int { reception.openRequests }

  /// True if the server will wake the loop without a client's action. Always false without connected clients.
  public var hasDeadline: Bool { isDue || reception.hasResumed || timer?.isArmed ?? false }

  /// Sends what lasting responses have, as far as the kernel takes it, for a program that ends without another turn of the
  /// loop.
  public func flush() {
    // One run resumes connections, the second one sends what the first one has produced.
    for _ in 0..<Self.flushRuns {
      guard let daemon, !isInsideLibrary else { return }
      isInsideLibrary = true
      MHD_run(daemon)
      isInsideLibrary = false
    }
  }

  private static let flushRuns = 4
  /// One run resumes connections, the second one sends what they have.
  private static let sendingRuns = 2

  /// Closes the listening socket: new clients are refused by the kernel, and connected ones are served.
  public func stopListening() {
    guard let queue else { return }
    queue.stop()
    self.queue = nil
    file?.remove()
  }

  /// The most clients that are accepted in one turn of the loop.
  private static let clientsPerTurn = 16

  /// Passes waiting clients to the library, not more than it has room for: it would refuse the others.
  private func accept() {
    guard let queue, let daemon, !isInsideLibrary else { return }
    // The library may count a connection that it was given only after its next run.
    for _ in 0..<min(max(mostAccepted - connectionCount, 0), Self.clientsPerTurn) {
      guard let client = queue.accept() else { break }
      isInsideLibrary = true
      outrider_MHD_add(daemon, client.release())
      isInsideLibrary = false
    }
    serve()
  }

  /// Closes the listening socket and all connections, and removes the socket file. If called inside a handler, it takes
  /// effect after the handler's response is queued.
  public func stop() {
    isStopping = true
    guard !isInsideLibrary, let daemon else { return }
    self.daemon = nil
    if let registration { loop.remove(registration) }
    if let timer { loop.removeTimer(timer) }
    registration = nil
    timer = nil
    queue?.stop()
    queue = nil
    // No connection may be suspended when the library stops.
    reception.callAll()
    MHD_stop_daemon(daemon)
    file?.remove()
  }

  /// Sends what lasting responses have, before the loop waits: without another turn, which costs as much as the message.
  private func serveResumed() {
    guard reception.hasResumed else { return }
    serve(runs: Self.sendingRuns)
  }

  private func serve(runs: Int = 1) {
    guard let daemon, !isInsideLibrary else { return }
    reception.hasResumed = false
    reception.hasActed = false
    reception.callNext()
    reception.noteReading()
    isInsideLibrary = true
    for _ in 0..<runs { MHD_run(daemon) }
    isInsideLibrary = false
    reception.noteWriting()
    reception.answerRefusedTargets()
    guard !isStopping else { return stop() }
    reception.cutClosedClients()
    let now = SystemClock.moment()
    reception.noteRoom(now: now)
    // At the limit of connections further clients wait in the kernel's queue.
    queue?.isFull = connectionCount >= mostAccepted
    let wait = libraryWait(daemon)
    idleRuns = wait == .zero && !reception.hasActed ? min(idleRuns + 1, Self.mostIdleRuns) : 0
    let isStuck = idleRuns == Self.mostIdleRuns
    // The library reads a coarse clock: its own deadline has certainly passed one tick later.
    let deadline = wait.map { now + $0 + (isStuck ? Self.stuckPause : .milliseconds(10)) }
    timer?.arm(at: [reception.cutOverdue(now: now), deadline].compactMap { $0 }.min())
    if (wait == .zero && !isStuck) || reception.hasWaiting { serveNextTurn() }
  }

  /// Version 0.9.75 of the library asks for a run at once until the idle time, if the line with the size of a chunk does not
  /// fit into the connection's buffer.
  private static let mostIdleRuns = 100
  private static let stuckPause = Duration.milliseconds(100)

  private func serveNextTurn() {
    guard !isDue else { return }
    isDue = true
    loop.callNextTurn { [weak self] in
      self?.isDue = false
      self?.serve()
    }
  }

  /// Returns the time until the library must run again, zero if it has work left; nil if it waits for clients only.
  private func libraryWait(_ daemon: OpaquePointer) -> Duration? {
    var milliseconds: UInt64 = 0
    guard MHD_get_timeout(daemon, &milliseconds) == .YES else { return nil }
    return .milliseconds(Int64(clamping: milliseconds))
  }
}
