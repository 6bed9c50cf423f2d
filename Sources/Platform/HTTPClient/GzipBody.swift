import CZlib

/// Compresses request bodies with gzip (RFC 1952), for servers that are known to decompress them.
///
/// The result is reproducible: the gzip header contains no time and no name.
public enum GzipBody {
  /// The compression level: zlib's default compromise between time and size.
  public static let level: Int32 = 6

  /// Returns the parts as one compressed body; nil if zlib fails for lack of memory.
  public static func packed(_ parts: [[UInt8]], level: Int32 = level) -> [UInt8]? {
    var stream = z_stream()
    // 15 bits of window, 16 more for the header of gzip (zlib.h, deflateInit2).
    let size = Int32(MemoryLayout<z_stream>.size)
    guard
      deflateInit2_(
        &stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK
    else { return nil }
    defer { deflateEnd(&stream) }
    let length = parts.reduce(0) { $0 + $1.count }
    let bound = Int(deflateBound(&stream, uLong(length)))
    var isComplete = false
    let packed = [UInt8](unsafeUninitializedCapacity: bound) { room, count in
      stream.next_out = room.baseAddress
      stream.avail_out = UInt32(clamping: room.count)
      for part in parts {
        part.withUnsafeBufferPointer { bytes in
          // zlib reads these bytes and does not write them; its header lacks the const.
          stream.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
          stream.avail_in = UInt32(clamping: bytes.count)
          _ = deflate(&stream, Z_NO_FLUSH)
        }
      }
      isComplete = deflate(&stream, Z_FINISH) == Z_STREAM_END
      count = room.count - Int(stream.avail_out)
    }
    return isComplete ? packed : nil
  }
}
