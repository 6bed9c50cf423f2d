import CMicroHTTPD
import Glibc
import Quantities
import SystemLoop

/// Answers HTTP/1.1 requests on the thread of an ``EventLoop``, through libmicrohttpd without a thread of its own.
///
/// The library's epoll descriptor is nested in the loop's; with no client connected there is no timer and no
/// wake-up. Of all streamed answers together one piece is made in a turn of the loop (``HTTPSlices``). The server ends
/// with ``stop()`` or when the last reference to it goes.
public final class HTTPServer {
  /// What clients may cost at most.
  public struct Limits: Sendable {
    /// Bytes of one body; a longer one is answered with 413.
    public var body: Int
    /// Bytes of all bodies that are being received; a request beyond is answered with 503. At least `body`.
    public var bodiesTogether: Int
    /// Clients at a time; others wait in the kernel's queue.
    public var connections: Int
    /// A connection on which nothing moves for so long is closed. Whole seconds, at least one.
    public var idleTime: Duration
    /// From the opening of a connection to the end of its first request's head; after an answer the next head may take
    /// `idleTime` longer. What takes longer is cut, however busily it drips. A head is a packet that a client sends at
    /// once, and costs whoever sends the half of it nothing: ten seconds are three repetitions of a lost packet
    /// (RFC 6298: after 1, 2 and 4 s).
    public var headTime: Duration
    /// From a request's head to the end of its answer; what takes longer is cut, however busily it drips.
    public var requestTime: Duration

    public init(
      body: Int = 64 << 10, bodiesTogether: Int = 0, connections: Int = 64,
      idleTime: Duration = .seconds(30), headTime: Duration = .seconds(10),
      requestTime: Duration = .seconds(300)
    ) {
      self.body = body
      self.bodiesTogether = max(bodiesTogether, body)
      self.connections = connections
      self.idleTime = idleTime
      self.headTime = headTime
      self.requestTime = requestTime
    }
  }

  /// Answers one request, on the thread of the loop.
  public typealias Handler = (HTTPRequest) -> HTTPResponse
  /// How a request that no handler sees is answered: the status, and what to do about it, in JSON's plain characters.
  /// What is no HTTP at all (400, 431) is answered by the library, with a page of its own.
  public typealias Refuser = (_ status: Int, _ remedy: String) -> HTTPResponse

  /// Where the server listens; with the port that the kernel chose.
  public let address: ListenAddress

  private let loop: EventLoop
  private let reception: Reception
  private let file: ListeningSocket.File?
  private var daemon: OpaquePointer?
  private var registration: EventLoop.Registration?
  private var timer: LoopTimer?
  private var isInsideLibrary = false
  private var isStopping = false
  /// A call in the loop's next turn is asked for.
  private var isDue = false

  /// Listens and begins to answer as soon as the loop runs.
  public init(
    loop: EventLoop, listen: ListenAddress, limits: Limits = Limits(),
    refuse: @escaping Refuser = { .json(#"{"error":"\#($1)"}"#, status: $0) }, handler: @escaping Handler
  ) throws(HTTPServerError) {
    self.loop = loop
    let socket: Descriptor
    switch listen {
    case .tcp(let host, let port):
      socket = try ListeningSocket.tcp(address: host, port: port)
      address = .tcp(address: host, port: ListeningSocket.port(of: socket.raw) ?? port)
      file = nil
    case .unix(let path):
      socket = try ListeningSocket.unix(path: path)
      address = listen
      file = ListeningSocket.File(path: path)
    }
    reception = Reception(limits: limits, loop: loop, refuse: refuse, handler: handler)
    let idleSeconds = min(max(limits.idleTime.components.seconds, 1), 86_400)
    // The library calls back with the reception, which outlives the daemon: both end in stop().
    daemon = outrider_MHD_start(
      socket.raw, UInt32(min(max(limits.connections, 1), 1000)), UInt32(idleSeconds),
      Reception.access, Reception.completed, Reception.connection, Reception.target,
      Unmanaged.passUnretained(reception).toOpaque())
    guard let daemon else {
      file?.remove()
      throw .libraryRefused(address)
    }
    _ = socket.release()
    timer = loop.addTimer("http server") { [weak self] _ in self?.serve() }
    do {
      registration = try loop.watch(outrider_MHD_epoll_descriptor(daemon), for: .readable) {
        [weak self] _ in self?.serve()
      }
    } catch {
      stop()
      throw .system(error)
    }
  }

  deinit { stop() }

  /// The TCP port; nil on a Unix socket.
  public var port: UInt16? {
    switch address {
    case .tcp(_, let port): port
    case .unix: nil
    }
  }

  /// How many clients are connected.
  public var connectionCount: Int { daemon.map { Int(outrider_MHD_connections($0)) } ?? 0 }

  /// True while the server will wake the loop by itself: only while clients are connected.
  public var hasDeadline: Bool { isDue || timer?.isArmed ?? false }

  /// Closes the listening socket and every connection, and removes the socket file. Called inside a handler it
  /// takes effect after the handler's answer was queued.
  public func stop() {
    isStopping = true
    guard !isInsideLibrary, let daemon else { return }
    self.daemon = nil
    if let registration { loop.remove(registration) }
    if let timer { loop.removeTimer(timer) }
    registration = nil
    timer = nil
    // The library must have no connection suspended when it ends.
    reception.callAll()
    MHD_stop_daemon(daemon)
    file?.remove()
  }

  private func serve() {
    guard let daemon, !isInsideLibrary else { return }
    reception.hasLostClient = false
    reception.callNext()
    isInsideLibrary = true
    MHD_run(daemon)
    isInsideLibrary = false
    reception.answerRefusedTargets()
    guard !isStopping else { return stop() }
    reception.cutDeparted()
    let now = loop.now
    let wait = libraryWait(daemon)
    // The library reads a coarse clock: a tick later its own deadline is certain to be over.
    let deadline = wait.map { now + $0 + .milliseconds(10) }
    timer?.arm(at: [reception.cutOverdue(now: now), deadline].compactMap { $0 }.min())
    // At its limit of connections the library stops listening, and resumes only in the run after an end.
    if wait == .zero || reception.hasLostClient || reception.hasWaiting { serveNextTurn() }
  }

  private func serveNextTurn() {
    guard !isDue else { return }
    isDue = true
    loop.callNextTurn { [weak self] in
      self?.isDue = false
      self?.serve()
    }
  }

  /// Until the library wants to run by itself, zero when it has work left; nil when it waits for clients alone.
  private func libraryWait(_ daemon: OpaquePointer) -> Duration? {
    var milliseconds: UInt64 = 0
    guard MHD_get_timeout(daemon, &milliseconds) == .YES else { return nil }
    return .milliseconds(Int64(clamping: milliseconds))
  }
}
