import HTTPServer
import JSON

/// The forms of response that all routes share.
package enum APIResponse {
  package static func of(_ refusal: APIRefusal) -> HTTPResponse {
    var response = of(refusal.problem)
    response.headers += refusal.headers
    return response
  }

  package static func of(_ problem: Problem) -> HTTPResponse {
    struct Body: Encodable {
      var title: String
      var status: Int
      var detail: String
      var errors: [String]?
    }
    let body = Body(
      title: problem.title, status: problem.status, detail: problem.detail,
      errors: problem.errors.isEmpty ? nil : problem.errors)
    return HTTPResponse(
      status: problem.status, contentType: "application/problem+json",
      body: (try? SortedJSON.encode(body)) ?? [])
  }

  /// Adds the header fields of all responses except for files of the page: they are not stored, and not taken for another
  /// type.
  package static func finished(_ response: HTTPResponse) -> HTTPResponse {
    var response = response
    for header in [
      HTTPResponse.Header("Cache-Control", "no-store"), .init("X-Content-Type-Options", "nosniff"),
    ]
    where !response.headers.contains(where: { $0.name == header.name }) {
      response.headers.append(header)
    }
    return response
  }
}
