import EventLoop
import HTTPServer
import Quantities
import WebAccess

/// Serves the local API of the logger, which the command line uses, too, and its page.
///
/// It is HTTP on a Unix socket for programs on this host and, if configured, on a TCP address for clients with the token.
///
/// | Request | Response |
/// | --- | --- |
/// | `GET /status` | ``StatusReport`` |
/// | `GET /energy`, `?since=TIME` | ``StatusReport/Energy``, from the local day of TIME on |
/// | `GET /metrics` | the figures of the logger for Prometheus, ``Metric`` |
/// | `GET /settings` | every setting with value and origin; `is_durable` says if all changes are saved |
/// | `GET /settings/schema` | the declarations of all settings: sentence, kind, range, default |
/// | `PATCH /settings` | sets dotted keys or groups; null removes the values of operator and servers; all or nothing |
/// | `PATCH /settings?queue=drop` | the same, and discards the queue of a destination whose address changes |
/// | `POST /settings/confirm` | keeps settings on trial |
/// | `POST /send`, `?destination=NAME` | sends the queue now; `position_awaited`: a fresh position follows |
/// | `GET /sends`, `?destination=NAME` | the last 20 attempts to send of each destination, a ``SendsReport`` |
/// | `POST /test?destination=NAME`, `GET /test` | tests a destination without a record; the last results, a ``TestsReport`` |
/// | `GET /doctor` | the checks of `outrider doctor` that can run inside the logger |
/// | `POST /drop?destination=NAME` | discards the queue of a destination; records stay in the log |
/// | `GET /trips`, `POST /trips` | the running trip; `{"action": "start", "stop" or "mode", "mode": "car"}` |
/// | `POST /update` | records the outcome of the trial of a new version, an ``UpdateOutcome`` |
/// | `POST /satellites` | queries the receiver once for its satellites; `GET /status` has the result |
/// | `GET /hotspot`, `POST /hotspot` | the hotspot of the system; `{"on": true}` starts it for ten minutes |
/// | `GET /coordinates?lookback_hours=N` | locations of the last hours outside privacy zones, `[time, latitude, longitude]`, streamed |
/// | `GET /events?after=ID` | later events, streamed |
/// | `GET /energy?by=day` | the energy ledger by local day |
/// | `GET /track`, `/timeline`, `/why`, `/visits`, `/trips/past` | histories of a period, streamed |
/// | `GET /map`, `/tiles/Z/X/Y` | the background of the map, and its images |
/// | `GET /days` | the local days of the log, streamed |
/// | `GET /export.gpx`, `.kml`, `.geojson`, `.csv`, `.nmea` | the file of `outrider export`, streamed |
/// | `GET /stream` | an ``EventStream`` |
/// | `GET /access`, `GET /healthz` | role, addresses and sign-in; 200 or 503 |
/// | `POST /login`, `POST /logout` | exchange the token, or a code of `POST /access/code`, for a cookie; end a sign-in |
/// | `GET /`, `/page/NAME`, `/leaflet/NAME` | the page and its files |
///
/// Errors are problem details (RFC 9457). The number of history requests (those that are streamed) in progress is limited;
/// beyond the limit the response is 503 with `Retry-After`.
public final class LocalAPI {
  private var servers: [HTTPServer] = []
  /// The server of the Unix socket, one of ``servers``; nil while its file cannot be made.
  private var local: HTTPServer?
  /// The server of the TCP address, one of ``servers``.
  private var network: HTTPServer?
  /// Armed while a changed address waits for the responses of the previous one.
  private var addressTimer: LoopTimer?
  private let loop: EventLoop
  private let shared: SharedParts
  /// The messages of `GET /stream`.
  public var stream: EventStream { shared.stream }

  /// Starts to serve a Unix socket. Every program with permission to open it may use the whole API.
  public init(
    loop: EventLoop, path: String, controls: any LoggerControls,
    access: AccessRules = AccessRules(policy: AccessPolicy(token: nil, deviceID: "", hosts: HostNames()))
  ) throws(HTTPServerError) {
    self.loop = loop
    shared = SharedParts(loop: loop, access)
    shared.access.refused = { [weak controls] count in controls?.accessRefused(count: count) }
    try openSocket(path, controls: controls)
  }

  /// Serves a Unix socket.
  public func openSocket(_ path: String, controls: any LoggerControls) throws(HTTPServerError) {
    try serve(
      loop: loop, .unix(path: path), .init(requiresSignIn: false, isLocal: true), controls: controls)
    local = servers.last
  }

  /// True if the file of the Unix socket is the one that is served.
  public var hasSocket: Bool { local?.hasFile ?? false }
  /// True if the Unix socket is served.
  public var hasServer: Bool { local != nil }
  /// True if the TCP address is served.
  public var hasNetwork: Bool { network != nil }
  /// True while a changed address waits for the responses of the previous one.
  public var isChangingAddress: Bool { addressTimer != nil }

  /// Ends to serve a Unix socket whose file is gone, so that another one can be made.
  public func closeSocket() {
    guard let local else { return }
    local.stop()
    servers.removeAll { $0 === local }
    shared.listening.removeAll { $0 == "\(local.address)" }
    self.local = nil
  }

  /// The longest response that a command reads, in bytes. The limits of the configuration (`SettingLimits`) keep status and
  /// settings below it.
  public static let answerLimit = 4 << 20

