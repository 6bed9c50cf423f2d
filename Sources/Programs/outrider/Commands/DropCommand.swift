import Formats
import LocalAPI
import Settings
import Store

/// `outrider drop`: discards the queue of a destination.
enum DropCommand: Command {
  static let name = "drop"
  static let group = CommandGroup.control
  static let summary = "discard a destination's queue (records stay in the log)"
  static let description = CommandDescription(
    forms: ["NAME"],
    text: [
      """
      Discards the queue of a destination. The records stay in the log until storage.retention removes \
      them, and other destinations still receive them. An event reports the number of records. A \
      destination that is no longer configured is removed from the log and from outrider status.
      """
    ],
    options: ConfigurationFiles.options,
    exitStatus: "0 discarded, 1 the log cannot be written, 2 no such destination")

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, description)
    try arguments.checkOperands(atMost: 1)
    guard let name = arguments.operands.first else {
      throw Arguments.Misuse(message: "expected the name of a destination")
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
        try QueueChoice.drop([name], configuration.storage, forgets: isGone)
      }
      Console.print(
        "\(name): queue discarded; its records stay in the log"
          + (isGone ? "; destination removed" : ""))
      return 0
    } catch let refusal as LocalCall.Refusal {
      Console.complain("\(refusal)")
      return 1
    }
  }

  /// True if the log has a cursor for a destination of this name.
  private static func isKnown(_ name: String, _ configuration: Configuration) -> Bool {
    let status = try? LogReader(directory: configuration.storage.directory).status()
    return status?.destinations.contains { $0.name == name } ?? false
  }
}
