import EventLoop
import HTTPServer
import Quantities
import TestSupport
import Testing

/// Responses and decisions that are given after the handler has returned.
@Suite struct PendingTests {
  private static let loopback = ListenAddress.tcp(address: "127.0.0.1", port: 0)

  @Test func aResponseIsGivenAfterTheHandlerHasReturned() throws {
    let bench = try HTTPBench()
    var waiting: [(HTTPPending<HTTPResponse>, String)] = []
    let server = try HTTPServer(loop: bench.loop, listen: Self.loopback) { request in
      let reply = HTTPPending<HTTPResponse>()
      waiting.append((reply, request.path))
      return .pending(reply)
    }
    defer { server.stop() }
    let clients = try (0..<5).map { number in
      let client = try RawHTTPClient(loop: bench.loop, port: server.port ?? 0)
      client.send(RawHTTPClient.request("POST", "/\(number)", body: Array("body".utf8)))
      return client
    }
    #expect(try bench.run { waiting.count == 5 })
    try bench.run(for: .milliseconds(20))
    #expect(clients.allSatisfy { $0.answers.isEmpty })
    for (reply, path) in waiting.reversed() {
      reply.give(HTTPResponse(contentType: "text/plain", body: Array(path.utf8)))
      reply.give(.json("{}"))
    }
    #expect(try bench.run { clients.allSatisfy { $0.answers.count == 1 } })
    for (number, client) in clients.enumerated() { #expect(client.answers.map(\.text) == ["/\(number)"]) }
  }

  @Test func aResponseThatIsGivenWithinTheHandlerIsSent() throws {
    let bench = try HTTPBench()
    let server = try HTTPServer(loop: bench.loop, listen: Self.loopback) { _ in
      let reply = HTTPPending<HTTPResponse>()
      reply.give(.json("{}", status: 202))
      return .pending(reply)
    }
    defer { server.stop() }
    #expect(try bench.ask(server.port, "GET", "/").status == 202)
  }

  @Test func requestsOnOneConnectionAreAnsweredInOrder() throws {
    let bench = try HTTPBench()
    var waiting: [HTTPPending<HTTPResponse>] = []
    var paths: [String] = []
    let server = try HTTPServer(
      loop: bench.loop, listen: Self.loopback,
      admit: { _ in
        let decision = HTTPPending<HTTPAdmission>()
        bench.loop.callNextTurn {
          decision.give(
            .read { request in
              paths.append("\(request.path) \(request.body.count)")
              let reply = HTTPPending<HTTPResponse>()
              waiting.append(reply)
              return .pending(reply)
            })
        }
        return .later(decision)
      })
    defer { server.stop() }
    let client = try RawHTTPClient(loop: bench.loop, port: server.port ?? 0)
    let long = [UInt8](repeating: 0x61, count: 20_000)
    client.send(
      RawHTTPClient.request("POST", "/1", body: long) + RawHTTPClient.request("GET", "/2")
        + RawHTTPClient.request("POST", "/3", body: [0x62]))
    for number in 1...3 {
      #expect(try bench.run { waiting.count == number })
      #expect(client.answers.count == number - 1)
      waiting.last?.give(.json("\(number)"))
      #expect(try bench.run { client.answers.count == number })
    }
    #expect(client.answers.map(\.text) == ["1", "2", "3"])
    #expect(paths == ["/1 20000", "/2 0", "/3 1"])
  }

  @Test func aValueForAClientThatIsGoneIsIgnored() throws {
    let bench = try HTTPBench()
    var replies: [HTTPPending<HTTPResponse>] = []
    var decisions: [HTTPPending<HTTPAdmission>] = []
    let server = try HTTPServer(
      loop: bench.loop, listen: Self.loopback,
      admit: { request in
        guard request.path == "/late" else {
          return .read { _ in
            let reply = HTTPPending<HTTPResponse>()
            replies.append(reply)
            return .pending(reply)
          }
        }
        let decision = HTTPPending<HTTPAdmission>()
        decisions.append(decision)
        return .later(decision)
      })
    for path in ["/", "/late"] {
      let client = try RawHTTPClient(loop: bench.loop, port: server.port ?? 0)
      client.send(RawHTTPClient.request("POST", path, body: [1, 2, 3]))
      #expect(try bench.run { replies.count + decisions.count == (path == "/" ? 1 : 2) })
      client.close()
      try bench.run(for: .milliseconds(5))
    }
    replies.first?.give(.json("{}"))
    decisions.first?.give(.answer(.json("{}")))
    #expect(try bench.run { server.connectionCount == 0 })
    replies.first?.give(.json("{}"))
    decisions.first?.give(.answer(.json("{}")))
    let last = try RawHTTPClient(loop: bench.loop, port: server.port ?? 0)
    last.send(RawHTTPClient.request("POST", "/", body: [1]) + RawHTTPClient.request("POST", "/late"))
    #expect(try bench.run { replies.count == 2 })
    server.stop()
    #expect(try bench.run { last.isClosed })
    replies.last?.give(.json("{}"))
    #expect(replies.last?.isDone == true)
  }

  @Test func aPendingResponseCannotOutlastTheTimeOfItsRequest() throws {
    let bench = try HTTPBench()
    var replies: [HTTPPending<HTTPResponse>] = []
    let server = try HTTPServer(
      loop: bench.loop, listen: Self.loopback, limits: .init(requestTime: .milliseconds(50))
    ) { _ in
      replies.append(HTTPPending())
      return .pending(replies[replies.count - 1])
    }
    defer { server.stop() }
    let client = try RawHTTPClient(loop: bench.loop, port: server.port ?? 0)
    client.send(RawHTTPClient.request("GET", "/"))
    #expect(try bench.run { client.isClosed && server.connectionCount == 0 })
    #expect(client.answers.isEmpty && replies.allSatisfy(\.isDone) && replies.count == 1)
  }

  /// The decisions on a head, with the body of the client.
  @Test(arguments: [0, 10, 100_000, 1 << 20], [false, true])
  func aRefusalByTheHeadIsAnswered(count: Int, isLate: Bool) throws {
    let bench = try HTTPBench()
    var bodies = 0
    let server = try HTTPServer(
      loop: bench.loop, listen: Self.loopback, limits: .init(body: 4 << 20),
      admit: { request in
        #expect(request.body.isEmpty && request.contentLength == (count > 0 ? count : nil))
        let answer = HTTPAdmission.answer(
          .json("{}", status: 503, headers: [.init("Retry-After", "11")]))
        guard request.authorization == nil else {
          return .read { request in
            bodies += request.body.count
            return .json("{}")
          }
        }
        guard isLate else { return answer }
        let decision = HTTPPending<HTTPAdmission>()
        bench.loop.callNextTurn { decision.give(answer) }
        return .later(decision)
      })
    defer { server.stop() }
    let body = count > 0 ? [UInt8](repeating: 0x61, count: count) : nil
    let refused = try bench.ask(server.port, "POST", "/", body: body)
    #expect(refused.status == 503 && refused.headers["retry-after"] == "11")
    #expect(
      try bench.ask(server.port, "POST", "/", headers: ["Authorization: Bearer x"], body: body).status == 200)
    #expect(bodies == count)
  }

