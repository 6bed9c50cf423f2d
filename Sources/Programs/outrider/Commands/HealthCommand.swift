import Doctor
import FoundationEssentials
import Glibc
import Inspection
import LocalAPI
import Provisioning
import Quantities
import Settings
import Store
import System

/// `outrider health`: judges the running logger, for the trial of a new version and for other update programs.
enum HealthCommand: Command {
  static let name = "health"
  static let group = CommandGroup.query
  static let summary = "judge the running logger"
  static let description = CommandDescription(
    forms: [
      "[--json]", "--since-upgrade DIR --elapsed SECONDS [--json]",
      "--record-update VERSION --from VERSION [--reason TEXT]",
    ],
    text: [
      """
      Prints whether the running logger stores locations and delivers them. Update programs such as RAUC and \
      Mender can run it before they accept a new system.
      """,
      """
      The service outrider-health uses the other forms. With --since-upgrade, the running logger is judged against \
      the previous version, whose status is in before.json of the directory. With --record-update, the log receives \
      the outcome of the trial as an event.
      """,
    ],
    options: [
      .value("--since-upgrade", "DIR", .directory, text: "judge the trial whose files are in this directory"),
      .value("--elapsed", "SECONDS", text: "the time since the upgrade, counted while the device runs"),
      .value("--record-update", "VERSION", text: "record that this version has proven itself"),
      .value("--from", "VERSION", text: "the version before it"),
      .value("--reason", "TEXT", text: "record that the version before it runs again, for this reason"),
      .flag("--json", text: "print one JSON object"),
    ] + ConfigurationFiles.options,
    exitStatus: """
      0 healthy, proven, or recorded; 1 not yet, or no logger responds; 2 misuse, the configuration is invalid, or the \
      logger rejects the event; 3 the previous version must return; 4 it must return if this lasts
      """)

  /// The status of the previous version, as `outrider status --json` printed it, in the directory of the trial.
  private static let before = "before.json"
  private static let largest = 1 << 20

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, description)
    try arguments.checkOperands(atMost: 0)
    let folder = arguments.value("--since-upgrade")
    let elapsed = arguments.value("--elapsed").flatMap { Int($0) }
    guard (folder == nil) == (elapsed == nil), elapsed.map({ (0...1 << 32).contains($0) }) ?? true else {
      throw Arguments.Misuse(
        message: "--since-upgrade requires --elapsed with a number of seconds, and the reverse")
    }
    var status = stat()
    if let folder, stat(folder, &status) != 0 || status.st_mode & S_IFMT != S_IFDIR {
      throw Arguments.Misuse(message: "--since-upgrade: \(folder) is not a directory")
    }
    let outcome = try outcome(arguments)
    guard folder == nil || outcome == nil else {
      throw Arguments.Misuse(message: "--since-upgrade and --record-update exclude each other")
    }
    let files: ConfigurationFiles.Loaded
    do { files = try ConfigurationFiles(arguments).load() } catch {
      Console.complain("\(error)")
      return 2
    }
    let configuration = files.configuration
    if let outcome { return try record(outcome, configuration) }
    guard configuration.api.isEnabled || folder != nil else {
      Console.complain(
        "api.enabled is false: the logger cannot be asked; only a trial can be judged, by the log")
      return 2
    }
    let (health, reason) = try health(files)
    let verdict: UpdateTrial.Verdict
    if let folder, let elapsed {
      let trial = UpdateTrial(
        before: report(in: folder).map { LoggerHealth($0, configuration, isOffline: false) },
        limit: configuration.updateTrial, sendInterval: configuration.longestSendInterval)
      verdict = trial.verdict(health, elapsed: .seconds(elapsed))
    } else {
      let faults = health?.faults ?? [reason]
      verdict = faults.isEmpty ? .proven : .waiting(faults.joined(separator: "; "))
    }
    printVerdict(verdict, isTrial: folder != nil, asJSON: arguments.has("--json"))
    return switch verdict {
    case .proven: 0
    case .waiting: 1
    case .failed: 3
    case .unwritable: 4
    }
  }

  /// The health of the running logger, or nil and the reason why it is unknown.
  private static func health(
    _ files: ConfigurationFiles.Loaded
  ) throws -> (health: LoggerHealth?, reason: String) {
    let configuration = files.configuration
    let routes = NetworkFacts(FileTree()).defaultRoutes.value
    var report: StatusReport?
    var reason = "the logger does not respond"
    if configuration.api.isEnabled {
      let answer = try LoggerAnswer.ask(configuration.api.socket, storage: nil)
      report = answer.report
      if case .fault(let fault) = answer { reason = fault.message(socket: configuration.api.socket) }
    } else if let log = try? LogReader(directory: configuration.storage.directory).status() {
      // It shows what was stored and delivered, as in before.json; systemd counts the restarts.
      report = StatusReport(log, files)
      report?.takeQueues(from: log)
    }
    let health = report.map {
      LoggerHealth(
        $0, configuration, isOffline: routes?.isEmpty == true && configuration.hasServerElsewhere)
    }
    return (health, reason)
  }

  /// The status of the previous version; nil if it did not respond before the upgrade.
  private static func report(in folder: String) -> StatusReport? {
    let path = "\(folder)/\(before)"
    do throws(FileFailure) {
      if let report = StatusReport(json: try FileBytes.read(path, limit: largest)) { return report }
      Console.complain("\(path): damaged; the new version is only expected to respond")
    } catch {
      if error.number != ENOENT { Console.complain("\(error); the new version is only expected to respond") }
    }
    return nil
  }

  private static func printVerdict(_ verdict: UpdateTrial.Verdict, isTrial: Bool, asJSON: Bool) {
    let (word, reason): (String, String?) =
      switch verdict {
      case .proven: (isTrial ? "proven" : "healthy", nil)
      case .waiting(let reason): (isTrial ? "waiting" : "not healthy", reason)
      case .failed(let reason): ("failed", reason)
      case .unwritable(let reason): ("unwritable", reason)
      }
    guard asJSON else { return Console.print(reason.map { "\(word): \($0)" } ?? word) }
    struct Answer: Encodable {
      var verdict: String
      var reason: String?
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if let bytes = try? encoder.encode(Answer(verdict: word, reason: reason)) {
      Console.print(String(decoding: bytes, as: UTF8.self))
    }
  }
}

