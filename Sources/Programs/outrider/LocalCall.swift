import HTTPClient
import JSON
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
    let answer: (status: Int, body: [UInt8])
    switch try LocalExchange.perform(socket, method, path, body: body) {
    case .answer(let status, let body): answer = (status, body)
    case .fault(let fault):
      return try nobody(LoggerAnswer.reason(fault, socket, storage: storage), socket)
    case .nothing: return try nobody(LoggerAnswer.withoutReport(socket, storage: storage), socket)
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

  /// Returns nil if no logger is running; throws the reason why a running one gave no response.
  private static func nobody(_ answer: LoggerAnswer, _ socket: String) throws(Refusal) -> [UInt8]? {
    switch answer {
    case .nobody: return nil
    case .forbidden: throw Refusal(description: LoggerAnswer.denial(socket), isDenied: true)
    case .noSocket: throw Refusal(description: "\(socket): \(LoggerAnswer.noSocket.remedy)")
    case .fault(let fault): throw Refusal(description: fault.message(socket: socket))
    case .noAnswer, .report:
      throw Refusal(description: "\(socket): the logger is running, but does not respond; try again")
    }
  }

  /// Returns the settings of the logger that runs with this storage directory; nil if there is none.
  static func settings(_ configuration: Configuration) throws -> SettingsListing? {
    let socket = configuration.api.socket
    guard let body = try ask(socket, .get, "/settings") else { return nil }
    guard let listing = SettingsListing(json: body) else {
      throw Refusal(
        description: AnswerFault.unreadable(status: 200, bytes: body.count).message(socket: socket))
    }
    return listing.directory == configuration.storage.directory ? listing : nil
  }
}
