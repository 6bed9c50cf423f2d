import EventLoop
import FleetPage
import FleetRecords
import FleetStore
import HTTPServer
import Quantities
import UploadReader

/// The ingest server of a fleet: reads the requests of the devices, and answers them when the store has
/// committed.
///
/// A fault of the server or of the database never causes a status that lets a device set records aside: it is
/// 503.
final class IngestServer {
  struct Settings {
    var listen: ListenAddress
    /// The address of `GET /metrics`; nil for none.
    var metricsListen: ListenAddress?
    /// The limit of bytes in progress, half of them for bodies that are being received, half for uploads that
    /// are not committed.
    var memory = 256 << 20
    var rates = RequestRates.Limits()
    /// True to give the store the bodies as received, too.
    var keepsBodies = false
    /// The address of the proxy whose `X-Client-Verify` counts; nil for none.
    var trustedProxy: String?
    /// The maximum number of clients.
    var clients = HTTPServer.Limits.mostConnections
    /// The requests of one device at a time.
    var requestsOfDevice = BodyShares.usualRequests
    /// The seed of the delays of `Retry-After`.
    var seed: UInt64 = 0

    init(listen: ListenAddress) { self.listen = listen }
  }

  /// The limit of a body in bytes, before and after decompression.
  static let bodyLimit = 32 << 20
  /// The size of a connection's buffer: 10,000 idle clients must fit into 100 MB.
  private static let connectionMemory = 6 << 10
  private static let idleTime = Duration.seconds(120)
  private static let requestTime = Duration.seconds(120)
  /// The time for every 16 KiB of a body: four repetitions of a lost packet (RFC 6298: after 1, 2, 4, 8 s) fit.
  private static let bodyPortionTime = Duration.seconds(30)
  /// The time that a stop gives to open requests.
  private static let stopTime = Duration.seconds(10)

  private let loop: EventLoop
  private let store: any UploadStore
  private let memory: Int
  private let trustedProxy: String?
  private let keepsBodies: Bool
  private let furtherMetrics: () -> String
  private let page: FleetPage?
  private let reader = UploadReader(hash: { ContentHash.record($0) })
  private var rates: RequestRates
  private var delays: RetryDelays
  private let shares: BodyShares
  private var metrics = IngestMetrics()
  private var server: HTTPServer?
  private var metricsServer: HTTPServer?
  private var stop: (deadline: LoopTimer, done: () -> Void)?

  /// Starts to listen. `furtherMetrics` returns the metrics of the store, `page` answers the requests of people.
  /// Throws if an address cannot be served.
  init(
    loop: EventLoop, store: any UploadStore, settings: Settings,
    furtherMetrics: @escaping () -> String = { "" }, page: FleetPage? = nil
  ) throws(HTTPServerError) {
    (self.loop, self.store, self.furtherMetrics, self.page) = (loop, store, furtherMetrics, page)
    (memory, trustedProxy, keepsBodies) = (settings.memory, settings.trustedProxy, settings.keepsBodies)
    rates = RequestRates(settings.rates)
    delays = RetryDelays(seed: settings.seed)
    shares = BodyShares(requestsOfDevice: settings.requestsOfDevice, largest: Self.bodyLimit)
    var limits = HTTPServer.Limits(
      body: Self.bodyLimit, bodiesTogether: settings.memory / 2, connections: settings.clients,
      idleTime: Self.idleTime, requestTime: Self.requestTime)
    limits.connectionMemory = Self.connectionMemory
    limits.bodyPortionTime = Self.bodyPortionTime
    limits.hasPeerAddresses = settings.trustedProxy != nil
    server = try HTTPServer(
      loop: loop, listen: settings.listen, limits: limits,
      refuse: { [weak self] status, remedy in
        self?.refusal(remedy, status: status) ?? UploadAnswers.error(remedy, status: status)
      },
      admit: { [weak self] request in
        self?.admit(request) ?? .answer(UploadAnswers.error("stopping", status: 503))
      })
    if let address = settings.metricsListen {
      metricsServer = try HTTPServer(
        loop: loop, listen: address, admit: { [weak self] in self?.admitMetrics($0) ?? .answer(.json("{}")) })
    }
    loop.everyTurn { [weak self] _ in self?.finishStop() }
  }

