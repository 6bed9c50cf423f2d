import Quantities

/// A command of the program: `outrider NAME`.
protocol Command {
  /// The name of the command.
  static var name: String { get }
  /// The heading under which `outrider --help` lists the command.
  static var group: CommandGroup { get }
  /// A summary of about six words for `outrider --help`.
  static var summary: String { get }
  /// Forms, options and texts of `outrider NAME --help`.
  static var description: CommandDescription { get }
  /// Runs the command with the arguments after its name. Returns the exit status: 0 done, 1 failed, 2 misuse.
  static func run(_ words: ArraySlice<String>) throws -> Int32
}

extension Command {
  /// The text of `outrider NAME --help`.
  static var help: String { description.help(of: name) }
}

/// A heading of `outrider --help`, in the order of the cases.
enum CommandGroup: String, CaseIterable {
  /// Commands that run until they are stopped.
  case run = "Run"
  /// Commands that query the logger and its log.
  case query = "Look"
  /// Commands that control the logger.
  case control = "Control"
  /// Commands for settings and hardware.
  case configure = "Configure"
  /// Commands for recordings.
  case analyse = "Analyse"
}

/// The list of commands, and their dispatch.
enum Commands {
  /// All commands, in the order of `outrider --help`.
  static var all: [any Command.Type] {
    [
      RunCommand.self, DemoCommand.self, CollectCommand.self, StatusCommand.self, WhyCommand.self,
      ExportCommand.self,
      EnergyCommand.self, MetricsCommand.self, TripCommand.self, StartCommand.self, StopCommand.self,
      SendCommand.self, DropCommand.self, NotifyCommand.self, SetCommand.self, SettingsCommand.self,
      SetupCommand.self, ProvisionCommand.self, PageCommand.self, HotspotCommand.self, BoardsCommand.self,
      PowerCommand.self, DoctorCommand.self, HealthCommand.self, HelpCommand.self,
      ReferenceCommand.self,
      DecodeCommand.self,
      ReplayCommand.self,
      ClassifyCommand.self,
    ]
  }

  private static var names: [String] { all.map { $0.name } }

  /// The purpose of the program in one sentence.
  static let purpose = "Outrider logs the positions of a GNSS receiver and sends them to your servers."

  /// The exit status of every command that does not describe its own.
  static let exitStatus = "0 for success, 1 for failure, 2 for misuse"

  /// The message for an unknown command.
  static func unknown(_ name: String) -> String {
    "no command \"\(name)\"; available: \(names.joined(separator: ", "))"
  }

  /// The text of `outrider --help`.
  static var overview: String {
    let width = names.map { $0.count }.max() ?? 0
    let groups = CommandGroup.allCases.map { group in
      let rows = all.filter { $0.group == group }.map { command in
        "  \(command.name)\(String(repeating: " ", count: width - command.name.count + 2))\(command.summary)"
      }
      return ([group.rawValue] + rows).joined(separator: "\n")
    }
    return """
      \(purpose)

      Usage: outrider COMMAND [OPTION…]

      \(groups.joined(separator: "\n\n"))

      outrider COMMAND --help describes a command.
      """
  }

  /// Runs the command line and returns the exit status. A failed write to standard output is a failure.
  static func run(_ words: [String]) -> Int32 {
    let status = perform(words)
    guard let failure = Console.failure else { return status }
    Console.complain(failure)
    return status == 0 ? 1 : status
  }

  private static func perform(_ words: [String]) -> Int32 {
    let remainder = words.dropFirst()
    guard let word = remainder.first else {
      Console.print(overview)
      return 2
    }
    if ["--help", "-h"].contains(word) {
      Console.print(overview)
      return 0
    }
    if word == "--version" {
      Console.print("outrider \(Release.version)")
      return 0
    }
    guard let command = all.first(where: { $0.name == word }) else {
      Console.complain(unknown(word))
      return 2
    }
    let arguments = remainder.dropFirst()
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
