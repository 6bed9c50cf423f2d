import CMicroHTTPD
import EventLoop
import Glibc
import Quantities
import System

/// The callbacks of libmicrohttpd: receives requests in pieces, calls the handler, and enforces the connections'
/// deadlines.
final class Reception {
  private struct Client {
    var socket: Int32
    /// The time at which the connection is closed; nil during a lasting response.
    var deadline: Moment?
    /// The time at which the connection is closed if no further portion of the body arrives; nil between requests.
    var portionDeadline: Moment?
    /// The bytes of the body that arrived since the deadline was set.
    var portionBytes = 0
    /// True if the request is completely received; the response is being produced or sent.
    var isComplete = false
    var isCut = false
    /// True while it is suspended for a pending decision or response.
    var isParked = false
    var lasting: Lasting?

    var nextDeadline: Moment? {
      guard let portionDeadline, !isComplete, !isParked else { return deadline }
      return min(deadline ?? portionDeadline, portionDeadline)
    }
  }

  /// A response that lasts as long as its client.
  private struct Lasting {
    var slices: HTTPSlices
    /// Reports that the client has closed, which the library does not notice while the connection is suspended.
    var watch: EventLoop.Registration?
    var isSuspended = false
  }

  /// The time without progress after which a client that does not read a lasting response is disconnected.
  private static let lastingIdleTime: UInt32 = 60

  private let limits: HTTPServer.Limits
  private let loop: EventLoop
  private let refuse: HTTPServer.Refuser
  private let admit: HTTPServer.Admitter?
  private let handler: HTTPServer.Handler
  private var clients: [OpaquePointer: Client] = [:]
  /// The clients that read a long response.
  private var readers: [OpaquePointer: ReadingProgress] = [:]
  private var bufferedBytes = 0
  /// The refusals of requests that the library has not passed to `access` yet.
  private var refusedTargets: [OpaquePointer: IncomingRequest.Refusal] = [:]
  private var streams = LoopTurns<OpaquePointer>()
  /// The last time at which the limit of connections was reached; nil before the first.
  private var fullAt: Moment?
  /// No client has an earlier deadline.
  private var earliestDeadline: Moment?
  /// The clients to look at after this run, if they are many.
  private var activeClients: [OpaquePointer] = []
  /// The number of requests whose head was received and whose response was not sent.
  private(set) var openRequests = 0
  /// True after the library called this type; cleared by the server.
  var hasActed = false
  /// True after a lasting response was resumed; cleared by the server.
  var hasResumed = false
  /// Called when the library must run in the next turn of the loop.
  var needsRun: () -> Void = {}

  init(
    limits: HTTPServer.Limits, loop: EventLoop, refuse: @escaping HTTPServer.Refuser,
    admit: HTTPServer.Admitter?, handler: @escaping HTTPServer.Handler
  ) {
    self.limits = limits
    self.loop = loop
    self.refuse = refuse
    self.admit = admit
    self.handler = handler
  }

  // MARK: Callbacks

  static let access: MHD_AccessHandlerCallback = {
    context, connection, url, method, _, upload, uploadSize, slot in
    guard let context, let connection, let url, let method, let uploadSize, let slot else { return .NO }
    let reception = Unmanaged<Reception>.fromOpaque(context).takeUnretainedValue()
    reception.hasActed = true
    guard let known = slot.pointee else {
      let incoming = IncomingRequest(connection, method: method, url: url)
      // Released in `completed`, which the library calls once for every request that it passed here.
      slot.pointee = Unmanaged.passRetained(incoming).toOpaque()
      reception.openRequests += 1
      return reception.begin(incoming, on: connection)
    }
    let incoming = Unmanaged<IncomingRequest>.fromOpaque(known).takeUnretainedValue()
    if incoming.decision != nil { return reception.continueDecision(on: incoming, connection) }
    guard uploadSize.pointee > 0 else { return reception.finish(incoming, on: connection) }
    let piece = UnsafeRawBufferPointer(start: upload, count: uploadSize.pointee)
    reception.countReceived(piece.count, on: connection)
    uploadSize.pointee = 0
    return reception.take(piece, of: incoming) ? .YES : .NO
  }

