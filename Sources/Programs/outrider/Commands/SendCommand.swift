import Formats
import JSON

/// `outrider send`: sends the queues now, or tests a destination.
enum SendCommand: Command {
  static let name = "send"
  static let group = CommandGroup.control
  static let summary = "send the queue now, or test a destination"
  static let description = CommandDescription(
    forms: ["[NAME]", "--test NAME [--json]"],
    text: [
      """
      Makes the running logger send its queues now, to all destinations or one, regardless of interval \
      and back-off. If the last position is older than a minute, a sleeping receiver is woken for a \
      fresh one, unless the battery is critical. The command does not wait for the result; outrider \
      status shows it.
      """
    ],
    options: [
      .value(
        "--test", "NAME",
        text: """
          send no records; test host name, connection, encryption, token and response of a destination, as \
          far as its server allows
          """),
      .flag("--json", text: "print the findings of the test as one JSON object"),
    ] + ConfigurationFiles.options,
    exitStatus: """
      0 sending, or the test found no fault; 1 no logger responds, it rejects the request, or the test \
      found a fault; 2 misuse or invalid configuration
      """)

  private struct Answer: Decodable {
    var destinations: Int
    var position_awaited: Bool?
  }

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, description)
    if let name = arguments.value("--test") {
      try arguments.checkOperands(atMost: 0)
      return try DestinationTest.run(name, arguments)
    }
    try arguments.checkOperands(atMost: 1)
    guard !arguments.has("--json") else { throw Arguments.Misuse(message: "--json requires --test") }
    let query = arguments.operands.first.map { "?destination=\(QueryText.percentEncoded($0))" } ?? ""
    guard
      let body = try LocalCommand.ask(arguments, .post, "/send\(query)"),
      let answer = try? CheckedJSON(body).decode(Answer.self)
    else { return 1 }
    Console.print(
      answer.destinations == 0
        ? "no destination is configured"
        : "sending to \(arguments.operands.first ?? StatusText.counted(answer.destinations, "destination"))"
          + (answer.position_awaited == true ? "; a fresh position follows after the next fix" : ""))
    return answer.destinations == 0 ? 1 : 0
  }
}
