import Foundation
import Glibc
import HTTPServer
import Quantities
import TestSupport
import Testing
import TextSnapshots

@Suite struct ListeningTests {
  static let texts = TextSnapshot("http")

  private func serve(_ bench: HTTPBench, _ listen: ListenAddress) throws -> HTTPServer {
    try HTTPServer(loop: bench.loop, listen: listen) { _ in .json("{}") }
  }

  private func isAnswered(_ client: RawHTTPClient, _ bench: HTTPBench) throws -> Bool {
    client.send(RawHTTPClient.request("GET", "/"))
    return try bench.run { !client.answers.isEmpty }
  }

  @Test func listensOnIPv6AndOnBoth() throws {
    let bench = try HTTPBench()
    let six = try serve(bench, .tcp(address: "::1", port: 0))
    #expect(six.address.description.hasPrefix("[::1]:"))
    #expect(try isAnswered(try RawHTTPClient(loop: bench.loop, portOnIPv6: six.port ?? 0), bench))
    let both = try serve(bench, .tcp(address: "::", port: 0))
    #expect(try isAnswered(try RawHTTPClient(loop: bench.loop, portOnIPv6: both.port ?? 0), bench))
    #expect(try isAnswered(try RawHTTPClient(loop: bench.loop, port: both.port ?? 0), bench))
  }

  @Test func anAddressInUseIsReportedWithItsRemedy() throws {
    let bench = try HTTPBench()
    let first = try serve(bench, .tcp(address: "127.0.0.1", port: 0))
    #expect(throws: HTTPServerError.addressInUse(first.address)) { try serve(bench, first.address) }
    let message = HTTPServerError.addressInUse(.tcp(address: "127.0.0.1", port: 8080)).description
    #expect(message == Self.texts.expected("port in use", message))
  }

