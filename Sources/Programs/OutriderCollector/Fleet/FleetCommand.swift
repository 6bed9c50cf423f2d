import FleetStore
import PostgreSQL
import Quantities

/// `outrider-collector fleet …`: lists and changes the fleet in the database.
enum FleetCommand {
  /// A command below `fleet`.
  struct Action: Sendable {
    var name: String
    /// The operands and options that differ from those of all commands.
    var usage: String
    /// A summary of about six words.
    var summary: String
    var options: [CommandOption] = []
    /// The numbers of operands that are accepted.
    var operands = 0...0
    /// Runs the command and returns the text to print.
    var run: @Sendable (BlockingConnection, Arguments) throws -> String
  }

  /// A failure that no other error describes; the text has the remedy.
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  private static let shared = [
    CommandOption(
      name: "--database", placeholder: "URL",
      text: "database, as postgresql://HOST/NAME (default: $OUTRIDER_DATABASE)"),
    CommandOption(name: "--json", placeholder: "", text: "print JSON"),
  ]

  static let actions = FleetLists.actions + FleetChanges.actions

  static let help: String = {
    let width = actions.map { "\($0.name) \($0.usage)".count }.max() ?? 0
    let rows = actions.map { action in
      let label = action.usage.isEmpty ? action.name : "\(action.name) \(action.usage)"
      return "  \(label)\(String(repeating: " ", count: max(width - label.count, 0) + 2))\(action.summary)"
    }
    return """
      Usage: outrider-collector fleet COMMAND [OPERAND…] [--database URL] [--json]

      Lists and changes the devices of a fleet in the database.

      \(rows.joined(separator: "\n"))

      Times are ISO 8601, as in 2026-11-28T06:00:00Z. The database is $OUTRIDER_DATABASE without --database.

      Exit status: 0 done, 1 failed, 2 misuse.
      """
  }()

  static func command(environment: @escaping (String) -> String?) -> CollectorProgram.Command {
    CollectorProgram.Command(name: "fleet", summary: "list and change devices", help: help) { words in
      try run(words, environment: environment, print: Console.printResult)
    }
  }

  static func run(
    _ words: ArraySlice<String>, environment: (String) -> String?, print: (String) throws -> Void
  ) throws -> Int32 {
    guard let word = words.first else { throw Arguments.Misuse(message: "a command is required") }
    guard let action = actions.first(where: { $0.name == word }) else {
      let names = actions.map(\.name).joined(separator: ", ")
      throw Arguments.Misuse(message: "no command \"\(word)\"; available: \(names)")
    }
    let arguments = try Arguments(words.dropFirst(), shared + action.options)
    let text: String
    do { text = try result(of: action, arguments, environment) } catch {
      guard arguments.has("--json") else { throw error }
      let misuse = error as? Arguments.Misuse
      try print(FleetReply(error: misuse?.message ?? "\(error)").json)
      return misuse == nil ? 1 : 2
    }
    if !text.isEmpty { try print(text) }
    return 0
  }

  private static func result(
    of action: Action, _ arguments: Arguments, _ environment: (String) -> String?
  ) throws -> String {
    guard action.operands.contains(arguments.operands.count) else {
      throw Arguments.Misuse(message: "usage: \(action.name) \(action.usage)")
    }
    guard let database = arguments.value("--database") ?? environment("OUTRIDER_DATABASE"), !database.isEmpty
    else { throw Arguments.Misuse(message: "--database is required, such as postgresql:///outrider") }
    return try action.run(try BlockingConnection(database), arguments)
  }

  // MARK: Arguments

  /// The time of an option; nil without the option.
  static func time(_ arguments: Arguments, _ name: String) throws(Arguments.Misuse) -> Timestamp? {
    guard let text = arguments.value(name) else { return nil }
    let whole = text.count == 10 ? "\(text)T00:00:00Z" : text
    guard let time = Timestamp(iso8601: whole) else {
      throw Arguments.Misuse(
        message: "\(name): expected a time such as 2026-11-28T06:00:00Z, got \"\(text)\"")
    }
    return time
  }

  /// Throws unless the device exists.
  static func require(_ isDone: Bool, _ name: String) throws(Failure) {
    guard isDone else { throw unknown(name) }
  }

  /// Returns what was found of a device; throws if it is nil, because there is no such device.
  static func found<Value>(_ value: Value?, _ name: String) throws(Failure) -> Value {
    guard let value else { throw unknown(name) }
    return value
  }

  private static func unknown(_ name: String) -> Failure {
    Failure(
      description: "no device is called \"\(name)\"; outrider-collector fleet devices lists all of them")
  }

  // MARK: Output

  /// The rows of a report, in columns or as JSON.
  static func text(
    _ report: FleetReport, _ database: BlockingConnection, _ arguments: Arguments, empty: String
  ) throws(PostgresError) -> String {
    if arguments.has("--json") { return try report.json(database) }
    let table = try report.table(database)
    return table.rows.isEmpty ? empty : aligned([table.titles] + table.rows.map { $0.map { $0 ?? "-" } })
  }

  /// Rows in columns of equal width, two blanks apart. Control characters are shown as `?`, because texts come from devices.
  static func aligned(_ rows: [[String]]) -> String {
    let rows = rows.map { $0.map(printable) }
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in
      rows.map { $0.count > column ? $0[column].count : 0 }.max() ?? 0
    }
    return rows.map { row in
      var line = ""
      for (column, cell) in row.enumerated() {
        line += cell
        if column < row.count - 1 { line += String(repeating: " ", count: widths[column] - cell.count + 2) }
      }
      return line
    }.joined(separator: "\n")
  }

  static func printable(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar in
          switch scalar.properties.generalCategory {
          case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: "?"
          default: scalar
          }
        }))
  }
}
