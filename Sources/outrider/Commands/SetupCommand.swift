import Glibc
import LocalAPI
import Settings

/// `outrider setup`: takes a setup URL of Overland.
enum SetupCommand: Command {
  static let name = "setup"
  static let summary = "take server, token and name from a setup URL of Overland"
  static let help = """
    Usage: outrider setup 'overland://setup?url=…&token=…&device_id=…&unique_id=yes' [--yes] [--keep|--drop]
           [--config FILE] [--board NAME|FILE] [--set KEY=VALUE]…

    Sets the address and token of the first overland destination, the name of the device and whether its unique identity
    is sent. Whatever is missing in the URL is cleared, and named before. On a terminal it asks first where something is
    cleared.

      --yes             do not ask
    \(QueueWish.help)
    \(ConfigurationFiles.optionHelp)

    Exit status: 0 set up, 1 could not be kept or not confirmed, 2 a URL that sets nothing up, bad configuration,
    misuse, or records wait and neither --keep nor --drop says what becomes of them.
    """

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(
      words, options: ConfigurationFiles.options, flags: ["--yes"] + QueueWish.flags)
    let queue = try QueueWish(arguments)
    try arguments.checkOperands(atMost: 1)
    guard let text = arguments.operands.first else { throw Arguments.Misuse(message: "no URL is given") }
    let url: SetupURL
    let loaded: ConfigurationFiles.Loaded
    do { url = try SetupURL(text) } catch {
      Console.complain("setup: \(error)")
      return 2
    }
    do { loaded = try ConfigurationFiles(arguments).load() } catch {
      Console.complain("\(error)")
      return 2
    }
    loaded.warnings.forEach(Console.complain)
    let plan = url.plan(under: loaded.configuration)
    for line in plan.cleared { Console.print("missing, so cleared: \(line)") }
    if !plan.cleared.isEmpty, !arguments.has("--yes"), isatty(STDIN_FILENO) == 1, !isConfirmed() {
      Console.print("nothing was changed")
      return 1
    }
    do {
      let applied = try OperatorSettings.apply(plan.wishes, to: loaded, queue: queue)
      for line in plan.set { Console.print("set: \(line)") }
      Console.print(applied.text("set"))
      return 0
    } catch let refusal as LocalCall.Refusal {
      Console.complain("setup: \(refusal)")
      return refusal.isMisuse ? 2 : 1
    }
  }

  private static func isConfirmed() -> Bool {
    Console.print("go on? [y/N]")
    return ["y", "yes"].contains((readLine() ?? "").lowercased())
  }
}
