import Database
import HTTPServer
import Quantities
import Records
import Store
import WebAccess

/// `GET /stream`.
enum StreamRoute {
  static func answer(_ call: APICall) throws(APIRefusal) -> HTTPResponse {
    var request = EventStream.Request()
    for item in call.request.query {
      guard item.value == "1" else { throw APIRefusal(Problem(400, "\(item.name): expected 1")) }
      switch item.name {
      case "sky": request.topics.insert(.sky)
      case "raw": request.topics.insert(.raw)
      default: request.isLive = true
      }
    }
    // An ID that is not one of the log has no events after it.
    request.lastEvent = call.request.fields.lastEventID.flatMap { Int64($0) }.map { max($0, 0) }
    guard call.request.method != "HEAD" else {
      return HTTPResponse(contentType: "text/event-stream", body: [])
    }
    // A page of another site cannot read the stream, but would take the place of a client that can.
    guard call.request.fields.fetchSite?.lowercased() != "cross-site" else {
      throw APIRefusal(
        Problem(403, "a page of another site requested the stream; open the page of this logger"))
    }
    if request.isLive { call.controls.requestReceived() }
    let sources = EventStream.Sources(
      status: { [weak controls = call.controls] in controls?.status.json },
      events: { [weak controls = call.controls] position in
        controls.flatMap { LoggedEvents($0, after: position) }
      })
    guard let response = call.shared.stream.open(request, sources) else {
      throw APIRefusal(
        Problem(
          503, "\(StreamBacklog.clientLimit) clients follow the stream, the most at a time; retry later"),
        headers: [.init("Retry-After", "15")])
    }
    return response
  }
}

/// The events of the log for a client of the stream that connects again.
private final class LoggedEvents: EventSteps {
  private let slices: LogSlices
  private weak var logger: (any LoggerControls)?
  private let rows = EventRows()

  /// Nil if the log cannot be read, which is reported to the logger.
  init?(_ logger: any LoggerControls, after position: Int64) {
    self.logger = logger
    do throws(DatabaseError) {
      slices = LogSlices(try LogReader(directory: logger.logDirectory), after: RecordID(position))
    } catch {
      if error.kind == .damaged { logger.historyFailed(error) }
      return nil
    }
  }

  func next() -> [StreamEvent]? {
    do throws(DatabaseError) {
      let records = try slices.next()
      guard !records.isEmpty else { return nil }
      return records.compactMap { stored in
        rows.json(of: stored).map { .event(id: stored.id.rawValue, $0) }
      }
    } catch {
      logger?.historyFailed(error)
      return nil
    }
  }
}
