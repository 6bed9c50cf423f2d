import Database
import Glibc
import Quantities
import System

/// The rows of a log as a script for the `sqlite3` shell, with the same table, groups and durability.
struct ShellQueue {
  private let table: String
  private let script: String

  /// Reads table and rows of a log and writes the script beside it. A group has `size` records.
  init(copying log: String, groups size: Int, in directory: String) throws {
    let source = try Connection(path: log + "/outrider.db", access: .readOnly)
    let schema = try source.firstRow("SELECT sql FROM sqlite_schema WHERE name = 'record'")?.first?.text
    table = directory + "/table.sql"
    script = directory + "/rows.sql"
    let settings = """
      PRAGMA page_size = \(try source.firstInteger("PRAGMA page_size") ?? 0);
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA wal_autocheckpoint = 4096;

      """
    try BytesFile.write(Array("\(settings)\(schema ?? "");\n".utf8), to: table)

    var text = Array(settings.utf8)
    let rows = try source.statement("SELECT * FROM record ORDER BY id")
    var count = 0
    while try rows.step() {
      if count % size == 0 { text += Array((count > 0 ? "COMMIT;\nBEGIN;\n" : "BEGIN;\n").utf8) }
      let values = rows.values.map(Self.literal).joined(separator: ",")
      text += Array("INSERT INTO record VALUES (\(values));\n".utf8)
      count += 1
    }
    try BytesFile.write(text + Array("COMMIT;\n".utf8), to: script)
  }

  /// The time that the shell needs for all groups in a new file, from its start to its end.
  func run(into database: String) throws -> Duration {
    try feed(table, to: database)
    let start = SystemClock.moment()
    try feed(script, to: database)
    return SystemClock.moment() - start
  }

  private func feed(_ file: String, to database: String) throws {
    let input = Descriptor(owning: try check("open", on: file, open(file, O_RDONLY | O_CLOEXEC)))
    guard try ChildProcess(["sqlite3", "-batch", "-bail", database], input: input.raw).wait() else {
      throw BenchError("sqlite3 failed for \(file); for its message run sqlite3 \(database) < \(file)")
    }
  }

  private static func literal(_ value: ColumnValue) -> String {
    switch value {
    case .null, .real, .blob: "NULL"
    case .integer(let number): "\(number)"
    case .text(let text): "'\(text)'"
    }
  }
}
