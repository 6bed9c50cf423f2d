import Formats
import LocalAPI
import Settings
import Store

/// `outrider drop`: what waits for a destination is not sent to it any more.
enum DropCommand: Command {
  static let name = "drop"
  static let summary = "give up what waits for a destination; it stays in the log"
  static let help = """
    Usage: outrider drop NAME [--config FILE] [--board NAME|FILE] [--set KEY=VALUE]…

    What waits for the destination of this name is not sent to it any more; an event says how many records that were. They
    stay in the log until storage.retention takes them, and other destinations get them all the same. A destination that
    is not configured any more is forgotten, and outrider status shows it no longer.

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
    let isGone = !configuration.destinations.contains { $0.name == name } && isKnown(name, configuration)
    guard isGone || configuration.destination(named: name) != nil else { return 2 }
    do {
      let path = "/drop?destination=\(QueryText.percentEncoded(name))"
      if try LocalCall.settings(configuration) == nil
        || LocalCall.ask(configuration.api.socket, .post, path) == nil
      {
        try QueueWish.drop([name], configuration.storage, forgets: isGone)
      }
      Console.print(
        "\(name): what waited is given up; it stays in the log"
          + (isGone ? ", and the destination is forgotten" : ""))
      return 0
    } catch let refusal as LocalCall.Refusal {
      Console.complain("\(refusal)")
      return 1
    }
  }

  /// Whether the log has served a destination of this name.
  private static func isKnown(_ name: String, _ configuration: Configuration) -> Bool {
    let status = try? LogReader(directory: configuration.storage.directory).status()
    return status?.destinations.contains { $0.name == name } ?? false
  }
}
