/// A frame with a valid checksum, by its position in the framer's storage.
package enum Frame {
  /// The bytes between `$` (or `!`) and `*`, both excluded.
  case sentence(body: Range<Int>)
  case ubx(class: UInt8, id: UInt8, payload: Range<Int>)
  case casic(class: UInt8, id: UInt8, payload: Range<Int>)
  /// A SiRF binary frame, which is recognised but not decoded.
  case sirf
}

/// Finds NMEA sentences and binary frames (UBX, CASIC) in an arbitrary byte stream.
///
/// A sentence ends at its checksum, with or without a line end. A sentence without `*hh` is rejected. So is
/// one that contains its start character again: a line full of `!` costs no more than any other. After a
/// false frame the search continues one byte after its start, so nothing behind a false start is lost. The
/// result does not depend on how the stream is divided.
package struct Framer: Sendable {
  /// Longest accepted sentence, `$` to checksum.
  package static let longestSentence = 1024
  package static let capacity = 8192
  /// Bytes after the stored data, because sentences are read eight bytes at a time, beyond their end.
  package static let slack = 8

  /// Buffer of the frames, allocated once. Frames are parsed in place.
  package private(set) var storage = [UInt8](repeating: 0, count: capacity + slack)
  private var start = 0
  private var end = 0
  private var filled: UInt64 = 0

  /// Number of bytes outside frames, line ends not counted.
  package private(set) var discardedBytes: UInt64 = 0
  package private(set) var checksumErrors: UInt64 = 0
  /// Number of lines that began like a sentence and ended without a checksum.
  package private(set) var uncheckedSentences: UInt64 = 0

  package init() {}

  /// Number of bytes of the stream up to the next frame.
  package var position: UInt64 { filled &- UInt64(end &- start) }

  /// True if no bytes of an incomplete frame remain.
  package var isEmpty: Bool { start == end }

  /// Copies as many bytes as there is room for and returns their number; never 0 after ``next(in:)`` returned
  /// nil.
  package mutating func fill(from bytes: UnsafeRawBufferPointer) -> Int {
    if start == end {
      start = 0
      end = 0
    }
    let start = self.start
    let waiting = end - start
    let taken = min(bytes.count, Self.capacity - waiting)
    storage.withUnsafeMutableBytes { storage in
      if start > 0, waiting > 0 {
        storage.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[start..<start + waiting]))
      }
      UnsafeMutableRawBufferPointer(rebasing: storage[waiting..<waiting + taken])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<taken]))
    }
    self.start = 0
    end = waiting + taken
    filled &+= UInt64(taken)
    return taken
  }

  /// The next frame in `bytes`, which are those of `storage`; nil if more bytes are needed.
  package mutating func next(in bytes: UnsafeRawBufferPointer) -> Frame? {
    while start < end {
      let candidate: BinaryFrame.Candidate
      switch bytes[start] {
      case UInt8(ascii: "$"), UInt8(ascii: "!"):
        switch sentence(in: bytes) {
        case .complete(let body):
          start = body.upperBound &+ 3
          skipLineEnd(in: bytes)
          return .sentence(body: body)
        case .waiting: return nil
        case .broken(let resume): skip(to: resume)
        }
        continue
      case 0x0A, 0x0D:
        start += 1
        continue
      case BinaryFrame.ubx: candidate = BinaryFrame.ubx(in: bytes, start..<end)
      case BinaryFrame.casic: candidate = BinaryFrame.casic(in: bytes, start..<end)
      case BinaryFrame.sirf: candidate = BinaryFrame.sirf(in: bytes, start..<end)
      case _: candidate = .noFrame
      }
      switch candidate {
      case .complete(let frame, let next):
        start = next
        return frame
      case .waiting: return nil
      case .damaged:
        checksumErrors &+= 1
        skip(to: start + 1)
      case .noFrame: skip(to: start + 1)
      }
    }
    return nil
  }

  /// Discards the start of an incomplete frame; the bytes after its first one are searched again.
  package mutating func abandonHalfFrame() {
    if start < end { skip(to: start + 1) }
  }

  /// Discards the remaining bytes.
  package mutating func clear() {
    discardedBytes &+= UInt64(end - start)
    start = 0
    end = 0
  }

  @inline(__always)
  private mutating func skipLineEnd(in bytes: UnsafeRawBufferPointer) {
    if start &+ 1 < end, bytes[start] == 0x0D, bytes[start &+ 1] == 0x0A { start &+= 2 }
  }

  private mutating func skip(to resume: Int) {
    discardedBytes &+= UInt64(resume - start)
    start = resume
  }

  private enum Sentence {
    case complete(body: Range<Int>)
    case waiting
    case broken(resume: Int)
  }

  @inline(__always)
  private mutating func sentence(in bytes: UnsafeRawBufferPointer) -> Sentence {
    guard let text = bytes.baseAddress else { return .waiting }
    let limit = min(end, start &+ Self.longestSentence)
    var sum = EightBytes(0)
    var position = start &+ 1
    while position < limit {
      let next = EightBytes(at: text + position)
      let marks = next.rareMarks
      guard marks != 0 else {
        sum.word ^= next.word
        position &+= 8
        continue
      }
      let count = EightBytes.index(of: marks)
      sum.word ^= next.prefix(count)
      position &+= count
      guard position < limit else { break }
      let byte = bytes[position]
      if byte == UInt8(ascii: "*") { return checked(in: bytes, star: position, sum: sum.parity) }
      guard Self.isText(byte), byte != bytes[start] else {
        if byte == 0x0A || byte == 0x0D { uncheckedSentences &+= 1 }
        return .broken(resume: position)
      }
      sum.word ^= UInt64(byte)
      position &+= 1
    }
    return limit &- start == Self.longestSentence ? .broken(resume: start &+ 1) : .waiting
  }

  /// True for 0x20...0x7E except `$`.
  private static func isText(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "$"): false
    case 0x20...0x7E: true
    case _: false
    }
  }

  @inline(__always)
  private mutating func checked(in bytes: UnsafeRawBufferPointer, star: Int, sum: UInt8) -> Sentence {
    guard star &+ 1 < end else { return .waiting }
    if let first = bytes[star &+ 1].hexadecimalDigit {
      guard star &+ 2 < end else { return .waiting }
      if let second = bytes[star &+ 2].hexadecimalDigit, first << 4 | second == sum,
        star &- start > Self.shortestBody
      {
        return .complete(body: start &+ 1..<star)
      }
    }
    checksumErrors &+= 1
    return .broken(resume: start &+ 1)
  }

  /// Length of the shortest body: an address without fields.
  private static let shortestBody = 4
}

extension UInt8 {
  /// The value of an ASCII hexadecimal digit of either case.
  fileprivate var hexadecimalDigit: UInt8? {
    switch self {
    case 0x30...0x39: self - 0x30
    case 0x41...0x46: self - 0x37
    case 0x61...0x66: self - 0x57
    default: nil
    }
  }
}
