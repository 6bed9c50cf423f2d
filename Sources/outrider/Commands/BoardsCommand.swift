import FoundationEssentials
import Settings

/// `outrider boards`: what boards there are, and what is wired where on one of them.
enum BoardsCommand: Command {
  static let name = "boards"
  static let summary = "list the boards, or explain one"
  static let help = """
    Usage: outrider boards [--json] [NAME|FILE]

    Without a name lists the boards that --board takes. With one says what is wired where on it, what its chips'
    drivers were checked against, what its parts draw, and what to switch on before it works.

      --json   print one object for programs

    Exit status: 0 all could be read, 1 a board file has faults, 2 no such board.
    """

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, options: [], flags: ["--json"])
    try arguments.checkOperands(atMost: 1)
    guard let wanted = arguments.operands.first else { return try list(asJSON: arguments.has("--json")) }
    let known = ConfigurationFiles.boardNames
    guard let choice = BoardChoice(wanted) else { return refuse(wanted, known) }
    if case .named(let name) = choice, !known.contains(name) { return refuse(name, known) }
    let board = BoardDescription(name: wanted, try ConfigurationFiles.board(choice))
    if arguments.has("--json") {
      try printJSON(board)
    } else {
      board.text.forEach(Console.print)
    }
    return 0
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
    /// Why the file cannot be read.
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
        Console.print("\(row.name)\(gap)\(row.title ?? "cannot be read")")
      }
    }
    if rows.count < 2 {
      Console.complain(
        "no board files in \(ConfigurationFiles.boardFolders.joined(separator: ", ")); install them, or name their "
          + "folder in OUTRIDER_BOARDS")
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
