import Formats
import Quantities
import Records
import TestSupport
import Testing
import TextSnapshots
import Uplink

/// Faults of a server: the batch is sent again byte for byte until it is confirmed, nothing counts as delivered before,
/// and the message contains the destination and the remedy.
@Suite struct ServerFaultTests {
  typealias Bench = DeliveryTests.Bench
  typealias Reply = ScriptedServer.Reply

  /// One way of not confirming a batch.
  struct Fault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let reply: Reply
    /// The number of records of the batch that the server has stored nevertheless.
    var keeps = 0
    var timeout = Duration.seconds(60)
    var asksFor: Duration?
    /// True for a 2xx, which `accept_2xx` accepts.
    var isTaken = false

    init(_ name: String, _ reply: Reply, change: (inout Fault) -> Void = { _ in }) {
      (testDescription, self.reply) = (name, reply)
      change(&self)
    }
  }

  static let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n"
  static let texts = TextSnapshot("uplink")

  static let faults = [
    Fault("402, not paid", .answer(402, body: #"{"error":"unpaid"}"#)),
    Fault("403", .answer(403)),
    Fault("404", .answer(404, body: "Not Found")),
    Fault("408", .answer(408)),
    Fault("410", .answer(410)),
    Fault("429 with Retry-After of an hour", .answer(429, headers: ["Retry-After: 3600"])) {
      $0.asksFor = .seconds(3600)
    },
    Fault("Compass without a token", .answer(200, body: #"{"error":"no token provided"}"#)) {
      $0.isTaken = true
    },
    Fault("an empty object", .answer(200, body: "{}")) { $0.isTaken = true },
    Fault("an empty list", .answer(200, body: "[]")) { $0.isTaken = true },
    Fault("truncated JSON", .answer(200, body: #"{"result":"ok","#)) { $0.isTaken = true },
    Fault(
      "Open Humans without that user", .answer(200, headers: ["Content-Type: text/plain"], body: "no user")
    ) { $0.isTaken = true },
    Fault("204", .answer(204)) { $0.isTaken = true },
    Fault("PhoneTrack stops in the middle", .answer(400, body: "[]")) { $0.keeps = 4 },
    Fault("Compass and GeoPulse fail in the middle", .answer(500, body: "Internal Server Error")) {
      $0.keeps = 6
    },
    Fault("reset immediately", .rawThenReset("")),
    Fault("reset immediately, all stored", .rawThenReset("")) { $0.keeps = 10 },
    Fault("reset after the head", .rawThenReset(head)) { $0.keeps = 10 },
    Fault("reset within the response", .rawThenReset(head + #"{"resu"#)) { $0.keeps = 10 },
    Fault(
      "a slow response that is never complete",
      .drip(head + String(repeating: " ", count: 14), milliseconds: 40)
    ) {
      $0.keeps = 10
      $0.timeout = .seconds(1)
    },
  ]

  static let faultsInAnyCase = faults.filter { !$0.isTaken }
  static let takenWhenAsked = faults.filter(\.isTaken)

  @Test(arguments: faults)
  func everyRecordIsDeliveredOnceAndTheRemedyIsReported(_ fault: Fault) throws {
    try check(fault, acceptsAnyBody: false)
  }

  @Test(arguments: faultsInAnyCase)
  func accept2xxAcceptsNoOtherStatus(_ fault: Fault) throws {
    try check(fault, acceptsAnyBody: true)
  }

  /// Checks a fault that occurs twice before the first batch is confirmed, and once before the second.
  private func check(_ fault: Fault, acceptsAnyBody: Bool) throws {
    let bench = try Bench([], records: 25)
    let server = KeepingServer(bench)
    server.decide = { number, _ in
      [1, 2, 4].contains(number) ? .refuse(fault.reply, keeping: fault.keeps) : .confirm
    }
    let delivery = bench.delivery(at: { $0.acceptsAnyBody = acceptsAnyBody }) { $0.timeout = fault.timeout }
    #expect(try server.serve(delivery))
    #expect(server.problems == [])
    #expect(server.confirmed.count == 25 && server.confirmed.values.allSatisfy { $0 == 1 })
    #expect(server.kept.count == 25, "a record has changed between attempts")
    #expect(bench.log.acknowledged == RecordID(25))

    var bodies: [[UInt8]] = []
    for request in bench.server.requests where request.body != bodies.last { bodies.append(request.body) }
    let newest = bench.log.records.last.flatMap { OverlandFeature($0.record) }
    let expected = [0..<10, 10..<20, 20..<25].map { range in
      Array(
        OverlandBatch(bench.log.records[range]).body(current: range.upperBound < 25 ? newest : nil).joined())
    }
    #expect(bodies == expected, "every attempt of a batch sends the same bytes")

    let first = try #require(bench.log.reports.first)
    #expect(first.hasPrefix("upload home: http://127.0.0.1:\(bench.server.port): "), "\(first)")
    #expect(!first.contains("s3cret"), "\(first)")
    let message = bench.stable(first)
    #expect(message == Self.texts.expected("fault: \(fault.testDescription)", message))
    let second = try #require(bench.log.reports.dropFirst().first)
    #expect(second == Self.texts.expected("delivery recovered after two attempts", second))
    if let asked = fault.asksFor {
      #expect(server.waits.allSatisfy { $0 <= asked && $0 > asked / 2 }, "\(server.waits)")
    }
  }

  @Test func connectionsResetBeforeARequestLoseNothing() throws {
    let bench = try Bench([], records: 25)
    bench.server.resetsToCome = 3
    let server = KeepingServer(bench)
    #expect(try server.serve(bench.delivery()))
    #expect(server.problems == [] && server.confirmed.count == 25 && bench.server.requests.count == 3)
    let first = try #require(bench.log.reports.first)
    #expect(first.hasPrefix("upload home: http://127.0.0.1:\(bench.server.port): "), "\(first)")
    #expect(first.contains("; check the "), "\(first)")
  }

  @Test(arguments: takenWhenAsked)
  func accept2xxAcceptsAnyBodyAndWarnsOnce(_ fault: Fault) throws {
    let bench = try Bench([], records: 25)
    let server = KeepingServer(bench)
    server.confirmation = fault.reply
    let delivery = bench.delivery(at: { $0.acceptsAnyBody = true })
    #expect(try server.serve(delivery))
    #expect(server.problems == [] && bench.server.requests.count == 3)
    #expect(delivery.machine.unconfirmedResponses == 3 && bench.log.reports.count == 1)
    let reported = try #require(bench.log.reports.first)
    let message = bench.stable(reported)
    #expect(message == Self.texts.expected("accept_2xx: \(fault.testDescription)", message))
  }

  static let confirmations: [Reply] = [
    .answer(201, body: #"{"result":"ok"}"#),
    .answer(200, body: #"{"result":"ok","saved":10,"trips":0,"geocode":null}"#),
    .answer(
      202, headers: ["Content-Type: text/html"], body: #" {"geocode":{"full_name":"Köln"},"result":"ok"} "#),
    .drip("HTTP/1.1 201 Created\r\nContent-Length: 15\r\n\r\n{\"result\":\"ok\"}", milliseconds: 1),
  ]

  @Test(arguments: confirmations)
  func everyServersConfirmationIsAccepted(_ confirmation: Reply) throws {
    let bench = try Bench([], records: 25)
    let server = KeepingServer(bench)
    server.confirmation = confirmation
    #expect(try server.serve(bench.delivery()))
    #expect(server.problems == [] && bench.server.requests.count == 3 && bench.log.reports.isEmpty)
    #expect(bench.log.taken.map(\.count) == [10, 10, 5])
  }
}
