import EventLoop
import Glibc
import Quantities
import Synchronization
import System
import TestSupport
import Testing
import TextSnapshots

@testable import HTTPClient

/// Requests whose names are looked up by a function of the test.
@Suite struct NameLookupTests {
  static let texts = TextSnapshot("http")

  typealias Answer = Result<[NetworkAddress], NameFailure>

  /// The name service of a test: records the names, and answers from a script whose last entry is repeated.
  final class Names: Sendable {
    private let state: Mutex<(asked: [String], script: [Answer])>

    init(_ script: [Answer]) { state = Mutex(([], script)) }

    convenience init(_ addresses: String...) { self.init([.success(addresses.map { NetworkAddress($0) })]) }

    var asked: [String] { state.withLock { $0.asked } }

    func answer(_ name: String) -> Answer {
      state.withLock { state in
        state.asked.append(name)
        return state.script.count > 1 ? state.script.removeFirst() : state.script.first ?? .failure(.notFound)
      }
    }
  }

  /// One client and one server on one loop.
  final class Bench {
    let loop: EventLoop
    let server: ScriptedServer
    let client: HTTPClient

    init(_ script: [ScriptedServer.Reply] = [.answer(200)], lookUp: @escaping @Sendable (String) -> Answer)
      throws
    {
      loop = try EventLoop()
      server = try ScriptedServer(loop, script)
      client = try HTTPClient(loop: loop, lookUp: lookUp)
    }

    convenience init(_ script: [ScriptedServer.Reply] = [.answer(200)], names: Names) throws {
      try self.init(script, lookUp: names.answer)
    }

    func url(_ host: String = "server.example") -> String { "http://\(host):\(server.port)/in" }

    func outcome(
      _ url: String? = nil, within timeout: Duration = .seconds(5),
      _ change: (inout HTTPClientRequest) -> Void = { _ in }
    ) throws -> HTTPOutcome? {
      var request = HTTPClientRequest(.post, url: url ?? self.url())
      request.body = [Array("{}".utf8)]
      request.timeout = timeout
      change(&request)
      var outcome: HTTPOutcome?
      client.perform(request) { [loop] in
        outcome = $0
        loop.stop()
      }
      #expect(try loop.runUntilStopped())
      return outcome
    }

    func status(_ url: String? = nil, _ change: (inout HTTPClientRequest) -> Void = { _ in }) throws -> Int? {
      let outcome = try outcome(url, change)
      guard case .response(let response) = outcome else {
        Issue.record("\(String(describing: outcome))")
        return nil
      }
      return response.status
    }

    func failure(
      _ url: String? = nil, within timeout: Duration = .seconds(5),
      _ change: (inout HTTPClientRequest) -> Void = { _ in }
    ) throws -> TransportFailure? {
      guard case .failure(let failure) = try outcome(url, within: timeout, change) else { return nil }
      return failure
    }
  }

