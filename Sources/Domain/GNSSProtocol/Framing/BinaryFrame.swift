/// Recognises the frames of the binary protocols at the start of a byte range.
enum BinaryFrame {
  /// The result of searching for a frame at the start of the bytes.
  enum Candidate {
    case complete(Frame, next: Int)
    /// The bytes so far are the start of a frame.
    case waiting
    /// The frame is complete and its checksum is wrong.
    case damaged
    case noFrame
  }

  static let ubx: UInt8 = 0xB5
  static let casic: UInt8 = 0xBA
  static let sirf: UInt8 = 0xA0

  /// Longest accepted UBX payload; a larger length is treated as damage.
  static let longestUBX = 4096
  /// Longest accepted CASIC payload. Payloads are whole words; the longest navigation message has 32 satellites of 12
  /// bytes.
  static let longestCASIC = 1024
  static let longestSiRF = 1023

  /// The message classes, from NAV (01) to TIM2 (29). A higher one is not UBX.
  private static let classes: ClosedRange<UInt8> = 0x01...0x3F

  /// UBX frame: `B5 62` class id length payload CK_A CK_B; the checksum covers the bytes between the sync
  /// characters and itself.
  @inline(__always)
  static func ubx(in bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Candidate {
    let (start, end) = (range.lowerBound, range.upperBound)
    guard start + 1 < end else { return .waiting }
    guard bytes[start + 1] == 0x62 else { return .noFrame }
    guard start + 2 < end else { return .waiting }
    guard classes.contains(bytes[start + 2]) else { return .noFrame }
    guard start + 6 <= end else { return .waiting }
    let length = Int(bytes[start + 4]) | Int(bytes[start + 5]) << 8
    guard length <= longestUBX else { return .noFrame }
    let payload = start + 6..<start + 6 + length
    guard payload.upperBound + 2 <= end else { return .waiting }
    let sum = Fletcher8(bytes, start + 2..<payload.upperBound)
    guard bytes[payload.upperBound] == sum.a, bytes[payload.upperBound + 1] == sum.b else { return .damaged }
    return .complete(
      .ubx(class: bytes[start + 2], id: bytes[start + 3], payload: payload), next: payload.upperBound + 2)
  }

  /// CASIC frame: `BA CE` length class id payload checksum. The checksum is a sum of 32-bit words, which
  /// starts with id, class and length as one word.
  static func casic(in bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Candidate {
    let (start, end) = (range.lowerBound, range.upperBound)
    guard start + 1 < end else { return .waiting }
    guard bytes[start + 1] == 0xCE else { return .noFrame }
    guard start + 6 <= end else { return .waiting }
    let length = Int(bytes[start + 2]) | Int(bytes[start + 3]) << 8
    guard length <= longestCASIC, length % 4 == 0, classes.contains(bytes[start + 4]) else { return .noFrame }
    let payload = start + 6..<start + 6 + length
    guard payload.upperBound + 4 <= end else { return .waiting }
    let fields = LittleEndian(bytes: bytes)
    var sum = UInt32(bytes[start + 5]) << 24 | UInt32(bytes[start + 4]) << 16 | UInt32(length)
    for offset in stride(from: payload.lowerBound, to: payload.upperBound, by: 4) {
      sum &+= fields.u4(offset)
    }
    guard fields.u4(payload.upperBound) == sum else { return .damaged }
    return .complete(
      .casic(class: bytes[start + 4], id: bytes[start + 5], payload: payload), next: payload.upperBound + 4)
  }

  /// SiRF binary frame: `A0 A2` length payload checksum `B0 B3`, big-endian; the checksum is the 15-bit sum
  /// of the payload.
  static func sirf(in bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Candidate {
    let (start, end) = (range.lowerBound, range.upperBound)
    guard start + 1 < end else { return .waiting }
    guard bytes[start + 1] == 0xA2 else { return .noFrame }
    guard start + 4 <= end else { return .waiting }
    let length = Int(bytes[start + 2]) << 8 | Int(bytes[start + 3])
    guard (1...longestSiRF).contains(length) else { return .noFrame }
    let payload = start + 4..<start + 4 + length
    let next = payload.upperBound + 4
    guard next <= end else { return .waiting }
    guard bytes[next - 2] == 0xB0, bytes[next - 1] == 0xB3 else { return .noFrame }
    let sum = bytes[payload].reduce(0) { $0 + Int($1) } & 0x7FFF
    let stated = Int(bytes[next - 4]) << 8 | Int(bytes[next - 3])
    return sum == stated ? .complete(.sirf, next: next) : .damaged
  }
}
