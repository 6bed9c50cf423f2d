/// Gives damaged frames a valid checksum, so that the damage reaches the field parsers.
enum ChecksumRepair {
  /// Rewrites the checksums of everything that has the form of a sentence, a UBX, a CASIC or a SiRF frame.
  static func repair(_ bytes: UnsafeMutableRawBufferPointer) {
    var position = 0
    while position < bytes.count {
      let remainder = UnsafeMutableRawBufferPointer(rebasing: bytes[position...])
      position += max(length(repairing: remainder), 1)
    }
  }

  /// The length of the frame at the start after its checksum was corrected; 0 without one.
  private static func length(repairing remainder: UnsafeMutableRawBufferPointer) -> Int {
    switch remainder[0] {
    case UInt8(ascii: "$"), UInt8(ascii: "!"): return sentence(remainder)
    case 0xB5: return ubx(remainder)
    case 0xBA: return casic(remainder)
    case 0xA0: return sirf(remainder)
    case _: return 0
    }
  }

  private static func sentence(_ remainder: UnsafeMutableRawBufferPointer) -> Int {
    let text = remainder.dropFirst()
    let end = text.firstIndex { $0 < 0x20 || $0 > 0x7E || $0 == UInt8(ascii: "$") || $0 == UInt8(ascii: "*") }
    guard let end, remainder[end] == UInt8(ascii: "*"), end + 2 < remainder.count else { return 0 }
    let sum = text[..<end].reduce(0, ^)
    for (offset, digit) in [(1, sum >> 4), (2, sum & 0xF)] {
      remainder[end + offset] = digit < 10 ? digit + 0x30 : digit - 10 + 0x41
    }
    return end + 3
  }

  private static func ubx(_ remainder: UnsafeMutableRawBufferPointer) -> Int {
    guard remainder.count >= 8, remainder[1] == 0x62 else { return 0 }
    let end = 6 + (Int(remainder[4]) | Int(remainder[5]) << 8)
    guard end + 2 <= remainder.count else { return 0 }
    var (a, b) = (UInt8(0), UInt8(0))
    for byte in remainder[2..<end] {
      a &+= byte
      b &+= a
    }
    remainder[end] = a
    remainder[end + 1] = b
    return end + 2
  }

  private static func casic(_ remainder: UnsafeMutableRawBufferPointer) -> Int {
    guard remainder.count >= 10, remainder[1] == 0xCE else { return 0 }
    let count = Int(remainder[2]) | Int(remainder[3]) << 8
    guard count % 4 == 0, 10 + count <= remainder.count else { return 0 }
    var sum = UInt32(remainder[5]) << 24 | UInt32(remainder[4]) << 16 | UInt32(count)
    for offset in stride(from: 6, to: 6 + count, by: 4) {
      sum &+= UInt32(littleEndian: remainder.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
    remainder.storeBytes(of: sum.littleEndian, toByteOffset: 6 + count, as: UInt32.self)
    return 10 + count
  }

  private static func sirf(_ remainder: UnsafeMutableRawBufferPointer) -> Int {
    guard remainder.count >= 8, remainder[1] == 0xA2 else { return 0 }
    let count = Int(remainder[2]) << 8 | Int(remainder[3])
    guard count > 0, 8 + count <= remainder.count else { return 0 }
    let sum = remainder[4..<4 + count].reduce(0) { $0 + Int($1) } & 0x7FFF
    let trailer = [UInt8(sum >> 8), UInt8(sum & 0xFF), 0xB0, 0xB3]
    for (offset, byte) in trailer.enumerated() { remainder[4 + count + offset] = byte }
    return 8 + count
  }
}
