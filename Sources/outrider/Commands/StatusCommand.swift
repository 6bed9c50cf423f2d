import Daemon
import Database
import Glibc
import HTTPClient
import LocalAPI
import Quantities
import Settings
import Store
import SystemLoop
import Tracking

/// `outrider status`: how the logger stands, from the running one or else from its log.
enum StatusCommand: Command {
  static let name = "status"
  static let summary = "tell how the logger stands, running or not"
  static let help = """
    Usage: outrider status [--json] [--config FILE] [--board NAME|FILE] [--set KEY=VALUE]…

    Asks the running logger through its local API; without one it reads the log.

      --json            one JSON object
    \(ConfigurationFiles.optionHelp)
    """

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, options: ConfigurationFiles.options, flags: ["--json"])
    try arguments.checkOperands(atMost: 0)
    let configuration: Configuration
    do { configuration = try ConfigurationFiles(arguments).read() } catch {
      Console.complain("\(error)")
      return 2
    }
    let directory = configuration.storage.directory
    let log: LogStatus?
    var reason = ""
    do { log = try LogReader(directory: directory).status() } catch {
      log = nil
      reason = "\(error)"
    }
    let running = try ask(configuration.api.socket)
    guard running != nil || log != nil else {
      let isForbidden = access(configuration.api.socket, W_OK) != 0 && errno == EACCES
      Console.complain(
        "no logger answers on \(configuration.api.socket), and there is no log to read: \(reason); "
          + (isForbidden
            ? "this user may not ask: run it as root or as the logger's user"
            : "name the configuration with --config"))
      return 1
    }
    if arguments.has("--json") {
      var report = running ?? log.map { StatusReport($0, configuration: configuration) }
      if let log { report?.takeQueues(from: log) }
      Console.write((report?.json ?? []) + Array("\n".utf8))
    } else {
      StatusText.lines(running: running, log: log, directory: directory).forEach(Console.print)
    }
    return 0
  }

  /// The report of the running logger; nil when nobody answers.
  private static func ask(_ socket: String) throws -> StatusReport? {
    let loop = try EventLoop()
    let client = try HTTPClient(loop: loop)
    var request = HTTPClientRequest(.get, url: "http://localhost/status")
    request.socketPath = socket
    request.timeout = .seconds(5)
    var report: StatusReport?
    client.perform(request) { outcome in
      if case .response(let response) = outcome, response.status == 200 {
        report = StatusReport(json: response.body)
      }
      loop.stop()
    }
    try loop.run()
    return report
  }
}

extension StatusReport {
  fileprivate mutating func takeQueues(from log: LogStatus) {
    for index in destinations.indices {
      destinations[index].queued = log.destinations.first { $0.name == destinations[index].name }?.queued
    }
  }

  /// What the log alone tells.
  fileprivate init(_ log: LogStatus, configuration: Configuration) {
    self.init(
      version: Release.version, deviceID: configuration.deviceID, running: false,
      log: Log(
        directory: configuration.storage.directory,
        lastID: Int(clamping: log.ids?.upperBound.rawValue ?? 0), waiting: 0, trouble: nil),
      destinations: log.destinations.map {
        Destination(
          name: $0.name, delivered: 0, acknowledgedID: Int(clamping: $0.acknowledged.rawValue), trouble: nil)
      })
    position = log.newestLocation.flatMap { Position($0.record) }
  }
}
