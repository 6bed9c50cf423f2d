import Database
import Foundation
import HTTPServer
import Quantities
import Testing
import TextSnapshots

@testable import Collector

@Suite struct FeatureTableTests {
  /// A full database stores nothing of a batch, reports it, and accepts the batch when there is space.
  @Test func aFullDatabaseLeadsTo503() throws {
    let directory = NSTemporaryDirectory() + "outrider-full-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let table = try FeatureTable(path: directory + "/collector.db")
    let endpoints = CollectorEndpoints(
      table: table, archive: try RawArchive(directory: directory + "/raw", limits: .init()), token: nil,
      now: { Timestamp(milliseconds: 0) })
    let trip = #""properties":{"type":"trip"}"#
    let long = String(repeating: "x", count: 100_000)
    let body = Array(#"{"locations":[{"a":"\#(long)",\#(trip)},{\#(trip)}]}"#.utf8)
    let request = HTTPRequest(method: "POST", path: "/dump", body: body)

    try table.connection.execute("PRAGMA max_page_count = 10")
    let refused = endpoints.answer(request)
    #expect(refused.status == 503)
    #expect(refused.headers == [.init("Retry-After", "60")])
    let text = String(decoding: refused.body, as: UTF8.self)
    #expect(text == CollectorTests.texts.expected("database full", text))
    #expect(try table.connection.firstInteger("SELECT count(*) FROM features") == 0)

    try table.connection.execute("PRAGMA max_page_count = 1000000")
    #expect(endpoints.answer(request).body == Array(#"{"result":"ok","saved":2}"#.utf8))
  }

  @Test func storedFeaturesAreDurable() throws {
    let path = NSTemporaryDirectory() + "outrider-pragma-\(UUID().uuidString).db"
    defer {
      for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }
    let table = try FeatureTable(path: path)
    #expect(try table.connection.firstRow("PRAGMA journal_mode") == [.text("wal")])
    #expect(try table.connection.firstInteger("PRAGMA synchronous") == 2)
  }
}
