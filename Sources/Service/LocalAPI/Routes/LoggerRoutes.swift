import HTTPServer
import JSON
import Quantities
import WebAccess

/// The requests about the logger itself. A new route is one line in ``all``; its handler is in a file of its subject.
enum LoggerRoutes {
  static let all: [String: Route] = Dictionary(
    uniqueKeysWithValues: (table + HistoryRoutes.table + AccessRoutes.table + MapRoutes.table).map {
      ($0.path, $0)
    })

  private static let table: [Route] = [
    Route("/status", .guests(.status), get: status),
    Route("/energy", .guests(.status), query: ["since", "by"], get: energy),
    Route("/metrics", .guests(.status), isOfPerson: false, get: MetricsRoute.answer),
    Route(
      "/settings", .operators, query: ["queue", "trial"],
      get: { .json($0.controls.settings) }, patch: changeSettings),
    Route("/settings/setup", .operators, query: ["apply", "queue"], post: setUp),
    Route("/settings/confirm", .operators, post: confirmSettings),
    Route("/settings/schema", .operators, get: { .json($0.controls.settingsSchema) }),
    Route("/profiles", .operators, get: profiles),
    Route(
      "/sends", .operators, query: ["destination"],
      get: { APIResponse.of($0.controls.sends(of: $0.request.queryValue("destination"))) }),
    Route("/send", .operators, query: ["destination"], post: send),
    Route(
      "/test", .operators, query: ["destination"], get: { APIResponse.of($0.controls.tests) },
      post: testDestination),
    Route("/doctor", .operators, get: DoctorRoute.answer),
    Route("/drop", .operators, query: ["destination"], post: drop),
    Route("/trips", .guests(.status), get: { APIResponse.of($0.controls.trip(.status)) }, post: trip),
    Route("/satellites", .operators, post: { APIResponse.of($0.controls.askForSatellites()) }),
    Route("/notify/test", .operators, post: { APIResponse.of($0.controls.testNotifications()) }),
    Route("/update", .operators, post: update),
    Route(
      "/hotspot", .operators, get: { APIResponse.of($0.controls.hotspot(nil)) }, post: switchHotspot),
    Route(
      "/stream", .operators, query: ["sky", "raw", "live"], isOfPerson: false, get: StreamRoute.answer),
  ]

  private static func status(_ call: APICall) throws(APIRefusal) -> HTTPResponse {
    let status = call.controls.status
    let disclosed = call.role == .operator ? status : status.disclosed(to: call.role)
    guard let body = disclosed.json else {
      throw APIRefusal(Problem(500, "the status cannot be encoded as JSON"))
    }
    return HTTPResponse(contentType: "application/json", body: body)
  }

  private static func energy(_ call: APICall) throws(APIRefusal) -> HTTPResponse {
    if let by = call.request.queryValue("by") {
      guard by == "day", call.request.queryValue("since") == nil else {
        throw APIRefusal(Problem(400, "by: expected day, without since"))
      }
      return try energy(call.controls.energyByDay.json)
    }
    var since: Timestamp?
    if let text = call.request.queryValue("since") {
      guard let time = Timestamp(iso8601: text) else {
        throw APIRefusal(Problem(400, "since: expected a time such as 2026-03-01T00:00:00Z"))
      }
      since = time
    }
    return try energy(call.controls.energy(since: since).json)
  }

  private static func profiles(_ call: APICall) throws(APIRefusal) -> HTTPResponse {
    try energy(call.controls.profiles)
  }

  private static func energy(_ json: [UInt8]?) throws(APIRefusal) -> HTTPResponse {
    guard let json else { throw APIRefusal(Problem(500, "the ledger cannot be encoded as JSON")) }
    return HTTPResponse(contentType: "application/json", body: json)
  }

  private static func queueChoice(_ call: APICall) throws(APIRefusal) -> QueueChoice? {
    guard let value = call.request.queryValue("queue") else { return nil }
    guard let queue = QueueChoice(rawValue: value) else {
      throw APIRefusal(Problem(400, "queue: expected keep or drop"))
    }
    return queue
  }

  private static func flag(_ name: String, _ call: APICall) throws(APIRefusal) -> Bool {
    guard let value = call.request.queryValue(name) else { return false }
    guard value == "1" else { throw APIRefusal(Problem(400, "\(name): expected 1")) }
    return true
  }

