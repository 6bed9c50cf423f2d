import HTTPServer
import Quantities

/// The error response of an API (RFC 9457).
public struct Problem: Error, Equatable, Sendable {
  /// The HTTP status.
  public var status: Int
  /// The reason in one sentence with the remedy.
  public var detail: String
  /// All faults, if there may be several.
  public var errors: [String]

  public init(_ status: Int, _ detail: String, errors: [String] = []) {
    self.status = status
    self.detail = detail
    self.errors = errors
  }

  /// The name of the status code (RFC 9110, section 15).
  package var title: String {
    switch status {
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 409: "Conflict"
    case 408: "Request Timeout"
    case 413: "Content Too Large"
    case 414: "URI Too Long"
    case 415: "Unsupported Media Type"
    case 421: "Misdirected Request"
    case 422: "Unprocessable Content"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 503: "Service Unavailable"
    default: "Error"
    }
  }
}

/// The response to a request that is not admitted.
package struct APIRefusal: Error {
  package var problem: Problem
  package var headers: [HTTPResponse.Header]

  package init(_ problem: Problem, headers: [HTTPResponse.Header] = []) {
    self.problem = problem
    self.headers = headers
  }

  /// The response to a wrong or missing token; `token` names where the right one is set.
  package static func unauthorized(token: String) -> APIRefusal {
    APIRefusal(
      Problem(401, "wrong or missing token; send the token of \(token) as Authorization: Bearer"),
      headers: [.init("WWW-Authenticate", "Bearer")])
  }

  package static func tooManyTokens(_ wait: Duration) -> APIRefusal {
    let seconds = wait.wholeSeconds + 1
    return APIRefusal(
      Problem(429, "too many wrong tokens; retry in \(seconds) s"),
      headers: [.init("Retry-After", "\(seconds)")])
  }
}
