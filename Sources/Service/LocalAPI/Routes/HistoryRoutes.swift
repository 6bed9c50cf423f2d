import HTTPServer

/// The requests that are answered from the log, in steps.
enum HistoryRoutes {
  static let table =
    [
      route("/coordinates", .guests(.positions), query: ["lookback_hours"], CoordinatesHistory.self),
      route("/events", .guests(.status), query: ["after"], EventsHistory.self),
      route(
        "/track", .guests(.positions), query: ["from", "to", "resolution_m", "limit", "after"],
        TrackHistory.self),
      route("/days", .guests(.status), query: [], DaysHistory.self),
      route("/timeline", .guests(.status), query: ["from", "to"], TimelineHistory.self),
      route("/why", .guests(.status), query: ["from", "to", "longer"], WhyHistory.self),
      route("/visits", .guests(.positions), query: ["from", "to", "after"], PlacesHistory.self),
      route("/trips/past", .guests(.status), query: ["from", "to", "after"], PlacesHistory.self),
    ]
    + ExportHistory.formats.keys.sorted().map {
      route($0, .guests(.positions), query: ExportHistory.parameters, ExportHistory.self)
    }

  private static func route(
    _ path: String, _ audience: Route.Audience, query: [String], _ kind: any LogHistory.Type
  ) -> Route {
    Route(path, audience, query: query, ["GET": { call throws(APIRefusal) in try call.history(kind) }])
  }
}

extension APICall {
  /// Returns the response that reads the log in steps.
  fileprivate func history(_ kind: any LogHistory.Type) throws(APIRefusal) -> HTTPResponse {
    let response: HTTPResponse?
    do throws(Problem) { response = try shared.histories.open(kind, request, of: controls) } catch {
      throw APIRefusal(error)
    }
    guard let response else {
      throw APIRefusal(
        Problem(503, "\(Histories.limit) history requests are in progress, the most at a time; retry later"),
        headers: [.init("Retry-After", "5")])
    }
    return response
  }
}
