/// The division of a stream into pieces.
enum Cut {
  case not, everywhere
  /// Pieces of 1...256 bytes; the first byte of a piece determines its length, so the input chooses the
  /// division.
  case byItself

  func pieces(of bytes: UnsafeRawBufferPointer) -> some Sequence<Range<Int>> {
    sequence(state: 0) { start -> Range<Int>? in
      guard start < bytes.count else { return nil }
      defer { start += length(at: start, in: bytes) }
      return start..<min(start + length(at: start, in: bytes), bytes.count)
    }
  }

  private func length(at start: Int, in bytes: UnsafeRawBufferPointer) -> Int {
    switch self {
    case .not: bytes.count
    case .everywhere: 1
    // Text uses only half of all byte values; the multiplication spreads them.
    case .byItself: 1 + Int(bytes[start] &* 0x9D &+ UInt8(truncatingIfNeeded: start))
    }
  }
}