  @Test func invalidAddressesAreRejected() throws {
    let bench = try HTTPBench()
    let elsewhere = ListenAddress.tcp(address: "192.0.2.1", port: 0)
    #expect(throws: HTTPServerError.addressNotHere(elsewhere)) { try serve(bench, elsewhere) }
    #expect(throws: HTTPServerError.notAnAddress("example.org")) {
      try serve(bench, .tcp(address: "example.org", port: 0))
    }
    let long = "/tmp/" + String(repeating: "x", count: 108)
    #expect(throws: HTTPServerError.pathTooLong(long, limit: 108)) { try serve(bench, .unix(path: long)) }
  }

  @Test func aSocketFileIsPrivateToItsGroupAndRemovedWithTheServer() throws {
    let bench = try HTTPBench()
    let path = bench.directory + "/api.sock"
    let server = try serve(bench, .unix(path: path))
    #expect(server.port == nil)
    var status = stat()
    #expect(stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o660)
    #expect(try isAnswered(try RawHTTPClient(loop: bench.loop, path: path), bench))
    #expect(throws: HTTPServerError.addressInUse(.unix(path: path))) {
      try serve(bench, .unix(path: path))
    }
    server.stop()
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func aStaleSocketFileIsReplacedAndAFileIsNot() throws {
    let bench = try HTTPBench()
    let path = bench.directory + "/api.sock"
    let stale = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let bound = withUnsafeBytes(of: address) { bytes in
      bytes.baseAddress.map {
        bind(stale, $0.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
      }
    }
    #expect(bound == 0)
    close(stale)
    let server = try serve(bench, .unix(path: path))
    #expect(try isAnswered(try RawHTTPClient(loop: bench.loop, path: path), bench))
    server.stop()

    try Data("keep".utf8).write(to: URL(fileURLWithPath: path))
    #expect(throws: HTTPServerError.notASocket(path: path)) { try serve(bench, .unix(path: path)) }
    #expect(FileManager.default.contents(atPath: path) == Data("keep".utf8))
  }

  @Test func aServerLeavesTheSocketFileOfItsSuccessor() throws {
    let bench = try HTTPBench()
    let path = bench.directory + "/api.sock"
    let first = try serve(bench, .unix(path: path))
    unlink(path)
    let second = try serve(bench, .unix(path: path))
    first.stop()
    #expect(try isAnswered(try RawHTTPClient(loop: bench.loop, path: path), bench))
    second.stop()
  }

  @Test func aClientThatEndsAfterItsRequestsIsAnswered() throws {
    let bench = try HTTPBench()
    let server = try serve(bench, .tcp(address: "127.0.0.1", port: 0))
    let client = try RawHTTPClient(loop: bench.loop, port: server.port ?? 0)
    client.send(RawHTTPClient.request("GET", "/a") + RawHTTPClient.request("GET", "/b"))
    client.endSending()
    #expect(try bench.run { client.isClosed })
    #expect(client.answers.map(\.status) == [200, 200])
    #expect(server.connectionCount == 0)
  }

  @Test(arguments: [false, true]) func aSlowHeadIsDisconnected(afterAnAnswer: Bool) throws {
    let bench = try HTTPBench()
    let server = try HTTPServer(
      loop: bench.loop, listen: .tcp(address: "127.0.0.1", port: 0),
      limits: .init(idleTime: .milliseconds(200), headTime: .milliseconds(200))
    ) { _ in .json("{}") }
    let client = try RawHTTPClient(loop: bench.loop, port: server.port ?? 0)
    if afterAnAnswer { #expect(try isAnswered(client, bench)) }
    client.send("GET / HTTP/1.1\r\nX: ")
    let drip = bench.loop.addTimer("drip") { _ in client.send("x") }
    let isCut = try bench.run {
      if !drip.isArmed { drip.arm(at: bench.loop.now + .milliseconds(20)) }
      return client.isClosed
    }
    #expect(isCut)
    #expect(try bench.run { server.connectionCount == 0 })
  }

  static let halves = [
    "", "GET /half HTT", "GET / HTTP/1.1\r\nHo", "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nhal",
  ]

  @Test(arguments: halves)
  func clientsThatLeftWhileTheyWaitedKeepNoConnection(sent: String) throws {
    let bench = try HTTPBench()
    let server = try HTTPServer(
      loop: bench.loop, listen: .tcp(address: "127.0.0.1", port: 0), limits: .init(connections: 4)
    ) { _ in .json("{}") }
    for _ in 0..<12 {
      let client = try RawHTTPClient(loop: bench.loop, port: server.port ?? 0)
      client.send(sent)
      client.close()
    }
    #expect(try bench.ask(server.port, "GET", "/").status == 200)
    #expect(try bench.run { server.connectionCount == 0 })
  }

  struct Text: Sendable, CustomTestStringConvertible {
    let text: String, address: ListenAddress?, isLocal: Bool
    var testDescription: String { text }
  }

  static let addresses = [
    Text(text: "127.0.0.1:8080", address: .tcp(address: "127.0.0.1", port: 8080), isLocal: true),
    Text(text: "localhost:0", address: .tcp(address: "localhost", port: 0), isLocal: true),
    Text(text: "0.0.0.0:80", address: .tcp(address: "0.0.0.0", port: 80), isLocal: false),
    Text(text: "[::1]:8080", address: .tcp(address: "::1", port: 8080), isLocal: true),
    Text(text: "[::]:8080", address: .tcp(address: "::", port: 8080), isLocal: false),
    Text(text: "8080", address: .tcp(address: "127.0.0.1", port: 8080), isLocal: true),
    Text(text: "/run/x.sock", address: .unix(path: "/run/x.sock"), isLocal: true),
    Text(text: "::1:8080", address: nil, isLocal: false),
    Text(text: "127.0.0.1:65536", address: nil, isLocal: false),
    Text(text: "127.0.0.1", address: nil, isLocal: false),
    Text(text: ":8080", address: nil, isLocal: false),
    Text(text: "", address: nil, isLocal: false),
  ]

  @Test(arguments: addresses)
  func addressesAreReadFromText(_ text: Text) {
    let address = ListenAddress(text.text)
    #expect(address == text.address)
    #expect(address?.isLocal ?? false == text.isLocal)
  }
}
