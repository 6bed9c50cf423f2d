/// A named step of a schema. A released step never changes; later changes are new steps.
public struct Migration: Sendable {
  public let name: String
  public let sql: String

  public init(_ name: String, sql: String) {
    self.name = name
    self.sql = sql
  }
}

extension Connection {
  /// Applies the missing steps in order in one transaction, and stores their names in the table `migration`.
  ///
  /// Ignores stored names that are not in the list: they are steps of a newer version.
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
