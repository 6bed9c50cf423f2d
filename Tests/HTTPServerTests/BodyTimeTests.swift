import HTTPServer
import Quantities
import TestSupport
import Testing

/// The time that a client has for a body, and the length that it declares.
@Suite struct BodyTimeTests {
  private func server(_ bench: HTTPBench, portionTime: Duration) throws -> HTTPServer {
    var limits = HTTPServer.Limits(body: 1 << 20)
    limits.bodyPortionTime = portionTime
    return try HTTPServer(loop: bench.loop, listen: .tcp(address: "127.0.0.1", port: 0), limits: limits) {
      .json("\($0.body.count)")
    }
  }

  private static let head = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n"

  @Test func aBodyWithoutProgressIsCut() throws {
    let bench = try HTTPBench()
    let server = try server(bench, portionTime: .milliseconds(300))
    for body in ["", String(repeating: "x", count: 70_000)] {
      let client = try RawHTTPClient(loop: bench.loop, port: server.port ?? 0)
      client.send(Self.head + body)
      #expect(try bench.run(for: .seconds(5)) { client.isClosed })
    }
    #expect(try bench.run { server.connectionCount == 0 })
  }

  @Test func aDripIsNoProgress() throws {
    let bench = try HTTPBench()
    let server = try server(bench, portionTime: .milliseconds(300))
    let client = try RawHTTPClient(loop: bench.loop, port: server.port ?? 0)
    client.send(Self.head)
    let drip = bench.loop.addTimer("drip") { _ in client.send("x") }
    let isCut = try bench.run(for: .seconds(5)) {
      if !drip.isArmed { drip.arm(at: bench.loop.now + .milliseconds(20)) }
      return client.isClosed
    }
    #expect(isCut)
  }

  @Test func aBodyInPortionsIsRead() throws {
    let bench = try HTTPBench()
    let server = try server(bench, portionTime: .milliseconds(1500))
    let client = try RawHTTPClient(loop: bench.loop, port: server.port ?? 0)
    client.send(Self.head)
    for _ in 0..<5 {
      client.send(String(repeating: "x", count: 20_000))
      try bench.run(for: .milliseconds(500))
    }
    #expect(try bench.run { client.answers.first?.text == "100000" })
    // The time between two requests is another limit.
    try bench.run(for: .milliseconds(2000))
    client.send(RawHTTPClient.request("POST", "/", body: [1]))
    #expect(try bench.run { client.answers.count == 2 })
  }

  @Test func aPendingDecisionIsNotTheClientsTime() throws {
    let bench = try HTTPBench()
    let decision = HTTPPending<HTTPAdmission>()
    var limits = HTTPServer.Limits(body: 1 << 20)
    limits.bodyPortionTime = .milliseconds(100)
    let server = try HTTPServer(
      loop: bench.loop, listen: .tcp(address: "127.0.0.1", port: 0), limits: limits,
      admit: { _ in .later(decision) })
    let client = try RawHTTPClient(loop: bench.loop, port: server.port ?? 0)
    client.send(RawHTTPClient.request("POST", "/", body: [1, 2]))
    try bench.run(for: .milliseconds(300))
    let reply = HTTPPending<HTTPResponse>()
    decision.give(.read { _ in .pending(reply) })
    try bench.run(for: .milliseconds(300))
    reply.give(.json("1"))
    #expect(try bench.run { client.answers.first?.text == "1" })
  }

  @Test func differentLengthsAreRejected() throws {
    let bench = try HTTPBench()
    let server = try server(bench, portionTime: .seconds(10))
    for (lines, status) in [
      ("Content-Length: 2\r\nContent-Length: 3\r\n", 400),
      ("Content-Length: 3\r\ncontent-length: 2\r\n", 400), ("Content-Length: 2\r\n", 200),
    ] {
      let client = try RawHTTPClient(loop: bench.loop, port: server.port ?? 0)
      client.send("POST / HTTP/1.1\r\nHost: h\r\n\(lines)\r\nab")
      #expect(try bench.run { client.answers.first?.status == status || client.isClosed }, "\(lines)")
      #expect(client.answers.first?.status == status, "\(lines)")
    }
  }
}
