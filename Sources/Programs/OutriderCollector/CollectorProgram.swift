import Quantities

/// The command line of the program.
enum CollectorProgram {
  /// A command of the program.
  struct Command {
    var name: String
    /// A summary of about six words.
    var summary: String
    var help: String
    /// Runs the command. Returns the exit status: 0 done, 1 failed, 2 misuse.
    var run: (ArraySlice<String>) throws -> Int32
  }

  private static let purpose = "Outrider's ingest server for fleets: devices send, PostgreSQL stores."

  /// The text of `outrider-collector --help`.
  static func overview(_ commands: [Command]) -> String {
    let width = commands.map(\.name.count).max() ?? 0
    let rows = commands.map { command in
      "  \(command.name)\(String(repeating: " ", count: width - command.name.count + 2))\(command.summary)"
    }
    return """
      \(purpose)

      Usage: outrider-collector COMMAND [OPTION…]

      \(rows.joined(separator: "\n"))

      outrider-collector COMMAND --help describes a command.
      """
  }

  /// Runs the command line and returns the exit status.
  static func run(
    _ words: [String], _ commands: [Command], print: (String) -> Void, complain: (String) -> Void
  ) -> Int32 {
    let remainder = words.dropFirst()
    guard let word = remainder.first else {
      print(overview(commands))
      return 2
    }
    if ["--help", "-h"].contains(word) {
      print(overview(commands))
      return 0
    }
    if word == "--version" {
      print("outrider-collector \(Release.version)")
      return 0
    }
    guard let command = commands.first(where: { $0.name == word }) else {
      let names = commands.map(\.name).joined(separator: ", ")
      complain("no command \"\(word)\"; available: \(names)")
      return 2
    }
    let arguments = remainder.dropFirst()
    if arguments.contains("--help") || arguments.contains("-h") {
      print(command.help)
      return 0
    }
    do {
      return try command.run(arguments)
    } catch let misuse as Arguments.Misuse {
      complain("\(command.name): \(misuse.message)\n\(command.help)")
      return 2
    } catch {
      complain("\(command.name): \(error)")
      return 1
    }
  }
}
