import CZlib

/// Compression of response bodies.
public enum Gzip {
  /// Returns the bytes in the format gzip (RFC 1952); nil if zlib has no memory.
  public static func pack(_ bytes: [UInt8]) -> [UInt8]? {
    var stream = z_stream()
    // 15 bits of window, 16 more for the header of gzip (zlib.h, deflateInit2).
    guard
      deflateInit2_(
        &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
        Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { return nil }
    defer { deflateEnd(&stream) }
    var packed = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
    let outcome = bytes.withUnsafeBufferPointer { source in
      packed.withUnsafeMutableBufferPointer { room in
        // zlib reads these bytes and does not write them; its header lacks the const.
        stream.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
        stream.avail_in = UInt32(clamping: source.count)
        stream.next_out = room.baseAddress
        stream.avail_out = UInt32(clamping: room.count)
        return deflate(&stream, Z_FINISH)
      }
    }
    guard outcome == Z_STREAM_END else { return nil }
    return Array(packed.dropLast(Int(stream.avail_out)))
  }
}
