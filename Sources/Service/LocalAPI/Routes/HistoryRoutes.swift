import HTTPServer
import WebAccess

/// The requests that are answered from the log, in steps.
enum HistoryRoutes {
  static let table =
    [
      Route(
        "/coordinates", .guests(.positions), query: ["lookback_hours"],
        get: { call throws(APIRefusal) in try call.history(CoordinatesHistory.self) }),
      Route(
        "/events", .guests(.status), query: ["from", "to", "after"],
        get: { call throws(APIRefusal) in try call.history(EventsHistory.self) }),
      Route(
        "/track", .guests(.positions), query: ["from", "to", "resolution_m", "limit", "after"],
        get: { call throws(APIRefusal) in try call.history(TrackHistory.self) }),
      Route(
        "/days", .guests(.status),
        get: { call throws(APIRefusal) in try call.history(DaysHistory.self) }),
      Route(
        "/timeline", .guests(.status), query: ["from", "to"],
        get: { call throws(APIRefusal) in try call.history(TimelineHistory.self) }),
      Route(
        "/why", .guests(.status), query: ["from", "to", "longer"],
        get: { call throws(APIRefusal) in try call.history(WhyHistory.self) }),
      Route(
        "/visits", .guests(.positions), query: ["from", "to", "after"],
        get: { call throws(APIRefusal) in try call.history(PlacesHistory.self) }),
      Route(
        "/trips/past", .guests(.status), query: ["from", "to", "after"],
        get: { call throws(APIRefusal) in try call.history(PlacesHistory.self) }),
    ] + ExportHistory.formats.keys.sorted().map(export)

  private static func export(_ path: String) -> Route {
    Route(
      path, .guests(.positions), query: ExportHistory.parameters,
      get: { call throws(APIRefusal) in try call.history(ExportHistory.self) })
  }
}

extension APICall {
  /// Returns the response that reads the log in steps.
  fileprivate func history(_ kind: any LogHistory.Type) throws(APIRefusal) -> HTTPResponse {
    let response: HTTPResponse?
    do throws(Problem) { response = try shared.histories.open(kind, request, by: role, of: controls) } catch {
      throw APIRefusal(error)
    }
    guard let response else {
      throw APIRefusal(
        Problem(503, "too many history requests are in progress; retry later"),
        headers: [.init("Retry-After", "5")])
    }
    return response
  }
}
