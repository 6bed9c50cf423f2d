import EventLoop
import FleetRecords
import HTTPServer
import JSON
import PostgreSQL
import Quantities
import System
import WebAccess

/// The page of a fleet and the API behind it. Everything only reads, and requires a token of the role `read` or
/// `operator`, by `Authorization: Bearer` or by the cookie of the page.
///
/// | Request | Response |
/// | --- | --- |
/// | `GET /`, `/page/NAME`, `/leaflet/NAME` | the files of the page, without data |
/// | `GET /access` | role and sign-in, with `"serves":"fleet"` |
/// | `POST /login`, `POST /logout` | exchange a token for a cookie; end a sign-in |
/// | `GET /api/v1/fleet/devices` | a page of the list of devices |
/// | `GET /api/v1/fleet/positions` | the last positions in columns |
/// | `GET /api/v1/fleet/device?name=` | everything about a device, and its days |
/// | `GET /api/v1/fleet/track?device=` | a ``FleetTrack`` |
public final class FleetPage {
  /// Finds what a token permits; nil if the database does not answer.
  public typealias Lookup = (_ token: String, _ completion: @escaping (Access?) -> Void) -> Void

  /// The time after which the database cancels a statement.
  public static let usualStatementLimit = Duration.seconds(5)

  /// The name of the cookie. Its value is the token: only its hash is stored, so no other proof of it exists, and it ends
  /// with the token.
  static let cookie = "outrider_fleet"
  private static let cookieLifetime = SignInCookie.lifetime
  /// The longest token, in bytes.
  private static let longestToken = 200
  private static let longestBody = 4096
  /// The longest name that is searched for.
  private static let longestName = 1000
  private static let mostDevices: Int64 = 200
  private static let usualDevices: Int64 = 100

  private enum Route: String {
    case access = "/access"
    case login = "/login"
    case logout = "/logout"
    case devices = "/api/v1/fleet/devices"
    case positions = "/api/v1/fleet/positions"
    case device = "/api/v1/fleet/device"
    case track = "/api/v1/fleet/track"

    var isOfAPI: Bool {
      switch self {
      case .access, .login, .logout: false
      case .devices, .positions, .device, .track: true
      }
    }

    var method: String { self == .login || self == .logout ? "POST" : "GET" }

    var parameters: Set<String> {
      switch self {
      case .access, .login, .logout: []
      case .devices: ["cohort", "state", "q", "limit", "offset"]
      case .positions: ["cohort", "state", "q"]
      case .device: ["name"]
      case .track: FleetTrack.parameters
      }
    }
  }

  private let files: PageFiles?
  private let lookup: Lookup
  private let fault: () -> WriteFault?
  private let reader: FleetReader
  private let now: () -> Timestamp
  /// Only its check for requests of other sites is used.
  private let policy = AccessPolicy(
    token: nil, deviceID: "", hosts: HostNames(),
    words: .init(server: "collector", token: "a read token", names: "", longToken: ""))

  /// Connects to the database. `folder` has the files of the page; nil for the API alone. A statement that takes longer
  /// than `statementLimit` is cancelled. `fault` returns the reason why tokens are not found, if it is known.
  public init(
    database address: String, loop: EventLoop, folder: String?,
    statementLimit: Duration = FleetPage.usualStatementLimit, fault: @escaping () -> WriteFault?,
    lookup: @escaping Lookup
  ) {
    files = folder.map { PageFiles(folder: $0) }
    (self.lookup, self.fault) = (lookup, fault)
    reader = FleetReader(address, loop: loop, statementLimit: statementLimit)
    now = { loop.clock.timestamp() }
  }

  /// Ends the connection to the database.
  public func stop() { reader.stop() }

