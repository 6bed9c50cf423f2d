import HTTPServer
import Testing

/// Message authentication codes, with the vectors of RFC 4231 section 4.
@Suite struct HMACTests {
  static let vectors: [(key: [UInt8], message: [UInt8], code: String)] = [
    (
      [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8),
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    ),
    (
      Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
    (
      [UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50),
      "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
    ),
    (
      Array(0x01...0x19), [UInt8](repeating: 0xCD, count: 50),
      "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
    ),
    (
      [UInt8](repeating: 0xAA, count: 131),
      Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ),
    (
      [UInt8](repeating: 0xAA, count: 131),
      Array(
        ("This is a test using a larger than block-size key and a larger than block-size data. The key needs to "
          + "be hashed before being used by the HMAC algorithm.").utf8),
      "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
    ),
  ]

  @Test(arguments: vectors) func theCodeOfEveryVectorIsRight(key: [UInt8], message: [UInt8], code: String) {
    let text = HMAC.code(of: message, key: key).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    #expect(text.joined() == code)
  }

  @Test func emptyKeysAndMessagesHaveACode() {
    let code = HMAC.code(of: [], key: [])
    #expect(code.prefix(4).elementsEqual([0xB6, 0x13, 0x67, 0x9A]))
  }

  @Test func codesAreComparedCompletely() {
    #expect(HMAC.areEqual([1, 2, 3], [1, 2, 3]) && HMAC.areEqual([], []))
    for other: [UInt8] in [[1, 2], [1, 2, 4], [0, 2, 3], [1, 2, 3, 0], []] {
      #expect(!HMAC.areEqual([1, 2, 3], other))
    }
  }

  @Test(arguments: [0, 1, 100, 100_000]) func packedBytesAreUnpackedToThemselves(count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7 / 3) }
    let packed = try #require(Gzip.pack(bytes))
    var request = HTTPRequest(method: "POST", path: "/", contentEncoding: "gzip")
    request.body = packed
    #expect(try request.unpackedBody(limit: count) == bytes)
  }
}
