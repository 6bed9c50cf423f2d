import FoundationEssentials
import LocalAPI
import Provisioning
import Quantities
import Settings
import SystemLoop

/// `outrider health`: judges the running logger, for the trial of a new version and for other update programs.
enum HealthCommand: Command {
  static let name = "health"
  static let group = CommandGroup.look
  static let summary = "judge the running logger"
  static let description = CommandDescription(
    text: [
      """
      Prints whether the running logger stores locations and delivers them. Update programs such as RAUC and \
      Mender can run it before they accept a new system.
      """,
      """
      With --since-upgrade, judges a new version of the package against the previous one, whose status is in \
      before.json of the directory. The service outrider-health runs it.
      """,
    ],
    options: [
      .value("--since-upgrade", "DIR", .directory, text: "judge the trial whose files are in this directory"),
      .flag("--json", text: "print one JSON object"),
    ] + ConfigurationFiles.options,
    exitStatus: """
      0 healthy, or proven; 1 not yet; 2 misuse, or the configuration is invalid; 3 the previous version must return
      """)

  /// The files of the trial in its directory.
  private enum TrialFile {
    /// The status of the previous version, as `outrider status --json` printed it.
    static let before = "before.json"
    /// The number of checks since the upgrade.
    static let checks = "checks"
    static let largest = 1 << 20
  }

  /// The interval of the checks, as in outrider-health.timer.
  private static let interval = Duration.seconds(300)

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, description)
    try arguments.checkOperands(atMost: 0)
    let configuration: Configuration
    do { configuration = try ConfigurationFiles(arguments).read() } catch {
      Console.complain("\(error)")
      return 2
    }
    let health = try LoggerAnswer.ask(configuration.api.socket).report.map(LoggerHealth.init)
    let verdict: UpdateTrial.Verdict
    if let folder = arguments.value("--since-upgrade") {
      let trial = UpdateTrial(
        before: text(folder, TrialFile.before).flatMap { StatusReport(json: $0) }.map(LoggerHealth.init),
        limit: configuration.updateTrial)
      let checks =
        text(folder, TrialFile.checks).flatMap { bytes in
          Int(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
        } ?? 0
      verdict = trial.verdict(health, elapsed: interval * Double(max(0, min(checks, 1_000_000))))
    } else {
      // As after a long trial against a version that did everything.
      let trial = UpdateTrial(
        before: LoggerHealth(hasLocations: true, hasDelivered: true), limit: .seconds(86_400))
      switch trial.verdict(health, elapsed: UpdateTrial.least) {
      case .failed(let reason), .waiting(let reason): verdict = .waiting(reason)
      case .proven: verdict = .proven
      }
    }
    tell(verdict, isTrial: arguments.value("--since-upgrade") != nil, asJSON: arguments.has("--json"))
    return switch verdict {
    case .proven: 0
    case .waiting: 1
    case .failed: 3
    }
  }

  private static func text(_ folder: String, _ file: String) -> [UInt8]? {
    try? FileBytes.read("\(folder)/\(file)", limit: TrialFile.largest)
  }

  private static func tell(_ verdict: UpdateTrial.Verdict, isTrial: Bool, asJSON: Bool) {
    let (word, reason): (String, String?) =
      switch verdict {
      case .proven: (isTrial ? "proven" : "healthy", nil)
      case .waiting(let reason): (isTrial ? "waiting" : "not healthy", reason)
      case .failed(let reason): ("failed", reason)
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

extension LoggerHealth {
  init(_ report: StatusReport) {
    let failing = report.destinations.first { $0.trouble != nil }
    self.init(
      hasLocations: (report.records?["location"] ?? 0) > 0,
      hasDelivered: report.destinations.contains { $0.delivered > 0 }, storageFault: report.log.trouble,
      deliveryFault: failing.flatMap { destination in destination.trouble.map { "\(destination.name): \($0)" }
      })
  }
}
