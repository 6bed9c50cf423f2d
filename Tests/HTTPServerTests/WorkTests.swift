import EventLoop
import HTTPServer
import TestSupport
import Testing

/// Responses that are made in the turn of their connection.
@Suite struct WorkTests {
  @Test func eachTurnOfTheLoopMakesOneResponse() throws {
    let bench = try HTTPBench()
    var turns: [UInt64] = []
    let server = try HTTPServer(loop: bench.loop, listen: .tcp(address: "127.0.0.1", port: 0)) { request in
      .later(
        HTTPWork {
          turns.append(bench.loop.turn)
          return HTTPResponse(status: 201, contentType: "text/plain", body: Array(request.path.utf8))
        })
    }
    defer { server.stop() }
    let clients = try (0..<12).map { number in
      let client = try RawHTTPClient(loop: bench.loop, port: server.port ?? 0)
      client.send(
        RawHTTPClient.request("GET", "/\(number)") + RawHTTPClient.request("GET", "/\(number)/again"))
      return client
    }
    #expect(try bench.run { clients.allSatisfy { $0.answers.count == 2 } })
    for (number, client) in clients.enumerated() {
      #expect(client.answers.map(\.text) == ["/\(number)", "/\(number)/again"])
      #expect(client.answers.allSatisfy { $0.status == 201 })
    }
    #expect(turns.count == 24 && Set(turns).count == 24, "two responses in one turn")
  }

  @Test func workOfAClientThatIsGoneIsHarmless() throws {
    let bench = try HTTPBench()
    let server = try HTTPServer(loop: bench.loop, listen: .tcp(address: "127.0.0.1", port: 0)) { _ in
      .later(HTTPWork { .json("{}") })
    }
    for _ in 0..<3 {
      let clients = try (0..<8).map { _ in try RawHTTPClient(loop: bench.loop, port: server.port ?? 0) }
      for client in clients { client.send(RawHTTPClient.request("GET", "/")) }
      _ = try bench.run(for: .milliseconds(1)) { false }
      for client in clients.dropFirst() { client.close() }
      #expect(try bench.run { clients[0].answers.count == 1 })
    }
    let last = try RawHTTPClient(loop: bench.loop, port: server.port ?? 0)
    last.send(RawHTTPClient.request("GET", "/"))
    server.stop()
    #expect(try bench.run { last.isClosed })
  }
}
