/// The three framings of simulated modules.
enum ModuleFrame {
  /// NMEA 0183: `$`, the body, `*` and the exclusive or of the body in two hexadecimal digits.
  static func sentence(_ body: String) -> [UInt8] {
    let sum = body.utf8.reduce(0, ^)
    let digits = String(sum, radix: 16, uppercase: true)
    return Array("$\(body)*\(digits.count < 2 ? "0" : "")\(digits)\r\n".utf8)
  }

  /// UBX: `B5 62`, class, id, length, payload and the 8-bit Fletcher sums of all but the first two bytes.
  static func ubx(_ group: UInt8, _ id: UInt8, _ payload: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = [0xB5, 0x62, group, id]
    bytes.append(little: UInt16(truncatingIfNeeded: payload.count))
    bytes += payload
    var sums: (first: UInt8, second: UInt8) = (0, 0)
    for byte in bytes.dropFirst(2) {
      sums.first &+= byte
      sums.second &+= sums.first
    }
    return bytes + [sums.first, sums.second]
  }

  /// CASIC: `BA CE`, length, class, id, payload (whole words) and a 32-bit sum in which the id has a higher
  /// weight than the class, contrary to the printed specification.
  static func casic(_ group: UInt8, _ id: UInt8, _ payload: [UInt8]) -> [UInt8] {
    var sum = UInt32(id) << 24 &+ UInt32(group) << 16 &+ UInt32(truncatingIfNeeded: payload.count)
    for (index, byte) in payload.enumerated() { sum &+= UInt32(byte) << UInt32(index % 4 * 8) }
    var bytes: [UInt8] = [0xBA, 0xCE]
    bytes.append(little: UInt16(truncatingIfNeeded: payload.count))
    bytes += [group, id]
    bytes += payload
    bytes.append(little: sum)
    return bytes
  }
}

extension [UInt8] {
  mutating func append(little value: some FixedWidthInteger) {
    for shift in stride(from: 0, to: value.bitWidth, by: 8) {
      append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  /// The number of `size` bytes (8 at most) at `offset`, low byte first; bytes beyond the end are 0.
  func little(_ offset: Int, _ size: Int) -> UInt64 {
    var value: UInt64 = 0
    for index in 0..<Swift.min(size, 8) where indices.contains(offset + index) {
      value |= UInt64(self[offset + index]) << UInt64(index * 8)
    }
    return value
  }
}
