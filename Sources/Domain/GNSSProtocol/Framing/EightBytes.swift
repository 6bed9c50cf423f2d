/// Eight bytes of text in one register, the first one lowest.
///
/// Most of the work on a receiver's line is to find the ends of fields and sentences and to verify checksums.
/// Eight bytes at a time, that costs two instructions per byte.
struct EightBytes {
  var word: UInt64

  private static let each: UInt64 = 0x0101_0101_0101_0101
  private static let top: UInt64 = 0x8080_8080_8080_8080

  init(_ word: UInt64) { self.word = word }

  /// The eight bytes at `address`, all of which must be readable.
  @inline(__always)
  init(at address: UnsafeRawPointer) {
    word = UInt64(littleEndian: address.loadUnaligned(as: UInt64.self))
  }

  /// The number of bytes before the first one whose top bit is set in `marks`; 8 without one.
  @inline(__always)
  static func index(of marks: UInt64) -> Int { marks.trailingZeroBitCount >> 3 }

  /// Marks with the top bit each byte that equals `byte`, which is ASCII. Correct up to the first byte that
  /// is not ASCII.
  @inline(__always)
  func marks(of byte: UInt8) -> UInt64 {
    (Self.top &- (word ^ Self.each &* UInt64(byte))) & Self.top
  }

  /// The number of marked bytes.
  @inline(__always)
  static func count(of marks: UInt64) -> Int {
    Int(truncatingIfNeeded: ((marks &>> 7) &* each) &>> 56)
  }

  /// The bytes without the one at `index` (0...7); those after it move up.
  @inline(__always)
  func without(_ index: Int) -> EightBytes {
    let before = (1 &<< UInt64(truncatingIfNeeded: index &* 8)) &- 1
    return EightBytes(word & before | word &>> 8 & ~before)
  }

  /// The lowest bit set is the top bit of the first byte outside 0x2B...0x7E; 0 without such a byte. They
  /// include all bytes that end the text of a sentence, and the few characters that only free text contains.
  @inline(__always)
  var rareMarks: UInt64 {
    let low = (word &- Self.each &* 0x2B) & ~word
    let high = word | (word &+ Self.each)
    return (low | high) & Self.top
  }

  /// The first `count` bytes, the others 0; `count` is 0...7.
  @inline(__always)
  func prefix(_ count: Int) -> UInt64 { word & (1 &<< UInt64(truncatingIfNeeded: count &* 8) &- 1) }

  /// All bytes combined by exclusive or.
  @inline(__always)
  var parity: UInt8 {
    var folded = word ^ word &>> 32
    folded ^= folded &>> 16
    return UInt8(truncatingIfNeeded: folded ^ folded &>> 8)
  }

  /// The sum of all bytes.
  @inline(__always)
  var sum: UInt64 { ((even &+ odd) &* 0x0001_0001_0001_0001) &>> 48 }

  /// The weighted sum of all bytes: the first counts eight times, the last once.
  @inline(__always)
  var fallingSum: UInt64 { (even &* 0x0008_0006_0004_0002 &+ odd &* 0x0007_0005_0003_0001) &>> 48 }

  // Four groups of 16 bits; a multiplication adds them into the top one.
  private var even: UInt64 { word & 0x00FF_00FF_00FF_00FF }
  private var odd: UInt64 { word &>> 8 & 0x00FF_00FF_00FF_00FF }

  /// The decimal number in the first `count` (1...8) bytes; nil if one of them is not a digit.
  @inline(__always)
  func number(_ count: Int) -> UInt64? { pairs(count).map(Self.joined) }

  /// The first `count` (1...8) bytes as pairs of decimal digits, 0...99 each, in groups of 16 bits: the last
  /// pair in the top one. Nil if one of them is not a digit.
  @inline(__always)
  func pairs(_ count: Int) -> UInt64? {
    // Digits move to the top, with zeros before them.
    Self.paired((word ^ Self.each &* 0x30) &<< UInt64(truncatingIfNeeded: 64 &- count &* 8))
  }

  /// The first `count` (1...8) bytes as the decimals of a number, in units of 1e-8; nil if one of them is not
  /// a digit.
  @inline(__always)
  func decimals(_ count: Int) -> UInt64? {
    // Zeros replace the bytes after the digits.
    let others = UInt64(truncatingIfNeeded: 64 &- count &* 8)
    return Self.paired(((word ^ Self.each &* 0x30) &<< others) &>> others).map(Self.joined)
  }

  @inline(__always)
  private static func paired(_ digits: UInt64) -> UInt64? {
    guard (digits &+ each &* 0x76 | digits) & top == 0 else { return nil }
    return (digits &* 10 &+ digits &>> 8) & 0x00FF_00FF_00FF_00FF
  }

  @inline(__always)
  private static func joined(_ pairs: UInt64) -> UInt64 {
    let fours = (pairs &* 100 &+ pairs &>> 16) & 0x0000_FFFF_0000_FFFF
    return (fours &* 10_000 &+ fours &>> 32) & 0xFFFF_FFFF
  }
}
