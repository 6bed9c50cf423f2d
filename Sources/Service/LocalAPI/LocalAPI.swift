import EventLoop
import FoundationEssentials
import HTTPServer
import JSON
import Quantities

/// Serves the local API of the logger, which the command line uses, too.
///
/// It is HTTP on a Unix socket for programs on this host and, if configured, on a TCP address for clients with the token.
///
/// | Request | Response |
/// | --- | --- |
/// | `GET /status` | ``StatusReport`` |
/// | `GET /energy`, `?since=TIME` | ``StatusReport/Energy``, from the local day of TIME on |
/// | `GET /settings` | every setting with value and origin; `is_durable` says if all changes are saved |
/// | `GET /settings/schema` | the declarations of all settings: sentence, kind, range, default |
/// | `PATCH /settings` | sets dotted keys or groups; null removes the values of operator and servers; all or nothing |
/// | `PATCH /settings?queue=drop` | the same, and discards the queue of a destination whose address changes |
/// | `POST /send`, `?destination=NAME` | sends the queue now; `position_awaited`: a fresh position follows |
/// | `GET /sends`, `?destination=NAME` | the last 20 attempts to send of each destination, a ``SendsReport`` |
/// | `POST /drop?destination=NAME` | discards the queue of a destination; records stay in the log |
/// | `GET /trips`, `POST /trips` | the running trip; `{"action": "start", "stop" or "mode", "mode": "car"}` |
/// | `POST /update` | records the outcome of the trial of a new version, an ``UpdateOutcome`` |
/// | `POST /satellites` | queries the receiver once for its satellites; `GET /status` has the result |
/// | `GET /coordinates?lookback_hours=N` | locations of the last hours outside privacy zones, `[time, latitude, longitude]`, streamed |
/// | `GET /events?after=ID` | later events, streamed |
///
/// Errors are problem details (RFC 9457). The number of history requests (`/coordinates`, `/events`) in progress is limited;
/// beyond the limit the response is 503 with `Retry-After`.
public final class LocalAPI {
  private var servers: [HTTPServer] = []
  private let histories: Histories
  /// The messages of `GET /stream`.
  public let stream: EventStream

  /// Starts to serve a Unix socket. Every program with permission to open it may use the whole API.
  public init(loop: EventLoop, path: String, controls: any LoggerControls) throws(HTTPServerError) {
    histories = Histories(loop: loop)
    stream = EventStream(loop: loop)
    servers = [
      try HTTPServer(loop: loop, listen: .unix(path: path), limits: Self.limits, refuse: Self.refusal) {
        [weak controls, histories] request in Self.answer(request, controls, histories)
      }
    ]
  }

  private static let limits = HTTPServer.Limits(body: 64 << 10, bodiesTogether: 256 << 10, connections: 16)

  /// Starts to serve a TCP address, for requests that carry the token. Returns the address with its actual port.
  @discardableResult
  public func listen(
    loop: EventLoop, on address: ListenAddress, token: BearerToken, controls: any LoggerControls
  ) throws(HTTPServerError) -> ListenAddress {
    let server = try HTTPServer(loop: loop, listen: address, limits: Self.limits, refuse: Self.refusal) {
      [weak controls, histories] request in
      guard token.admits(request) else {
        var refused = Self.response(
          Problem(401, "wrong or missing token; send the token of api.token as Authorization: Bearer"))
        refused.headers.append(.init("WWW-Authenticate", "Bearer"))
        return refused
      }
      return Self.answer(request, controls, histories)
    }
    servers.append(server)
    return server.address
  }

  /// Closes all sockets.
  public func stop() {
    for server in servers { server.stop() }
    servers = []
  }

  // MARK: Requests

  /// The methods of each path.
  private static let methods = [
    "/status": ["GET"], "/energy": ["GET"], "/settings": ["GET", "PATCH"], "/send": ["POST"],
    "/settings/schema": ["GET"], "/sends": ["GET"],
    "/drop": ["POST"],
    "/trips": ["GET", "POST"], "/satellites": ["POST"], "/update": ["POST"],
    "/coordinates": ["GET"], "/events": ["GET"],
  ]
  /// The query parameter of each path.
  private static let queryNames = [
    "/energy": "since", "/settings": "queue", "/send": "destination", "/drop": "destination",
    "/sends": "destination",
    "/coordinates": "lookback_hours",
    "/events": "after",
  ]

