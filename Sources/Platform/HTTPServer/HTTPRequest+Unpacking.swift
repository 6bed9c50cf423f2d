import CZlib

extension HTTPRequest {
  /// The reason why a body cannot be decompressed.
  public enum UnpackingFailure: Error, Equatable, Sendable {
    /// An unsupported `Content-Encoding`.
    case unknownCoding(String)
    /// The body is not gzip, or it is truncated.
    case damaged
    /// The bytes from `offset` on are not another member of gzip.
    case bytesAfterEnd(offset: Int)
    /// The decompressed body would be larger than `limit` bytes.
    case tooLarge(limit: Int)
  }

  /// Returns the body without its `Content-Encoding` (RFC 9110 section 8.4): unchanged, or decompressed from gzip
  /// (RFC 1952), all members together to at most `limit` bytes.
  public func unpackedBody(limit: Int) throws(UnpackingFailure) -> [UInt8] {
    guard let coding = contentEncoding?.lowercased(), coding != "identity" else { return body }
    guard coding == "gzip" || coding == "x-gzip" else { throw .unknownCoding(coding) }
    var stream = z_stream()
    // 15 bits of window, 16 more for the header of gzip (zlib.h, inflateInit2).
    guard inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
      throw .damaged
    }
    defer { inflateEnd(&stream) }
    var text: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    var outcome = Z_OK
    var rest = 0
    body.withUnsafeBufferPointer { packed in
      // zlib reads these bytes and does not write them; its header lacks the const.
      stream.next_in = UnsafeMutablePointer(mutating: packed.baseAddress)
      stream.avail_in = UInt32(clamping: packed.count)
      while outcome == Z_OK, text.count <= limit {
        chunk.withUnsafeMutableBufferPointer { room in
          stream.next_out = room.baseAddress
          stream.avail_out = UInt32(clamping: room.count)
          outcome = inflate(&stream, Z_NO_FLUSH)
        }
        text += chunk[..<(chunk.count - Int(stream.avail_out))]
        // Members follow each other without a mark (RFC 1952 section 2.2).
        rest = Int(stream.avail_in)
        if outcome == Z_STREAM_END, packed.suffix(rest).starts(with: Self.memberMark) {
          outcome = inflateReset(&stream)
        }
      }
    }
    guard text.count <= limit else { throw .tooLarge(limit: limit) }
    guard outcome == Z_STREAM_END else { throw .damaged }
    guard rest == 0 else { throw .bytesAfterEnd(offset: body.count - rest) }
    return text
  }

  /// The first bytes of a member (RFC 1952 section 2.3.1).
  private static let memberMark: [UInt8] = [0x1F, 0x8B]
}
