import HTTPClient
import JSON

extension ProbeReport {
  /// Creates the report from the outcome of the test request.
  init(_ outcome: HTTPOutcome, of endpoint: HTTPEndpoint) {
    self.init()
    switch outcome {
    case .failure(let failure): add(failure, endpoint)
    case .response(let response):
      certificateEnd = response.certificateEnd
      addConnection(endpoint)
      add(response, endpoint)
    }
  }

  private mutating func add(_ failure: TransportFailure, _ endpoint: HTTPEndpoint) {
    let message = failure.description
    switch failure {
    case .nameNotResolved: add(.name, .bad, message)
    case .unreachable:
      add(.name, .good, "resolved")
      add(.connection, .bad, message)
    case .noProxy: add(.connection, .bad, message)
    case .clientCertificate, .tls:
      add(.name, .good, "resolved")
      add(.connection, .good, "established")
      add(.encryption, .bad, message)
    case .timedOut, .interrupted, .headersTooLong, .other:
      addConnection(endpoint)
      add(.answer, .bad, message)
    case .invalidRequest: add(.connection, .bad, message)
    }
  }

  private mutating func addConnection(_ endpoint: HTTPEndpoint) {
    add(.name, .good, "resolved")
    add(.connection, .good, "established")
    if HTTPOrigin(endpoint.url)?.isEncrypted == true {
      add(.encryption, .good, "TLS, trusted certificate")
    } else {
      let isSecret = endpoint.credentials != .none
      let exposed = isSecret ? "token and locations" : "locations"
      add(.encryption, .untold, "none: \(exposed) are sent in clear text")
    }
  }

  private struct Answer: Decodable {
    var name: String?
    var status: String?
    var error: String?
  }

  private mutating func add(_ response: HTTPResponse, _ endpoint: HTTPEndpoint) {
    let answer = response.isCut ? nil : try? CheckedJSON(response.body).decode(Answer.self)
    let statusText = "status \(response.status)\(ResponseEvaluator.message(response))"
    switch response.status {
    case 401, 402, 403: return add(.token, .bad, "\(statusText); check the token and the account")
    case 300...399: return add(.answer, .bad, "\(statusText); check the url: the server redirects")
    case 500...599: return add(.answer, .bad, "\(statusText); check the server's log")
    default: break
    }
    switch endpoint.probe {
    case .name:
      if let error = answer?.error {
        add(.token, .bad, "the server reports: \(ResponseEvaluator.printable(error)); check the token")
      } else if let name = answer?.name, response.status == 200 {
        server = ResponseEvaluator.printable(name)
        add(.token, .good, "valid for the database \(ResponseEvaluator.printable(name))")
        add(.answer, .good, "as expected")
      } else {
        add(.answer, .bad, "\(statusText); expected {\"name\":…}; check the url's path")
      }
    case .status:
      if answer?.status == "ok", response.status == 200 {
        if endpoint.credentials == .none {
          add(.token, .untold, "the server requires none")
        } else {
          add(.token, .good, "accepted")
        }
        add(.answer, .good, "as expected")
      } else {
        add(.answer, .bad, "\(statusText); expected {\"status\":\"ok\"}; check the url's path")
      }
    case .endpoint: addGeneral(response.status, statusText, hasToken: endpoint.credentials != .none)
    }
  }

  private mutating func addGeneral(_ status: Int, _ statusText: String, hasToken: Bool) {
    add(.token, .untold, hasToken ? "cannot be verified without sending a record" : "not set")
    switch status {
    case 405: add(.answer, .good, "the server accepts only POST at this path, as expected")
    case 404, 410: add(.answer, .untold, "\(statusText): the path is wrong, or the server accepts only POST")
    default: add(.answer, .untold, "\(statusText) to a request without records")
    }
  }
}
