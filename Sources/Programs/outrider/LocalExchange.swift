import EventLoop
import HTTPClient
import LocalAPI

/// The result of one request to the local API of the running logger.
enum LocalExchange {
  /// A whole response, with any status.
  case answer(status: Int, body: [UInt8])
  /// A response that cannot be used.
  case fault(AnswerFault)
  /// No response.
  case nothing

  /// The time limit of a request. The logger answers within it while 40 other clients keep half a request open.
  static let timeout = Duration.seconds(15)

  /// Sends a request through the socket, and waits for the whole response, of ``LocalAPI/LocalAPI/answerLimit`` bytes at
  /// most.
  static func perform(
    _ socket: String, _ method: HTTPClientRequest.Method, _ path: String, body: [UInt8] = []
  ) throws -> LocalExchange {
    let loop = try EventLoop()
    let client = try HTTPClient(loop: loop)
    var request = HTTPClientRequest(method, url: "http://localhost\(path)")
    request.socketPath = socket
    request.timeout = timeout
    request.headers = [("Content-Type", "application/json")]
    request.body = [body]
    request.responseLimit = LocalAPI.answerLimit
    var result = LocalExchange.nothing
    client.perform(request) { outcome in
      switch outcome {
      case .response(let response) where response.isCut:
        result = .fault(.tooLong(limit: request.responseLimit))
      case .response(let response): result = .answer(status: response.status, body: response.body)
      case .failure(.interrupted(_, let reason)): result = .fault(.endedEarly(reason: reason))
      case .failure: break
      }
      loop.stop()
    }
    try loop.run()
    return result
  }
}

/// The reason why a response of the running logger cannot be used.
enum AnswerFault: Error, Equatable {
  /// The response has more bytes than a command reads.
  case tooLong(limit: Int)
  /// The connection closed before the response was complete, with the evidence of libcurl.
  case endedEarly(reason: String)
  /// The response is complete, but is not what was requested.
  case unreadable(status: Int, bytes: Int)

  /// The fault, as a clause after "running, but".
  var clause: String {
    switch self {
    case .tooLong(let limit): "its answer is longer than \(limit) bytes"
    case .endedEarly(let reason): "its answer ended early (\(reason))"
    case .unreadable(let status, let bytes):
      "its answer cannot be read (HTTP status \(status), \(bytes) bytes)"
    }
  }

  var remedy: String {
    switch self {
    case .tooLong: "restart the logger, so that it has the version and the limits of this command"
    case .endedEarly: "try again; if it persists, see journalctl -u outrider"
    case .unreadable: "the logger may be of another version; restart it"
    }
  }

  /// The whole message of a command.
  func message(socket: String) -> String { "\(socket): the logger is running, but \(clause); \(remedy)" }
}
