import Glibc
import LocalAPI
import Settings

/// `outrider setup`: writes a configuration after five questions, or applies an Overland setup URL.
enum SetupCommand: Command {
  static let name = "setup"
  static let group = CommandGroup.configure
  static let summary = "set up this device, or apply a setup URL"
  static let description = CommandDescription(
    forms: [
      """
      [--board NAME|FILE] [--port PATH] [--kind KIND] [--url ADDRESS] [--token TOKEN|--token-file FILE] \
      [--device-id NAME] [--no-test] [--no-start] [--yes] [--config FILE]
      """,
      """
      'overland://setup?url=…&token=…&device_id=…&unique_id=yes' [--yes] [--keep|--drop] [--no-test] [--no-start] \
      [--config FILE] [--board NAME|FILE] [--set KEY=VALUE]…
      """,
      """
      --show [--destination NAME] [--device-id NAME] [--png FILE|--svg FILE] [--yes] [--config FILE] \
      [--board NAME|FILE] [--set KEY=VALUE]…
      """,
      "--show 'overland://setup?url=…' [--png FILE|--svg FILE] [--yes]",
    ],
    text: [
      """
      Without a URL, writes a configuration: asks on a terminal for board, receiver, kind of server, address \
      and token, except for those given as options. Then it tests the destination, writes the file, starts the \
      service, and shows the status until the first fix. Without a terminal it asks nothing; a board or a port, \
      and an address or --kind none are required.
      """,
      """
      With a URL, sets url and token of the first overland destination, device_id, and unique_id. Values that \
      the URL does not contain are cleared. The command lists them first and asks for confirmation on a \
      terminal. Without a configuration, it writes one with the board that was detected, tests the destination, and \
      starts the service; --keep, --drop and --set require a configuration. With one, nothing is tested or started, so \
      --no-test and --no-start change nothing.
      """,
      """
      With --show, shows a setup URL as a QR code, for a phone or another device: the given one, or that of this \
      device. A code with a token asks for confirmation first.
      """,
    ],
    options: SetupWizard.options + SetupCode.options + [
      .flag(
        "--yes",
        text: "do not ask for confirmation; an existing configuration is replaced, and a copy is kept")
    ] + QueueChoice.options + ConfigurationFiles.options,
    exitStatus: """
      0 applied or shown; 1 the change cannot be saved or was not confirmed, the test of the destination failed, \
      or the code cannot be shown; 2 misuse, invalid URL, invalid configuration, or a queue that requires --keep or --drop
      """)

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, description)
    let queue = try QueueChoice(arguments)
    try arguments.checkOperands(atMost: 1)
    if arguments.has("--show") { return try SetupCode(arguments).run() }
    if let option = SetupCode.options.flatMap(\.names).first(where: { arguments.value($0) != nil }) {
      throw Arguments.Misuse(message: "\(option) requires --show")
    }
    guard let text = arguments.operands.first else {
      guard queue == nil, arguments.values("--set").isEmpty else {
        throw Arguments.Misuse(message: "--keep, --drop and --set require a setup URL")
      }
      return try SetupWizard(arguments).run()
    }
    let foreign = SetupWizard.options.flatMap(\.names).filter { !["--no-test", "--no-start"].contains($0) }
    if let option = foreign.first(where: { arguments.has($0) || arguments.value($0) != nil }) {
      throw Arguments.Misuse(message: "\(option) cannot be combined with a setup URL")
    }
    let url: SetupURL
    let loaded: ConfigurationFiles.Loaded
    do { url = try SetupURL(text) } catch {
      Console.complain("setup: \(error)")
      return 2
    }
    if let path = arguments.value("--config"), access(path, F_OK) != 0, errno == ENOENT {
      return try writeConfiguration(url, arguments, queue)
    }
    do { loaded = try ConfigurationFiles(arguments).load() } catch {
      Console.complain("\(error)")
      return 2
    }
    loaded.configurationWarnings.forEach(Console.complain)
    // A logger that runs on another file takes the values.
    if loaded.sources.file == nil,
      case .nobody = try LoggerAnswer.ask(
        loaded.configuration.api.socket, storage: loaded.configuration.storage.directory)
    {
      return try writeConfiguration(url, arguments, queue)
    }
    let plan = url.plan(under: loaded.configuration)
    for line in plan.cleared { Console.print("not in the URL, will be cleared: \(line)") }
    if !plan.cleared.isEmpty, !arguments.has("--yes"), isatty(STDIN_FILENO) == 1, !isConfirmed() {
      Console.print("nothing was changed")
      return 1
    }
    do {
      let applied = try OperatorSettings.applyWithWarning(plan.request, to: loaded, queue: queue)
      for line in plan.set { Console.print("set: \(line)") }
      Console.print(applied.text("set"))
      return 0
    } catch let refusal as LocalCall.Refusal {
      Console.complain("setup: \(refusal)")
      return refusal.isMisuse ? 2 : 1
    }
  }

  private static func writeConfiguration(
    _ url: SetupURL, _ arguments: Arguments, _ queue: QueueChoice?
  ) throws -> Int32 {
    guard queue == nil, arguments.values("--set").isEmpty else {
      throw Arguments.Misuse(message: "--keep, --drop and --set require a configuration")
    }
    return try SetupWizard(arguments).run(url)
  }

  private static func isConfirmed() -> Bool {
    Console.print("continue? [y/N]")
    return ["y", "yes"].contains((readLine() ?? "").lowercased())
  }
}
