import Tracking

/// One word of the command line.
protocol Command {
  /// The word itself.
  static var name: String { get }
  /// One line for the list of commands.
  static var summary: String { get }
  /// What `--help` prints.
  static var help: String { get }
  /// Does it, with the words after the command's own, and answers with the exit status: 0 done, 1 failed, 2 misused.
  static func run(_ words: ArraySlice<String>) throws -> Int32
}

/// The commands, in the order in which help lists them.
enum Commands {
  static var all: [any Command.Type] {
    [
      RunCommand.self, DemoCommand.self, DecodeCommand.self, CollectCommand.self, StatusCommand.self,
      StartCommand.self, StopCommand.self, SendCommand.self, DropCommand.self, TripCommand.self,
      SetCommand.self,
      SettingsCommand.self, SetupCommand.self, EnergyCommand.self, WhyCommand.self, ReplayCommand.self,
      ClassifyCommand.self,
      DoctorCommand.self,
      BoardsCommand.self,
    ]
  }

  private static var names: [String] { all.map { $0.name } }

  static var overview: String {
    let width = names.map { $0.count }.max() ?? 0
    let rows = all.map { command in
      "  \(command.name)\(String(repeating: " ", count: width - command.name.count + 2))\(command.summary)"
    }
    return """
      Outrider logs where a GNSS receiver has been and brings it to your server.

      Usage: outrider COMMAND [OPTION…]

      \(rows.joined(separator: "\n"))

      outrider COMMAND --help explains a command.
      """
  }

  /// Runs the command line and answers with the exit status. Output that was not taken is no success.
  static func run(_ words: [String]) -> Int32 {
    let status = perform(words)
    guard let failure = Console.failure else { return status }
    Console.complain(failure)
    return status == 0 ? 1 : status
  }

  private static func perform(_ words: [String]) -> Int32 {
    let rest = words.dropFirst()
    guard let word = rest.first else {
      Console.print(overview)
      return 2
    }
    if ["--help", "-h", "help"].contains(word) {
      Console.print(overview)
      return 0
    }
    if word == "--version" {
      Console.print("outrider \(Release.version)")
      return 0
    }
    guard let command = all.first(where: { $0.name == word }) else {
      Console.complain("no command \"\(word)\"; there are \(names.joined(separator: ", "))")
      return 2
    }
    let arguments = rest.dropFirst()
    if arguments.contains("--help") || arguments.contains("-h") {
      Console.print(command.help)
      return 0
    }
    do {
      return try command.run(arguments)
    } catch let misuse as Arguments.Misuse {
      Console.complain("\(command.name): \(misuse.message)\n\(command.help)")
      return 2
    } catch let misconfigured as LocalCommand.Misconfigured {
      Console.complain("\(misconfigured)")
      return 2
    } catch {
      Console.complain("\(command.name): \(error)")
      return 1
    }
  }
}