  static let target: outrider_MHD_line_callback = { context, target, connection in
    guard let context, let target, let connection else { return nil }
    let reception = Unmanaged<Reception>.fromOpaque(context).takeUnretainedValue()
    reception.hasActed = true
    reception.refusedTargets[connection] = IncomingRequest.refusal(of: target)
    return nil
  }

  static let completed: MHD_RequestCompletedCallback = { context, connection, slot, outcome in
    guard let context, let slot, let known = slot.pointee else { return }
    let reception = Unmanaged<Reception>.fromOpaque(context).takeUnretainedValue()
    reception.hasActed = true
    let incoming = Unmanaged<IncomingRequest>.fromOpaque(known).takeRetainedValue()
    slot.pointee = nil
    reception.openRequests -= 1
    incoming.cancel()
    reception.bufferedBytes -= incoming.takeBody().count
    guard let connection else { return }
    if reception.endLasting(on: connection), outcome == .REQUEST_TERMINATED_COMPLETED_OK {
      outrider_MHD_set_idle_seconds(connection, reception.limits.idleSeconds)
    }
    reception.clients[connection]?.isComplete = false
    reception.clients[connection]?.portionDeadline = nil
    reception.clients[connection]?.isParked = false
    reception.readers[connection] = nil
    reception.noteActivity(on: connection)
    reception.renewDeadline(of: connection, by: reception.limits.idleTime + reception.limits.headTime)
  }

  static let connection: MHD_NotifyConnectionCallback = { context, connection, _, what in
    guard let context, let connection else { return }
    let reception = Unmanaged<Reception>.fromOpaque(context).takeUnretainedValue()
    reception.hasActed = true
    switch what {
    case .CONNECTION_NOTIFY_STARTED:
      reception.clients[connection] = Client(socket: outrider_MHD_socket(connection))
      reception.renewDeadline(of: connection, by: reception.firstHeadTime)
      reception.noteActivity(on: connection)
    case .CONNECTION_NOTIFY_CLOSED:
      _ = reception.endLasting(on: connection)
      reception.clients[connection] = nil
      reception.refusedTargets[connection] = nil
      reception.streams.remove(connection)
      reception.readers[connection] = nil
    @unknown default:
      break
    }
  }

  // MARK: Requests

  private func begin(_ incoming: IncomingRequest, on connection: OpaquePointer) -> MHD_Result {
    renewDeadline(of: connection, by: limits.requestTime)
    renewPortionDeadline(of: connection)
    incoming.refusal = refusedTargets.removeValue(forKey: connection)
    if IncomingRequest.hasDifferentLengths(connection) {
      incoming.refusal = .differentLengths
      return finish(incoming, on: connection)
    }
    if let declared = incoming.declaredLength, declared > limits.body { incoming.refusal = .contentTooLarge }
    guard incoming.refusal == nil else { return refuse(incoming, on: connection, swallowing: swallowLimit) }
    guard let admit else { return .YES }
    return follow(
      admit(incoming.request(connection, body: [], hasPeerAddress: limits.hasPeerAddresses)), for: incoming,
      on: connection)
  }

  /// Responds to a refused request whose body was not read.
  ///
  /// A client that expects "100 Continue", or sends more than would be discarded, gets the response now. From the others
  /// the body is read: closing a connection with unread bytes resets it, and the response could be lost.
  private func refuse(
    _ incoming: IncomingRequest, on connection: OpaquePointer, swallowing most: Int
  ) -> MHD_Result {
    guard let declared = incoming.declaredLength, declared > 0, incoming.expectsContinue || declared > most
    else { return .YES }
    return finish(incoming, on: connection)
  }

