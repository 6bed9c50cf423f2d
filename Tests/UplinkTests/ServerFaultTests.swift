import Formats
import Quantities
import Records
import TestSupport
import Testing
import Uplink

/// Whatever a server does to a batch: it is sent again byte for byte until it is confirmed, nothing counts as delivered
/// before, and the message names the destination and the remedy.
@Suite struct ServerFaultTests {
  typealias Bench = DeliveryTests.Bench
  typealias Reply = ScriptedServer.Reply

  /// One way of not confirming a batch.
  struct Fault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let reply: Reply
    /// What is said of it: the remedy, and where it helps the server's own words.
    let says: [String]
    /// How many records of the batch the server has all the same.
    var keeps = 0
    var timeout = Duration.seconds(60)
    var asksFor: Duration?
    /// A 2xx, which `accept_2xx` takes for success.
    var isTaken = false

    init(_ name: String, _ reply: Reply, says: String..., change: (inout Fault) -> Void = { _ in }) {
      (testDescription, self.reply, self.says) = (name, reply, says)
      change(&self)
    }
  }

  static let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n"
  static let account = "check the token and the account"
  static let path = "check the url's path"
  static let notConfirmed = "check the url's path and the token"
  static let ended = "the connection ended before the answer was complete"
  static let between = "check the server and proxies in between"

  static let faults = [
    Fault("402, not paid", .answer(402, body: #"{"error":"unpaid"}"#), says: "status 402", account),
    Fault("403", .answer(403), says: "status 403", account),
    Fault("404", .answer(404, body: "Not Found"), says: "status 404", path),
    Fault("408", .answer(408), says: "status 408", "the server wants to be asked later"),
    Fault("410", .answer(410), says: "status 410", path),
    Fault(
      "429 that asks for an hour", .answer(429, headers: ["Retry-After: 3600"]),
      says: "status 429", "the server wants to be asked later"
    ) { $0.asksFor = .seconds(3600) },
    Fault(
      "Compass without a token", .answer(200, body: #"{"error":"no token provided"}"#),
      says: "no token provided", notConfirmed
    ) { $0.isTaken = true },
    Fault("an empty object", .answer(200, body: "{}"), says: notConfirmed) { $0.isTaken = true },
    Fault("an empty list", .answer(200, body: "[]"), says: "answer: []", notConfirmed) { $0.isTaken = true },
    Fault(
      "JSON that is cut", .answer(200, body: #"{"result":"ok","#),
      says: "an answer that is no valid JSON", "check what the server adds to its answer"
    ) { $0.isTaken = true },
    Fault(
      "Open Humans without that user", .answer(200, headers: ["Content-Type: text/plain"], body: "no user"),
      says: "answer: no user", notConfirmed
    ) { $0.isTaken = true },
    Fault("204", .answer(204), says: "status 204", "empty answer", notConfirmed) { $0.isTaken = true },
    Fault(
      "PhoneTrack stops in the middle", .answer(400, body: "[]"), says: "status 400", "check the server's log"
    ) { $0.keeps = 4 },
    Fault(
      "Compass and GeoPulse fail in the middle", .answer(500, body: "Internal Server Error"),
      says: "status 500", "check the server's log"
    ) { $0.keeps = 6 },
    Fault("reset at once", .rawThenReset(""), says: ended, between),
    Fault("reset at once, all kept", .rawThenReset(""), says: ended, between) { $0.keeps = 10 },
    Fault("reset after the head", .rawThenReset(head), says: ended, between) { $0.keeps = 10 },
    Fault("reset in mid-answer", .rawThenReset(head + #"{"resu"#), says: ended, between) { $0.keeps = 10 },
    Fault(
      "an answer that drips and is never whole",
      .drip(head + String(repeating: " ", count: 14), milliseconds: 40),
      says: "no answer within", "check the server's load, or raise the timeout"
    ) {
      $0.keeps = 10
      $0.timeout = .seconds(1)
    },
  ]

  static let faultsInAnyCase = faults.filter { !$0.isTaken }
  static let takenWhenAsked = faults.filter(\.isTaken)

  @Test(arguments: faults)
  func everythingArrivesOnceAndTheRemedyIsNamed(_ fault: Fault) throws {
    try check(fault, acceptsAnyBody: false)
  }

  @Test(arguments: faultsInAnyCase)
  func accept2xxTakesNothingElse(_ fault: Fault) throws {
    try check(fault, acceptsAnyBody: true)
  }

  /// The fault comes twice before the first batch is confirmed, and once before the second is.
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
    #expect(server.kept.count == 25, "a record came in another form")
    #expect(bench.log.acknowledged == RecordID(25))

    var bodies: [[UInt8]] = []
    for request in bench.server.requests where request.body != bodies.last { bodies.append(request.body) }
    let newest = bench.log.records.last.flatMap { OverlandFeature($0.record) }
    let expected = [0..<10, 10..<20, 20..<25].map { range in
      Array(
        OverlandBatch(bench.log.records[range]).body(current: range.upperBound < 25 ? newest : nil).joined())
    }
    #expect(bodies == expected, "each batch until it is confirmed, each time the same bytes")

    let first = try #require(bench.log.reports.first)
    #expect(first.hasPrefix("destination home: http://127.0.0.1:\(bench.server.port): "), "\(first)")
    for words in fault.says { #expect(first.contains(words), "\(first)") }
    #expect(first.hasSuffix("; the records are kept and sent again") && !first.contains("s3cret"), "\(first)")
    #expect(
      bench.log.reports.dropFirst().first == "destination home: takes records again after 2 failed attempts")
    if let asked = fault.asksFor {
      #expect(server.waits.allSatisfy { $0 <= asked && $0 > asked / 2 }, "\(server.waits)")
    }
  }

  @Test func connectionsThatAreResetBeforeTheyCarryAnythingCostNothing() throws {
    let bench = try Bench([], records: 25)
    bench.server.resetsToCome = 3
    let server = KeepingServer(bench)
    #expect(try server.serve(bench.delivery()))
    #expect(server.problems == [] && server.confirmed.count == 25 && bench.server.requests.count == 3)
    let first = try #require(bench.log.reports.first)
    #expect(first.hasPrefix("destination home: http://127.0.0.1:\(bench.server.port): "), "\(first)")
    #expect(first.contains("; check the "), "\(first)")
  }

  @Test(arguments: takenWhenAsked)
  func withAccept2xxItCountsAndTheDoubtIsSaidOnce(_ fault: Fault) throws {
    let bench = try Bench([], records: 25)
    let server = KeepingServer(bench)
    server.confirmation = fault.reply
    let delivery = bench.delivery(at: { $0.acceptsAnyBody = true })
    #expect(try server.serve(delivery))
    #expect(server.problems == [] && bench.server.requests.count == 3)
    #expect(delivery.machine.oddAnswers == 3 && bench.log.reports.count == 1)
    let said = try #require(bench.log.reports.first)
    #expect(said.hasPrefix("destination home: http://127.0.0.1:\(bench.server.port): status 20"), "\(said)")
    #expect(
      said.hasSuffix("taken for success by accept_2xx; check that the server keeps what it is sent"),
      "\(said)")
  }

  static let confirmations: [Reply] = [
    .answer(201, body: #"{"result":"ok"}"#),
    .answer(200, body: #"{"result":"ok","saved":10,"trips":0,"geocode":null}"#),
    .answer(
      202, headers: ["Content-Type: text/html"], body: #" {"geocode":{"full_name":"Köln"},"result":"ok"} "#),
    .drip("HTTP/1.1 201 Created\r\nContent-Length: 15\r\n\r\n{\"result\":\"ok\"}", milliseconds: 1),
  ]

  @Test(arguments: confirmations)
  func everyServersWayOfSayingOkCountsOnce(_ confirmation: Reply) throws {
    let bench = try Bench([], records: 25)
    let server = KeepingServer(bench)
    server.confirmation = confirmation
    #expect(try server.serve(bench.delivery()))
    #expect(server.problems == [] && bench.server.requests.count == 3 && bench.log.reports.isEmpty)
    #expect(bench.log.taken.map(\.count) == [10, 10, 5])
  }
}
