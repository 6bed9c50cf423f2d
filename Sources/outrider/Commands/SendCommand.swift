import FoundationEssentials

/// `outrider send`: what waits goes now.
enum SendCommand: Command {
  static let name = "send"
  static let summary = "send what waits, now"
  static let help = """
    Usage: outrider send [NAME] [--config FILE] [--board NAME|FILE]

    Has the running logger send what waits to all destinations, or to the one of this name, whatever interval and pauses
    say. Does not wait for the answers; outrider status shows them.

    \(ConfigurationFiles.optionHelp)

    Exit status: 0 under way, 1 no logger runs or it refuses.
    """

  private struct Answer: Decodable {
    var destinations: Int
  }

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, options: ConfigurationFiles.options, flags: [])
    try arguments.checkOperands(atMost: 1)
    let query = arguments.operands.first.map { "?destination=\(percentEncoded($0))" } ?? ""
    guard
      let body = try LocalCommand.ask(arguments, .post, "/send\(query)"),
      let answer = try? JSONDecoder().decode(Answer.self, from: Data(body))
    else { return 1 }
    Console.print(
      answer.destinations == 0
        ? "there is no destination"
        : "sending to \(arguments.operands.first ?? "\(answer.destinations) destinations")")
    return answer.destinations == 0 ? 1 : 0
  }

  private static func percentEncoded(_ text: String) -> String {
    text.utf8.reduce(into: "") { encoded, byte in
      let scalar = Unicode.Scalar(byte)
      let isPlain = byte < 0x80 && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
      encoded += isPlain ? String(scalar) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
  }
}
