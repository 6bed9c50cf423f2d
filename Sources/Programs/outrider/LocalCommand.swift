import HTTPClient
import Settings

/// The request of a command that only addresses the running logger.
enum LocalCommand {
  /// The configuration is faulty and no logger could be reached without it; the message is complete.
  struct Misconfigured: Error, CustomStringConvertible {
    var refusal: ConfigurationFiles.Refusal
    /// A hint on how to reach a running logger.
    var remark: String?

    var description: String { remark.map { "\(refusal)\n\($0)" } ?? refusal.description }
  }

  /// Returns the body of the response; nil, after a message on standard error, if there is none. Throws ``Misconfigured``.
  static func ask(
    _ arguments: Arguments, _ method: HTTPClientRequest.Method, _ path: String, body: [UInt8] = []
  ) throws -> [UInt8]? {
    let socket = try LoggerSocket(ConfigurationFiles(arguments))
    do {
      if let answer = try socket.ask(method, path, body: body) { return answer }
      Console.complain(
        "no logger responds on \(socket.path); start it, or name its configuration with --config")
    } catch let refusal as LocalCall.Refusal {
      Console.complain("\(refusal)")
    }
    return nil
  }
}