  /// The listening address, with the actual port; nil after the stop.
  var address: ListenAddress? { server?.address }
  var metricsAddress: ListenAddress? { metricsServer?.address }
  var connectionCount: Int { server?.connectionCount ?? 0 }

  // MARK: The head of a request

  private func admit(_ request: HTTPRequest) -> HTTPAdmission {
    if let admission = page?.admit(request) { return admission }
    let kind = RequestKind(request)
    switch kind {
    case .health: return .answer(health())
    case .notFound: return .answer(UploadAnswers.error("no such resource", status: 404))
    case .wrongMethod(let allowed):
      return .answer(
        UploadAnswers.error("expected \(allowed)", status: 405, headers: [.init("Allow", allowed)]))
    case .status: break
    case .overland, .ownTracks:
      if let refusal = busy() ?? refusal(ofCoding: request.contentEncoding) {
        return .answer(counted(refusal))
      }
    }
    guard !isRejectedByProxy(request) else {
      return .answer(counted(UploadAnswers.error("the proxy rejected the client's certificate", status: 401)))
    }
    guard let token = request.token else { return .answer(counted(UploadAnswers.unknownToken)) }
    let decision = HTTPPending<HTTPAdmission>()
    store.access(forTokenHash: TokenSecret.hash(of: token)) { [weak self] access in
      guard let self else { return decision.give(.answer(UploadAnswers.error("stopping", status: 503))) }
      decision.give(decide(access, kind, length: request.contentLength))
    }
    return .later(decision)
  }

  /// The answer to a delivery that must be repeated later; nil if it can be taken.
  private func busy() -> HTTPResponse? {
    if stop != nil {
      var answer = UploadAnswers.later("the server is stopping", seconds: delays.next())
      answer.headers.append(.init("Connection", "close"))
      return answer
    }
    guard store.pendingBytes < memory / 2 else {
      return UploadAnswers.later("too much data in progress; retry later", seconds: delays.next())
    }
    guard !store.isSlow else {
      return UploadAnswers.later("the database is slow; retry later", seconds: delays.next())
    }
    return nil
  }

  /// True if the trusted proxy reports another result than success, or none (`NONE`: the client has no
  /// certificate).
  private func isRejectedByProxy(_ request: HTTPRequest) -> Bool {
    guard let trustedProxy, request.peerAddress == trustedProxy, let result = request.fields.clientVerify
    else {
      return false
    }
    return result != "SUCCESS" && result != "NONE"
  }

  private func refusal(ofCoding coding: String?) -> HTTPResponse? {
    guard let coding = coding?.lowercased(), !["identity", "gzip", "x-gzip"].contains(coding) else {
      return nil
    }
    return UploadAnswers.error(
      "Content-Encoding \(coding): not supported; send gzip or an uncompressed body", status: 415)
  }

  private func refusal(_ remedy: String, status: Int) -> HTTPResponse {
    counted(
      status == 503
        ? UploadAnswers.later(remedy, seconds: delays.next()) : UploadAnswers.error(remedy, status: status))
  }

