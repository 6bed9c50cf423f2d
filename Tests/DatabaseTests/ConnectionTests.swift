import Foundation
import Testing

import Database

@Suite struct ConnectionTests {
  private func withScratch(_ body: (String) throws -> Void) throws {
    let path = NSTemporaryDirectory() + "outrider-database-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    try body(path + "/test.db")
  }

  @Test func valuesOfEveryClassReadBackAsTheyWereBound() throws {
    try withScratch { path in
      let connection = try Connection(path: path)
      try connection.execute("CREATE TABLE t (a ANY, b ANY, c ANY, d ANY, e ANY, f ANY, g ANY) STRICT")
      let row: [ColumnValue] = [
        .null, .integer(.min), .real(0.1), .text("Größe\0x"), .text(""), .blob([0, 255]), .blob([]),
      ]
      try connection.run("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?)", row)
      #expect(try connection.firstRow("SELECT * FROM t") == row)
    }
  }

  @Test func anErrorInATransactionRollsItBack() throws {
    try withScratch { path in
      let connection = try Connection(path: path)
      try connection.execute("CREATE TABLE t (a INTEGER UNIQUE)")
      #expect(throws: DatabaseError.self) {
        try connection.transaction { () throws(DatabaseError) in
          try connection.run("INSERT INTO t VALUES (1)")
          try connection.run("INSERT INTO t VALUES (1)")
        }
      }
      #expect(try connection.firstInteger("SELECT count(*) FROM t") == 0)
      try connection.transaction { () throws(DatabaseError) in try connection.run("INSERT INTO t VALUES (1)")
      }
      #expect(try connection.firstInteger("SELECT count(*) FROM t") == 1)
    }
  }

  @Test func aFullFileIsDistinguishedFromOtherFailures() throws {
    try withScratch { path in
      let connection = try Connection(path: path)
      try connection.execute("CREATE TABLE t (a BLOB); PRAGMA max_page_count = 4")
      let error = thrown(DatabaseError.self) {
        try connection.run("INSERT INTO t VALUES (zeroblob(100000))")
      }
      #expect(error?.kind == .full)
    }
  }

  @Test func aFileThatIsNotADatabaseIsDamaged() throws {
    try withScratch { path in
      try Data(repeating: 7, count: 5000).write(to: URL(fileURLWithPath: path))
      let connection = try Connection(path: path)
      let error = thrown(DatabaseError.self) { _ = try connection.firstInteger("SELECT 1 FROM t") }
      #expect(error?.kind == .damaged)
      #expect(error?.description.contains(path) == true)
    }
  }

  @Test func readingDoesNotCreateAMissingFile() throws {
    try withScratch { path in
      let error = thrown(DatabaseError.self) { _ = try Connection(path: path, access: .readOnly) }
      #expect(error?.kind == .unwritable)
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  @Test func anImmutableFileMayHaveAnyName() throws {
    try withScratch { path in
      let unusual = path + "?#%41"
      do {
        let connection = try Connection(path: unusual)
        try connection.execute("CREATE TABLE t (a); INSERT INTO t VALUES (5)")
      }
      #expect(try Connection(path: unusual, access: .immutable).firstInteger("SELECT a FROM t") == 5)
    }
  }

  @Test func everyMigrationIsAppliedOnceAndUnknownOnesAreIgnored() throws {
    try withScratch { path in
      let first = Migration("one", sql: "CREATE TABLE one (a); INSERT INTO one VALUES (1)")
      let second = Migration("two", sql: "CREATE TABLE two (a); INSERT INTO two VALUES (2)")
      try Connection(path: path).migrate([first])
      try Connection(path: path).migrate([first, second])
      try Connection(path: path).migrate([first])
      let connection = try Connection(path: path)
      #expect(try connection.firstInteger("SELECT count(*) FROM one") == 1)
      #expect(
        try connection.rows("SELECT name FROM migration ORDER BY name") == [[.text("one")], [.text("two")]])
    }
  }

  @Test func aFailedMigrationIsRolledBack() throws {
    try withScratch { path in
      let connection = try Connection(path: path)
      #expect(throws: DatabaseError.self) {
        try connection.migrate([
          Migration("one", sql: "CREATE TABLE one (a)"), Migration("two", sql: "CREATE TABLE one (a)"),
        ])
      }
      #expect(try connection.firstInteger("SELECT count(*) FROM sqlite_schema") == 0)
    }
  }
}

@Suite struct ChecksumTests {
  static let pairs: [([ColumnValue], [ColumnValue])] = [
    ([.integer(0)], [.null]),
    ([.integer(1)], [.real(1)]),
    ([.text("ab"), .text("c")], [.text("a"), .text("bc")]),
    ([.text("a")], [.blob([97])]),
    ([.null, .integer(1)], [.integer(1), .null]),
    ([.integer(1)], [.integer(-1)]),
  ]

  @Test(arguments: pairs)
  func differentRowsHaveDifferentChecksums(_ pair: ([ColumnValue], [ColumnValue])) {
    #expect(Checksum.of(pair.0, label: "t") != Checksum.of(pair.1, label: "t"))
  }

  @Test func theLabelIsPartOfTheChecksum() {
    #expect(Checksum.of([.integer(1)], label: "t") != Checksum.of([.integer(1)], label: "u"))
  }

  /// The value was computed with Python's zlib.crc32 over the same bytes, so that files stay readable.
  @Test func theChecksumOfAKnownRowNeverChanges() {
    let row: [ColumnValue] = [.null, .integer(-2), .text("é"), .real(1.5), .blob([9])]
    #expect(Checksum.of(row, label: "record") == 211103592)
  }
}

/// The error that `body` throws; nil if it throws none, or one of another type.
func thrown<Failure: Error>(_: Failure.Type, _ body: () throws -> Void) -> Failure? {
  do {
    try body()
    return nil
  } catch { return error as? Failure }
}
