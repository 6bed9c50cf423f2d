import Glibc
import LocalAPI
import Settings

/// `outrider setup`: applies an Overland setup URL.
enum SetupCommand: Command {
  static let name = "setup"
  static let group = CommandGroup.configure
  static let summary = "apply an Overland setup URL"
  static let description = CommandDescription(
    forms: ["'overland://setup?url=…&token=…&device_id=…&unique_id=yes' [--keep|--drop]"],
    text: [
      """
      Sets url and token of the first overland destination, device_id, and unique_id from a setup URL. \
      Values that the URL does not contain are cleared. The command lists them first and asks for \
      confirmation on a terminal.
      """
    ],
    options: [
      .flag("--yes", text: "do not ask for confirmation")
    ] + QueueWish.options + ConfigurationFiles.options,
    exitStatus: """
      0 applied; 1 the change cannot be saved or was not confirmed; 2 misuse, invalid URL, invalid \
      configuration, or a queue that requires --keep or --drop
      """)

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, description)
    let queue = try QueueWish(arguments)
    try arguments.checkOperands(atMost: 1)
    guard let text = arguments.operands.first else { throw Arguments.Misuse(message: "expected a setup URL") }
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
    loaded.configurationWarnings.forEach(Console.complain)
    let plan = url.plan(under: loaded.configuration)
    for line in plan.cleared { Console.print("not in the URL, will be cleared: \(line)") }
    if !plan.cleared.isEmpty, !arguments.has("--yes"), isatty(STDIN_FILENO) == 1, !isConfirmed() {
      Console.print("nothing was changed")
      return 1
    }
    do {
      let applied = try OperatorSettings.applyWithWarning(plan.wishes, to: loaded, queue: queue)
      for line in plan.set { Console.print("set: \(line)") }
      Console.print(applied.text("set"))
      return 0
    } catch let refusal as LocalCall.Refusal {
      Console.complain("setup: \(refusal)")
      return refusal.isMisuse ? 2 : 1
    }
  }

  private static func isConfirmed() -> Bool {
    Console.print("continue? [y/N]")
    return ["y", "yes"].contains((readLine() ?? "").lowercased())
  }
}