  /// The decision on a request by its head; nil if it is for the ingest.
  public func admit(_ request: HTTPRequest) -> HTTPAdmission? {
    let isReading = request.method == "GET" || request.method == "HEAD"
    if isReading, let files, PageFiles.isOfPage(request.path) {
      return .read {
        files.response(to: $0) ?? Self.response(Problem(404, "the page has no file of this name"))
      }
    }
    guard let route = Route(rawValue: request.path), route.isOfAPI || files != nil else { return nil }
    guard request.method == route.method || route.method == "GET" && request.method == "HEAD" else {
      // A device may send to any path.
      guard route.isOfAPI else { return nil }
      return .answer(
        Self.response(Problem(405, "\(request.path) requires GET"), headers: [.init("Allow", "GET, HEAD")]))
    }
    switch route {
    case .access: return report(request)
    case .login: return signIn(request)
    case .logout: return .answer(signOut(request))
    case .devices, .positions, .device, .track: return admit(request, to: route)
    }
  }

  // MARK: Access

  private static var unauthorized: HTTPResponse {
    response(
      Problem(401, "missing or unknown token; send a read token as Authorization: Bearer, or sign in"),
      headers: [.init("WWW-Authenticate", "Bearer")])
  }

  private static var stopping: HTTPResponse {
    response(Problem(503, "the collector is stopping"), headers: [.init("Retry-After", "10")])
  }

  /// The answer while tokens are not found.
  private static func away(_ fault: WriteFault?) -> HTTPResponse {
    let reason = fault.map { "\($0)" } ?? "the database does not answer"
    return response(Problem(503, "\(reason); retry later"), headers: [.init("Retry-After", "10")])
  }

  private func admit(_ request: HTTPRequest, to route: Route) -> HTTPAdmission {
    guard let token = Self.token(of: request) else { return .answer(Self.unauthorized) }
    let decision = HTTPPending<HTTPAdmission>()
    lookup(token) { [weak self] access in
      switch access {
      case .read, .operate:
        decision.give(.read { [weak self] in self?.answer($0, route) ?? Self.stopping })
      case .device, .enrol, .disabled:
        decision.give(
          .answer(
            Self.response(
              Problem(403, "this token may not read; make one: outrider-collector fleet token read"))))
      case .unknown: decision.give(.answer(Self.unauthorized))
      case nil: decision.give(.answer(Self.away(self?.fault())))
      }
    }
    return .later(decision)
  }

  /// The token of the header, else that of the cookie.
  private static func token(of request: HTTPRequest) -> String? {
    if let authorization = request.authorization {
      let parts = authorization.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
      return String(parts[1].drop { $0 == " " })
    }
    for pair in request.fields.cookie?.split(separator: ";") ?? [] {
      let trimmed = pair.drop { $0 == " " }
      guard trimmed.hasPrefix("\(cookie)=") else { continue }
      let value = String(trimmed.dropFirst(cookie.count + 1))
      if isToken(value) { return value }
    }
    return nil
  }

  /// True for a text that can be a token and a cookie.
  private static func isToken(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= longestToken
      && text.utf8.allSatisfy { byte in
        byte != UInt8(ascii: ";") && byte != UInt8(ascii: ",") && byte != UInt8(ascii: "\"")
          && byte != UInt8(ascii: "\\") && (0x21...0x7E).contains(byte)
      }
  }

