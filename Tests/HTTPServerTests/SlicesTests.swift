import EventLoop
import Glibc
import HTTPServer
import TestSupport
import Testing

/// Responses that are produced in slices.
@Suite struct SlicesTests {
  @Test(arguments: [0, 1, 1000]) func slicesArriveCompletelyAndInOrder(count: Int) throws {
    let bench = try HTTPBench()
    let server = try HTTPServer(loop: bench.loop, listen: .tcp(address: "127.0.0.1", port: 0)) { _ in
      var next = 0
      var answer = HTTPResponse(contentType: "text/plain", body: Array("begin;".utf8))
      answer.slices = HTTPSlices {
        guard next < count else { return nil }
        next += 1
        return Array("\(next)".utf8) + [UInt8](repeating: 0x2E, count: 777)
      }
      return answer
    }
    let client = try RawHTTPClient(loop: bench.loop, port: server.port ?? 0)
    client.send("GET / HTTP/1.0\r\nHost: h\r\n\r\n")
    #expect(try bench.run { client.isClosed })
    let text = String(decoding: client.received, as: UTF8.self)
    let body = text.split(separator: "\r\n\r\n", maxSplits: 1).last ?? ""
    let expected = (0..<count).map { "\($0 + 1)" + String(repeating: ".", count: 777) }.joined()
    #expect(body == "begin;" + expected)
  }

  /// Half a megabyte that takes three times the request time.
  @Test(arguments: [(64 << 10, true), (1 << 20, false)])
  func aLongDownloadEndsIfEveryPortionIsInTime(portion: Int, isWhole: Bool) throws {
    let bench = try HTTPBench()
    let server = try HTTPServer(
      loop: bench.loop, listen: .tcp(address: "127.0.0.1", port: 0),
      limits: .init(requestTime: .milliseconds(400), portion: portion)
    ) { _ in
      var next = 0
      var answer = HTTPResponse(contentType: "text/plain", body: [])
      answer.slices = HTTPSlices {
        guard next < 64 else { return nil }
        next += 1
        poll(nil, 0, 20)
        return [UInt8](repeating: 0x2E, count: 8192)
      }
      return answer
    }
    let client = try RawHTTPClient(loop: bench.loop, port: server.port ?? 0)
    client.send("GET / HTTP/1.0\r\nHost: h\r\n\r\n")
    #expect(try bench.run(for: .seconds(20)) { client.isClosed })
    #expect((client.received.count > 64 * 8192) == isWhole, "\(client.received.count)")
  }

  /// A source that takes three times the request time until it finds something.
  @Test func aSourceThatWorksIsNotTheFaultOfTheClient() throws {
    let bench = try HTTPBench()
    let server = try HTTPServer(
      loop: bench.loop, listen: .tcp(address: "127.0.0.1", port: 0),
      limits: .init(requestTime: .milliseconds(400))
    ) { _ in
      var next = 0
      var answer = HTTPResponse(contentType: "text/plain", body: [])
      answer.slices = HTTPSlices {
        guard next < 64 else { return nil }
        next += 1
        poll(nil, 0, 20)
        return next < 64 ? [0x0A] : Array("found".utf8)
      }
      return answer
    }
    let client = try RawHTTPClient(loop: bench.loop, port: server.port ?? 0)
    client.send("GET / HTTP/1.0\r\nHost: h\r\n\r\n")
    #expect(try bench.run(for: .seconds(20)) { client.isClosed })
    #expect(String(decoding: client.received, as: UTF8.self).hasSuffix("\nfound"))
  }

  private struct Broken: Error {}

  /// Without a known length, only the end of the connection distinguishes a part from the complete response.
  @Test(arguments: ["1.0", "1.1"]) func brokenSlicesNeverEndAsACompleteResponse(version: String) throws {
    let bench = try HTTPBench()
    let server = try HTTPServer(loop: bench.loop, listen: .tcp(address: "127.0.0.1", port: 0)) { _ in
      var next = 0
      var answer = HTTPResponse(contentType: "text/plain", body: Array("begin;".utf8))
      answer.slices = HTTPSlices {
        guard next < 3 else { throw Broken() }
        next += 1
        return Array("\(next)".utf8)
      }
      return answer
    }
    let client = try RawHTTPClient(loop: bench.loop, port: server.port ?? 0)
    client.send("GET / HTTP/\(version)\r\nHost: h\r\n\r\n")
    #expect(try bench.run { client.isClosed }, "even in HTTP/1.1, which keeps connections open")
    let text = String(decoding: client.received, as: UTF8.self)
    #expect(text.contains("begin;"))
    #expect(!text.hasSuffix("\r\n0\r\n\r\n"), "the last chunk of a complete body")
  }

  @Test func aDisconnectedClientEndsTheStream() throws {
    let bench = try HTTPBench()
    let server = try HTTPServer(loop: bench.loop, listen: .tcp(address: "127.0.0.1", port: 0)) { _ in
      var answer = HTTPResponse(contentType: "text/plain", body: [])
      answer.slices = HTTPSlices { [UInt8](repeating: 0x2E, count: 4096) }
      return answer
    }
    let client = try RawHTTPClient(loop: bench.loop, port: server.port ?? 0)
    client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
    #expect(try bench.run { client.received.count > 100_000 })
    client.close(reset: true)
    #expect(try bench.run { server.connectionCount == 0 })
  }

