import EventLoop
import HTTPClient
import Quantities
import System
import TestSupport
import Testing
import TextSnapshots

@Suite struct TransportFailureTests {
  static let texts = TextSnapshot("http")

  static func failure(_ url: String, _ change: (inout HTTPClientRequest) -> Void = { _ in }) throws
    -> TransportFailure?
  {
    let loop = try EventLoop()
    return try failure(url, loop, HTTPClient(loop: loop), change)
  }

  static func failure(
    _ url: String, _ loop: EventLoop, _ client: HTTPClient,
    _ change: (inout HTTPClientRequest) -> Void = { _ in }
  ) throws -> TransportFailure? {
    var request = HTTPClientRequest(.post, url: url)
    request.body = [Array("{}".utf8)]
    request.timeout = .milliseconds(300)
    change(&request)
    var failure: TransportFailure?
    client.perform(request) { outcome in
      if case .failure(let reason) = outcome { failure = reason }
      loop.stop()
    }
    #expect(try loop.runUntilStopped())
    return failure
  }

  static func failure(_ reply: ScriptedServer.Reply) throws -> (TransportFailure?, origin: String) {
    let loop = try EventLoop()
    let server = try ScriptedServer(loop, [reply])
    let origin = "http://127.0.0.1:\(server.port)"
    return (try failure(server.url("/secret?token=x"), loop, HTTPClient(loop: loop)), origin)
  }

  @Test func aClosedPortIsUnreachable() throws {
    // No process listens on port 1 of this loopback address.
    let failure = try Self.failure("http://127.9.8.7:1/")
    #expect(failure == .unreachable(origin: "http://127.9.8.7:1", reason: "connection refused"))
  }

  @Test func aSilentServerTimesOut() throws {
    let (failure, origin) = try Self.failure(.silence)
    #expect(failure == .timedOut(origin: origin, after: .milliseconds(300)))
    #expect(failure?.isOutcomeUnknown == true)
  }

  @Test func aSlowResponseTimesOut() throws {
    let (failure, origin) = try Self.failure(
      .drip(
        "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n" + String(repeating: "x", count: 400),
        milliseconds: 10))
    #expect(failure == .timedOut(origin: origin, after: .milliseconds(300)))
  }

  static let broken: [ScriptedServer.Reply] = [
    .close, .rawThenClose("HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n{\"result"),
    .rawThenClose("HTTP/1.1 20"),
  ]

  @Test(arguments: broken)
  func aConnectionThatClosesEarlyIsInterrupted(_ reply: ScriptedServer.Reply) throws {
    let (failure, origin) = try Self.failure(reply)
    guard case .interrupted(origin, let reason) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(!reason.isEmpty)
    #expect(failure?.isOutcomeUnknown == true)
  }

  @Test func aResponseThatIsNotHTTPIsReported() throws {
    let (failure, _) = try Self.failure(.rawThenClose("SSH-2.0-OpenSSH_9.2\r\n"))
    guard case .other(_, let code, _) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(code == 1)
  }

  @Test func anUnknownNameIsNotResolved() throws {
    let failure = try Self.failure("http://no-such-host.invalid/") { $0.timeout = .seconds(10) }
    guard case .nameNotResolved("http://no-such-host.invalid", _) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(failure?.isOutcomeUnknown == false)
  }

  @Test func tlsToAPlainServerIsATLSFailure() throws {
    let loop = try EventLoop()
    let server = try ScriptedServer(loop, [.answer(200)])
    let url = "https://127.0.0.1:\(server.port)/"
    // The server interprets the TLS handshake as the start of a request and waits: nothing was sent yet.
    let failure = try Self.failure(url, loop, HTTPClient(loop: loop))
    #expect(failure?.isOutcomeUnknown == false)
  }

  static let impossible = [
    "ftp://127.0.0.1/", "file:///etc/passwd", "", "http://", "http://a b/", "http://host\r\nX: y/", "no url",
  ]

  @Test(arguments: impossible)
  func anInvalidURLIsRejected(_ url: String) throws {
    let failure = try Self.failure(url)
    guard case .invalidRequest = failure else {
      if case .nameNotResolved = failure, url == "no url" || url == "" { return }
      Issue.record("\(String(describing: failure))")
      return
    }
  }

  @Test func aHeaderCannotContainASecondOne() throws {
    let failure = try Self.failure("http://127.0.0.1:1/") {
      $0.headers = [("Authorization", "x\r\nHost: evil")]
    }
    #expect(failure == .invalidRequest(reason: "control character in url or header"))
  }

  @Test func aMissingAuthorityFileIsReported() throws {
    let loop = try EventLoop()
    let server = try ScriptedServer(loop, [.close])
    let failure = try Self.failure("https://127.0.0.1:\(server.port)/", loop, HTTPClient(loop: loop)) {
      $0.authorityFile = "/nowhere/ca.pem"
    }
    guard case .invalidRequest(let reason) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(reason.contains("/nowhere/ca.pem"))
  }

  @Test(arguments: [
    ("http://me:hunter2@127.9.8.7:1", "http://127.9.8.7:1"), ("http://127.9.8.7:1", "http://127.9.8.7:1"),
    ("socks5h://me:hun@ter2@127.9.8.7:1", "socks5h://127.9.8.7:1"),
    ("http://proxy.invalid:3128", "http://proxy.invalid:3128"),
  ])
  func anUnreachableProxyIsReportedWithoutItsPassword(proxy: String, shown: String) throws {
    let failure = try Self.failure("http://127.9.8.7:2/") { $0.proxy = proxy }
    guard case .noProxy(shown, _) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(failure?.isOutcomeUnknown == false)
    // libcurl's reason in parentheses depends on its version.
    let message = try #require(failure).description.replacing(/\(.*\)/, with: "(reason)")
    #expect(message == Self.texts.expected("unreachable proxy \(shown)", message))
  }

  @Test func aMissingClientCertificateIsReported() throws {
    let loop = try EventLoop()
    let server = try ScriptedServer(loop, [.close])
    let failure = try Self.failure("https://127.0.0.1:\(server.port)/", loop, HTTPClient(loop: loop)) {
      $0.clientCertificateFile = "/nowhere/client.pem"
      $0.clientKeyFile = "/nowhere/client.key"
    }
    guard case .clientCertificate(_, let reason) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(reason.contains("/nowhere/client.pem"), "\(reason)")
  }

  @Test func messagesContainOriginAndRemedyButNoToken() throws {
    let (failure, origin) = try Self.failure(.close)
    let text = try #require(failure).description
    #expect(text.hasPrefix(origin) && text.contains("check the server") && !text.contains("token=x"))
  }

  @Test(arguments: [
    ("https://Example.org/a?b", "https://example.org"), ("https://example.org:443/", "https://example.org"),
    ("http://example.org:8080", "http://example.org:8080"), ("http://user:pass@[::1]/x", "http://[::1]"),
  ])
  func originsAreSchemeHostAndPort(url: String, origin: String) throws {
    #expect(try #require(HTTPOrigin(url)).description == origin)
  }

  @Test func originsDifferByEachComponent() {
    let one = HTTPOrigin("https://a/")
    #expect(one == HTTPOrigin("https://A:443/other"))
    for other in ["http://a/", "https://b/", "https://a:8443/", "ftp://a/"] {
      #expect(one != HTTPOrigin(other))
    }
  }
}
