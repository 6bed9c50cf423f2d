import Formats
import Quantities
import Records
import TestSupport
import Testing
import TextSnapshots
import Uplink

/// A server that rejects single records or large batches: the other records are delivered, and the rejected ones reported.
@Suite struct RefusedContentTests {
  typealias Bench = DeliveryTests.Bench
  static let texts = TextSnapshot("uplink")

  /// The reaction of a server to a batch with a record that it rejects.
  struct Dislike: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let status: Int
    let body: String
    /// True if it stores the records before that one.
    let keepsPart: Bool
  }

  static let dislikes = [
    Dislike(testDescription: "PhoneTrack", status: 400, body: "[]", keepsPart: true),
    Dislike(testDescription: "422", status: 422, body: #"{"error":"bad record"}"#, keepsPart: false),
    Dislike(testDescription: "Dawarich", status: 500, body: "invalid date", keepsPart: false),
    Dislike(testDescription: "Compass", status: 500, body: "undefined index geometry", keepsPart: true),
  ]

  @Test(arguments: dislikes)
  func theRecordIsSetAsideOrHeldAndTheOthersAreDeliveredOnce(_ dislike: Dislike) throws {
    let bench = try Bench([], records: 40)
    let server = KeepingServer(bench)
    let poison = [7, 8, 23].map { #""coordinates":[13.3,52.50000\#($0 < 10 ? "0\($0)" : "\($0)")]"# }
    server.decide = { _, pieces in
      let index = pieces.firstIndex { piece in poison.contains { piece.contains($0) } }
      guard let index else { return .confirm }
      return .refuse(
        .answer(dislike.status, body: dislike.body), keeping: dislike.keepsPart ? index : 0)
    }
    #expect(try server.serve(bench.delivery()))
    #expect(server.problems == [])
    #expect(server.confirmed.count == 37 && server.confirmed.values.allSatisfy { $0 == 1 })
    #expect(server.kept.count == 37 && bench.log.acknowledged == RecordID(40))
    let refused = [RecordID(7), RecordID(8), RecordID(23)]
    guard dislike.status != 500 else {
      // The server may be the cause: hours pass until a record is set aside.
      #expect(bench.log.setAside.isEmpty && bench.log.held.keys.sorted() == refused)
      return
    }
    #expect(bench.log.setAside.map(\.record) == refused)
    for (record, reported) in bench.log.setAside {
      #expect(bench.log.reports.contains(reported))
      let message = bench.stable(reported)
      #expect(
        message
          == Self.texts.expected("record \(record.rawValue) set aside, \(dislike.testDescription)", message))
    }
  }

  @Test func aServerWithASmallLimitGetsSmallBatches() throws {
    let bench = try Bench([], records: 25)
    let server = KeepingServer(bench)
    server.decide = { _, pieces in pieces.count > 4 ? .refuse(.answer(413)) : .confirm }
    #expect(try server.serve(bench.delivery()))
    #expect(server.problems == [] && server.confirmed.count == 25)
    #expect(server.confirmed.values.allSatisfy { $0 == 1 })
    let counts = bench.server.requests.map { KeepingServer.pieces(of: $0).count }
    #expect(counts.prefix(3) == [10, 5, 2] && counts.dropFirst(2).allSatisfy { $0 <= 2 })
    let first = try #require(bench.log.reports.first)
    let message = bench.stable(first)
    #expect(message == Self.texts.expected("413", message))
    #expect(bench.log.setAside.isEmpty)
  }

  /// The server repeats the records before its result, which exceeds the limit of a response.
  @Test func aServerWithLongResponsesGetsSmallBatches() throws {
    let bench = try Bench([], records: 25)
    let server = KeepingServer(bench)
    let echo = String(repeating: "x", count: 300 << 10)
    server.decide = { _, pieces in
      guard pieces.count > 4 else { return .confirm }
      return .refuse(.answer(200, body: #"{"locations":["\#(echo)"],"result":"ok"}"#), keeping: pieces.count)
    }
    #expect(try server.serve(bench.delivery()))
    #expect(server.problems == [] && server.confirmed.count == 25)
    let counts = bench.server.requests.map { KeepingServer.pieces(of: $0).count }
    #expect(counts.prefix(3) == [10, 5, 2] && counts.dropFirst(2).allSatisfy { $0 <= 2 })
    let first = try #require(bench.log.reports.first)
    let message = bench.stable(first)
    #expect(message == Self.texts.expected("response too large", message))
  }

  // MARK: Traccar

  private static func traccar(_ bench: Bench) -> Delivery {
    bench.delivery(
      to: bench.server.url("/"),
      at: {
        $0.form = .query(isPost: false, speedUnit: .knots)
        $0.credentials = .none
      }
    ) {
      $0.batchSize = 1
      $0.largestRequest = 1
      $0.pacing = .whenDue
    }
  }

  @Test func traccarGetsAllRecordsOnceItKnowsTheDevice() throws {
    let bench = try Bench([], records: 12)
    let server = KeepingServer(bench)
    server.confirmation = .answer(200)
    server.decide = { number, _ in number < 60 ? .refuse(.answer(400, body: "Unknown device")) : .confirm }
    #expect(try server.serve(Self.traccar(bench)))
    #expect(server.problems == [])
    #expect(server.confirmed.count == 12 && server.confirmed.values.allSatisfy { $0 == 1 })
    #expect(bench.log.setAside.isEmpty, "the fault was the server's")
    let first = try #require(bench.log.reports.first)
    let message = bench.stable(first)
    #expect(message == Self.texts.expected("Traccar without the device", message))
    let last = try #require(bench.log.reports.last)
    #expect(last == Self.texts.expected("delivery recovered after 59 attempts", last))
  }

  @Test func aRecordRejectedByTraccarLosesNoOther() throws {
    let bench = try Bench([], records: 12)
    let server = KeepingServer(bench)
    server.confirmation = .answer(200)
    server.decide = { _, pieces in
      pieces.first?.contains("lat=52.5000005&") == true ? .refuse(.answer(400)) : .confirm
    }
    #expect(try server.serve(Self.traccar(bench)))
    #expect(server.problems == [])
    #expect(server.confirmed.count == 11 && server.confirmed.values.allSatisfy { $0 == 1 })
    #expect(bench.log.setAside.map(\.record) == [RecordID(5)])
    let message = bench.stable(try #require(bench.log.setAside.first).message)
    #expect(message == Self.texts.expected("record 5 set aside, Traccar", message))
  }
}
