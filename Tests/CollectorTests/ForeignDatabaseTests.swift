import Database
import Foundation
import Quantities
import TestSupport
import Testing

@testable import Collector

/// A file of another program in the place of the collector's database.
@Suite struct ForeignDatabaseTests {
  static let bytes: [(String, [UInt8])] = [
    ("empty", []), ("text", Array("hello\n".utf8)), ("zeros", [UInt8](repeating: 0, count: 8192)),
    ("header and 255s", Array("SQLite format 3\0".utf8) + [UInt8](repeating: 255, count: 8192)),
    ("header only", Array("SQLite format 3\0".utf8)),
  ]
  static let schemas: [String] = [
    "CREATE TABLE location (a); CREATE TABLE device (b); CREATE TABLE raw (c)",
    "CREATE VIEW location AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id FROM n",
    "PRAGMA user_version = 1000000", "PRAGMA user_version = -1",
    "PRAGMA encoding = 'UTF-16be'; CREATE TABLE a (b)",
  ]

  private static func database(in directory: String) throws -> String {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    return directory + "/" + "collector.db"
  }

  /// Starts the collector; an error is an answer, too.
  private func tryIt(_ http: HTTPBench, _ data: String) throws {
    let collector = try? Collector(
      loop: http.loop, listen: .tcp(address: "127.0.0.1", port: 0), directory: data, token: nil,
      settings: SettingsText([]), rawDays: 7, onNotice: { _ in },
      now: { Timestamp(milliseconds: 1_772_360_102_250) })
    guard let collector else { return }
    for (method, path) in [("GET", "/status"), ("POST", "/api/input"), ("GET", "/coordinates")] {
      let body = method == "POST" ? Array(#"{"locations":[]}"#.utf8) : nil
      #expect(try http.ask(collector.port, method, path, body: body).status > 0)
    }
    collector.stop()
  }

  @Test(arguments: bytes.indices)
  func aFileOfAnotherNeitherEndsNorHangsTheCollector(_ index: Int) throws {
    let http = try HTTPBench()
    let data = http.directory + "/data"
    let file = try Self.database(in: data)
    #expect(FileManager.default.createFile(atPath: file, contents: Data(Self.bytes[index].1)))
    try tryIt(http, data)
  }

  @Test(arguments: schemas)
  func aDatabaseOfAnotherNeitherEndsNorHangsTheCollector(_ schema: String) throws {
    let http = try HTTPBench()
    let data = http.directory + "/data"
    let connection = try Connection(path: try Self.database(in: data))
    for statement in schema.split(separator: ";") { _ = try? connection.run(String(statement)) }
    try tryIt(http, data)
  }
}
