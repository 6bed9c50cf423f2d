import BoardSetup
import FoundationEssentials
import Settings

/// `outrider boards`: lists the boards, describes one, or sets up the system for one.
enum BoardsCommand: Command {
  static let name = "boards"
  static let group = CommandGroup.configure
  static let summary = "list the boards, describe one, or set one up"
  static let description = CommandDescription(
    forms: [
      "[--json] [NAME|FILE]",
      "NAME|FILE --apply [--charge-cell] [--dry-run] [--yes] [--no-reboot] [--root DIR]",
      "--undo [--dry-run] [--yes] [--no-reboot] [--root DIR]",
    ],
    text: [
      """
      Lists the boards that --board accepts. With a name or file, describes that board: wiring, chips, \
      currents and preparation.
      """,
      """
      --apply writes what the board requires of the system. config.txt receives a block of lines at its end, \
      and the serial console is removed from cmdline.txt. Kernel modules, a watchdog, services and groups \
      follow. The command shows all changes and asks first. Every changed file keeps a copy named \
      \(SetupFile.copySuffix) beside it. Settings of the EEPROM, and any that could damage hardware, are never \
      written.
      """,
      """
      --charge-cell also enables the charger for the cell of the board's clock. Use it only for a rechargeable \
      cell, such as an ML-2020: any other can burn. Without it, --apply leaves the charger off.
      """,
    ],
    options: [
      .flag("--json", text: "print one JSON object"),
      .flag("--apply", text: "set up the system for this board"),
      .flag("--charge-cell", text: "with --apply: charge the rechargeable cell of the clock"),
      .flag("--undo", text: "restore files and services; a file that was edited since is not replaced"),
      .flag("--dry-run", text: "show the changes and stop"),
      .flag("--yes", text: "do not ask for confirmation"),
      .flag("--no-reboot", text: "do not ask for a restart at the end"),
      .value(
        "--root", "DIR", .directory,
        text: "change the system below DIR, such as a mounted card; services and groups are only listed"),
    ],
    exitStatus: """
      0 success or nothing to do; 1 a board file is faulty, the system is no Raspberry Pi, a change failed, was \
      not confirmed, or a file was edited since; 2 misuse, no such board, or no terminal to ask for confirmation
      """,
    operands: .board)

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let setupFlags = ["--dry-run", "--yes", "--no-reboot"]
    let arguments = try Arguments(words, description)
    try arguments.checkOperands(atMost: 1)
    let isSetup = try checkCombination(arguments, setupFlags)
    let session = BoardSetupSession(
      BoardSetupSession.Options(
        isDryRun: arguments.has("--dry-run"), isConfirmed: arguments.has("--yes"),
        mayRestart: !arguments.has("--no-reboot"), chargesCell: arguments.has("--charge-cell"),
        root: try arguments.root()),
      command: (["outrider", name] + words).joined(separator: " "))
    if arguments.has("--undo") { return try session.undo() }
    guard let selected = arguments.operands.first else { return try list(asJSON: arguments.has("--json")) }
    let known = ConfigurationFiles.boardNames
    guard let choice = BoardChoice(selected) else { return refuse(selected, known) }
    if case .named(let name) = choice, !known.contains(name) { return refuse(name, known) }
    let configuration = try ConfigurationFiles.board(choice)
    if isSetup { return try session.apply(configuration, named: blockName(selected)).status }
    let board = BoardDescription(name: selected, configuration)
    if arguments.has("--json") {
      try printJSON(board)
    } else {
      board.text.forEach(Console.print)
    }
    return 0
  }

  /// True if the system is to be set up. Throws for options that exclude each other.
  private static func checkCombination(_ arguments: Arguments, _ setupFlags: [String]) throws -> Bool {
    let (isApply, isUndo) = (arguments.has("--apply"), arguments.has("--undo"))
    if isApply, isUndo { throw Arguments.Misuse(message: "--apply and --undo exclude each other") }
    if isApply, arguments.operands.isEmpty { throw Arguments.Misuse(message: "--apply requires a board") }
    if isUndo, let operand = arguments.operands.first {
      throw Arguments.Misuse(
        message: "unexpected argument \"\(operand)\"; --undo applies to the board that is set up")
    }
    if arguments.has("--charge-cell"), !isApply {
      throw Arguments.Misuse(message: "--charge-cell requires --apply")
    }
    guard !isApply, !isUndo else {
      if arguments.has("--json") { throw Arguments.Misuse(message: "--json only describes boards") }
      return true
    }
    let setupOption =
      setupFlags.first(where: arguments.has) ?? arguments.value("--root").map { _ in "--root" }
    if let setupOption { throw Arguments.Misuse(message: "\(setupOption) requires --apply or --undo") }
    return false
  }

  /// The name in the block of config.txt: of a file, its name without directory and extension.
  static func blockName(_ selected: String) -> String {
    let file = selected.split(separator: "/").last.map(String.init) ?? selected
    let stem = file.hasSuffix(".json5") ? String(file.dropLast(6)) : file
    let sound = stem.utf8.map { byte -> Character in
      let character = Character(UnicodeScalar(byte))
      return character.isASCII && (character.isLetter || character.isNumber || "-_.".contains(character))
        ? character : "_"
    }
    return String(sound.prefix(64))
  }

  private static func refuse(_ name: String, _ known: [String]) -> Int32 {
    Console.complain(
      "\(SettingsError.boardNotFound(name: name, known: known)). Searched: "
        + ConfigurationFiles.boardFolders.joined(separator: ", "))
    return 2
  }

  private struct Row: Encodable {
    var name: String
    var title: String?
    /// The reason why the file cannot be used.
    var fault: String?
  }

  private static func list(asJSON: Bool) throws -> Int32 {
    let rows = ConfigurationFiles.boardNames.map { name in
      do throws(ConfigurationFiles.Refusal) {
        return Row(name: name, title: try ConfigurationFiles.board(.named(name)).boardTitle)
      } catch {
        return Row(name: name, fault: error.description)
      }
    }
    if asJSON {
      try printJSON(["boards": rows])
    } else {
      let width = rows.map(\.name.count).max() ?? 0
      for row in rows {
        let gap = String(repeating: " ", count: width - row.name.count + 2)
        Console.print("\(row.name)\(gap)\(row.title ?? "faulty")")
      }
    }
    if rows.count < 2 {
      Console.complain(
        "no board files in \(ConfigurationFiles.boardFolders.joined(separator: ", ")); install them, or name their "
          + "directory in OUTRIDER_BOARDS")
    }
    let faults = rows.compactMap(\.fault)
    faults.forEach(Console.complain)
    return faults.isEmpty ? 0 : 1
  }

  private static func printJSON(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    Console.print(String(decoding: try encoder.encode(value), as: UTF8.self))
  }
}
