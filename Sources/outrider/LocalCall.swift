import HTTPClient
import JSON
import LocalAPI
import Settings
import SystemLoop

/// One request to the running logger's local API.
enum LocalCall {
  /// Why there is no answer of success; the message is complete.
  struct Refusal: Error, CustomStringConvertible {
    var description: String
    /// The request itself was wrong.
    var isMisuse = false
    /// This user may not ask.
    var isDenied = false
  }

  private struct Problem: Decodable {
    var detail: String
    var errors: [String]?
  }

  /// The body of a 2xx; nil where no logger runs. Throws ``Refusal`` for any other answer, and for none.
  static func ask(
    _ socket: String, _ method: HTTPClientRequest.Method, _ path: String, body: [UInt8] = []
  ) throws -> [UInt8]? {
    let loop = try EventLoop()
    let client = try HTTPClient(loop: loop)
    var request = HTTPClientRequest(method, url: "http://localhost\(path)")
    request.socketPath = socket
    request.timeout = .seconds(5)
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
      switch LoggerAnswer.withoutReport(socket) {
      case .nobody: return nil
      case .forbidden:
        throw Refusal(description: LoggerAnswer.denial(socket), isDenied: true)
      case .noAnswer, .report:
        throw Refusal(description: "\(socket): the logger runs, but does not answer: try again")
      }
    }
    guard (200...299).contains(answer.status) else {
      let problem = try? CheckedJSON(answer.body).decode(Problem.self)
      let faults = problem?.errors ?? []
      throw Refusal(
        description: faults.isEmpty
          ? problem?.detail ?? "the logger answers with status \(answer.status)"
          : faults.joined(separator: "\n"),
        isMisuse: [400, 422].contains(answer.status))
    }
    return answer.body
  }

  /// The listing of the logger that runs with this storage directory; nil where none does.
  static func settings(_ configuration: Configuration) throws -> SettingsListing? {
    let listing = try ask(configuration.api.socket, .get, "/settings").flatMap { SettingsListing(json: $0) }
    return listing.flatMap { $0.directory == configuration.storage.directory ? $0 : nil }
  }
}
