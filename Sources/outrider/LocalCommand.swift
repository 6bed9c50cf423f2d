import HTTPClient
import Settings

/// What commands share that only ask the running logger.
enum LocalCommand {
  /// There is no configuration that says where the logger answers; the message is complete.
  struct Misconfigured: Error {
    var refusal: ConfigurationFiles.Refusal
  }

  /// The answer's body; nil with the reason on standard error. Throws ``Misconfigured``.
  static func ask(
    _ arguments: Arguments, _ method: HTTPClientRequest.Method, _ path: String, body: [UInt8] = []
  ) throws -> [UInt8]? {
    let configuration: Configuration
    do throws(ConfigurationFiles.Refusal) { configuration = try ConfigurationFiles(arguments).read() } catch {
      throw Misconfigured(refusal: error)
    }
    let socket = configuration.api.socket
    do {
      if let answer = try LocalCall.ask(socket, method, path, body: body) { return answer }
      Console.complain("no logger answers on \(socket); start it, or name its configuration with --config")
    } catch let refusal as LocalCall.Refusal {
      Console.complain("\(refusal)")
    }
    return nil
  }
}
