import HTTPServer
import JSON
import Quantities
import WebAccess

/// The requests about the logger itself. A new route is one line in ``all``; its handler is in a file of its subject.
enum LoggerRoutes {
  static let all: [String: Route] = Dictionary(
    uniqueKeysWithValues: (table + HistoryRoutes.table + AccessRoutes.table).map { ($0.path, $0) })

  private static let table: [Route] = [
    Route("/status", .guests(.status), get: status),
    Route("/energy", .guests(.status), query: ["since", "by"], get: energy),
    Route(
      "/settings", .operators, query: ["queue"],
      get: { .json($0.controls.settings) }, patch: changeSettings),
    Route("/settings/schema", .operators, get: { .json($0.controls.settingsSchema) }),
    Route(
      "/sends", .operators, query: ["destination"],
      get: { APIResponse.of($0.controls.sends(of: $0.request.queryValue("destination"))) }),
    Route("/send", .operators, query: ["destination"], post: send),
    Route("/drop", .operators, query: ["destination"], post: drop),
    Route("/trips", .guests(.status), get: { APIResponse.of($0.controls.trip(.status)) }, post: trip),
    Route("/satellites", .operators, post: { APIResponse.of($0.controls.askForSatellites()) }),
    Route("/update", .operators, post: update),
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

  private static func energy(_ json: [UInt8]?) throws(APIRefusal) -> HTTPResponse {
    guard let json else { throw APIRefusal(Problem(500, "the ledger cannot be encoded as JSON")) }
    return HTTPResponse(contentType: "application/json", body: json)
  }

  private static func changeSettings(_ call: APICall) throws(APIRefusal) -> HTTPResponse {
    let value = call.request.queryValue("queue")
    let queue = value.flatMap { QueueChoice(rawValue: $0) }
    guard value == nil || queue != nil else { throw APIRefusal(Problem(400, "queue: expected keep or drop")) }
    return APIResponse.of(call.controls.changeSettings(call.request.body, queue: queue))
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
    report.overridden_keys = nil
    report.configuration_file = nil
    return report
  }
}
