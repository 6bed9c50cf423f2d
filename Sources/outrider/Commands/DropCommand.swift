import Formats
import LocalAPI
import Settings

/// `outrider drop`: what waits for a destination is not sent to it any more.
enum DropCommand: Command {
  static let name = "drop"
  static let summary = "give up what waits for a destination; it stays in the log"
  static let help = """
    Usage: outrider drop NAME [--config FILE] [--board NAME|FILE] [--set KEY=VALUE]…

    What waits for the destination of this name is not sent to it any more; an event says how many records that were. They
    stay in the log until storage.retention takes them, and other destinations get them all the same.

    \(ConfigurationFiles.optionHelp)

    Exit status: 0 given up, 1 could not be written, 2 no such destination.
    """

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, options: ConfigurationFiles.options, flags: [])
    try arguments.checkOperands(atMost: 1)
    guard let name = arguments.operands.first else {
      throw Arguments.Misuse(message: "no destination is named")
    }
    let loaded: ConfigurationFiles.Loaded
    do { loaded = try ConfigurationFiles(arguments).load() } catch {
      Console.complain("\(error)")
      return 2
    }
    loaded.warnings.forEach(Console.complain)
    let configuration = loaded.configuration
    guard configuration.destination(named: name) != nil else { return 2 }
    do {
      let path = "/drop?destination=\(QueryText.percentEncoded(name))"
      if try LocalCall.settings(configuration) == nil
        || LocalCall.ask(configuration.api.socket, .post, path) == nil
      {
        try QueueWish.drop([name], configuration.storage)
      }
      Console.print("\(name): what waited is given up; it stays in the log")
      return 0
    } catch let refusal as LocalCall.Refusal {
      Console.complain("\(refusal)")
      return 1
    }
  }
}
