import Formats
import FoundationEssentials
import HTTPServer
import SystemLoop

/// The API behind the command line: HTTP on a unix socket, for programs on this machine.
public final class LocalAPI {
  private let server: HTTPServer

  /// Listens at `path`; `status` is asked for each `GET /status`.
  public init(loop: EventLoop, path: String, status: @escaping () -> StatusReport) throws(HTTPServerError) {
    server = try HTTPServer(loop: loop, listen: .unix(path: path)) { request in
      Self.answer(request, status: status)
    }
  }

  public func stop() { server.stop() }

  private static func answer(_ request: HTTPRequest, status: () -> StatusReport) -> HTTPResponse {
    guard request.path == "/status" else {
      return problem(404, "nothing at \(request.path); there is /status")
    }
    guard request.method == "GET" else { return problem(405, "/status is asked with GET") }
    guard let body = status().json else { return problem(500, "the status cannot be written as JSON") }
    return HTTPResponse(contentType: "application/json", body: body)
  }

  /// RFC 9457.
  private static func problem(_ status: Int, _ detail: String) -> HTTPResponse {
    struct Problem: Encodable {
      var status: Int
      var detail: String
    }
    let body = (try? JSONEncoder().encode(Problem(status: status, detail: detail))).map(Array.init) ?? []
    return HTTPResponse(status: status, contentType: "application/problem+json", body: body)
  }
}

extension StatusReport {
  /// The report as one JSON object with sorted keys; nil only if a number in it is none.
  public var json: [UInt8]? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(self)).map(Array.init)
  }

  /// Reads what ``json`` wrote; nil for anything else.
  public init?(json: [UInt8]) {
    guard JSONStrings.areSound(json),
      let report = try? JSONDecoder().decode(StatusReport.self, from: Data(json))
    else { return nil }
    self = report
  }
}