  @Test func aNameIsLookedUpForEveryNewConnectionAndOnlyForThose() throws {
    let names = Names("127.0.0.1")
    let bench = try Bench(names: names)
    for _ in 0..<3 { #expect(try bench.status() == 200) }
    #expect(names.asked == ["server.example"] && bench.server.connectionCount == 1)
    #expect(bench.server.requests.allSatisfy { $0.headers["host"] == "server.example:\(bench.server.port)" })
    #expect(bench.server.requests.allSatisfy { $0.body == Array("{}".utf8) })
    for _ in 0..<2 { #expect(try bench.status { $0.keepsConnection = false } == 200) }
    #expect(try bench.status() == 200)
    #expect(names.asked.count == 3)
  }

  @Test func aServerThatMovesIsFoundAtItsNewAddress() throws {
    // Nobody listens at the first address.
    let old: Answer = .success([NetworkAddress("127.9.8.7")])
    let names = Names([old, .success([NetworkAddress("127.0.0.1")]), old])
    let bench = try Bench(names: names)
    guard case .unreachable = try bench.failure() else { Issue.record("reached"); return }
    #expect(try bench.status { $0.keepsConnection = false } == 200)
    guard case .unreachable = try bench.failure() else { Issue.record("reached"); return }
    #expect(names.asked.count == 3)
  }

  @Test func allAddressesAreTried() throws {
    let bench = try Bench(names: Names("2001:db8::1", "127.9.8.7", "127.0.0.1"))
    #expect(try bench.status() == 200)
  }

  @Test func aKeptConnectionThatClosedIsReplacedAtTheNewAddress() throws {
    let names = Names("127.0.0.1")
    let bench = try Bench([.answer(200), .close, .answer(201)], names: names)
    #expect(try bench.status() == 200)
    #expect(try bench.status() == 201)
    #expect(names.asked.count == 2 && bench.server.requests.last?.body == Array("{}".utf8))
  }

  @Test(arguments: ["127.0.0.1", "localhost", "LOCALHOST", "outrider.localhost", "127.1"])
  func anAddressAndTheLocalHostAreNotLookedUp(host: String) throws {
    let names = Names([.failure(.notFound)])
    let bench = try Bench(names: names)
    #expect(try bench.status(bench.url(host)) == 200)
    #expect(names.asked.isEmpty)
  }

  @Test(arguments: ["Server.Example", "server.example.", "my_server", "-server.example", "server.local"])
  func unusualNamesReachTheirServer(host: String) throws {
    let names = Names("127.0.0.1")
    let bench = try Bench(names: names)
    #expect(try bench.status(bench.url(host)) == 200)
    #expect(names.asked.count == 1)
  }

  @Test(arguments: ["http", "socks5h"])
  func theNameOfAProxyIsLookedUpAndThatOfTheServerIsLeftToIt(scheme: String) throws {
    let names = Names("127.0.0.1")
    let bench = try Bench(names: names)
    let proxy = "\(scheme)://me:secret@proxy.example:\(bench.server.port)"
    if scheme == "http" {
      #expect(try bench.status("http://server.example/in") { $0.proxy = proxy } == 200)
      #expect(bench.server.requests.first?.line == "POST http://server.example/in HTTP/1.1")
    } else {
      // The scripted server does not speak SOCKS.
      #expect(
        try bench.failure("http://server.example/in", within: .milliseconds(300)) { $0.proxy = proxy } != nil)
    }
    #expect(names.asked == ["proxy.example"])
  }

  @Test func aProxyByAddressNeedsNoLookUp() throws {
    let names = Names("127.0.0.1")
    let bench = try Bench(names: names)
    let proxy = "http://127.0.0.1:\(bench.server.port)"
    #expect(try bench.status("http://server.example/in") { $0.proxy = proxy } == 200)
    #expect(names.asked.isEmpty)
  }

  static let failures: [(name: String, failure: NameFailure)] = [
    ("unknown name", .notFound), ("silent name server", .noAnswer), ("no network", .noNetwork),
    ("other", .other("non-recoverable failure in name resolution")),
  ]

  @Test(arguments: 0..<4)
  func aNameWithoutAnAddressIsReportedWithItsReason(number: Int) throws {
    let (name, reason) = Self.failures[number]
    let bench = try Bench(names: Names([.failure(reason)]))
    let failure = try bench.failure("http://server.example/in")
    #expect(failure == .nameNotResolved(origin: "http://server.example", reason: reason))
    #expect(failure?.isOutcomeUnknown == false)
    let message = try #require(failure).description
    #expect(message == Self.texts.expected("name: \(name)", message))
  }

  @Test func aProxyWithoutAnAddressIsReported() throws {
    let bench = try Bench(names: Names([.failure(.notFound)]))
    let failure = try bench.failure { $0.proxy = "http://me:secret@proxy.example:3128" }
    #expect(failure == .noProxy("http://proxy.example:3128", reason: "the name does not exist"))
  }

  // MARK: A silent name server

  @Test func aSilentNameServerHoldsNeitherTheLoopNorOtherRequests() throws {
    // The threads of the lookups end with the process at the latest; the test ends them itself.
    let end = try EventDescriptor(blocking: true)
    defer { end.signal() }
    let asked = Mutex<[String]>([])
    let bench = try Bench(lookUp: { name in
      asked.withLock { $0.append(name) }
      if name == "silent.example" {
        var poll = pollfd(fd: end.raw, events: Int16(POLLIN), revents: 0)
        _ = Glibc.poll(&poll, 1, -1)
      }
      return .success([NetworkAddress("127.0.0.1")])
    })
    for attempt in 0..<3 {
      let before = bench.loop.now
      let failure = try bench.failure(bench.url("silent.example"), within: .milliseconds(150))
      #expect(
        failure == .nameNotResolved(origin: "http://silent.example:\(bench.server.port)", reason: .noAnswer))
      #expect(bench.loop.now - before < .seconds(2), "attempt \(attempt)")
      #expect(try bench.status(bench.url("server.example")) == 200)
    }
    // Nearby attempts share a lookup.
    #expect(asked.withLock { $0 }.filter { $0 == "silent.example" }.count == 1)
    #expect(bench.loop.turnTimes.longest < .milliseconds(100), "\(bench.loop.turnTimes)")
  }

  @Test func aRequestIsCancelledAndAClientReleasedDuringALookUp() throws {
    let end = try EventDescriptor(blocking: true)
    defer { end.signal() }
    let loop = try EventLoop()
    do {
      let client = try HTTPClient(
        loop: loop,
        lookUp: { _ in
          var poll = pollfd(fd: end.raw, events: Int16(POLLIN), revents: 0)
          _ = Glibc.poll(&poll, 1, -1)
          return .failure(.notFound)
        })
      let handle = client.perform(HTTPClientRequest(.get, url: "http://silent.example/")) { _ in
        Issue.record("completed")
      }
      let left = client.perform(HTTPClientRequest(.get, url: "http://other.example/")) { _ in
        Issue.record("completed")
      }
      let timer = loop.addTimer("test") { _ in loop.stop() }
      timer.arm(after: .milliseconds(50))
      try loop.run()
      client.cancel(handle)
      loop.removeTimer(timer)
      _ = left
    }
    let timer = loop.addTimer("test") { _ in loop.stop() }
    timer.arm(after: .milliseconds(50))
    try loop.run()
    #expect(loop.turnTimes.longest < .milliseconds(100), "\(loop.turnTimes)")
  }

  @Test func theTimeOfTheLookUpIsPartOfTheTimeLimit() throws {
    let end = try EventDescriptor(blocking: true)
    let bench = try Bench(
      [.silence],
      lookUp: { _ in
        var poll = pollfd(fd: end.raw, events: Int16(POLLIN), revents: 0)
        _ = Glibc.poll(&poll, 1, 200)
        return .success([NetworkAddress("127.0.0.1")])
      })
    let before = bench.loop.now
    let failure = try bench.failure(within: .milliseconds(400))
    guard case .timedOut = failure else { Issue.record("\(String(describing: failure))"); return }
    #expect((.milliseconds(395) ..< .milliseconds(590)).contains(bench.loop.now - before))
  }
}
