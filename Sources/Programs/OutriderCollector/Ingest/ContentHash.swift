import CXXHash

/// The hash of a record without number.
enum ContentHash {
  /// The first eight bytes of XXH3-128, as a big-endian number.
  static func record(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { hash in
      outrider_xxh3_128(bytes.baseAddress, bytes.count, hash.baseAddress)
      return hash.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
  }
}