// MARK: The outcome of a trial

extension HealthCommand {
  private static func outcome(_ arguments: Arguments) throws -> UpdateOutcome? {
    let (new, old) = (arguments.value("--record-update"), arguments.value("--from"))
    guard let new, let old else {
      guard new == nil, old == nil, arguments.value("--reason") == nil else {
        throw Arguments.Misuse(message: "--record-update requires --from, and the reverse")
      }
      return nil
    }
    guard let outcome = UpdateOutcome(version: new, previousVersion: old, reason: arguments.value("--reason"))
    else { throw Arguments.Misuse(message: "expected versions such as 0.2.0, and a reason in one line") }
    return outcome
  }

  private static func record(_ outcome: UpdateOutcome, _ configuration: Configuration) throws -> Int32 {
    guard configuration.api.isEnabled else {
      Console.complain("api.enabled is false: the event cannot be recorded")
      return 2
    }
    do {
      let answer = try LocalCall.ask(
        configuration.api.socket, storage: configuration.storage.directory, .post, "/update",
        body: outcome.json)
      guard answer != nil else {
        Console.complain("no logger is running")
        return 1
      }
    } catch let refusal as LocalCall.Refusal {
      Console.complain(refusal.description)
      return refusal.isMisuse ? 2 : 1
    }
    return 0
  }
}

extension Configuration {
  /// True if a server is not on this host.
  fileprivate var hasServerElsewhere: Bool {
    destinations.contains { destination in
      let host = destination.url.host
      return destination.kind != .file && host != "localhost" && host != "::1" && !host.hasPrefix("127.")
    }
  }

  /// The longest interval of a server that is sent to by itself; nil if none is.
  fileprivate var longestSendInterval: Duration? {
    destinations.filter { $0.kind != .file }.compactMap { delivery(to: $0.name).sendInterval }.max()
  }
}

extension LoggerHealth {
  fileprivate init(_ report: StatusReport, _ configuration: Configuration, isOffline: Bool) {
    // A recently started logger has stored what its log has. A file is no server.
    let known = report.position != nil && (report.uptime_s ?? 0) < UpdateTrial.least.inSeconds
    let files = configuration.destinations.filter { $0.kind == .file }.map(\.name)
    let servers = report.destinations.filter { !files.contains($0.name) }.map { destination in
      let acknowledged = destination.acknowledged_id ?? 0
      return (
        destination.name,
        Delivery(
          works: destination.delivered > 0 || acknowledged > 0 && destination.queued == 0,
          acknowledgedID: acknowledged, fault: destination.trouble)
      )
    }
    self.init(
      hasLocations: (report.records?["location"] ?? 0) > 0 || known, noLocationCause: Self.cause(report),
      servers: Dictionary(servers) { first, _ in first }, isOffline: isOffline, lastID: report.log.last_id,
      storageFault: report.log.trouble)
  }

  /// Why a sound logger stores no location.
  private static func cause(_ report: StatusReport) -> String? {
    let rejected = report.rejected ?? [:]
    if report.tracking == false || rejected["tracking_off"] != nil { return "tracking is off" }
    if rejected["private_zone"] != nil { return "the device is in a privacy zone" }
    guard let reception = report.reception, reception.fix != nil else { return nil }
    return reception.fix == "none" || reception.no_fix_s != nil ? "the receiver has no fix" : nil
  }
}
