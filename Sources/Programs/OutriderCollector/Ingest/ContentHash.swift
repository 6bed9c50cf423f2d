import CNettle
import CXXHash

/// The hashes of tokens and records.
enum ContentHash {
  /// SHA-256 of a token, by which it is found.
  static func token(_ token: String) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    // A pointer of an empty array may be nil, which the library does not accept.
    let bytes = Array(token.utf8) + [0]
    outrider_sha256(bytes, bytes.count - 1, &digest)
    return digest
  }

  /// The first eight bytes of XXH3-128, as a big-endian number.
  static func record(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { hash in
      outrider_xxh3_128(bytes.baseAddress, bytes.count, hash.baseAddress)
      return hash.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
  }
}
