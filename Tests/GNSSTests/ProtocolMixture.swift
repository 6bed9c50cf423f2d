import Quantities

/// A line with all protocols, more or less damaged.
struct ProtocolMixture {
  private var random: SplitMix64
  private var second = 0

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// This many frames and pieces of noise in sequence. Some are truncated or have a wrong bit, and half of
  /// the damaged ones have a valid checksum.
  mutating func bytes(frames count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    for _ in 0..<count {
      var piece = self.piece()
      if oneOf(5) { piece.removeSubrange(Int.random(in: 0...piece.count, using: &random)...) }
      if oneOf(4), !piece.isEmpty {
        piece[Int.random(in: 0..<piece.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
      if oneOf(2) { piece.withUnsafeMutableBytes { ChecksumRepair.repair($0) } }
      bytes += piece
    }
    return bytes
  }

  /// The start of a frame that announces more bytes than follow.
  mutating func halfFrame() -> [UInt8] {
    let starts: [[UInt8]] = [
      [0xB5], [0xB5, 0x62], [0xB5, 0x62, 0x01, 0x07, 0x00, 0x10], [0xB5, 0x62, 0x01, 0x07, 0x5C, 0x00],
      [0xBA],
      [0xBA, 0xCE, 0x00, 0x04, 0x01, 0x03], [0xA0], [0xA0, 0xA2, 0x03, 0xFF], [0xD3, 0x03, 0xFF],
      Array("$".utf8), Array("!".utf8), Array("$GPRMC,101112.00,A".utf8), Array("$GPGLL,,,,,,V,N*".utf8),
      Array("$GPGLL,,,,,,V,N*6".utf8),
    ]
    return starts.randomElement(using: &random) ?? []
  }

  private mutating func oneOf(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

  private mutating func noise(_ counts: Range<Int>) -> [UInt8] {
    (0..<Int.random(in: counts, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  private mutating func piece() -> [UInt8] {
    switch Int.random(in: 0..<12, using: &random) {
    case 0...4: return sentence()
    case 5: return ubx(0x01, 0x07, solution())
    case 6:
      let types: [(UInt8, UInt8)] = [(0x01, 0x35), (0x05, 0x01), (0x0A, 0x04), (0x0A, 0x38), (0x06, 0x8B)]
      let type = types.randomElement(using: &random) ?? (0x01, 0x35)
      return ubx(type.0, type.1, noise(oneOf(8) ? 0..<4097 : 0..<120))
    case 7:
      let payload = noise(0..<100)
      return casic([0x01, 0x05, 0x0A].randomElement(using: &random) ?? 0x01, 0x04, payload)
    case 8: return sirf(noise(1..<200))
    case 9: return rtcm(noise(2..<300))
    case 10: return halfFrame()
    case _: return noise(1..<200)
    }
  }

  private mutating func sentence() -> [UInt8] {
    if !oneOf(3) { second += 1 }
    let time = "\(10 + second / 3600 % 14)\(10 + second / 60 % 50)\(10 + second % 50).00"
    let coordinates = "45\(10 + second % 50).1234,N,007\(10 + second % 50).4321,E"
    let bodies = [
      "GNRMC,\(time),A,\(coordinates),1.0,90.0,010326,,,A",
      "GPGGA,\(time),\(coordinates),1,08,1.1,120.0,M,45.0,M,,",
      "GNGNS,\(time),\(coordinates),AAN,08,1.1,120.0,45.0,,,V", "GNGLL,\(coordinates),\(time),A,A",
      "GPVTG,90.5,T,,M,10.0,N,18.5,K,A", "GNGSA,A,3,01,,,,,,,,,,,,2.0,1.1,1.6,1",
      "GNGST,\(time),1,,,,0.3,0.4,0.7",
      "GNZDA,\(time),01,03,2026,00,00", "GPGSV,1,1,01,05,04,007,38", "GNTXT,01,01,02,ANTSTATUS=OK",
      "PMTK001,314,3",
      "PAIR001,062,0", "PQTMVERNO,LC29HDANR11A03S,2023/09/07,10:11:12", "PUBX,00,\(time),\(coordinates)",
      "GPGLL,,,,,,V,N",
    ]
    return framed(bodies.randomElement(using: &random) ?? "")
  }

  private func framed(_ body: String) -> [UInt8] { repaired(Array("$\(body)*00\r\n".utf8)) }

  /// NAV-PVT of this second.
  private mutating func solution() -> [UInt8] {
    var payload = noise(92..<93)
    payload.replaceSubrange(4..<12, with: [0xEA, 0x07, 3, 1, 10, 0, UInt8(second % 60), 7])
    payload.replaceSubrange(20..<24, with: [3, 1, 0, 9])
    return payload
  }

  private func ubx(_ type: UInt8, _ id: UInt8, _ payload: [UInt8]) -> [UInt8] {
    repaired(
      [0xB5, 0x62, type, id, UInt8(payload.count & 0xFF), UInt8(payload.count >> 8)] + payload + [0, 0])
  }

  private func casic(_ type: UInt8, _ id: UInt8, _ payload: [UInt8]) -> [UInt8] {
    let words = payload.dropLast(payload.count % 4)
    return repaired([0xBA, 0xCE, UInt8(words.count), 0, type, id] + words + [0, 0, 0, 0])
  }

  private func sirf(_ payload: [UInt8]) -> [UInt8] {
    repaired([0xA0, 0xA2, 0, UInt8(payload.count)] + payload + [0, 0, 0, 0])
  }

  /// `D3`, ten bits of length, the message, a CRC-24Q, here any three bytes, because no decoder reads it.
  private func rtcm(_ message: [UInt8]) -> [UInt8] {
    [0xD3, UInt8(message.count >> 8), UInt8(message.count & 0xFF)] + message + [0x24, 0xB5, 0x62]
  }

  private func repaired(_ frame: [UInt8]) -> [UInt8] {
    var frame = frame
    frame.withUnsafeMutableBytes { ChecksumRepair.repair($0) }
    return frame
  }
}
