import HTTPClient
import Settings

/// Where the running logger answers. It goes on where its files are wrong by now, and so it is asked all the same: the fault
/// is told beside the answer.
struct LoggerSocket {
  var path: String
  /// What is wrong with the configuration; nil where nothing is.
  var refusal: ConfigurationFiles.Refusal?

  private init(path: String) { self.path = path }

  /// Throws ``LocalCommand/Misconfigured`` where the files do not even tell whom to ask.
  init(_ files: ConfigurationFiles) throws(LocalCommand.Misconfigured) {
    let fault: ConfigurationFiles.Refusal
    do throws(ConfigurationFiles.Refusal) {
      self.init(path: try files.read().api.socket)
      return
    } catch {
      fault = error
    }
    try self.init(files, inSpiteOf: fault)
  }

  /// For files that were refused: the socket is taken from `--set`, from the file where that much of it can be read, else,
  /// for ``ConfigurationFiles/usualPath`` alone, it is the usual one. Throws ``LocalCommand/Misconfigured`` where `--set` is
  /// wrong itself, or a file that was named may mean another logger.
  init(_ files: ConfigurationFiles, inSpiteOf refusal: ConfigurationFiles.Refusal)
    throws(LocalCommand.Misconfigured)
  {
    self.refusal = refusal
    let fallbacks = ConfigurationFiles.fallbacks
    let told = files.overrides.filter { !$0.hasPrefix("board=") }
    guard
      let configuration = try? Configuration.read(
        board: nil, file: nil, overrides: told, fallbacks: fallbacks, chips: .driven)
    else { throw LocalCommand.Misconfigured(refusal: refusal) }
    if told.contains(where: { $0.hasPrefix("api.socket=") }) {
      path = configuration.api.socket
    } else if let file = try? files.configurationFile(),
      let path = try? Configuration.apiSocket(in: file)
    {
      self.path = path
    } else if files.source == .usual {
      path = fallbacks.apiSocket
    } else {
      try Self.checkAccess(refusal)
      throw LocalCommand.Misconfigured(
        refusal: refusal,
        remark: "to ask a logger that runs all the same, say where with --set api.socket=PATH")
    }
  }

  /// The answer's body; nil where no logger answers. Throws ``LocalCall/Refusal``, and ``LocalCommand/Misconfigured`` where
  /// no logger answers and the configuration is wrong, too.
  func ask(_ method: HTTPClientRequest.Method, _ request: String, body: [UInt8] = []) throws -> [UInt8]? {
    let answer = try LocalCall.ask(path, method, request, body: body)
    if answer == nil { try checkFiles() } else { complain() }
    return answer
  }

  /// Throws ``LocalCommand/Misconfigured`` where the configuration is wrong: nobody answers.
  func checkFiles() throws(LocalCommand.Misconfigured) {
    guard let refusal else { return }
    try Self.checkAccess(refusal)
    throw LocalCommand.Misconfigured(
      refusal: refusal,
      remark: "no logger answers on \(path) either; --set api.socket=PATH asks one elsewhere")
  }

  /// Throws the one cause if this user may not read the file: everything else follows from that.
  private static func checkAccess(_ refusal: ConfigurationFiles.Refusal) throws(LocalCommand.Misconfigured) {
    guard let denied = refusal.deniedPath, let advice = AccessAdvice(opening: denied) else { return }
    throw LocalCommand.Misconfigured(refusal: ConfigurationFiles.Refusal(description: "\(advice)"))
  }

  /// Tells what is wrong with the configuration, where something is: somebody answers all the same.
  func complain() {
    guard let refusal else { return }
    Console.complain(
      "\(refusal)\nthe logger on \(path) goes on with the configuration that it has, and answers")
  }
}
