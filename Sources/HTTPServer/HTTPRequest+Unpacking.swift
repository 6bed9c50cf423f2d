import CZlib

extension HTTPRequest {
  public enum UnpackingFailure: Error, Equatable, Sendable {
    /// A coding that is not known here.
    case unknownCoding(String)
    /// The body is no gzip, or is cut short.
    case damaged
    /// It would grow beyond so many bytes.
    case tooLarge(limit: Int)
  }

  /// The body without its `Content-Encoding` (RFC 9110 section 8.4): as it is, or unpacked from gzip (RFC 1952) to at
  /// most `limit` bytes.
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
      }
    }
    guard text.count <= limit else { throw .tooLarge(limit: limit) }
    guard outcome == Z_STREAM_END else { throw .damaged }
    return text
  }
}