  @Test(arguments: [false, true])
  func aClientThatExpectsContinueSendsNoBodyAfterARefusal(isAdmitted: Bool) throws {
    let bench = try HTTPBench()
    let server = try HTTPServer(
      loop: bench.loop, listen: Self.loopback, limits: .init(body: 4 << 20),
      admit: { _ in
        let decision = HTTPPending<HTTPAdmission>()
        bench.loop.callNextTurn {
          decision.give(isAdmitted ? .read { .json("\($0.body.count)") } : .answer(.json("{}", status: 429)))
        }
        return .later(decision)
      })
    defer { server.stop() }
    let client = try RawHTTPClient(loop: bench.loop, port: server.port ?? 0)
    client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
    #expect(try bench.run { !client.received.isEmpty })
    let first = String(decoding: client.received.prefix(12), as: UTF8.self)
    #expect(first == (isAdmitted ? "HTTP/1.1 100" : "HTTP/1.1 429"))
    guard isAdmitted else { return }
    client.send("abc")
    #expect(try bench.run { client.answers.first?.text == "3" })
  }

  @Test func aLongRefusedBodyIsNotRead() throws {
    let bench = try HTTPBench()
    let server = try HTTPServer(
      loop: bench.loop, listen: Self.loopback, limits: .init(body: 16 << 20),
      admit: { _ in .answer(.json("{}", status: 401)) })
    defer { server.stop() }
    let client = try RawHTTPClient(loop: bench.loop, port: server.port ?? 0)
    client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9000000\r\n\r\n")
    #expect(try bench.run { client.answers.first?.status == 401 })
    #expect(try bench.run { client.isClosed })
  }

  @Test func afterTheEndOfListeningConnectedClientsAreServed() throws {
    let bench = try HTTPBench()
    let server = try HTTPServer(loop: bench.loop, listen: Self.loopback) { _ in .json("{}") }
    let client = try RawHTTPClient(loop: bench.loop, port: server.port ?? 0)
    client.send(RawHTTPClient.request("GET", "/"))
    #expect(try bench.run { client.answers.count == 1 })
    server.stopListening()
    server.stopListening()
    let late = try RawHTTPClient(loop: bench.loop, port: server.port ?? 0)
    #expect(try bench.run { late.isClosed })
    client.send(RawHTTPClient.request("GET", "/"))
    #expect(try bench.run { client.answers.count == 2 })
    server.stop()
    #expect(try bench.run { client.isClosed })
  }

  /// More clients than the server looks at one by one.
  @Test func aHerdOfClientsIsAnsweredAndItsLossesAreNoticed() throws {
    let bench = try HTTPBench()
    var waiting: [HTTPPending<HTTPResponse>] = []
    var limits = HTTPServer.Limits(connections: 5000, headTime: .seconds(2))
    limits.connectionMemory = 8192
    let server = try HTTPServer(loop: bench.loop, listen: Self.loopback, limits: limits) { _ in
      waiting.append(HTTPPending())
      return .pending(waiting[waiting.count - 1])
    }
    defer { server.stop() }
    let count = 2000
    let clients = try (0..<count).map { number in
      let client = try RawHTTPClient(loop: bench.loop, port: server.port ?? 0)
      // One of four is gone before it is accepted, one of four sends half a head.
      if number % 4 == 1 { client.close() }
      client.send(number % 4 == 2 ? "POST / HT" : "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx")
      if number % 4 == 3 { client.close() }
      return client
    }
    #expect(try bench.run { waiting.count >= count / 4 })
    try bench.run(for: .milliseconds(50))
    let isAnswered = try bench.run {
      for reply in waiting { reply.give(.json("{}")) }
      return (0..<count).allSatisfy { $0 % 4 != 0 || clients[$0].answers.count == 1 }
    }
    #expect(isAnswered)
    #expect(try bench.run { clients.enumerated().allSatisfy { $0.offset % 4 != 2 || $0.element.isClosed } })
  }
}
