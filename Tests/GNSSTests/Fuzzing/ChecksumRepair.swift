/// Gives damaged frames a valid checksum, so that the damage reaches the field parsers.
enum ChecksumRepair {
  /// Rewrites the checksums of everything that has the form of a sentence, a UBX, a CASIC or a SiRF frame.
  static func repair(_ bytes: UnsafeMutableRawBufferPointer) {
    var position = 0
    while position < bytes.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[position...])
      position += max(length(repairing: rest), 1)
    }
  }

  /// The length of the frame at the start after its checksum was corrected; 0 without one.
  private static func length(repairing rest: UnsafeMutableRawBufferPointer) -> Int {
    switch rest[0] {
    case UInt8(ascii: "$"), UInt8(ascii: "!"): return sentence(rest)
    case 0xB5: return ubx(rest)
    case 0xBA: return casic(rest)
    case 0xA0: return sirf(rest)
    case _: return 0
    }
  }

  private static func sentence(_ rest: UnsafeMutableRawBufferPointer) -> Int {
    let text = rest.dropFirst()
    let end = text.firstIndex { $0 < 0x20 || $0 > 0x7E || $0 == UInt8(ascii: "$") || $0 == UInt8(ascii: "*") }
    guard let end, rest[end] == UInt8(ascii: "*"), end + 2 < rest.count else { return 0 }
    let sum = text[..<end].reduce(0, ^)
    for (offset, digit) in [(1, sum >> 4), (2, sum & 0xF)] {
      rest[end + offset] = digit < 10 ? digit + 0x30 : digit - 10 + 0x41
    }
    return end + 3
  }

  private static func ubx(_ rest: UnsafeMutableRawBufferPointer) -> Int {
    guard rest.count >= 8, rest[1] == 0x62 else { return 0 }
    let end = 6 + (Int(rest[4]) | Int(rest[5]) << 8)
    guard end + 2 <= rest.count else { return 0 }
    var (a, b) = (UInt8(0), UInt8(0))
    for byte in rest[2..<end] {
      a &+= byte
      b &+= a
    }
    rest[end] = a
    rest[end + 1] = b
    return end + 2
  }

  private static func casic(_ rest: UnsafeMutableRawBufferPointer) -> Int {
    guard rest.count >= 10, rest[1] == 0xCE else { return 0 }
    let count = Int(rest[2]) | Int(rest[3]) << 8
    guard count % 4 == 0, 10 + count <= rest.count else { return 0 }
    var sum = UInt32(rest[5]) << 24 | UInt32(rest[4]) << 16 | UInt32(count)
    for offset in stride(from: 6, to: 6 + count, by: 4) {
      sum &+= UInt32(littleEndian: rest.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
    rest.storeBytes(of: sum.littleEndian, toByteOffset: 6 + count, as: UInt32.self)
    return 10 + count
  }

  private static func sirf(_ rest: UnsafeMutableRawBufferPointer) -> Int {
    guard rest.count >= 8, rest[1] == 0xA2 else { return 0 }
    let count = Int(rest[2]) << 8 | Int(rest[3])
    guard count > 0, 8 + count <= rest.count else { return 0 }
    let sum = rest[4..<4 + count].reduce(0) { $0 + Int($1) } & 0x7FFF
    let trailer = [UInt8(sum >> 8), UInt8(sum & 0xFF), 0xB0, 0xB3]
    for (offset, byte) in trailer.enumerated() { rest[4 + count + offset] = byte }
    return 8 + count
  }
}