  private func follow(
    _ admission: HTTPAdmission, for incoming: IncomingRequest, on connection: OpaquePointer
  ) -> MHD_Result {
    switch admission {
    case .read(let handler): incoming.handler = handler
    case .answer(let response):
      incoming.refusal = .response(response)
      return refuse(incoming, on: connection, swallowing: Self.refusedBodyLimit)
    case .later(let decision):
      if let admission = decision.take() { return follow(admission, for: incoming, on: connection) }
      incoming.decision = decision
      park(connection)
      decision.onGive = { [unowned self] in unpark(connection) }
    }
    return .YES
  }

  /// Continues after a decision on the head. The library repeats the call of a suspended connection.
  private func continueDecision(on incoming: IncomingRequest, _ connection: OpaquePointer) -> MHD_Result {
    guard clients[connection]?.isCut == false else { return .NO }
    guard let admission = incoming.decision?.take() else {
      park(connection)
      return .YES
    }
    incoming.decision = nil
    return follow(admission, for: incoming, on: connection)
  }

  private func take(_ piece: UnsafeRawBufferPointer, of incoming: IncomingRequest) -> Bool {
    if incoming.refusal == nil {
      if incoming.body.count + piece.count > limits.body {
        incoming.refusal = .contentTooLarge
      } else if bufferedBytes + piece.count > limits.bodiesTogether {
        incoming.refusal = .busy
      } else {
        incoming.append(piece)
        bufferedBytes += piece.count
        return true
      }
      bufferedBytes -= incoming.takeBody().count
    }
    incoming.swallowed += piece.count
    return incoming.swallowed <= swallowLimit
  }

  private var swallowLimit: Int { limits.body + max(limits.body, 1 << 20) }

  /// The longest body that is read and discarded after a refusal by the head, in bytes.
  private static let refusedBodyLimit = 1 << 20

  private func finish(_ incoming: IncomingRequest, on connection: OpaquePointer) -> MHD_Result {
    clients[connection]?.isComplete = true
    if let refusal = incoming.refusal { return queue(answer(to: refusal), on: connection) }
    if let reply = incoming.reply {
      guard clients[connection]?.isCut == false else { return .NO }
      guard let response = reply.take() else {
        park(connection)
        return .YES
      }
      incoming.reply = nil
      return settle(response, of: incoming, on: connection)
    }
    if incoming.work != nil { return work(on: incoming, connection) }
    let body = incoming.takeBody()
    bufferedBytes -= body.count
    let respond = incoming.handler ?? handler
    incoming.handler = nil
    return settle(
      respond(incoming.request(connection, body: body, hasPeerAddress: limits.hasPeerAddresses)),
      of: incoming, on: connection)
  }

  /// Sends a response, or waits for the one that takes its place.
  private func settle(
    _ response: HTTPResponse, of incoming: IncomingRequest, on connection: OpaquePointer
  ) -> MHD_Result {
    if let reply = response.pending {
      if let response = reply.take() { return settle(response, of: incoming, on: connection) }
      incoming.reply = reply
      park(connection)
      reply.onGive = { [unowned self] in unpark(connection) }
      return .YES
    }
    guard let work = response.work else { return queue(response, on: connection) }
    incoming.work = work
    return self.work(on: incoming, connection)
  }

  /// Does the work for a response. A connection that waits for its turn comes here again.
  private func work(on incoming: IncomingRequest, _ connection: OpaquePointer) -> MHD_Result {
    guard let work = incoming.work, admitsPiece(on: connection) else { return .YES }
    incoming.work = nil
    return queue(work.response(), on: connection)
  }

  private func answer(to refusal: IncomingRequest.Refusal) -> HTTPResponse {
    switch refusal {
    case .contentTooLarge: return refuse(413, "body too large: the limit is \(limits.body) bytes")
    case .busy:
      var later = refuse(503, "too many requests at a time: retry in 5 s")
      if !later.headers.contains(where: { $0.name == "Retry-After" }) {
        later.headers.append(.init("Retry-After", "5"))
      }
      return later
    case .tooManyItems: return refuse(414, "too many query items: the limit is \(IncomingRequest.mostItems)")
    case .hasNUL: return refuse(400, "NUL (%00) is not allowed in path or query")
    case .differentLengths:
      // The end of the body is unknown, so nothing after it is a request.
      var last = refuse(400, "different Content-Length headers")
      last.headers.append(.init("Connection", "close"))
      return last
    case .response(let response): return response
    }
  }

