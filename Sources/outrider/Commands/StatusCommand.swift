import Daemon
import Database
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

    Asks the running logger through its local API; without one it reads the log. Where the configuration is wrong by now,
    a logger that runs is asked all the same, and the fault is told beside.

      --json            one JSON object
    \(ConfigurationFiles.optionHelp)
    """

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, options: ConfigurationFiles.options, flags: ["--json"])
    try arguments.checkOperands(atMost: 0)
    let sources = ConfigurationFiles(arguments)
    let files: ConfigurationFiles.Loaded
    do throws(ConfigurationFiles.Refusal) { files = try sources.load() } catch {
      return try tellRunning(LoggerSocket(sources, inSpiteOf: error), asJSON: arguments.has("--json"))
    }
    let configuration = files.configuration
    let directory = configuration.storage.directory
    let log: LogStatus?
    var reason = ""
    do { log = try LogReader(directory: directory).status().disclosed(under: configuration) } catch {
      log = nil
      reason = "\(error)"
    }
    let socket = configuration.api.socket
    let answer = try LoggerAnswer.ask(socket)
    guard answer.report != nil || log != nil else {
      Console.complain(
        "no logger answers on \(socket), and there is no log to read: \(reason); \(answer.remedy)")
      return 1
    }
    if arguments.has("--json") {
      switch answer {
      case .report, .nobody: break
      // The object cannot tell these from a logger that does not run.
      case .forbidden, .noAnswer: Console.complain("logger: \(answer.words(socket: socket))")
      }
      var report = answer.report ?? log.map { StatusReport($0, files) }
      if let log { report?.takeQueues(from: log) }
      Console.write((report?.json ?? []) + Array("\n".utf8))
    } else {
      let logger = answer.words(socket: socket)
      let lines = StatusText.lines(
        logger: logger, running: answer.report, log: log, directory: directory,
        isTracking: answer.report?.tracking ?? configuration.isTracking,
        destinations: StatusText.DestinationNames(
          configured: Set(configuration.destinations.map(\.name)),
          new: Set((files.stored.newcomers ?? [:]).keys)
            .union((answer.report?.destinations ?? []).filter { $0.new_through_id != nil }.map(\.name))))
      lines.forEach(Console.print)
    }
    return 0
  }

  /// What the running logger itself tells, where the files are wrong. Throws ``LocalCommand/Misconfigured`` where none answers.
  private static func tellRunning(_ socket: LoggerSocket, asJSON: Bool) throws -> Int32 {
    let answer = try LoggerAnswer.ask(socket.path)
    guard var report = answer.report else {
      if case .nobody = answer {} else { Console.complain("\(socket.path): \(answer.remedy)") }
      try socket.checkFiles()
      return 1
    }
    socket.complain()
    let log = try? LogReader(directory: report.log.directory).status()
    if asJSON {
      if let log { report.takeQueues(from: log) }
      Console.write((report.json ?? []) + Array("\n".utf8))
    } else {
      StatusText.lines(
        logger: answer.words(socket: socket.path), running: report, log: log, directory: report.log.directory,
        isTracking: report.tracking ?? true
      ).forEach(Console.print)
    }
    return 0
  }
}

extension StatusReport {
  fileprivate mutating func takeQueues(from log: LogStatus) {
    for index in destinations.indices {
      destinations[index].queued = log.destinations.first { $0.name == destinations[index].name }?.queued
    }
  }

  /// What the log alone tells.
  fileprivate init(_ log: LogStatus, _ files: ConfigurationFiles.Loaded) {
    let configuration = files.configuration
    self.init(
      version: Release.version, deviceID: configuration.deviceID, running: false,
      log: Log(
        directory: configuration.storage.directory,
        lastID: Int(clamping: log.ids?.upperBound.rawValue ?? 0), waiting: 0, trouble: nil),
      destinations: log.destinations.map {
        var destination = Destination(
          name: $0.name, delivered: 0, acknowledgedID: Int(clamping: $0.acknowledged.rawValue), trouble: nil)
        destination.new_through_id = files.stored.newcomers?[$0.name].map { Int(clamping: $0) }
        return destination
      })
    tracking = configuration.isTracking
    position = log.newestLocation.flatMap { Position($0.record) }
  }
}

extension LogStatus {
  /// Without a place that a running logger would not tell either: one in a privacy zone, or any while tracking is off.
  fileprivate func disclosed(under configuration: Configuration) -> LogStatus {
    var status = self
    status.newestLocation = newestLocation.flatMap { stored in
      configuration.isTracking && PrivateZones(configuration).disclosed(stored.record) != nil ? stored : nil
    }
    return status
  }
}
