import System

/// `outrider help`: prints help, manual pages and the completion of the command line.
enum HelpCommand: Command {
  static let name = "help"
  static let group = CommandGroup.configure
  static let summary = "print help, manual pages or shell completion"
  static let description = CommandDescription(
    forms: ["[COMMAND] [--man]", "--man --out DIR", "--completion bash"],
    text: ["Prints the overview of all commands, or the help of one."],
    options: [
      .flag("--man", text: "print the manual page, in the format of man(7)"),
      .value("--out", "DIR", .directory, text: "write all manual pages to this directory"),
      .value("--completion", "SHELL", .words(["bash"]), text: "print the completion for this shell: bash"),
    ],
    operands: .command)

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, description)
    try arguments.checkOperands(atMost: 1)
    let command = try arguments.operands.first.map { name in
      guard let command = Commands.all.first(where: { $0.name == name }) else {
        throw Arguments.Misuse(message: Commands.unknown(name))
      }
      return command
    }
    if let shell = arguments.value("--completion") {
      guard shell == "bash", command == nil, !arguments.has("--man"), arguments.value("--out") == nil else {
        throw Arguments.Misuse(message: "--completion accepts bash, and no other option or command")
      }
      Console.write(Array(BashCompletion.script.utf8))
      return 0
    }
    if let directory = arguments.value("--out") {
      guard arguments.has("--man"), command == nil else {
        throw Arguments.Misuse(message: "--out requires --man, and no command")
      }
      for page in ManualPage.all {
        try FileBytes.replace("\(directory)/\(page.fileName)", with: Array(page.roff.utf8))
      }
      return 0
    }
    if arguments.has("--man") {
      Console.write(Array((command.map(ManualPage.init(command:)) ?? .program).roff.utf8))
    } else {
      Console.print(command.map { $0.help } ?? Commands.overview)
    }
    return 0
  }
}
