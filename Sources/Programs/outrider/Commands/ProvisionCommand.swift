import BoardSetup
import Provisioning
import Quantities
import Settings
import SetupFiles

/// `outrider provision`: applies a file of the boot partition, as `outrider-firstboot.service` does at every start.
enum ProvisionCommand: Command {
  static let name = "provision"
  static let group = CommandGroup.configure
  static let summary = "apply outrider.json5 from the boot partition"
  static let description = CommandDescription(
    text: [
      """
      Applies \(BootFile.configuration.rawValue) (a configuration) or \(BootFile.address.rawValue) (a setup URL or \
      an https address) from \(BootFile.directories.joined(separator: " or ")). The service outrider-firstboot runs \
      it at every start. The file is replaced by a copy without secrets. Errors are written to \
      \(BootFile.errorName) beside it, and to standard error.
      """
    ],
    options: [
      .value(
        "--timeout", "SECONDS",
        text: """
          time for the download of a configuration, 1 to 300 (default: \(usualTimeout)); without a response, \
          the next start tries again
          """),
      .flag("--restart-logger", text: "restart the service outrider if a configuration was applied"),
      .value("--root", "DIR", .directory, text: "directory that stands for / (for images and tests)"),
    ],
    exitStatus:
      "0 applied, or nothing to do; 1 not applied; 2 misuse; 75 the download failed and can succeed later")

  /// The time for a download in seconds. The logger starts after it.
  private static let usualTimeout = 5

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, description)
    try arguments.checkOperands(atMost: 0)
    let seconds = arguments.value("--timeout").map(Int.init) ?? usualTimeout
    guard let seconds, (1...300).contains(seconds) else {
      throw Arguments.Misuse(message: "--timeout: expected a number of seconds from 1 to 300")
    }
    let root = try arguments.root() ?? ""
    var requiresRestart = false
    var provisioner = Provisioner(
      ProvisioningHost(root: root, downloadLimit: .seconds(seconds)) { board in
        let (outcome, restarts) = setUp(board: board, root: root)
        requiresRestart = restarts
        return outcome
      })
    let result = provisioner.run()
    if requiresRestart, root.isEmpty, let failure = SetupWriter.run(.restart) {
      Console.complain("\(SystemCommand.restart.text): \(failure); restart the device")
    }
    switch result {
    case .nothingToDo: return 0
    case .applied:
      if arguments.has("--restart-logger"), let failure = SetupWriter.run(.restartLogger) {
        Console.complain("\(SystemCommand.restartLogger.text): \(failure)")
      }
      return 0
    case .failed: return 1
    // EX_TEMPFAIL of sysexits(3), which the unit of the download retries.
    case .postponed: return 75
    }
  }

  /// Sets up a board without questions. The second value is true if the system must start again for it.
  private static func setUp(board name: String, root: String) -> (BoardOutcome, restarts: Bool) {
    let command = "outrider boards \(name) --apply"
    let session = BoardSetupSession(
      BoardSetupSession.Options(
        isDryRun: false, isConfirmed: true, mayRestart: false, root: root.isEmpty ? nil : root),
      command: command)
    do {
      guard let choice = BoardChoice(name) else { return (.failed("no board \"\(name)\""), false) }
      let outcome = try session.apply(
        try ConfigurationFiles.board(choice), named: BoardsCommand.blockName(name))
      guard outcome.status == 0 else {
        return (.failed("the reason is in the journal: journalctl -u outrider-firstboot"), false)
      }
      return (
        .done(outcome.requiresRestart ? "set up; the device restarts" : "set up already"),
        outcome.requiresRestart
      )
    } catch {
      return (.failed("\(error)"), false)
    }
  }
}
