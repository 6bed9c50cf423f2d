import HTTPServer
import TestSupport
import Testing

/// Answers that are made in slices.
@Suite struct SlicesTests {
  @Test(arguments: [0, 1, 1000]) func slicesArriveWholeAndInOrder(count: Int) throws {
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

  @Test func aClientThatLeavesInTheMiddleEndsIt() throws {
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
}
