import HTTPServer
import Testing

/// Bodies with `Content-Encoding: gzip` (RFC 1952).
@Suite struct UnpackingTests {
  typealias Failure = HTTPRequest.UnpackingFailure

  private func unpack(_ body: [UInt8], limit: Int = 1000) -> Result<[UInt8], Failure> {
    var request = HTTPRequest(method: "POST", path: "/", body: body)
    request.contentEncoding = "gzip"
    do throws(Failure) { return .success(try request.unpackedBody(limit: limit)) } catch {
      return .failure(error)
    }
  }

  @Test func allMembersAreUnpacked() throws {
    let members = try ["{\"a\":", "", "1}"].map { try #require(Gzip.pack(Array($0.utf8))) }
    #expect(unpack(members[0] + members[1] + members[2]) == .success(Array("{\"a\":1}".utf8)))
    #expect(unpack(members[1] + members[1]) == .success([]))
  }

  @Test func theMembersTogetherAreLimited() throws {
    let member = try #require(Gzip.pack([UInt8](repeating: 0x20, count: 600)))
    #expect(unpack(member + member, limit: 1200) == .success([UInt8](repeating: 0x20, count: 1200)))
    #expect(unpack(member + member, limit: 1199) == .failure(.tooLarge(limit: 1199)))
  }

  @Test func bytesAfterTheEndAreRejected() throws {
    let member = try #require(Gzip.pack(Array("{}".utf8)))
    let garbage: [[UInt8]] = [[0], [0x1F], [0x1F, 0x8C], Array("{}".utf8), [0, 0, 0, 0]]
    for bytes in garbage {
      #expect(unpack(member + bytes) == .failure(.bytesAfterEnd(offset: member.count)), "\(bytes)")
      #expect(unpack(member + member + bytes) == .failure(.bytesAfterEnd(offset: 2 * member.count)))
    }
  }

  @Test func aTruncatedMemberIsDamaged() throws {
    let member = try #require(Gzip.pack(Array("{}".utf8)))
    for count in 2..<member.count {
      #expect(unpack(Array(member[..<count])) == .failure(.damaged))
      #expect(unpack(member + Array(member[..<count])) == .failure(.damaged), "\(count)")
    }
  }
}
