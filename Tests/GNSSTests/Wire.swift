import GNSSProtocol
import Quantities

/// A sentence with its checksum and line end.
func sentence(_ body: String) -> [UInt8] {
  let sum = body.utf8.reduce(0) { $0 ^ $1 }
  let digits = String(sum, radix: 16, uppercase: true)
  return Array("$\(body)*\(digits.count == 1 ? "0" : "")\(digits)\r\n".utf8)
}

/// Sentences in sequence, separated by blanks.
func sentences(_ bodies: String) -> [UInt8] { bodies.split(separator: " ").flatMap { sentence(String($0)) } }

/// A UBX frame.
func ubx(_ type: UInt8, _ id: UInt8, _ payload: [UInt8]) -> [UInt8] {
  let inner = [type, id, UInt8(payload.count & 0xFF), UInt8(payload.count >> 8)] + payload
  var a: UInt8 = 0
  var b: UInt8 = 0
  for byte in inner {
    a &+= byte
    b &+= a
  }
  return [0xB5, 0x62] + inner + [a, b]
}

/// A CASIC frame.
func casic(_ type: UInt8, _ id: UInt8, _ payload: [UInt8]) -> [UInt8] {
  let word = { (bytes: ArraySlice<UInt8>) in bytes.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) } }
  var sum = UInt32(id) << 24 | UInt32(type) << 16 | UInt32(payload.count)
  for start in stride(from: 0, to: payload.count, by: 4) { sum &+= word(payload[start..<start + 4]) }
  let checksum = (0..<4).map { UInt8(truncatingIfNeeded: sum >> UInt32($0 * 8)) }
  return [0xBA, 0xCE, UInt8(payload.count & 0xFF), UInt8(payload.count >> 8), type, id] + payload + checksum
}

/// The fields of a NAV-PVT that tests change; everything else is a good fix in Turin.
struct PVT {
  var iTOW: UInt32 = 0
  var year: UInt16 = 2025
  var month: UInt8 = 4
  var day: UInt8 = 11
  var hour: UInt8 = 23
  var minute: UInt8 = 14
  var second: UInt8 = 8
  var valid: UInt8 = 0b111
  var nano: Int32 = 0
  var fixType: UInt8 = 3
  var flags: UInt8 = 1
  var flags3: UInt16 = 0
  var latitude: Int32 = 450_657_720
  var longitude: Int32 = 76_590_613
  var horizontalAccuracy: UInt32 = 1500
  var verticalAccuracy: UInt32 = 2500
  var speed: Int32 = 1234
  var heading: Int32 = 19_004_270
  var headingAccuracy: UInt32 = 500_000
  var dilution: UInt16 = 142
  var length = 92

  var frame: [UInt8] {
    var payload = [UInt8](repeating: 0, count: 92)
    func put(_ value: some FixedWidthInteger, at offset: Int) {
      withUnsafeBytes(of: value.littleEndian) {
        payload.replaceSubrange(offset..<offset + $0.count, with: $0)
      }
    }
    put(iTOW, at: 0)
    put(year, at: 4)
    payload.replaceSubrange(6...11, with: [month, day, hour, minute, second, valid])
    put(nano, at: 16)
    payload.replaceSubrange(20...23, with: [fixType, flags, 0, 11])
    put(longitude, at: 24)
    put(latitude, at: 28)
    put(Int32(304_639), at: 32)
    put(Int32(257_404), at: 36)
    put(horizontalAccuracy, at: 40)
    put(verticalAccuracy, at: 44)
    put(Int32(-250), at: 56)
    put(speed, at: 60)
    put(heading, at: 64)
    put(UInt32(200), at: 68)
    put(headingAccuracy, at: 72)
    put(dilution, at: 76)
    put(flags3, at: 78)
    return ubx(0x01, 0x07, Array(payload[..<length]))
  }
}

/// A decoder on a simulated clock, with its complete output.
struct Bench {
  var decoder = ReceiverDecoder()
  var now = Moment.zero
  var fixes: [Fix] = []

  mutating func send(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { bytes in
      decoder.decode(bytes, at: now) { if let fix = $0.fix { fixes.append(fix) } }
    }
  }

  /// Advances the clock; timeouts are served when they are due.
  mutating func wait(_ duration: Duration) {
    let end = now + duration
    while let next = decoder.nextTimeout, next <= end {
      now = max(now, next)
      decoder.handleTimeout(now: now) { if let fix = $0.fix { fixes.append(fix) } }
    }
    now = end
  }

  mutating func finish() { decoder.finish { if let fix = $0.fix { fixes.append(fix) } } }
}

extension Fix {
  var time: String? { timestamp?.iso8601(fraction: .milliseconds) }
}
