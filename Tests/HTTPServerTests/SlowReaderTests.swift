import EventLoop
import HTTPServer
import Quantities
import TestSupport
import Testing

/// Clients that read a long response more slowly than the buffer of the kernel asks the server for more. A Unix socket is
/// writable again when three quarters of 208 KiB were read, TCP when a third of up to 4 MiB was.
@Suite struct SlowReaderTests {
  enum Transport: String, CaseIterable, Sendable {
    case unix, tcp

    /// Bytes read every ``SlowReaderTests/pause``: the buffer asks for more after about three seconds.
    var piece: Int { self == .unix ? 1024 : 12_288 }
  }

  enum Kind: String, CaseIterable, Sendable { case slices, whole }

  private static let pause = Duration.milliseconds(20)
  /// Three times the limit of one second.
  private static let time = Duration.seconds(3)
  private static let wholeSize = 12 << 20

  private func server(_ bench: HTTPBench, _ transport: Transport, _ kind: Kind, _ limits: HTTPServer.Limits)
    throws -> HTTPServer
  {
    let listen: ListenAddress =
      transport == .unix ? .unix(path: bench.directory + "/http.sock") : .tcp(address: "127.0.0.1", port: 0)
    return try HTTPServer(loop: bench.loop, listen: listen, limits: limits) { _ in
      guard kind == .slices else {
        return HTTPResponse(contentType: "text/plain", body: [UInt8](repeating: 0x2E, count: Self.wholeSize))
      }
      var answer = HTTPResponse(contentType: "text/plain", body: [])
      answer.slices = HTTPSlices { [UInt8](repeating: 0x2E, count: 65_536) }
      return answer
    }
  }

  private func client(_ bench: HTTPBench, _ server: HTTPServer) throws -> RawHTTPClient {
    let client =
      if let port = server.port {
        try RawHTTPClient(loop: bench.loop, port: port)
      } else {
        try RawHTTPClient(loop: bench.loop, path: bench.directory + "/http.sock")
      }
    client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
    client.stopReading()
    try #require(try bench.run { server.connectionCount == 1 })
    return client
  }

  /// Returns false if the server disconnected the client within `time`.
  private func reads(
    _ transport: Transport, _ kind: Kind, _ limits: HTTPServer.Limits, piece: Int? = nil,
    for time: Duration = Self.time
  ) throws -> Bool {
    let bench = try HTTPBench()
    let server = try server(bench, transport, kind, limits)
    let client = try client(bench, server)
    let reading = bench.loop.addTimer("reading") { _ in
      if piece != 0 { client.receive(atMost: piece ?? transport.piece) }
    }
    return try !bench.run(for: time) {
      if !reading.isArmed { reading.arm(after: Self.pause) }
      return server.connectionCount == 0
    }
  }

  @Test(arguments: Transport.allCases, Kind.allCases)
  func aClientThatReadsIsNotIdle(transport: Transport, kind: Kind) throws {
    #expect(try reads(transport, kind, .init(idleTime: .seconds(1))))
  }

  @Test(arguments: Transport.allCases)
  func aClientThatReadsEveryPortionInTimeIsServed(transport: Transport) throws {
    #expect(try reads(transport, .slices, .init(requestTime: .seconds(1), portion: 24 << 10)))
  }

  @Test(arguments: Transport.allCases)
  func aClientThatReadsLessThanAPortionInTimeIsDisconnected(transport: Transport) throws {
    let limits = HTTPServer.Limits(requestTime: .seconds(1), portion: 8 << 20)
    #expect(try !reads(transport, .slices, limits))
  }

  @Test(arguments: Transport.allCases, Kind.allCases)
  func aClientThatReadsNothingIsDisconnectedAfterTheIdleTime(transport: Transport, kind: Kind) throws {
    #expect(try !reads(transport, kind, .init(idleTime: .seconds(1)), piece: 0, for: .seconds(20)))
  }

  /// Twice in the idle time of 30 s.
  @Test func aClientThatReadsSlowlyCausesNoWakeUp() throws {
    let bench = try HTTPBench()
    let server = try server(bench, .unix, .slices, .init())
    let client = try client(bench, server)
    try bench.run(for: .milliseconds(200))
    var turns = 0
    bench.loop.everyTurn { _ in turns += 1 }
    for _ in 0..<10 {
      client.receive(atMost: 1024)
      try bench.run(for: .milliseconds(50))
    }
    // Each run of the bench is a turn for its deadline and one for its end.
    #expect(turns <= 30, "\(turns)")
    #expect(server.connectionCount == 1)
  }
}
