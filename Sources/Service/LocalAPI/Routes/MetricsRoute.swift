import HTTPServer
import WebAccess

/// The request of a monitoring system.
enum MetricsRoute {
  /// Renders the metrics in the format of the header `Accept`.
  static func answer(_ call: APICall) throws(APIRefusal) -> HTTPResponse {
    let format = MetricsText.Format(accept: call.request.fields.accept)
    let text = MetricsText(
      call.controls.status, call.controls.counters, isForGuests: call.role != .operator)
    return HTTPResponse(contentType: format.contentType, body: text.rendered(format))
  }
}