  /// Answers requests with a refused target directly, because the library may never pass them for lack of memory.
  func answerRefusedTargets() {
    for (connection, refusal) in refusedTargets {
      refusedTargets[connection] = nil
      guard let client = clients[connection], !client.isCut else { continue }
      let answer = answer(to: refusal).last
      _ = answer.withUnsafeBytes {
        send(client.socket, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
      }
      cut(connection)
    }
  }

  private func queue(_ response: HTTPResponse, on connection: OpaquePointer) -> MHD_Result {
    guard let made = make(response, on: connection) else { return .NO }
    defer { MHD_destroy_response(made) }
    if !response.contentType.isEmpty {
      MHD_add_response_header(made, MHD_HTTP_HEADER_CONTENT_TYPE, response.contentType)
    }
    for header in response.headers { MHD_add_response_header(made, header.name, header.value) }
    if let slices = response.slices, slices.isLasting {
      beginLasting(slices, on: connection)
    } else {
      beginReading(response, on: connection)
    }
    let status = (200...599).contains(response.status) ? response.status : 500
    return MHD_queue_response(connection, UInt32(status), made)
  }

  private func make(_ response: HTTPResponse, on connection: OpaquePointer) -> OpaquePointer? {
    guard let slices = response.slices else {
      return response.body.withUnsafeBytes { bytes in
        MHD_create_response_from_buffer(
          bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
      }
    }
    slices.begin(with: response.body)
    return StreamSource(slices, connection: connection, reception: self).response()
  }

  // MARK: Turns

  /// Returns true if a connection may produce a slice or a response with work in this turn of the loop. Otherwise its connection is suspended until
  /// it is called.
  func admitsPiece(on connection: OpaquePointer) -> Bool {
    hasActed = true
    if streams.admits(connection, turn: loop.turn) { return true }
    MHD_suspend_connection(connection)
    return false
  }

  /// True if a suspended stream must be called in a later turn.
  var hasWaiting: Bool { streams.hasWaiting }

  /// Resumes the next stream, for the next run of the library.
  func callNext() {
    if let connection = streams.call(turn: loop.turn) { MHD_resume_connection(connection) }
  }

  // MARK: Pending decisions and responses

  private func park(_ connection: OpaquePointer) {
    clients[connection]?.isParked = true
    MHD_suspend_connection(connection)
  }

  /// Continues with a suspended connection in the next run of the library.
  private func unpark(_ connection: OpaquePointer) {
    guard clients[connection]?.isParked == true else { return }
    clients[connection]?.isParked = false
    renewPortionDeadline(of: connection)
    MHD_resume_connection(connection)
    needsRun()
  }

  /// Resumes all suspended connections, which the library requires before it stops.
  func callAll() {
    for connection in streams.callAll() { MHD_resume_connection(connection) }
    for (connection, client) in clients where client.isParked {
      clients[connection]?.isParked = false
      MHD_resume_connection(connection)
    }
    for (connection, client) in clients where client.lasting?.isSuspended == true {
      clients[connection]?.lasting?.isSuspended = false
      MHD_resume_connection(connection)
    }
  }

  // MARK: Lasting responses

  private func beginLasting(_ slices: HTTPSlices, on connection: OpaquePointer) {
    guard let client = clients[connection] else { return }
    ClientSocket.prepareForStream(client.socket)
    outrider_MHD_set_idle_seconds(connection, Self.lastingIdleTime)
    clients[connection]?.deadline = nil
    let watch = try? loop.watch(client.socket, for: .readable) { [unowned self] _ in
      handleInput(on: connection)
    }
    clients[connection]?.lasting = Lasting(slices: slices, watch: watch)
  }

  /// Returns false if the response is not a lasting one.
  private func endLasting(on connection: OpaquePointer) -> Bool {
    guard let lasting = clients[connection]?.lasting else { return false }
    clients[connection]?.lasting = nil
    if let watch = lasting.watch { loop.remove(watch) }
    return true
  }

  /// Ends a lasting response whose client has closed.
  private func handleInput(on connection: OpaquePointer) {
    guard let client = clients[connection], let lasting = client.lasting else { return }
    if !ClientSocket.isClosed(client.socket) {
      // The next request, which is read after the response.
      guard ClientSocket.hasInput(client.socket) else { return }
    } else {
      lasting.slices.cancel()
      resume(connection)
    }
    if let watch = lasting.watch { loop.remove(watch) }
    clients[connection]?.lasting?.watch = nil
  }

  /// Suspends a connection that has nothing to send.
  func suspend(_ connection: OpaquePointer) {
    clients[connection]?.lasting?.isSuspended = true
    MHD_suspend_connection(connection)
  }

  /// Resumes a connection that has something to send, at the end of this turn of the loop.
  func resume(_ connection: OpaquePointer) {
    guard clients[connection]?.lasting?.isSuspended == true else { return }
    clients[connection]?.lasting?.isSuspended = false
    MHD_resume_connection(connection)
    hasResumed = true
  }

  // MARK: Deadlines

  private func renewDeadline(of connection: OpaquePointer, by time: Duration) {
    let deadline = SystemClock.moment() + time
    clients[connection]?.deadline = deadline
    earliestDeadline = min(earliestDeadline ?? deadline, deadline)
  }

  /// Gives the client time for another portion of its body.
  private func renewPortionDeadline(of connection: OpaquePointer) {
    guard let time = limits.bodyPortionTime else { return }
    let deadline = SystemClock.moment() + time
    clients[connection]?.portionDeadline = deadline
    clients[connection]?.portionBytes = 0
    earliestDeadline = min(earliestDeadline ?? deadline, deadline)
  }

  private func countReceived(_ bytes: Int, on connection: OpaquePointer) {
    guard let client = clients[connection], client.portionDeadline != nil else { return }
    clients[connection]?.portionBytes = client.portionBytes + bytes
    if client.portionBytes + bytes >= HTTPServer.Limits.bodyPortion { renewPortionDeadline(of: connection) }
  }

  /// The size up to which a slice only shows that its source works on, such as a line break.
  private static let fillerBytes = 2

  /// Counts bytes of a response in slices. Gives the client more time if it is the source that takes time.
  func count(_ bytes: Int, on connection: OpaquePointer) {
    hasActed = true
    guard let client = clients[connection], client.lasting == nil else { return }
    readers[connection]?.addProduced(bytes)
    if bytes <= Self.fillerBytes { beginPortion(on: connection) }
  }

  private func beginPortion(on connection: OpaquePointer) {
    readers[connection]?.beginPortion()
    renewDeadline(of: connection, by: limits.requestTime)
  }

  /// The size up to which the kernel takes the whole of a response at once.
  private static let shortSize = 16_384

  private func beginReading(_ response: HTTPResponse, on connection: OpaquePointer) {
    let isSliced = response.slices != nil
    guard isSliced || response.body.count > Self.shortSize, let client = clients[connection] else { return }
    let held = ClientSocket.heldBytes(client.socket) ?? 0
    readers[connection] = ReadingProgress(isSliced: isSliced, held: held)
  }

  /// Gives more time to the clients that have read of a long response since the last run, before the library or
  /// ``cutOverdue(now:)`` disconnects them.
  func noteReading() {
    for connection in readers.keys {
      guard let client = clients[connection], !client.isCut,
        let held = ClientSocket.heldBytes(client.socket)
      else { continue }
      if readers[connection]?.takeSample(held: held) == true {
        outrider_MHD_renew_idle_seconds(connection, limits.idleSeconds)
      }
      guard let reader = readers[connection], reader.isSliced, reader.portionBytes >= limits.portion else {
        continue
      }
      beginPortion(on: connection)
    }
  }

  /// Notes what the library has written in this run.
  func noteWriting() {
    for connection in readers.keys {
      guard let client = clients[connection] else { continue }
      readers[connection]?.noteRun(held: ClientSocket.heldBytes(client.socket) ?? 0)
    }
  }

  /// The number of clients up to which every client is looked at in every run. With more, a connection may be cut up to
  /// ``sweepInterval`` late.
  private static let fewClients = 64
  private static let sweepInterval = Duration.seconds(1)

  /// Shuts down overdue connections and returns the earliest deadline of the others.
  func cutOverdue(now: Moment) -> Moment? {
    let isCrowded = clients.count > Self.fewClients
    if isCrowded, let earliestDeadline, now < earliestDeadline { return earliestDeadline }
    var earliest: Moment?
    var overdue: [OpaquePointer] = []
    for (connection, client) in clients where !client.isCut {
      guard let deadline = client.nextDeadline else { continue }
      if deadline <= now {
        overdue.append(connection)
      } else if earliest.map({ deadline < $0 }) ?? true {
        earliest = deadline
      }
    }
    for connection in overdue { cut(connection) }
    if isCrowded { earliest = earliest.map { max($0, now + Self.sweepInterval) } }
    earliestDeadline = earliest
    return earliest
  }

  /// Shuts down connections whose client closed before its request was complete.
  ///
  /// The library uses edge-triggered epoll(7): after a read that does not fill its buffer, it waits for the next edge.
  /// An end of stream that arrived together with the bytes causes no further edge, and would be noticed only after the
  /// idle time. This happens to a client that sends and closes while it waits to be accepted.
  func cutClosedClients() {
    defer { activeClients.removeAll(keepingCapacity: true) }
    guard clients.count > Self.fewClients else {
      for (connection, client) in clients where !client.isCut && !client.isComplete {
        if ClientSocket.isClosed(client.socket) { cut(connection) }
      }
      return
    }
    for connection in activeClients {
      guard let client = clients[connection], !client.isCut, !client.isComplete else { continue }
      if ClientSocket.isClosed(client.socket) { cut(connection) }
    }
  }

  /// Notes that the limit of connections is reached: further clients wait in the kernel's queue.
  func noteRoom(now: Moment) {
    if clients.count >= limits.connections { fullAt = now }
  }

  /// The time for which a client counts as one that waited in the kernel's queue, after room was made.
  private static let waitedTime = Duration.seconds(1)

  /// The time for the head of the first request of a client that is accepted now.
  private var firstHeadTime: Duration {
    guard let fullAt, SystemClock.moment() - fullAt < Self.waitedTime else { return limits.headTime }
    return limits.headTime * HTTPServer.Limits.waitedShare
  }

  /// Notes that a connection was opened or has ended a request since the last run.
  private func noteActivity(on connection: OpaquePointer) {
    if clients.count > Self.fewClients { activeClients.append(connection) }
  }

  /// Shuts down a connection. The library closes it in a later run; its descriptor number stays valid until then.
  private func cut(_ connection: OpaquePointer) {
    guard let client = clients[connection] else { return }
    clients[connection]?.isCut = true
    shutdown(client.socket, Int32(SHUT_RDWR))
    unpark(connection)
  }
}

extension HTTPResponse {
  /// The bytes of the response as the last one of a connection, sent without the library.
  fileprivate var last: [UInt8] {
    let reason = MHD_get_reason_phrase_for(UInt32(clamping: status)).map { String(cString: $0) } ?? ""
    var head = "HTTP/1.1 \(status) \(reason)\r\nConnection: close\r\nContent-Length: \(body.count)\r\n"
    for header in [Header("Content-Type", contentType)] + headers {
      head += "\(header.name): \(header.value)\r\n"
    }
    return Array((head + "\r\n").utf8) + body
  }
}
