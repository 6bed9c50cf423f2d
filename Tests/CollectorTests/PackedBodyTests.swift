import Database
import HTTPClient
import HTTPServer
import Quantities
import Testing

@Suite struct PackedBodyTests {
  @Test(arguments: ["gzip", "GZIP", "x-gzip"])
  func aCompressedBodyIsStoredAsTheSameBytes(coding: String) throws {
    let bench = try CollectorTests.Bench()
    let body = CollectorTests.batch((1...300).map { CollectorTests.location($0) })
    let packed = try #require(GzipBody.packed([Array(body.utf8)]))
    #expect(packed.count < body.utf8.count / 8)
    let port = bench.collector?.port
    let answer = try bench.http.ask(
      port, "POST", "/api/input", headers: ["Content-Encoding: \(coding)"], body: packed)
    #expect(answer.text == #"{"result":"ok","saved":300}"#)
    #expect(try bench.post(body).text == #"{"result":"ok","saved":0}"#)
  }

  @Test func aTruncatedOrInvalidGzipBodyIsRejected() throws {
    let bench = try CollectorTests.Bench()
    let packed = try #require(
      GzipBody.packed([Array(CollectorTests.batch([CollectorTests.location(1)]).utf8)]))
    for length in [0, 1, 10, packed.count / 2, packed.count - 1] {
      let answer = try bench.http.ask(
        bench.collector?.port, "POST", "/dump", headers: ["Content-Encoding: gzip"],
        body: Array(packed[..<length]))
      #expect(answer.status == 400)
    }
    #expect(try bench.post("{}", to: "/pub", headers: ["Content-Encoding: gzip"]).status == 400)
  }

  @Test func aBodyThatIsTooLargeAfterDecompressionIsRejected() throws {
    let zeros = [UInt8](repeating: 0x20, count: 1 << 20)
    let packed = try #require(GzipBody.packed(Array(repeating: zeros, count: 40)))
    var request = HTTPRequest(method: "POST", path: "/")
    request.contentEncoding = "gzip"
    request.body = packed
    #expect(throws: HTTPRequest.UnpackingFailure.tooLarge(limit: 32 << 20)) {
      try request.unpackedBody(limit: 32 << 20)
    }
    #expect(try request.unpackedBody(limit: 40 << 20).count == 40 << 20)
  }

  @Test(arguments: 0..<50 as Range<UInt64>)
  func compressedPartsDecompressToTheSameBytes(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let largest: UInt8 = seed.isMultiple(of: 2) ? 3 : 255
    var parts: [[UInt8]] = []
    for _ in 0..<Int.random(in: 0...5, using: &random) {
      var part: [UInt8] = []
      for _ in 0..<Int.random(in: 0...3000, using: &random) {
        part.append(UInt8.random(in: 0...largest, using: &random))
      }
      parts.append(part)
    }
    var request = HTTPRequest(method: "POST", path: "/")
    request.contentEncoding = "gzip"
    request.body = try #require(GzipBody.packed(parts))
    #expect(try request.unpackedBody(limit: 1 << 20) == Array(parts.joined()))
    #expect(GzipBody.packed(parts) == request.body)
  }
}
