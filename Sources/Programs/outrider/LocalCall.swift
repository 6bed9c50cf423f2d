import EventLoop
import HTTPClient
import JSON
import LocalAPI
import Settings

/// Sends one request to the local API of the running logger.
enum LocalCall {
  /// The reason why a request failed, as a complete message.
  struct Refusal: Error, CustomStringConvertible {
    var description: String
    /// True if the request itself was wrong.
    var isMisuse = false
    /// True if this user may not use the socket.
    var isDenied = false
  }

  private struct Problem: Decodable {
    var detail: String
    var errors: [String]?
  }

  /// Returns the body of a 2xx response; nil if no logger is running. Throws ``Refusal`` for any other response or none.
  static func ask(
    _ socket: String, storage: String? = nil, _ method: HTTPClientRequest.Method, _ path: String,
    body: [UInt8] = []
  ) throws -> [UInt8]? {
    let loop = try EventLoop()
    let client = try HTTPClient(loop: loop)
    var request = HTTPClientRequest(method, url: "http://localhost\(path)")
    request.socketPath = socket
    request.timeout = LoggerAnswer.timeout
    request.headers = [("Content-Type", "application/json")]
    request.body = [body]
    request.responseLimit = 4 << 20
    var answer: (status: Int, body: [UInt8])?
    client.perform(request) { outcome in
      if case .response(let response) = outcome { answer = (response.status, response.body) }
      loop.stop()
    }
    try loop.run()
    guard let answer else {
      switch LoggerAnswer.withoutReport(socket, storage: storage) {
      case .nobody: return nil
      case .forbidden:
        throw Refusal(description: LoggerAnswer.denial(socket), isDenied: true)
      case .noSocket:
        throw Refusal(description: "\(socket): \(LoggerAnswer.noSocket.remedy)")
      case .noAnswer, .report:
        throw Refusal(description: "\(socket): the logger is running, but does not respond; try again")
      }
    }
    guard (200...299).contains(answer.status) else {
      let problem = try? CheckedJSON(answer.body).decode(Problem.self)
      let faults = problem?.errors ?? []
      throw Refusal(
        description: faults.isEmpty
          ? problem?.detail ?? "the logger returned HTTP status \(answer.status)"
          : faults.joined(separator: "\n"),
        isMisuse: [400, 422].contains(answer.status))
    }
    return answer.body
  }

  /// Returns the settings of the logger that runs with this storage directory; nil if there is none.
  static func settings(_ configuration: Configuration) throws -> SettingsListing? {
    let listing = try ask(configuration.api.socket, .get, "/settings").flatMap { SettingsListing(json: $0) }
    return listing.flatMap { $0.directory == configuration.storage.directory ? $0 : nil }
  }
}
