import EventLoop
import Foundation
import HTTPServer
import Quantities
import TestSupport
import Testing

/// Responses that last as long as their client, such as a stream of events.
@Suite struct LastingResponseTests {
  /// The messages of one server to all its clients.
  private final class Source {
    private final class Client {
      var waiting: [String] = []
      var isOver = false
      unowned let source: Source

      init(_ source: Source) { self.source = source }

      deinit { source.ended += 1 }
    }

    private struct Fault: Error {}

    private var open: [(client: () -> Client?, slices: () -> HTTPSlices?)] = []
    var sent = 0
    var ended = 0
    var fails = false

    func response() -> HTTPResponse {
      let client = Client(self)
      let slices = HTTPSlices(lasting: { [unowned self] in
        guard !client.waiting.isEmpty else { return client.isOver ? .ends : .waits }
        if fails { throw Fault() }
        sent += 1
        return .bytes(Array(client.waiting.removeFirst().utf8))
      })
      open.append(({ [weak client] in client }, { [weak slices] in slices }))
      var answer = HTTPResponse(contentType: "text/plain", body: Array("begin;".utf8))
      answer.slices = slices
      return answer
    }

    func publish(_ text: String, isLast: Bool = false) {
      for (client, slices) in open {
        client()?.waiting.append(text)
        client()?.isOver = isLast
        slices()?.resume()
      }
    }
  }

  private let bench: HTTPBench
  private let source = Source()

  init() throws { bench = try HTTPBench() }

  private func server(_ limits: HTTPServer.Limits = .init()) throws -> HTTPServer {
    try HTTPServer(loop: bench.loop, listen: .tcp(address: "127.0.0.1", port: 0), limits: limits) {
      [source] request in request.path == "/quick" ? .json("{}") : source.response()
    }
  }

  private func clients(_ count: Int, of server: HTTPServer) throws -> [RawHTTPClient] {
    let clients = try (0..<count).map { _ in try RawHTTPClient(loop: bench.loop, port: server.port ?? 0) }
    for client in clients { client.send(RawHTTPClient.request("GET", "/")) }
    #expect(try bench.run { clients.allSatisfy { Self.text($0).contains("begin;") } })
    return clients
  }

  private static func text(_ client: RawHTTPClient) -> String {
    String(decoding: client.received, as: UTF8.self)
  }

  @Test func everyClientGetsEveryMessageInOrderAndNoDeadlineIsSetMeanwhile() throws {
    let server = try server()
    let clients = try clients(4, of: server)
    for number in 1...20 {
      source.publish("m\(number);")
      #expect(try bench.run { clients.allSatisfy { Self.text($0).contains("m\(number);") } })
      #expect(try bench.run { !server.hasDeadline }, "a client that waits causes no wake-up")
    }
    for client in clients {
      let numbers = Self.text(client).split(separator: "m").dropFirst().compactMap {
        Int($0.prefix { $0.isNumber })
      }
      #expect(Array(numbers.suffix(20)) == Array(1...20))
    }
  }

  @Test func messagesOfOneTurnAreSentTogetherWithoutAnotherEvent() throws {
    let server = try server()
    let client = try clients(1, of: server)[0]
    for number in 1...50 { source.publish("m\(number);") }
    #expect(try bench.run { Self.text(client).contains("m50;") })
    #expect(source.sent == 50)
  }

  @Test(arguments: [false, true]) func aClientThatCloses(byReset isReset: Bool) throws {
    let server = try server()
    let clients = try clients(2, of: server)
    clients[0].close(reset: isReset)
    #expect(try bench.run { source.ended == 1 && server.connectionCount == 1 }, "noticed without a message")
    source.publish("still here;")
    #expect(try bench.run { Self.text(clients[1]).contains("still here;") })
  }

  @Test func theServerMayStopWhileClientsWait() throws {
    let server = try server()
    let clients = try clients(3, of: server)
    server.stop()
    #expect(try bench.run { clients.allSatisfy(\.isClosed) })
    #expect(source.ended == 3 && !server.hasDeadline)
  }

