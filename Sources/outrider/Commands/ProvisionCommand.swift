import Provisioning
import Quantities

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
      .value("--root", "DIR", .directory, text: "directory that stands for / (for images and tests)"),
    ],
    exitStatus: "0 applied, or nothing to do; 1 not applied; 2 misuse")

  /// The time for a download in seconds. The logger starts after it.
  private static let usualTimeout = 5

  /// The part of the program that sets up boards.
  private static var boardSetup: any BoardSetup { UnavailableBoardSetup() }

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, description)
    try arguments.checkOperands(atMost: 0)
    let seconds = arguments.value("--timeout").map(Int.init) ?? usualTimeout
    guard let seconds, (1...300).contains(seconds) else {
      throw Arguments.Misuse(message: "--timeout: expected a number of seconds from 1 to 300")
    }
    var root = arguments.value("--root") ?? ""
    while root.hasSuffix("/") { root.removeLast() }
    var provisioner = Provisioner(
      ProvisioningHost(root: root, downloadLimit: .seconds(seconds), boardSetup: boardSetup))
    switch provisioner.run() {
    case .nothingToDo, .applied: return 0
    case .failed: return 1
    }
  }
}
