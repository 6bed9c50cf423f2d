import Foundation
import Quantities
import Records
import Store
import TestSupport
import Testing
@testable import Daemon

/// A history request that reads damaged pages is aborted, and the running logger salvages its log.
@Suite struct HistoryDamageTests {
  /// Flips 8 KiB in the middle of the log, which only a history request reads.
  private static func flip(_ path: String) throws {
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    defer { try? file.close() }
    let start = try file.seekToEnd() / 2 / 1024 * 1024
    try file.seek(toOffset: start)
    let bytes = try #require(try file.read(upToCount: 8192))
    try file.seek(toOffset: start)
    try file.write(contentsOf: bytes.map { $0 ^ 0xFF })
  }

  @Test(arguments: ["/coordinates", "/events", "/track"])
  func damageNeverEndsAResponseAsIfItWereComplete(target: String) throws {
    let running = try LocalAPITests.logger(locations: 5000)
    defer { running.logger.stop() }
    let database = running.bench.directory + "/log/outrider.db"
    #expect(try running.bench.run { running.logger.supervision.isReady })
    try Self.flip(database)
    let client = try RawHTTPClient(loop: running.bench.loop, port: running.port)
    client.send("GET \(target) HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer sesame\r\n\r\n")
    #expect(
      try running.bench.run { client.isClosed }, "the connection would stay open after a complete response")
    let text = String(decoding: client.received, as: UTF8.self)
    #expect(text.hasPrefix("HTTP/1.1 200") || text.hasPrefix("HTTP/1.1 503"))
    #expect(!text.hasSuffix("}\n") && !text.hasSuffix("0\r\n\r\n"), "\(text.suffix(100))")
    // The logger salvages the log without a restart. A page of 1 kB holds fewer than 20 of these records.
    let aside = database + ".damaged-1"
    #expect(
      try running.bench.run {
        FileManager.default.fileExists(atPath: aside)
          && (try? LogReader(directory: running.bench.directory + "/log")
            .records(after: .zero, limit: 10_000).count) ?? 0 > 4840
      })
    let again = try running.bench.ask(
      running.port, "GET", "/status", headers: ["Authorization: Bearer sesame"])
    #expect(again.status == 200)
    let client2 = try RawHTTPClient(loop: running.bench.loop, port: running.port)
    client2.send("GET \(target) HTTP/1.0\r\nHost: h\r\nAuthorization: Bearer sesame\r\n\r\n")
    #expect(try running.bench.run { client2.isClosed })
    let body =
      String(decoding: client2.received, as: UTF8.self).components(separatedBy: "\r\n\r\n").last ?? ""
    #expect(try JSONSerialization.jsonObject(with: Data(body.utf8)) is [String: Any])
    if target == "/events" { #expect(body.contains("log_salvaged")) }
  }
}
