import FleetRecords
import HTTPServer
import Quantities
import TestSupport
import Testing

@testable import outrider_collector

/// Many clients, slow clients and clients that are gone.
@Suite(.serialized) struct IngestLoadTests {
  @Test func requestsOnOneConnectionAreAnsweredInOrder() throws {
    let bench = try IngestBench()
    let client = try bench.client()
    for number in 1...5 { client.send(IngestBench.request(IngestBench.body(1...number))) }
    #expect(try bench.http.run { client.answers.count == 5 })
    #expect(
      client.answers.map(\.text)
        == (1...5).map {
          #"{"result":"ok","saved":1,"known":\#($0 - 1),"have":\#($0)}"#
        })
  }

  @Test func whatAClientSentThatIsGoneIsStoredOnceItRepeats() throws {
    let bench = try IngestBench()
    bench.store.isHeld = true
    let client = try bench.client()
    client.send(IngestBench.request(IngestBench.body(1...3)))
    #expect(try bench.http.run { bench.store.pendingBytes > 0 })
    client.close()
    try bench.http.run(for: .milliseconds(5))
    bench.store.commit()
    #expect(try bench.http.run { bench.server.connectionCount == 0 })
    bench.store.isHeld = false
    #expect(
      try bench.ask(body: IngestBench.body(1...3)).text == #"{"result":"ok","saved":0,"known":3,"have":3}"#)
  }

  @Test func aHerdIsAnsweredWhole() throws {
    let bench = try IngestBench {
      $0.rates.requests = 1_000_000
      $0.requestsOfDevice = 1_000_000
    }
    let count = 2000
    let body = IngestBench.body(1...20)
    let clients = try (0..<count).map { _ in
      let client = try bench.client()
      client.send(IngestBench.request(body))
      return client
    }
    func runUntilAnswered(_ answers: Int) throws -> Bool {
      // Those that were found answered are not looked at again.
      var answered = 0
      return try bench.http.run(for: .seconds(60)) {
        while answered < count, clients[answered].answers.count == answers { answered += 1 }
        return answered == count
      }
    }
    #expect(try runUntilAnswered(1))
    #expect(clients.allSatisfy { $0.answers.first?.status == 200 })
    for client in clients { client.send(IngestBench.request(body)) }
    #expect(try runUntilAnswered(2))
    #expect(bench.store.rowCount == 20 && bench.store.committed == 2 * count)
  }

  @Test func aSlowBodyDoesNotDelayOthers() throws {
    let bench = try IngestBench()
    let body = IngestBench.body(1...200)
    let request = IngestBench.request(body)
    let slow = try bench.client()
    slow.send(Array(request[..<1000]))
    for number in 1...3 { #expect(try bench.ask(body: IngestBench.body(1...number)).status == 200) }
    var sent = 1000
    while sent < request.count {
      let end = min(sent + 7000, request.count)
      slow.send(Array(request[sent..<end]))
      sent = end
      try bench.http.run(for: .milliseconds(1))
    }
    #expect(try bench.http.run { slow.answers.first?.status == 200 })
    #expect(bench.store.rowCount == 200)
  }

  @Test func bodiesInProgressAreBounded() throws {
    let bench = try IngestBench {
      // Half of it is for bodies: as many as the largest body needs.
      $0.memory = 64 << 20
    }
    let part = [UInt8](repeating: 0x20, count: 20 << 20)
    let head =
      "POST / HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer good\r\nContent-Length: \(30 << 20)\r\n\r\n"
    let first = try bench.client()
    first.send(Array(head.utf8) + part)
    #expect(try bench.http.run { first.hasSentAll })
    // Each request takes a turn of the loop at least, and each turn reads what the kernel holds of the first body.
    for _ in 0..<64 { _ = try bench.ask("GET", "/healthz", token: nil) }
    let second = try bench.client()
    second.send(Array(head.utf8) + part + Array(part.prefix(10 << 20)))
    #expect(try bench.http.run { second.answers.first?.status == 503 })
    #expect((10...120).contains(Int(second.answers.first?.headers["retry-after"] ?? "") ?? 0))
    first.send([UInt8](repeating: 0x20, count: 10 << 20))
    #expect(try bench.http.run { first.answers.first?.status == 422 })
  }

  @Test func aStopAnswersOpenRequestsAndTurnsNewOnesAway() throws {
    let bench = try IngestBench {
      $0.rates.requests = 1000
      $0.requestsOfDevice = 1000
    }
    bench.store.isHeld = true
    let clients = try (0..<200).map { number in
      let client = try bench.client()
      client.send(IngestBench.request(IngestBench.body(number * 10 + 1...number * 10 + 10)))
      return client
    }
    let idle = try bench.client()
    idle.send("GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n")
    #expect(try bench.http.run { bench.store.pendingBytes == 200_000 && idle.answers.count == 1 })
    var isStopped = false
    bench.server.stop { isStopped = true }
    let late = try bench.client()
    #expect(try bench.http.run { late.isClosed })
    idle.send(IngestBench.request(IngestBench.body(1...1)))
    #expect(try bench.http.run { idle.answers.count == 2 && idle.isClosed })
    #expect(idle.answers.last?.status == 503 && !isStopped)
    bench.store.commit()
    #expect(try bench.http.run { isStopped && clients.allSatisfy(\.isClosed) })
    #expect(clients.allSatisfy { $0.answers.map(\.status) == [200] })
    #expect(bench.store.rowCount == 2000)
  }

  @Test func aStopWithoutRequestsIsImmediate() throws {
    let bench = try IngestBench()
    var isStopped = false
    bench.server.stop { isStopped = true }
    #expect(try bench.http.run { isStopped })
    #expect(bench.server.address == nil)
  }
}
