/// A named step of a schema. Once released its text never changes; what comes later is a new step.
public struct Migration: Sendable {
  public let name: String
  public let sql: String

  public init(_ name: String, sql: String) {
    self.name = name
    self.sql = sql
  }
}

extension Connection {
  /// Does those steps that this file has not seen, in order, all or none, and remembers their names in the table
  /// `migration`. Names that are not in the list are left alone: a newer program was here, and this one goes on.
  public func migrate(_ migrations: [Migration]) throws(DatabaseError) {
    try transaction { () throws(DatabaseError) in
      try execute("CREATE TABLE IF NOT EXISTS migration (name TEXT PRIMARY KEY NOT NULL) STRICT")
      for migration in migrations {
        let name: [ColumnValue] = [.text(migration.name)]
        guard try firstRow("SELECT 1 FROM migration WHERE name = ?", name) == nil else { continue }
        try execute(migration.sql)
        try run("INSERT INTO migration (name) VALUES (?)", name)
      }
    }
  }
}
