import FoundationEssentials
import Settings

/// `outrider boards`: lists the boards, or describes one.
enum BoardsCommand: Command {
  static let name = "boards"
  static let group = CommandGroup.configure
  static let summary = "list the boards, or describe one"
  static let description = CommandDescription(
    forms: ["[NAME|FILE]"],
    text: [
      """
      Lists the boards that --board accepts. With a name or file, describes that board: wiring, chips, \
      currents and preparation.
      """
    ],
    options: [
      .flag("--json", text: "print one JSON object")
    ],
    exitStatus: "0 success, 1 a board file is faulty, 2 no such board",
    operands: .board)

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, description)
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
