import Daemon
import Database
import GNSSProtocol
import JSON
import LocalAPI
import LoggerConfiguration
import Quantities
import Settings
import Store
import System
import Tracking

/// `outrider status`: shows the status of the running logger, or of the log if none is running.
enum StatusCommand: Command {
  static let name = "status"
  static let group = CommandGroup.query
  static let summary = "show status (works while the logger is stopped, too)"
  static let description = CommandDescription(
    text: [
      """
      Shows the status of the running logger, or of the log if none is running. If the configuration \
      file is faulty, the running logger still responds, and the fault is reported on standard error.
      """
    ],
    options: [
      .flag(
        "--sky",
        text: """
          query the receiver for its satellites, and wait up to \(Int(satelliteTimeout.inSeconds)) s for the \
          result; by default the status has the satellites that the receiver reported last
          """),
      .value(
        "--units", "UNITS", .words(UnitSystem.allCases.map(\.rawValue)),
        text: "units of the text; \(UnitSystem.help)"),
      .flag("--json", text: "print one JSON object, in SI units"),
    ] + ConfigurationFiles.options)

  /// The timeout for the satellites of the receiver.
  private static let satelliteTimeout = Duration.seconds(5)

  /// The options of the command line.
  private struct Form {
    var asJSON: Bool
    var units: UnitSystem
    var requestsSatellites: Bool
  }

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, description)
    try arguments.checkOperands(atMost: 0)
    let form = Form(
      asJSON: arguments.has("--json"),
      units: try arguments.value("--units").map(UnitSystem.init(word:)) ?? .metric,
      requestsSatellites: arguments.has("--sky"))
    let sources = ConfigurationFiles(arguments)
    let files: ConfigurationFiles.Loaded
    do throws(ConfigurationFiles.Refusal) { files = try sources.load() } catch {
      return try printRunningLogger(LoggerSocket(sources, inSpiteOf: error), form)
    }
    let socket = files.configuration.api.socket
    if form.requestsSatellites, !askForSatellites(socket) { return 1 }
    let answer = try LoggerAnswer.ask(
      socket, storage: files.configuration.storage.directory)
    if let report = answer.report {
      return printReport(report, answer, socket, form, local: files)
    }
    return printLogStatus(files, answer, form)
  }

  /// Prints the report of a running logger, which knows its own log and destinations.
  private static func printReport(
    _ report: StatusReport, _ answer: LoggerAnswer, _ socket: String, _ form: Form,
    local: ConfigurationFiles.Loaded?
  ) -> Int32 {
    var log: LogStatus?
    var damage: DatabaseError?
    do throws(DatabaseError) { log = try LogReader(directory: report.log.directory).status() } catch {
      if error.kind == .damaged { damage = CheckRequest.explained(error, in: report.log.directory) }
    }
    defer { if let damage { Console.complain("status: \(damage)") } }
    if form.asJSON {
      var report = report
      if let log { report.takeQueues(from: log) }
      Console.write((report.json ?? []) + Array("\n".utf8))
      return damage == nil ? 0 : 1
    }
    var overridden = report.overridden_keys ?? []
    // The file may have been edited since the logger read it.
    if let local, local.configuration.storage.directory == report.log.directory {
      overridden += (StatusReport.overriddenKeys(of: local.configuration) ?? []).filter { key in
        !overridden.contains { $0.key == key.key }
      }
    }
    let newcomers = report.destinations.filter { $0.new_through_id != nil }.map(\.name)
    StatusText.lines(
      logger: answer.words(socket: socket), running: report, log: log, directory: report.log.directory,
      isTracking: report.tracking ?? true,
      destinations: StatusText.DestinationNames(
        configured: Set(report.destinations.map(\.name)), new: Set(newcomers)),
      units: form.units, overridden: overridden, configuration: report.configuration_file
    ).forEach(Console.print)
    return damage == nil ? 0 : 1
  }

  /// Prints the status from the log alone.
  private static func printLogStatus(_ files: ConfigurationFiles.Loaded, _ answer: LoggerAnswer, _ form: Form)
    -> Int32
  {
    let configuration = files.configuration
    let (directory, socket) = (configuration.storage.directory, configuration.api.socket)
    let log: LogStatus
    do throws(DatabaseError) {
      log = try LogReader(directory: directory).status().disclosed(under: configuration)
    } catch {
      if case .forbidden = answer {
        Console.complain(LoggerAnswer.denial(socket))
      } else if let advice = AccessAdvice(readingLogIn: directory) {
        Console.complain("\(answer.lack(on: socket)), and its log cannot be read: \(advice)")
      } else {
        let reason = CheckRequest.explained(error, in: directory)
        Console.complain(
          "\(answer.lack(on: socket)), and the log cannot be read: \(reason); \(answer.remedy)")
      }
      return 1
    }
    guard !form.asJSON else {
      switch answer {
      case .report, .nobody: break
      // The JSON does not distinguish these cases from a stopped logger.
      case .forbidden, .noAnswer, .noSocket, .fault:
        Console.complain("logger: \(answer.words(socket: socket))")
      }
      var report = StatusReport(log, files)
      report.takeQueues(from: log)
      Console.write((report.json ?? []) + Array("\n".utf8))
      return 0
    }
    StatusText.lines(
      logger: answer.words(socket: socket), running: nil, log: log, directory: directory,
      isTracking: configuration.isTracking,
      destinations: StatusText.DestinationNames(
        configured: Set(configuration.destinations.map(\.name)),
        new: Set((files.stored.newcomers ?? [:]).keys)),
      units: form.units, overridden: StatusReport.overriddenKeys(of: configuration) ?? [],
      configuration: files.sources.file?.name
    ).forEach(Console.print)
    return 0
  }

  /// Prints the report of the running logger in spite of faulty files. Throws ``LocalCommand/Misconfigured`` if none responds.
  private static func printRunningLogger(_ socket: LoggerSocket, _ form: Form) throws -> Int32 {
    if form.requestsSatellites, !askForSatellites(socket.path) { return 1 }
    let answer = try LoggerAnswer.ask(socket.path, storage: nil)
    guard let report = answer.report else {
      switch answer {
      case .forbidden:
        Console.complain(LoggerAnswer.denial(socket.path))
        return 2
      case .noAnswer, .noSocket: Console.complain("\(socket.path): \(answer.remedy)")
      case .fault(let fault): Console.complain(fault.message(socket: socket.path))
      case .nobody, .report: break
      }
      try socket.checkFiles()
      return 1
    }
    socket.complain()
    return printReport(report, answer, socket.path, form, local: nil)
  }

  /// The part of the response to `POST /satellites` that is used here.
  private struct SatelliteAnswer: Decodable {
    /// The reason why the receiver is not queried; nil if it is.
    var hint: String?
  }

  /// Requests a query of the receiver, and waits until the status has newer satellites. Returns false, after a message
  /// on standard error, if no logger can be reached.
  private static func askForSatellites(_ socket: String) -> Bool {
    let begin = SystemClock.moment()
    do {
      guard let answer = try LocalCall.ask(socket, .post, "/satellites") else {
        Console.complain(
          "--sky: no logger responds on \(socket); start it, or name its configuration with --config")
        return false
      }
      while SystemClock.moment() - begin < satelliteTimeout {
        for _ in 0..<5 { LocalWait.briefly() }
        let age = try LoggerAnswer.ask(socket, storage: nil).report?.reception?.satellites_age_s
        if let age, age < (SystemClock.moment() - begin).inSeconds { return true }
      }
      let hint = (try? CheckedJSON(answer).decode(SatelliteAnswer.self))?.hint
      Console.complain(
        "--sky: the receiver reported no satellites within \(StatusText.duration(satelliteTimeout.inSeconds))"
          + (hint.map { ": \($0)" } ?? ""))
      return true
    } catch {
      Console.complain("--sky: \(error)")
      return false
    }
  }
}

extension StatusReport {
  mutating func takeQueues(from log: LogStatus) {
    for index in destinations.indices {
      destinations[index].queued = log.destinations.first { $0.name == destinations[index].name }?.queued
    }
  }

  /// The report of a stopped logger, from its log.
  init(_ log: LogStatus, _ files: ConfigurationFiles.Loaded) {
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
    overridden_keys = StatusReport.overriddenKeys(of: configuration)
    configuration_file = files.sources.file?.name
    position = log.newestLocation.flatMap { Position($0.record) }
  }
}

extension LogStatus {
  /// Removes the position that a running logger would hide, too: in a privacy zone, or while tracking is off.
  fileprivate func disclosed(under configuration: Configuration) -> LogStatus {
    var status = self
    status.newestLocation = newestLocation.flatMap { stored in
      configuration.isTracking && PrivateZones(configuration).disclosed(stored.record) != nil ? stored : nil
    }
    return status
  }
}
