/// A frame whose checksum is right, by its place in the framer's storage.
enum Frame {
  /// The bytes between `$` (or `!`) and `*`, both excluded.
  case sentence(body: Range<Int>)
  case ubx(class: UInt8, id: UInt8, payload: Range<Int>)
}

/// Finds NMEA sentences and UBX frames in a stream of any bytes.
///
/// A sentence ends at its checksum, with or without a line end. A sentence without `*hh` is refused. After a
/// frame that turns out to be false the search goes on one byte after its first, so nothing behind a false
/// start is lost. What is found does not depend on how the stream was cut into pieces.
struct Framer: Sendable {
  /// Longest sentence that is waited for, `$` to checksum.
  static let longestSentence = 1024
  /// Longest UBX payload that is waited for; a larger length is taken for damage.
  static let longestPayload = 4096
  static let capacity = 8192

  /// Allocated once; frames are read where they lie.
  private(set) var storage = [UInt8](repeating: 0, count: capacity)
  private var start = 0
  private var end = 0

  /// Bytes that belonged to no frame, line ends not counted.
  private(set) var discardedBytes: UInt64 = 0
  private(set) var checksumErrors: UInt64 = 0
  /// Lines that began like a sentence and ended without a checksum.
  private(set) var uncheckedSentences: UInt64 = 0

  /// No bytes wait for the rest of their frame.
  var isEmpty: Bool { start == end }

  /// Takes as many bytes as there is room for and answers how many; never 0 once ``next(in:)`` answered nil.
  mutating func fill(from bytes: UnsafeRawBufferPointer) -> Int {
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
    return taken
  }

  /// The next frame in `bytes`, which are those of `storage`; nil when more bytes are needed.
  mutating func next(in bytes: UnsafeRawBufferPointer) -> Frame? {
    while start < end {
      switch bytes[start] {
      case UInt8(ascii: "$"), UInt8(ascii: "!"):
        switch sentence(in: bytes) {
        case .complete(let body, let next):
          start = next
          return .sentence(body: body)
        case .waiting: return nil
        case .broken(let resume): skip(to: resume)
        }
      case 0xB5:
        switch ubx(in: bytes) {
        case .complete(let payload, let next):
          let header = start
          start = next
          return .ubx(class: bytes[header + 2], id: bytes[header + 3], payload: payload)
        case .waiting: return nil
        case .broken(let resume): skip(to: resume)
        }
      case 0x0A, 0x0D: start += 1
      default: skip(to: start + 1)
      }
    }
    return nil
  }

  /// Gives up waiting for the rest of a half frame; what lies behind its first byte is searched again.
  mutating func abandonHalfFrame() {
    if start < end { skip(to: start + 1) }
  }

  /// Drops what waits.
  mutating func clear() {
    discardedBytes &+= UInt64(end - start)
    start = 0
    end = 0
  }

  private mutating func skip(to resume: Int) {
    discardedBytes &+= UInt64(resume - start)
    start = resume
  }

  private enum Candidate {
    case complete(body: Range<Int>, next: Int)
    case waiting
    case broken(resume: Int)
  }

  private mutating func sentence(in bytes: UnsafeRawBufferPointer) -> Candidate {
    let limit = min(end, start + Self.longestSentence)
    var sum: UInt8 = 0
    var position = start + 1
    while position < limit {
      let byte = bytes[position]
      switch byte {
      case UInt8(ascii: "*"): return checked(in: bytes, star: position, sum: sum)
      case UInt8(ascii: "$"): return .broken(resume: position)
      case 0x0A, 0x0D:
        uncheckedSentences &+= 1
        return .broken(resume: position)
      case 0x20...0x7E:
        sum ^= byte
        position += 1
      default: return .broken(resume: position)
      }
    }
    return limit == start + Self.longestSentence ? .broken(resume: start + 1) : .waiting
  }

  private mutating func checked(in bytes: UnsafeRawBufferPointer, star: Int, sum: UInt8) -> Candidate {
    var expected: UInt8 = 0
    for position in star + 1...star + 2 {
      guard position < end else { return .waiting }
      guard let digit = bytes[position].hexadecimalDigit else {
        checksumErrors &+= 1
        return .broken(resume: start + 1)
      }
      expected = expected << 4 | digit
    }
    guard expected == sum, star - start > Self.shortestBody else {
      checksumErrors &+= 1
      return .broken(resume: start + 1)
    }
    return .complete(body: start + 1..<star, next: star + 3)
  }

  /// An address alone.
  private static let shortestBody = 4

  /// Message classes run from NAV (01) to TIM2 (29); what lies above is no UBX and is not waited for.
  private static let classes: ClosedRange<UInt8> = 0x01...0x3F

  private mutating func ubx(in bytes: UnsafeRawBufferPointer) -> Candidate {
    guard start + 1 < end else { return .waiting }
    guard bytes[start + 1] == 0x62 else { return .broken(resume: start + 1) }
    guard start + 2 < end else { return .waiting }
    guard Self.classes.contains(bytes[start + 2]) else { return .broken(resume: start + 1) }
    guard start + 6 <= end else { return .waiting }
    let length = Int(bytes[start + 4]) | Int(bytes[start + 5]) << 8
    guard length <= Self.longestPayload else { return .broken(resume: start + 1) }
    let payload = start + 6..<start + 6 + length
    guard payload.upperBound + 2 <= end else { return .waiting }
    var a: UInt8 = 0
    var b: UInt8 = 0
    for position in start + 2..<payload.upperBound {
      a &+= bytes[position]
      b &+= a
    }
    guard bytes[payload.upperBound] == a, bytes[payload.upperBound + 1] == b else {
      checksumErrors &+= 1
      return .broken(resume: start + 1)
    }
    return .complete(body: payload, next: payload.upperBound + 2)
  }
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
