/// `outrider send --test NAME`: whether a destination is as it should be, without sending a record.
enum SendCommand: Command {
  static let name = "send"
  static let summary = "test a destination without sending anything"
  static let help = """
    Usage: outrider send --test NAME [--json] [--config FILE] [--board NAME|FILE] [--set KEY=VALUE]…

    Tells whether name, connection, encryption, token and answer of the destination NAME are as they should be, as far as
    its server can say. Nothing is posted. Exit status 1 when something is wrong.

      --test NAME       the destination, by its name in the configuration
      --json            one JSON object
    \(ConfigurationFiles.optionHelp)
    """

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(
      words, options: ConfigurationFiles.options + ["--test"], flags: ["--json"])
    try arguments.checkOperands(atMost: 0)
    guard let name = arguments.value("--test") else {
      throw Arguments.Misuse(message: "--test NAME is missing")
    }
    return try DestinationTest.run(name, arguments)
  }
}
