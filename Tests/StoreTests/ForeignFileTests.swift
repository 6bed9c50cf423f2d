import Database
import Foundation
import Testing

@testable import Store

/// A file of another program, or of an attacker, in the place of the log.
@Suite struct ForeignFileTests {
  /// Databases of others, as statements.
  static let schemas: [(String, String)] = [
    ("another application", "CREATE TABLE record (a); CREATE TABLE note (b); INSERT INTO record VALUES (1)"),
    (
      "endless view",
      "CREATE VIEW record AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id FROM n"
    ),
    (
      "endless view of saved states",
      "CREATE VIEW note AS WITH RECURSIVE n(key) AS (SELECT 1 UNION ALL SELECT key + 1 FROM n) SELECT key FROM n"
    ),
    (
      "triggers",
      "CREATE TABLE record (id INTEGER PRIMARY KEY); CREATE TRIGGER t AFTER INSERT ON record BEGIN DELETE FROM record; END"
    ),
    ("a later version", "PRAGMA user_version = 1000000; CREATE TABLE record (id INTEGER PRIMARY KEY)"),
    ("a negative version", "PRAGMA user_version = -1"),
    ("virtual table", "CREATE VIRTUAL TABLE record USING fts5(a)"),
    ("another encoding", "PRAGMA encoding = 'UTF-16be'; CREATE TABLE record (a)"),
    (
      "UTF-16 text",
      "PRAGMA encoding = 'UTF-16le'; CREATE TABLE note (key TEXT PRIMARY KEY, text TEXT, crc INTEGER); INSERT INTO note VALUES ('tracker', '{}', 1)"
    ),
    (
      "huge values",
      "CREATE TABLE note (key, text, crc); INSERT INTO note VALUES ('log_id', zeroblob(20000000), 1)"
    ),
    ("auto vacuum", "PRAGMA auto_vacuum = 2; CREATE TABLE record (id)"),
    ("large pages", "PRAGMA page_size = 65536; CREATE TABLE a (b)"),
    ("generated columns", "CREATE TABLE record (id INTEGER PRIMARY KEY, kind AS (id / 0))"),
  ]

  private func expectUsable(_ scratch: Scratch) throws {
    guard let (log, _) = try? scratch.open() else { return }
    _ = try? log.append((1...3).map { fix($0) })
    try? log.close()
  }

  @Test(arguments: schemas.indices)
  func aDatabaseOfAnotherNeitherEndsNorHangsTheLog(_ index: Int) throws {
    let scratch = try Scratch()
    let connection = try Connection(path: scratch.path + "/outrider.db")
    for statement in Self.schemas[index].1.split(separator: ";") {
      _ = try? connection.run(String(statement))
    }
    try expectUsable(scratch)
  }

  static let bytes: [(String, [UInt8])] = [
    ("empty", []), ("one byte", [0]), ("text", Array("hello\n".utf8)),
    ("zeros", [UInt8](repeating: 0, count: 8192)),
    ("255s", [UInt8](repeating: 255, count: 8192)), ("header only", Array("SQLite format 3\0".utf8)),
    ("header and 255s", Array("SQLite format 3\0".utf8) + [UInt8](repeating: 255, count: 8192)),
    ("header and zeros", Array("SQLite format 3\0".utf8) + [UInt8](repeating: 0, count: 8192)),
    (
      "page size 1",
      Array("SQLite format 3\0".utf8) + [0, 1, 1, 1, 0, 64, 32, 32] + [UInt8](repeating: 0, count: 65_536)
    ),
    ("ZIP", [0x50, 0x4B, 3, 4] + [UInt8](repeating: 7, count: 5000)),
  ]

  @Test(arguments: bytes.indices)
  func aFileOfAnotherNeitherEndsNorHangsTheLog(_ index: Int) throws {
    let scratch = try Scratch()
    try scratch.write("outrider.db", Self.bytes[index].1)
    try expectUsable(scratch)
    for suffix in ["-wal", "-shm", "-journal"] {
      let scratch = try SalvageTests.filled(closed: false)
      try scratch.write("outrider.db" + suffix, Self.bytes[index].1)
      try expectUsable(scratch)
    }
  }

  @Test(arguments: 0..<12)
  func noDamageOfALogEndsTheProgram(seed: UInt64) throws {
    let scratch = try SalvageTests.filled(closed: seed.isMultiple(of: 2))
    var state = seed &+ 88_172_645_463_325_252
    func random(_ limit: Int) -> Int {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Int(state % UInt64(max(limit, 1)))
    }
    for name in scratch.files where name.hasPrefix("outrider.db") {
      var bytes = try scratch.read(name)
      guard !bytes.isEmpty else { continue }
      // The headers and the schema are hit as often as all other bytes.
      for _ in 0..<40 {
        bytes[random(2) == 0 ? random(min(bytes.count, 600)) : random(bytes.count)] = UInt8(random(256))
      }
      try scratch.write(name, bytes)
    }
    try expectUsable(scratch)
  }
}