  /// The answer to `GET /access`: `role` is `positions` after a sign-in, that of a guest of the logger's page who may
  /// read, else `none`.
  private func report(_ request: HTTPRequest) -> HTTPAdmission {
    let answer = { (role: AccessRole) -> HTTPAdmission in
      .read { _ in
        APIResponse.finished(
          .json(
            #"{"guest":"off","needs_sign_in":true,"page_sign_in":true,"role":"\#(role.rawValue)","#
              + #""serves":"fleet"}"#))
      }
    }
    guard let token = Self.token(of: request) else { return answer(.none) }
    let decision = HTTPPending<HTTPAdmission>()
    lookup(token) { [weak self] access in
      switch access {
      case .read, .operate: decision.give(answer(.positions))
      case .device, .enrol, .disabled, .unknown: decision.give(answer(.none))
      case nil: decision.give(.answer(Self.away(self?.fault())))
      }
    }
    return .later(decision)
  }

  private func signIn(_ request: HTTPRequest) -> HTTPAdmission {
    guard let length = request.contentLength, length <= Self.longestBody else {
      return .answer(Self.response(Problem(413, #"expected {"token": "…"}"#)))
    }
    return .read { [weak self] in self?.exchange($0) ?? Self.stopping }
  }

  /// Exchanges a token for the cookie.
  private func exchange(_ request: HTTPRequest) -> HTTPResponse {
    struct Body: Decodable {
      var token: String
    }
    do throws(AccessPolicy.Refusal) { try policy.check(request, presented: .right) } catch {
      return Self.response(Problem(error.status, error.detail))
    }
    guard let body = try? CheckedJSON(request.body).decode(Body.self) else {
      return Self.response(Problem(400, #"expected {"token": "…"}"#))
    }
    let wrong = Self.response(Problem(401, "wrong token; make one: outrider-collector fleet token read"))
    guard Self.isToken(body.token) else { return wrong }
    let isSecure = request.fields.forwardedProto?.lowercased() == "https"
    let reply = HTTPPending<HTTPResponse>()
    lookup(body.token) { [weak self] access in
      switch access {
      case .read, .operate:
        let header = Self.cookie(body.token, lifetime: Self.cookieLifetime, isSecure: isSecure)
        reply.give(
          APIResponse.finished(HTTPResponse(status: 204, contentType: "", body: [], headers: [header])))
      case .device, .enrol, .disabled:
        reply.give(
          Self.response(
            Problem(403, "this token may not read; make one: outrider-collector fleet token read")))
      case .unknown: reply.give(wrong)
      case nil: reply.give(Self.away(self?.fault()))
      }
    }
    return .pending(reply)
  }

  private func signOut(_ request: HTTPRequest) -> HTTPResponse {
    do throws(AccessPolicy.Refusal) { try policy.check(request, presented: .right) } catch {
      return Self.response(Problem(error.status, error.detail))
    }
    let header = Self.cookie("", lifetime: .zero, isSecure: false)
    return APIResponse.finished(HTTPResponse(status: 204, contentType: "", body: [], headers: [header]))
  }

  private static func cookie(_ value: String, lifetime: Duration, isSecure: Bool) -> HTTPResponse.Header {
    let text =
      "\(cookie)=\(value); HttpOnly; SameSite=Strict; Path=/; Max-Age=\(lifetime.wholeSeconds)"
    return HTTPResponse.Header("Set-Cookie", isSecure ? "\(text); Secure" : text)
  }

  private static func response(_ problem: Problem, headers: [HTTPResponse.Header] = []) -> HTTPResponse {
    APIResponse.finished(APIResponse.of(APIRefusal(problem, headers: headers)))
  }

  // MARK: Data

  private func answer(_ request: HTTPRequest, _ route: Route) -> HTTPResponse {
    do throws(Problem) {
      let known = route.parameters
      if let unknown = request.query.first(where: { !known.contains($0.name) }) {
        let names = known.sorted().joined(separator: ", ")
        throw Problem(400, "no query parameter \"\(unknown.name)\"; available: \(names)")
      }
      for item in request.query {
        let text = item.value ?? ""
        guard text.utf8.count <= Self.longestName, !text.utf8.contains(0) else {
          throw Problem(400, "\(item.name): the value is too long, or contains NUL")
        }
      }
      switch route {
      case .devices: return try devices(request)
      case .positions: return try positions(request)
      case .device: return try device(request)
      case .track: return try track(request)
      case .access, .login, .logout: throw Problem(404, "no such resource")
      }
    } catch { return Self.response(error) }
  }

  private static func state(_ request: HTTPRequest) throws(Problem) -> String? {
    guard let state = filter(request, "state") else { return nil }
    guard FleetQueries.states.contains(state) else {
      throw Problem(400, "state: expected one of \(FleetQueries.states.joined(separator: ", "))")
    }
    return state
  }

  /// A filter of the query; nil if it is missing or empty.
  private static func filter(_ request: HTTPRequest, _ name: String) -> String? {
    request.queryValue(name).flatMap { $0.isEmpty ? nil : $0 }
  }

  private func devices(_ request: HTTPRequest) throws(Problem) -> HTTPResponse {
    let limit = try request.wholeNumber("limit", in: 1...Self.mostDevices) ?? Self.usualDevices
    let offset = try request.wholeNumber("offset", in: 0...1_000_000_000) ?? 0
    let command = FleetQueries.devices(
      cohort: Self.filter(request, "cohort"), name: Self.filter(request, "q"),
      state: try Self.state(request), limit: limit, offset: offset)
    return read([command], Self.object)
  }

  private func positions(_ request: HTTPRequest) throws(Problem) -> HTTPResponse {
    let command = FleetQueries.positions(
      cohort: Self.filter(request, "cohort"), name: Self.filter(request, "q"),
      state: try Self.state(request))
    return read([command], Self.object)
  }

  private func device(_ request: HTTPRequest) throws(Problem) -> HTTPResponse {
    guard let name = request.queryValue("name") else {
      throw Problem(400, "name: the name of a device is required")
    }
    let reply = HTTPPending<HTTPResponse>()
    reader.read([FleetQueries.lastTime(name)]) { [weak self] result in
      guard let self else { return reply.give(Self.stopping) }
      switch result {
      case .success(let results):
        let days = FleetDays(endingAt: [now(), results.first?.time(0, 0)].compactMap { $0 })
        read([FleetQueries.device(name, days)], for: reply, Self.object)
      case .failure(let problem): reply.give(Self.failure(problem))
      }
    }
    return .pending(reply)
  }

  /// The object that the database made, after the beginning; no row is a device that does not exist.
  private static func object(_ results: [QueryResult], _ begin: [UInt8]) throws(Problem) -> [UInt8] {
    guard let text = results.first?.text(0, 0) else { throw Problem(404, "no device of this name") }
    return begin + Array(text.utf8.dropFirst())
  }

  private func track(_ request: HTTPRequest) throws(Problem) -> HTTPResponse {
    let track = try FleetTrack(request, now: now())
    return read(track.commands) { results, _ throws(Problem) in try track.answer(results) }
  }

  /// The offset of local days from UTC, in seconds.
  private var offset: Int64 { LocalTime.aheadOfUTC(at: now()).wholeSeconds }

  /// The beginning of an answer: the time of this server and its zone.
  private var begin: [UInt8] {
    var text: [UInt8] = []
    text.append("{\"time\":\"")
    now().appendISO8601(to: &text, fraction: .none)
    text.append("\",\"zone\":{\"name\":")
    text.appendJSONString(LocalTime.zoneName ?? "")
    text.append(",\"offset_s\":")
    text.appendDecimal(offset, decimals: 0)
    text.append("},")
    return text
  }

  private func read(
    _ commands: [PostgresCommand],
    _ body: @escaping ([QueryResult], _ begin: [UInt8]) throws(Problem) -> [UInt8]
  ) -> HTTPResponse {
    let reply = HTTPPending<HTTPResponse>()
    read(commands, for: reply, body)
    return .pending(reply)
  }

  private func read(
    _ commands: [PostgresCommand], for reply: HTTPPending<HTTPResponse>,
    _ body: @escaping ([QueryResult], _ begin: [UInt8]) throws(Problem) -> [UInt8]
  ) {
    let begin = begin
    reader.read(commands) { result in
      switch result {
      case .success(let results): reply.give(Self.response(results, begin, body))
      case .failure(let problem): reply.give(Self.failure(problem))
      }
    }
  }

  private static func failure(_ problem: Problem) -> HTTPResponse {
    response(problem, headers: problem.status == 503 ? [.init("Retry-After", "5")] : [])
  }

  private static func response(
    _ results: [QueryResult], _ begin: [UInt8],
    _ body: ([QueryResult], _ begin: [UInt8]) throws(Problem) -> [UInt8]
  ) -> HTTPResponse {
    do throws(Problem) {
      let text = try body(results, begin)
      return APIResponse.finished(HTTPResponse(contentType: "application/json", body: text))
    } catch { return response(error) }
  }
}
