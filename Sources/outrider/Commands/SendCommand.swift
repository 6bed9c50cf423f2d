import Formats
import JSON

/// `outrider send`: what waits goes now.
enum SendCommand: Command {
  static let name = "send"
  static let summary = "send what waits, now; test a destination"
  static let help = """
    Usage: outrider send [NAME] [--config FILE] [--board NAME|FILE] [--set KEY=VALUE]…
           outrider send --test NAME [--json] [--config FILE] [--board NAME|FILE] [--set KEY=VALUE]…

    Has the running logger send what waits to all destinations, or to the one of this name, whatever interval and pauses
    say. Where the last position is older than a minute, a receiver that sleeps is woken for a fresh one, which is sent as
    soon as it is there; it is looked for some minutes at most, and not with a battery at its end. Does not wait for it,
    nor for the answers; outrider status shows them.

      --test NAME       send nothing: tell whether name, connection, encryption, token and answer of this destination
                        are as they should be, as far as its server can say
      --json            the findings of the test as one JSON object
    \(ConfigurationFiles.optionHelp)

    Exit status: 0 under way, or nothing wrong; 1 no logger runs or it refuses, or something is wrong, 2 misuse
    or bad configuration.
    """

  private struct Answer: Decodable {
    var destinations: Int
    var position_awaited: Bool?
  }

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(
      words, options: ConfigurationFiles.options + ["--test"], flags: ["--json"])
    if let name = arguments.value("--test") {
      try arguments.checkOperands(atMost: 0)
      return try DestinationTest.run(name, arguments)
    }
    try arguments.checkOperands(atMost: 1)
    guard !arguments.has("--json") else { throw Arguments.Misuse(message: "--json goes with --test") }
    let query = arguments.operands.first.map { "?destination=\(QueryText.percentEncoded($0))" } ?? ""
    guard
      let body = try LocalCommand.ask(arguments, .post, "/send\(query)"),
      let answer = try? CheckedJSON(body).decode(Answer.self)
    else { return 1 }
    Console.print(
      answer.destinations == 0
        ? "there is no destination"
        : "sending to \(arguments.operands.first ?? StatusText.counted(answer.destinations, "destination"))"
          + (answer.position_awaited == true ? "; a fresh position follows as soon as there is one" : ""))
    return answer.destinations == 0 ? 1 : 0
  }
}
