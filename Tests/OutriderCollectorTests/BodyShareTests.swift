import FleetRecords
import HTTPServer
import Quantities
import TestSupport
import Testing

@testable import outrider_collector

/// One token never takes the memory of all, and a fault in a part of a body costs that part only.
@Suite(.serialized) struct BodyShareTests {
  private static func head(_ token: String, length: Int) -> String {
    "POST / HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer \(token)\r\nContent-Length: \(length)\r\n\r\n"
  }

  private static let largest = 30 << 20

  @Test func aDeviceHasTwoBodiesInProgress() throws {
    let bench = try IngestBench()
    let part = [UInt8](repeating: 0x20, count: 1 << 20)
    let open = try (0..<2).map { _ in
      let client = try bench.client()
      client.send(Array(Self.head("good", length: Self.largest).utf8) + part)
      return client
    }
    try bench.http.run(for: .milliseconds(300))
    let third = try bench.ask(body: IngestBench.body(1...1))
    #expect(third.status == 429 && (10...120).contains(Int(third.headers["retry-after"] ?? "") ?? 0))
    #expect(try bench.ask(token: "other", body: IngestBench.body(1...1)).status == 200)
    #expect(try bench.ask("GET", "/status").status == 200)
    // A connection that is cut gives its share back.
    open[0].close(reset: true)
    #expect(try bench.http.run { bench.server.connectionCount == 1 })
    #expect(try bench.ask(body: IngestBench.body(1...1)).status == 200)
    #expect(try bench.ask(body: IngestBench.body(1...1)).status == 200)
  }

  @Test func anAnsweredRequestGivesItsShareBack() throws {
    let bench = try IngestBench { $0.rates.requests = 1000 }
    let client = try bench.client()
    for number in 1...20 {
      client.send(IngestBench.request(number % 2 == 0 ? [] : IngestBench.body(1...number)))
      #expect(try bench.http.run { client.answers.count == number })
    }
    #expect(client.answers.allSatisfy { $0.status != 429 })
  }

  /// The devices of an enrolment token share the bytes of one body of the greatest size.
  @Test func theBodiesOfAnEnrolmentTokenShareTheirBytes() throws {
    let bench = try IngestBench()
    let first = try bench.client()
    first.send(Self.head("enrol", length: Self.largest))
    try bench.http.run(for: .milliseconds(200))
    #expect(try bench.ask(token: "enrol", body: IngestBench.body(1...1)).status == 200)
    let second = try bench.client()
    second.send(Self.head("enrol", length: Self.largest) + "  ")
    #expect(try bench.http.run { second.answers.first?.status == 429 })
    #expect(try Self.chunked(bench) == 429)
    first.close(reset: true)
    #expect(try bench.http.run { bench.server.connectionCount == 0 })
    // A body of unknown length may be as long as the longest.
    #expect(try Self.chunked(bench) == 422)
  }

  /// The status of a request of an enrolment token without Content-Length.
  private static func chunked(_ bench: IngestBench) throws -> Int? {
    let client = try bench.client()
    client.send(
      "POST / HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer enrol\r\nTransfer-Encoding: chunked\r\n"
        + "Connection: close\r\n\r\n1\r\n \r\n0\r\n\r\n")
    _ = try bench.http.run { client.isClosed }
    return client.answers.first?.status
  }

  @Test func aFaultyReportIsNamedInTheAnswer() throws {
    let bench = try IngestBench()
    let answer = try bench.ask(body: Array(#"{"locations":[],"report":[]}"#.utf8))
    #expect(
      answer.status == 200
        && answer.text
          == #"{"result":"ok","saved":0,"known":0,"report_error":"report: expected an object at byte 25"}"#
    )
  }

  @Test func theAnswersToDamagedGzip() throws {
    let bench = try IngestBench()
    let packed = try #require(Gzip.pack(IngestBench.body(1...1)))
    let coding = ["Content-Encoding: gzip"]
    #expect(try bench.ask(headers: coding, body: packed + [1]).status == 400)
    #expect(try bench.ask(headers: coding, body: packed + packed).status == 422)
    #expect(try bench.ask(headers: coding, body: packed + (Gzip.pack([0x20]) ?? [])).status == 200)
  }

  @Test func aRecordWithTooMuchIsRejectedByItsNumber() throws {
    let bench = try IngestBench()
    let body = String(decoding: IngestBench.body(7...7), as: UTF8.self)
    let extra = (0...2000).map { #""a\#($0)":1,"# }.joined()
    let faulty = body.split(separator: #""speed""#, omittingEmptySubsequences: false).joined(
      separator: extra + #""speed""#)
    let answer = try bench.ask(body: Array(faulty.utf8))
    #expect(answer.status == 422 && answer.text.hasSuffix(#","record":7}"#), "\(answer.text)")
  }

  @Test func aBodyWithTooMuchIsToBeSplit() throws {
    let bench = try IngestBench()
    let text = String(repeating: "x", count: 60_000)
    let features = (0..<150).map { _ in
      #"{"geometry":{"type":"Point","coordinates":[1,2]},"properties":{"#
        + #""timestamp":"2026-03-01T10:15:02Z","x":"\#(text)"}}"#
    }
    let answer = try bench.ask(body: Array(#"{"locations":[\#(features.joined(separator: ","))]}"#.utf8))
    #expect(answer.status == 413)
  }
}