  private static func setUp(_ call: APICall) throws(APIRefusal) -> HTTPResponse {
    struct Body: Decodable {
      var url: String
    }
    guard let body = try? CheckedJSON(call.request.body).decode(Body.self) else {
      throw APIRefusal(Problem(400, #"expected {"url": "overland://setup?…"}\#(noJSON(call.request.body))"#))
    }
    let (isApplied, queue) = (try flag("apply", call), try queueChoice(call))
    return APIResponse.of(call.controls.setUp(body.url, isApplied: isApplied, queue: queue))
  }

  private static func changeSettings(_ call: APICall) throws(APIRefusal) -> HTTPResponse {
    let queue = try queueChoice(call)
    // A change over the network can cut off its author; on the socket, the author is on this host.
    let onTrial = try flag("trial", call) || call.entrance.requiresSignIn
    return APIResponse.of(call.controls.changeSettings(call.request.body, queue: queue, onTrial: onTrial))
  }

  private static func confirmSettings(_ call: APICall) throws(APIRefusal) -> HTTPResponse {
    struct Body: Decodable {
      var id: String
    }
    guard let body = try? CheckedJSON(call.request.body).decode(Body.self) else {
      throw APIRefusal(
        Problem(400, #"expected {"id": "…"}, the trial of the settings\#(noJSON(call.request.body))"#))
    }
    // Until the address has changed, a confirmation would prove nothing.
    guard !call.shared.isAddressChanging || !call.entrance.requiresSignIn else {
      throw APIRefusal(
        Problem(409, "the address is being changed; confirm from the new one"),
        headers: [.init("Retry-After", "2")])
    }
    return APIResponse.of(call.controls.confirmSettings(body.id))
  }

  private static func testDestination(_ call: APICall) throws(APIRefusal) -> HTTPResponse {
    guard let name = call.request.queryValue("destination"), call.request.body.isEmpty else {
      throw APIRefusal(Problem(400, "expected ?destination=NAME and no body"))
    }
    var response = APIResponse.of(call.controls.testDestination(name))
    if response.status == 200 { response.status = 202 }
    return response
  }

  private static func send(_ call: APICall) throws(APIRefusal) -> HTTPResponse {
    guard call.request.body.isEmpty else {
      throw APIRefusal(Problem(400, "expected no body; ?destination=NAME names one destination"))
    }
    return APIResponse.of(call.controls.send(to: call.request.queryValue("destination")))
  }

  private static func drop(_ call: APICall) throws(APIRefusal) -> HTTPResponse {
    guard call.request.body.isEmpty, let name = call.request.queryValue("destination") else {
      throw APIRefusal(Problem(400, "expected ?destination=NAME and no body"))
    }
    return APIResponse.of(call.controls.dropQueue(of: name))
  }

  private static func trip(_ call: APICall) throws(APIRefusal) -> HTTPResponse {
    guard let tripRequest = TripRequest(json: call.request.body) else {
      let form = #"{"action": "start", "stop" or "mode", "mode": "car"} with a mode of trip_mode"#
      throw APIRefusal(Problem(400, "expected \(form)\(noJSON(call.request.body))"))
    }
    return APIResponse.of(call.controls.trip(tripRequest))
  }

  private static func update(_ call: APICall) throws(APIRefusal) -> HTTPResponse {
    guard let outcome = UpdateOutcome(json: call.request.body) else {
      let form = #"{"version": "0.3.0", "previous_version": "0.2.0"}, and "reason" after a return"#
      throw APIRefusal(Problem(400, "expected \(form)\(noJSON(call.request.body))"))
    }
    return APIResponse.of(call.controls.record(outcome))
  }

  private struct HotspotRequest: Decodable {
    var on: Bool
  }

  private static func switchHotspot(_ call: APICall) throws(APIRefusal) -> HTTPResponse {
    guard let request = try? CheckedJSON(call.request.body).decode(HotspotRequest.self) else {
      throw APIRefusal(Problem(400, "expected {\"on\": true} or {\"on\": false}\(noJSON(call.request.body))"))
    }
    return APIResponse.of(call.controls.hotspot(request.on))
  }

  /// Returns the end of a message for a body that is not JSON; empty if it is.
  private static func noJSON(_ body: [UInt8]) -> String {
    do throws(JSONFault) { _ = try CheckedJSON(body) } catch {
      return "; the body is not valid JSON: \(error)"
    }
    return ""
  }
}

extension StatusReport {
  /// Returns the part of the report that a guest may read.
  func disclosed(to role: AccessRole) -> StatusReport {
    var report = self
    if role != .positions {
      report.position = nil
      report.sky = nil
    }
    // The name of a network is a place, and often a name of a household.
    report.ssid = nil
    report.overridden_keys = nil
    report.settings_trial = nil
    report.configuration_file = nil
    return report
  }
}