  /// Counts the slices that a server's streams produce, by stream and by turn of the loop.
  private final class Makers {
    var made: [Int] = []
    var thisTurn = 0
    var mostInATurn = 0

    init(_ loop: EventLoop) {
      loop.everyTurn { [unowned self] _ in
        mostInATurn = max(mostInATurn, thisTurn)
        thisTurn = 0
      }
    }

    /// Returns a stream of `count` slices, each of `size` bytes.
    func stream(of count: Int, size: Int) -> HTTPResponse {
      let number = made.count
      made.append(0)
      var answer = HTTPResponse(contentType: "text/plain", body: [])
      answer.slices = HTTPSlices { [unowned self] in
        thisTurn += 1
        guard made[number] < count else { return nil }
        made[number] += 1
        return [UInt8](repeating: 0x2E, count: size)
      }
      return answer
    }
  }

  private static let get = Array("GET / HTTP/1.0\r\nHost: h\r\n\r\n".utf8)

  /// Some slices are larger than the library's buffer.
  @Test(arguments: [1, 3, 16], [100, 40_000])
  func manyStreamsProduceOneSlicePerTurnAndAllComplete(clients: Int, size: Int) throws {
    let bench = try HTTPBench()
    let makers = Makers(bench.loop)
    let server = try HTTPServer(loop: bench.loop, listen: .tcp(address: "127.0.0.1", port: 0)) { _ in
      makers.stream(of: 20, size: size)
    }
    let streams = try (0..<clients).map { _ in try RawHTTPClient(loop: bench.loop, port: server.port ?? 0) }
    for stream in streams {
      stream.send(Self.get)
      stream.endSending()
    }
    #expect(try bench.run { streams.allSatisfy(\.isClosed) })
    for stream in streams {
      #expect(stream.received.split(separator: 0x0A).last?.count == 20 * size)
    }
    #expect(makers.mostInATurn == 1)
    #expect(makers.made == [Int](repeating: 20, count: clients))
    #expect(try bench.run { server.connectionCount == 0 && !server.hasDeadline })
  }

  @Test func streamsTakeTurns() throws {
    let bench = try HTTPBench()
    let makers = Makers(bench.loop)
    let server = try HTTPServer(loop: bench.loop, listen: .tcp(address: "127.0.0.1", port: 0)) { _ in
      makers.stream(of: .max, size: 100)
    }
    let streams = try (0..<8).map { _ in try RawHTTPClient(loop: bench.loop, port: server.port ?? 0) }
    for stream in streams { stream.send(Self.get) }
    var widest = 0
    let isDone = try bench.run {
      guard makers.made.count == 8, let least = makers.made.min(), let most = makers.made.max() else {
        return false
      }
      if least > 0 { widest = max(widest, most - least) }
      return least > 50
    }
    #expect(isDone)
    #expect(widest <= 8, "one stream was \(widest) pieces ahead of another")
  }

  @Test func anotherRequestIsAnsweredBetweenSlices() throws {
    let bench = try HTTPBench()
    let makers = Makers(bench.loop)
    let server = try HTTPServer(loop: bench.loop, listen: .tcp(address: "127.0.0.1", port: 0)) { request in
      request.path == "/quick" ? .json("{}") : makers.stream(of: .max, size: 4096)
    }
    let streams = try (0..<8).map { _ in try RawHTTPClient(loop: bench.loop, port: server.port ?? 0) }
    for stream in streams { stream.send(Self.get) }
    #expect(try bench.run { makers.made.reduce(0, +) > 100 })
    let client = try RawHTTPClient(loop: bench.loop, port: server.port ?? 0)
    for number in 1...10 {
      let before = makers.made.reduce(0, +)
      client.send(RawHTTPClient.request("GET", "/quick"))
      #expect(try bench.run { client.answers.count == number })
      #expect(makers.made.reduce(0, +) - before <= 4)
    }
  }

  @Test func aServerMayStopWhileStreamsWait() throws {
    let bench = try HTTPBench()
    let makers = Makers(bench.loop)
    let server = try HTTPServer(loop: bench.loop, listen: .tcp(address: "127.0.0.1", port: 0)) { _ in
      makers.stream(of: .max, size: 4096)
    }
    let streams = try (0..<8).map { _ in try RawHTTPClient(loop: bench.loop, port: server.port ?? 0) }
    for stream in streams { stream.send(Self.get) }
    #expect(try bench.run { makers.made.count == 8 && makers.made.allSatisfy { $0 > 3 } })
    server.stop()
    #expect(try bench.run { streams.allSatisfy(\.isClosed) })
    #expect(!server.hasDeadline)
  }

  @Test func anUnreadStreamCausesNoWakeUp() throws {
    let bench = try HTTPBench()
    let makers = Makers(bench.loop)
    let server = try HTTPServer(loop: bench.loop, listen: .tcp(address: "127.0.0.1", port: 0)) { _ in
      makers.stream(of: .max, size: 65_536)
    }
    let client = try RawHTTPClient(loop: bench.loop, port: server.port ?? 0)
    client.send(Self.get)
    client.stopReading()
    // The kernel buffers some megabytes; then the server is idle.
    var last = -1
    var turns = 0
    bench.loop.everyTurn { _ in turns += 1 }
    while makers.made.first ?? 0 != last {
      let made = makers.made.first ?? 0
      last = made
      turns = 0
      try bench.run(for: .milliseconds(200))
    }
    #expect(last > 0)
    #expect(turns <= 3)
    #expect(server.connectionCount == 1)
  }
}