  private func decide(_ access: Access?, _ kind: RequestKind, length: Int?) -> HTTPAdmission {
    guard let access else {
      return .answer(counted(unavailable()))
    }
    switch access {
    case .unknown: return .answer(counted(UploadAnswers.unknownToken))
    case .disabled:
      return .answer(
        counted(UploadAnswers.error("the device is disabled; an operator can enable it", status: 403)))
    case .device, .enrol, .read, .operate: break
    }
    if kind == .status { return .answer(.json(#"{"status":"ok","outrider":1}"#)) }
    let share = shares.take(access, length: length)
    switch access {
    case .device, .enrol:
      guard share != nil else {
        return .answer(
          counted(
            UploadAnswers.later(
              "too many requests of this token at a time; retry later", status: 429, seconds: delays.next())))
      }
    case .read, .operate, .disabled, .unknown: break
    }
    switch access {
    case .device(let device):
      if let wait = rates.admit(.device(device), now: loop.now) {
        return .answer(limited("too many requests or points of this device", wait))
      }
    case .enrol(_, let token):
      if let wait = rates.admit(.enrolment(token: token), now: loop.now) {
        return .answer(limited("too many requests by this enrolment token; see serve --enrolments", wait))
      }
    case .read, .operate, .disabled, .unknown:
      return .answer(counted(UploadAnswers.error("this token may not send records", status: 403)))
    }
    return .read { [weak self] request in
      self?.receive(request, kind, access, share) ?? UploadAnswers.error("stopping", status: 503)
    }
  }

  /// The answer to a token that has sent too much, and may send again after a time.
  private func limited(_ reason: String, _ wait: Duration) -> HTTPResponse {
    counted(UploadAnswers.later(reason, status: 429, seconds: delays.next(atLeast: wait)))
  }

  // MARK: The body of a request

  private func receive(
    _ request: HTTPRequest, _ kind: RequestKind, _ access: Access, _ share: BodyShares.Share?
  ) -> HTTPResponse {
    let body: [UInt8]
    do { body = try request.unpackedBody(limit: Self.bodyLimit) } catch {
      return counted(Self.answer(to: error))
    }
    var upload: Upload?
    do throws(UploadError) {
      upload =
        kind == .ownTracks
        ? try reader.readOwnTracks(body, owner: request.owner)
        : try reader.read(body, leavesOutFaulty: true)
    } catch {
      // A repetition of a location without time or position would never be stored, and the phone would repeat it for ever.
      if kind == .ownTracks, let drop = IngestMetrics.Drop(error) {
        metrics.countDropped(drop)
        if drop != .encrypted { return counted(.json("[]")) }
      }
      metrics.countRejected(error.record == nil ? 0 : 1)
      return counted(Self.answer(to: error))
    }
    if keepsBodies { upload?.body = request.body == body ? Gzip.pack(body) : request.body }
    guard let upload else {
      metrics.countDropped(.notALocation)
      return counted(.json("[]"))
    }
    if case .device(let device) = access { rates.count(upload.rowCount, of: .device(device)) }
    let reply = HTTPPending<HTTPResponse>()
    let start = loop.now
    let (rows, reportFault, dropped) = (upload.rowCount, upload.reportFault, upload.dropped)
    store.store(upload, access: access) { [weak self] outcome in
      share?.giveBack()
      guard let self else { return reply.give(UploadAnswers.error("stopping", status: 503)) }
      if case .stored = outcome {
        metrics.observeAnswer(loop.now - start)
        for (drop, count) in dropped { metrics.countDropped(IngestMetrics.Drop(drop), count) }
      }
      reply.give(counted(answer(to: outcome, rows: rows, reportFault: reportFault, kind)))
    }
    return .pending(reply)
  }

  private static func answer(to failure: HTTPRequest.UnpackingFailure) -> HTTPResponse {
    switch failure {
    case .unknownCoding(let coding):
      UploadAnswers.error("Content-Encoding \(coding): not supported", status: 415)
    case .damaged: UploadAnswers.error("Content-Encoding gzip: the body is damaged or truncated", status: 422)
    case .bytesAfterEnd(let offset):
      UploadAnswers.error("Content-Encoding gzip: the bytes from \(offset) on are not gzip", status: 400)
    case .tooLarge(let limit):
      UploadAnswers.error(
        "Content-Encoding gzip: more than \(limit) bytes after decompression; send smaller batches",
        status: 413)
    }
  }

  private static func answer(to error: UploadError) -> HTTPResponse {
    switch error {
    case .tooManyRows, .tooMuchExtra: UploadAnswers.error("\(error)", status: 413)
    case .notJSON, .tooDeep, .noList, .encrypted, .invalid:
      UploadAnswers.error("\(error)", status: 422, record: error.record)
    }
  }

  private func answer(
    to outcome: UploadOutcome, rows: Int, reportFault: String?, _ kind: RequestKind
  ) -> HTTPResponse {
    switch outcome {
    case .stored(let receipt):
      metrics.count(receipt)
      return kind == .ownTracks
        ? .json("[]") : UploadAnswers.stored(receipt, reportFault: reportFault)
    case .rejected(let reason, let record):
      metrics.countRejected(rows)
      return UploadAnswers.error(reason, status: 422, record: record)
    case .refused(let reason): return UploadAnswers.error(reason, status: 403)
    case .limited(let delay):
      return UploadAnswers.later(
        "too many enrolments by this token; see serve --enrolments", status: 429,
        seconds: delays.next(atLeast: delay))
    case .unavailable: return unavailable()
    }
  }

  private func unavailable() -> HTTPResponse {
    let reason = store.writeFault.map { "\($0)" } ?? "the database is away or slow"
    return UploadAnswers.later("\(reason); retry later", seconds: delays.next())
  }

  private func counted(_ response: HTTPResponse) -> HTTPResponse {
    metrics.count(status: response.status)
    return response
  }

  // MARK: Health and metrics

  private func health() -> HTTPResponse {
    guard stop == nil else { return UploadAnswers.error("stopping", status: 503) }
    guard !store.isHealthy else { return .json(#"{"status":"ok"}"#) }
    let reason = store.writeFault.map { ": \($0)" } ?? ""
    return UploadAnswers.error("no successful write in the last 10 s\(reason)", status: 503)
  }

  private func admitMetrics(_ request: HTTPRequest) -> HTTPAdmission {
    guard request.method == "GET" || request.method == "HEAD" else {
      return .answer(UploadAnswers.error("expected GET", status: 405, headers: [.init("Allow", "GET, HEAD")]))
    }
    switch request.path {
    case "/healthz": return .answer(health())
    case "/metrics": break
    default: return .answer(UploadAnswers.error("no such resource", status: 404))
    }
    if request.isFromThisHost { return .answer(metricsPage()) }
    guard let token = request.token else { return .answer(UploadAnswers.unknownToken) }
    let decision = HTTPPending<HTTPAdmission>()
    store.access(forTokenHash: TokenSecret.hash(of: token)) { [weak self] access in
      switch access {
      case .read, .operate: decision.give(.answer(self?.metricsPage() ?? .json("{}")))
      case .device, .enrol, .disabled:
        decision.give(.answer(UploadAnswers.error("this token may not read metrics", status: 403)))
      case .unknown: decision.give(.answer(UploadAnswers.unknownToken))
      case nil: decision.give(.answer(self?.unavailable() ?? UploadAnswers.error("stopping", status: 503)))
      }
    }
    return .later(decision)
  }

  private func metricsPage() -> HTTPResponse {
    let text = metrics.text(
      pendingBytes: store.pendingBytes, isDatabaseUp: store.isHealthy, further: furtherMetrics())
    return HTTPResponse(contentType: "text/plain; version=0.0.4", body: Array(text.utf8))
  }

  // MARK: Stop

  /// Ends the server: new requests are refused, and open ones are answered, for at most ten seconds. Then
  /// `done` is called.
  func stop(_ done: @escaping () -> Void) {
    guard stop == nil else { return }
    server?.stopListening()
    let deadline = loop.addTimer("ingest stop") { [weak self] _ in self?.close() }
    deadline.arm(at: loop.now + Self.stopTime)
    stop = (deadline, done)
    loop.callNextTurn {}
  }

  private func finishStop() {
    guard stop != nil, let server, server.openRequestCount == 0 else { return }
    close()
  }

  private func close() {
    guard let stop, let server else { return }
    self.server = nil
    server.stop()
    metricsServer?.stop()
    loop.removeTimer(stop.deadline)
    stop.done()
  }
}