  private static func answer(
    _ request: HTTPRequest, _ controls: (any LoggerControls)?, _ histories: Histories
  ) -> HTTPResponse {
    guard let controls else { return response(Problem(503, "the logger is stopping")) }
    controls.requestReceived()
    guard let allowed = methods[request.path] else {
      let known = methods.keys.sorted().joined(separator: ", ")
      return response(Problem(404, "no such path; available: \(known)"))
    }
    guard allowed.contains(request.method) else {
      var refused = response(
        Problem(405, "\(request.path) requires \(allowed.joined(separator: " or "))"))
      refused.headers.append(.init("Allow", allowed.joined(separator: ", ")))
      return refused
    }
    let known = queryNames[request.path]
    if let unknown = request.query.first(where: { $0.name != known }) {
      let remedy = known.map { "available: \($0)" } ?? "\(request.path) has none"
      return response(Problem(400, "no query parameter \"\(unknown.name)\"; \(remedy)"))
    }
    switch (request.method, request.path) {
    case ("GET", "/status"):
      guard let body = controls.status.json else {
        return response(Problem(500, "the status cannot be encoded as JSON"))
      }
      return HTTPResponse(contentType: "application/json", body: body)
    case ("GET", "/energy"): return energy(request, controls)
    case ("GET", "/settings"): return .json(controls.settings)
    case ("GET", "/settings/schema"): return .json(controls.settingsSchema)
    case ("GET", "/sends"): return response(controls.sends(of: request.queryValue("destination")))
    case ("PATCH", "/settings"):
      let value = request.queryValue("queue")
      let queue = value.flatMap { QueueChoice(rawValue: $0) }
      guard value == nil || queue != nil else {
        return response(Problem(400, "queue: expected keep or drop"))
      }
      return response(controls.changeSettings(request.body, queue: queue))
    case ("POST", "/send"):
      guard request.body.isEmpty else {
        return response(Problem(400, "expected no body; ?destination=NAME names one destination"))
      }
      return response(controls.send(to: request.queryValue("destination")))
    case ("POST", "/drop"):
      guard request.body.isEmpty, let name = request.queryValue("destination") else {
        return response(Problem(400, "expected ?destination=NAME and no body"))
      }
      return response(controls.dropQueue(of: name))
    case ("POST", "/satellites"): return response(controls.askForSatellites())
    case ("POST", "/update"):
      guard let outcome = UpdateOutcome(json: request.body) else {
        let form = #"{"version": "0.3.0", "previous_version": "0.2.0"}, and "reason" after a return"#
        return response(Problem(400, "expected \(form)\(noJSON(request.body))"))
      }
      return response(controls.record(outcome))
    case ("GET", "/trips"): return response(controls.trip(.status))
    case ("POST", "/trips"):
      guard let tripRequest = TripRequest(json: request.body) else {
        let form = #"{"action": "start", "stop" or "mode", "mode": "car"} with a mode of trip_mode"#
        return response(Problem(400, "expected \(form)\(noJSON(request.body))"))
      }
      return response(controls.trip(tripRequest))
    case ("GET", "/coordinates"): return history(CoordinatesHistory.self, request, controls, histories)
    default: return history(EventsHistory.self, request, controls, histories)
    }
  }

  /// Returns the end of a message for a body that is not JSON; empty if it is.
  private static func noJSON(_ body: [UInt8]) -> String {
    do throws(JSONFault) { _ = try CheckedJSON(body) } catch {
      return "; the body is not valid JSON: \(error)"
    }
    return ""
  }

  private static func energy(_ request: HTTPRequest, _ controls: any LoggerControls) -> HTTPResponse {
    var since: Timestamp?
    if let text = request.queryValue("since") {
      guard let time = Timestamp(iso8601: text) else {
        return response(Problem(400, "since: expected a time such as 2026-03-01T00:00:00Z"))
      }
      since = time
    }
    guard let body = controls.energy(since: since).json else {
      return response(Problem(500, "the ledger cannot be encoded as JSON"))
    }
    return HTTPResponse(contentType: "application/json", body: body)
  }

  private static func history(
    _ kind: any LogHistory.Type, _ request: HTTPRequest, _ controls: any LoggerControls,
    _ histories: Histories
  ) -> HTTPResponse {
    do throws(Problem) {
      guard let slices = try histories.open(kind, request, of: controls) else {
        var refused = response(
          Problem(503, "\(Histories.limit) history requests are in progress, the most at a time; retry later")
        )
        refused.headers.append(.init("Retry-After", "5"))
        return refused
      }
      var answer = HTTPResponse(contentType: "application/json", body: [])
      answer.slices = slices
      return answer
    } catch {
      return response(error)
    }
  }

  // MARK: Answers

  private static func response(_ outcome: ControlOutcome) -> HTTPResponse {
    switch outcome {
    case .done(let json): .json(json)
    case .refused(let problem): response(problem)
    }
  }

  private static func refusal(_ status: Int, _ remedy: String) -> HTTPResponse {
    response(Problem(status, remedy))
  }

  private static func response(_ problem: Problem) -> HTTPResponse {
    struct Body: Encodable {
      var title: String
      var status: Int
      var detail: String
      var errors: [String]?
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let body = Body(
      title: problem.title, status: problem.status, detail: problem.detail,
      errors: problem.errors.isEmpty ? nil : problem.errors)
    return HTTPResponse(
      status: problem.status, contentType: "application/problem+json",
      body: (try? encoder.encode(body)).map(Array.init) ?? [])
  }
}

extension Problem: Error {}