  @Test func aBodyMayEndAndTheConnectionServesTheNextRequest() throws {
    let server = try server()
    let client = try clients(1, of: server)[0]
    source.publish("last;", isLast: true)
    #expect(try bench.run { client.answers.count == 1 })
    #expect(client.answers[0].text == "begin;last;")
    client.send(RawHTTPClient.request("GET", "/quick"))
    #expect(try bench.run { client.answers.count == 2 })
    #expect(try bench.run { server.hasDeadline }, "an idle connection is closed later, as before")
  }

  /// A second request on the same connection is not taken for the end of the client.
  @Test func aPipelinedRequestIsAnsweredAfterTheBody() throws {
    let server = try server()
    let client = try clients(1, of: server)[0]
    client.send(RawHTTPClient.request("GET", "/quick"))
    source.publish("a;")
    #expect(try bench.run { Self.text(client).contains("a;") })
    source.publish("b;", isLast: true)
    #expect(try bench.run { client.answers.count == 2 })
    #expect(client.answers[0].text == "begin;a;b;" && client.answers[1].text == "{}")
  }

  @Test func aBrokenBodyNeverEndsAsACompleteOne() throws {
    let server = try server()
    let client = try clients(1, of: server)[0]
    source.fails = true
    source.publish("never")
    #expect(try bench.run { client.isClosed })
    #expect(client.answers.isEmpty && !Self.text(client).hasSuffix("\r\n0\r\n\r\n"))
  }

  /// The kernel buffers little for a client that does not read; the others are served meanwhile.
  @Test func aClientThatDoesNotReadDelaysNobody() throws {
    let server = try server()
    let clients = try clients(2, of: server)
    clients[0].stopReading()
    let text = String(repeating: "x", count: 4000) + ";"
    for number in 1...200 {
      let before = clients[1].received.count
      source.publish(text)
      #expect(try bench.run { clients[1].received.count > before + 4000 }, "\(number)")
    }
    #expect(source.sent < 400, "at least one message was not taken for the client that does not read")
  }

  @Test func aHEADRequestHasNoBody() throws {
    let server = try server()
    let client = try RawHTTPClient(loop: bench.loop, port: server.port ?? 0)
    client.send(RawHTTPClient.request("HEAD", "/quick"))
    client.send(RawHTTPClient.request("GET", "/quick", headers: ["Connection: close"]))
    #expect(try bench.run { client.isClosed })
    let parts = Self.text(client).components(separatedBy: "\r\n\r\n")
    #expect(parts.count == 3 && parts[1].hasPrefix("HTTP/1.1 200") && parts[2] == "{}")
  }

  /// The head time is a fifth of the usual one; the usual one gives 13 s.
  @Test func aClientBehindHalfOpenConnectionsIsAnsweredWithinFifteenSeconds() throws {
    let server = try server(HTTPServer.Limits(connections: 16, headTime: .seconds(2)))
    let attackers = try (0..<40).map { _ in try RawHTTPClient(loop: bench.loop, port: server.port ?? 0) }
    for attacker in attackers { attacker.send("GET / HTTP/1.1\r\nHost: ") }
    #expect(try bench.run { server.connectionCount == 16 })
    let began = bench.loop.now
    let client = try RawHTTPClient(loop: bench.loop, port: server.port ?? 0)
    client.send(RawHTTPClient.request("GET", "/quick"))
    #expect(try bench.run(for: .seconds(10)) { client.answers.count == 1 })
    let duration = bench.loop.now - began
    print("answered after \(duration), with a head time of 2 s")
    #expect(duration < .seconds(3))
  }

  @Test func halfOpenConnectionsOnTCPDoNotDelayAnAnswerOnTheSocket() throws {
    let limits = HTTPServer.Limits(connections: 16)
    let server = try server(limits)
    let path = bench.directory + "/api.sock"
    let local = try HTTPServer(loop: bench.loop, listen: .unix(path: path), limits: limits) { _ in .json("{}")
    }
    let attackers = try (0..<40).map { _ in try RawHTTPClient(loop: bench.loop, port: server.port ?? 0) }
    for attacker in attackers { attacker.send("GET / HTTP/1.1\r\nHost: ") }
    #expect(try bench.run { server.connectionCount == 16 })
    let client = try RawHTTPClient(loop: bench.loop, path: path)
    client.send(RawHTTPClient.request("GET", "/"))
    #expect(try bench.run(for: .seconds(1)) { client.answers.count == 1 })
    #expect(local.connectionCount == 1)
  }
}
