import HTTPClient
import Settings

/// The socket of the running logger.
///
/// A logger keeps running if its configuration file becomes faulty. Commands then still reach it, and report the fault.
struct LoggerSocket {
  var path: String
  /// The storage directory, whose lock shows if a logger runs; nil if the files are faulty.
  private var storage: String?
  /// The fault of the configuration; nil if there is none.
  var refusal: ConfigurationFiles.Refusal?

  private init(path: String) { self.path = path }

  /// Finds the socket. Throws ``LocalCommand/Misconfigured`` if the files are faulty and do not even name it.
  init(_ files: ConfigurationFiles) throws(LocalCommand.Misconfigured) {
    let fault: ConfigurationFiles.Refusal
    do throws(ConfigurationFiles.Refusal) {
      let configuration = try files.read()
      self.init(path: configuration.api.socket)
      storage = configuration.storage.directory
      return
    } catch {
      fault = error
    }
    try self.init(files, inSpiteOf: fault)
  }

  /// Finds the socket in spite of faulty files.
  ///
  /// It is taken from `--set`, or from the readable part of the file. For ``ConfigurationFiles/usualPath`` alone it
  /// defaults to the usual socket. Throws ``LocalCommand/Misconfigured`` if `--set` itself is wrong, or if a named file may
  /// belong to another logger.
  init(_ files: ConfigurationFiles, inSpiteOf refusal: ConfigurationFiles.Refusal)
    throws(LocalCommand.Misconfigured)
  {
    self.refusal = refusal
    let fallbacks = ConfigurationFiles.fallbacks
    let overrides = files.overrides.filter { !$0.hasPrefix("board=") }
    guard
      let configuration = try? Configuration.read(
        board: nil, file: nil, overrides: overrides, fallbacks: fallbacks, chips: .driven)
    else { throw LocalCommand.Misconfigured(refusal: refusal) }
    if overrides.contains(where: { $0.hasPrefix("api.socket=") }) {
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
        remark: "to reach a running logger, name its socket with --set api.socket=PATH")
    }
  }

  /// Returns the body of the response; nil if no logger responds. Throws ``LocalCall/Refusal``, and
  /// ``LocalCommand/Misconfigured`` if no logger responds and the configuration is faulty, too.
  func ask(_ method: HTTPClientRequest.Method, _ request: String, body: [UInt8] = []) throws -> [UInt8]? {
    let answer = try LocalCall.ask(path, storage: storage, method, request, body: body)
    if answer == nil { try checkFiles() } else { complain() }
    return answer
  }

  /// Throws ``LocalCommand/Misconfigured`` if the configuration is faulty. Call it if no logger responds.
  func checkFiles() throws(LocalCommand.Misconfigured) {
    guard let refusal else { return }
    try Self.checkAccess(refusal)
    throw LocalCommand.Misconfigured(
      refusal: refusal,
      remark: "no logger responds on \(path) either; name another socket with --set api.socket=PATH")
  }

  /// Throws only the missing permission if this user may not read the file, because it causes all other faults.
  private static func checkAccess(_ refusal: ConfigurationFiles.Refusal) throws(LocalCommand.Misconfigured) {
    guard let denied = refusal.deniedPath, let advice = AccessAdvice(opening: denied) else { return }
    throw LocalCommand.Misconfigured(refusal: ConfigurationFiles.Refusal(description: "\(advice)"))
  }

  /// Prints the fault of the configuration, if there is one, beside the response of the logger.
  func complain() {
    guard let refusal else { return }
    Console.complain(
      "\(refusal)\nthe logger on \(path) keeps running with its present configuration")
  }
}