  private static let limits = HTTPServer.Limits(body: 64 << 10, bodiesTogether: 256 << 10, connections: 16)
  /// On a Unix socket no packet is lost. With 40 connections that send half a head, a request is answered within 15 s.
  private static let socketLimits = HTTPServer.Limits(
    body: 64 << 10, bodiesTogether: 256 << 10, connections: 16, headTime: .seconds(5))

  /// Starts to serve a TCP address, for requests that carry the token of the access rules, or the cookie of a sign-in.
  /// Returns the address with its actual port.
  @discardableResult
  public func listen(
    loop: EventLoop, on address: ListenAddress, controls: any LoggerControls
  ) throws(HTTPServerError) -> ListenAddress {
    let bound = try serve(
      loop: loop, address, .init(requiresSignIn: true, isLocal: address.isLocal), controls: controls)
    network = servers.last
    return bound
  }

  /// The time in which the response to the change of an address arrives there.
  private static let addressDelay = Duration.seconds(1)

  /// Changes the rules of access and the TCP address: closes the present one with all its connections, then calls `listen`,
  /// which may open another. Both happen after the responses that are being sent.
  public func changeAddress(_ rules: AccessRules, listen: @escaping (LocalAPI) -> Void) {
    shared.isAddressChanging = true
    if let addressTimer { loop.removeTimer(addressTimer) }
    addressTimer = loop.addTimer("api address") { [unowned self] _ in
      if let addressTimer { loop.removeTimer(addressTimer) }
      addressTimer = nil
      closeNetwork()
      shared.follow(rules)
      shared.isAddressChanging = false
      listen(self)
    }
    addressTimer?.arm(after: Self.addressDelay)
  }

  private func closeNetwork() {
    shared.failed = []
    guard let network else { return }
    network.stop()
    servers.removeAll { $0 === network }
    shared.listening.removeAll { $0 == "\(network.address)" }
    self.network = nil
  }

  /// Changes the page and its map.
  public func changePage(_ rules: AccessRules) { shared.followPage(rules) }

  /// Starts to serve a loopback address without a sign-in, on a port that the kernel chooses: for the demo only. Returns
  /// the address.
  public func listenForDemo(
    loop: EventLoop, controls: any LoggerControls
  ) throws(HTTPServerError) -> ListenAddress {
    try serve(
      loop: loop, .tcp(address: "127.0.0.1", port: 0), .init(requiresSignIn: false, isLocal: true),
      controls: controls)
  }

  /// Notes an address that could not be served, for `GET /access`.
  public func noteFailure(of address: String, reason: String) {
    clearFailure(of: address)
    shared.failed.append((address, reason))
  }

  /// Forgets the failure of an address.
  public func clearFailure(of address: String) { shared.failed.removeAll { $0.address == address } }

  /// Sends the rest of the stream, and closes all sockets.
  public func stop() {
    if let addressTimer { loop.removeTimer(addressTimer) }
    addressTimer = nil
    shared.map.stop()
    shared.stream.end()
    for server in servers {
      server.flush()
      server.stop()
    }
    servers = []
    (network, local) = (nil, nil)
  }

  @discardableResult
  private func serve(
    loop: EventLoop, _ address: ListenAddress, _ entrance: AccessPolicy.Entrance, controls: any LoggerControls
  ) throws(HTTPServerError) -> ListenAddress {
    let limits = if case .unix = address { Self.socketLimits } else { Self.limits }
    let server = try HTTPServer(
      loop: loop, listen: address, limits: limits, refuse: { APIResponse.of(Problem($0, $1)) }
    ) { [weak controls, shared] request in Self.answer(request, at: entrance, controls, shared) }
    servers.append(server)
    shared.listening.append("\(server.address)")
    return server.address
  }

  // MARK: Requests

  private static func answer(
    _ request: HTTPRequest, at entrance: AccessPolicy.Entrance, _ controls: (any LoggerControls)?,
    _ shared: SharedParts
  ) -> HTTPResponse {
    do throws(APIRefusal) {
      let route = LoggerRoutes.all[MapRoutes.path(of: request.path)]
      let isOfPage = PageFiles.isOfPage(request.path)
      let role = try shared.access.role(
        of: request, at: entrance, isPublic: isOfPage || route?.isPublic == true)
      guard let controls else { throw APIRefusal(Problem(503, "the logger is stopping")) }
      if role == .operator, route?.isOfPerson ?? true { controls.requestReceived() }
      if isOfPage, let response = try page(request, shared) { return response }
      let handler = try Route.handler(of: request, in: LoggerRoutes.all, by: role)
      let call = APICall(
        request: request, role: role, entrance: entrance, controls: controls, shared: shared)
      return APIResponse.finished(try handler(call))
    } catch {
      return APIResponse.finished(APIResponse.of(error))
    }
  }

  /// The response to a request for the page; nil if there is no such page or file.
  private static func page(_ request: HTTPRequest, _ shared: SharedParts) throws(APIRefusal) -> HTTPResponse?
  {
    guard let page = shared.page else { return nil }
    guard ["GET", "HEAD"].contains(request.method) else {
      throw APIRefusal(Problem(405, "\(request.path) requires GET"), headers: [.init("Allow", "GET")])
    }
    guard let response = page.response(to: request) else {
      throw APIRefusal(Problem(404, "the page has no file of this name"))
    }
    return response
  }
}
