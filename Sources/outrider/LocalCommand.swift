import HTTPClient
import Settings

/// What commands share that only ask the running logger.
enum LocalCommand {
  /// There is no configuration that says where the logger answers, and nobody answers without one; the message is complete.
  struct Misconfigured: Error, CustomStringConvertible {
    var refusal: ConfigurationFiles.Refusal
    /// What was done to ask the logger all the same, or can be.
    var remark: String?

    var description: String { remark.map { "\(refusal)\n\($0)" } ?? refusal.description }
  }

  /// The answer's body; nil with the reason on standard error. Throws ``Misconfigured``.
  static func ask(
    _ arguments: Arguments, _ method: HTTPClientRequest.Method, _ path: String, body: [UInt8] = []
  ) throws -> [UInt8]? {
    let socket = try LoggerSocket(ConfigurationFiles(arguments))
    do {
      if let answer = try socket.ask(method, path, body: body) { return answer }
      Console.complain(
        "no logger answers on \(socket.path); start it, or name its configuration with --config")
    } catch let refusal as LocalCall.Refusal {
      Console.complain("\(refusal)")
    }
    return nil
  }
}
