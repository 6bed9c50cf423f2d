import Foundation
import GNSSReport
import Quantities

/// The lines of a listing for these bytes; `pieces` returns the size of the next piece.
func listing(_ bytes: [UInt8], pieces: () -> Int = { Int.max }) -> String {
  var listing = MessageListing()
  var text: [UInt8] = []
  var start = 0
  while start < bytes.count {
    let end = start + min(pieces(), bytes.count - start)
    bytes[start..<end].withUnsafeBytes { listing.list($0, into: &text) }
    start = end
  }
  listing.finish(into: &text)
  return String(decoding: text, as: UTF8.self)
}

/// Each line as an object; throws unless every line is one.
func objects(_ text: String) throws -> [[String: Any]] {
  try text.split(separator: "\n").map { line in
    guard let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
      throw CocoaError(.propertyListReadCorrupt)
    }
    return object
  }
}

extension [UInt8] {
  /// The bytes of hexadecimal digits; blanks are skipped.
  init(hexadecimal text: String) {
    let digits = text.filter { $0 != " " }.map { UInt8($0.hexDigitValue ?? 0) }
    self = stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}

/// Random bytes, partly like those of a receiver: noise, frames of known and unknown messages, damage.
func wildBytes(_ random: inout SplitMix64) -> [UInt8] {
  let names = [
    "GNRMC", "GPGGA", "GNGNS", "GNGLL", "GPVTG", "GNGSA", "GPGSV", "GNGST", "GNZDA", "GNGBS", "GNTXT",
    "PUBX,00",
    "PUBX,03", "PUBX,04", "PMTK001", "PMTK705", "PAIR010", "PAIR021", "PQTMVERNO", "PSTI,030", "GYOACC", "P",
    "",
  ]
  let values = [
    "", "", "0", "007", "-1.50", "+.5", ".", "-", "A", "a\"b\\c", "1e5", "99999999999999999999", "4.", "^2C",
  ]
  let messages: [(UInt8, [UInt8])] = [
    (0x01, Array(0...0x40)), (0x05, [0, 1]), (0x06, [0x8A, 0x8B, 0x8C]), (0x09, [0x14]),
    (0x0A, [4, 9, 0x38]),
    (0x13, [0x60]), (0x28, [0]), (0x27, [3]),
  ]
  func payload(_ count: Int, _ random: inout SplitMix64) -> [UInt8] {
    let limit: UInt8 = Bool.random(using: &random) ? 255 : 1
    return (0..<count).map { _ in UInt8.random(in: 0...limit, using: &random) }
  }
  var bytes: [UInt8] = []
  for _ in 0..<20 {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: bytes += payload(Int.random(in: 0..<30, using: &random), &random)
    case 1, 2:
      let fields = (0..<Int.random(in: 0..<25, using: &random)).map { _ in
        values.randomElement(using: &random) ?? ""
      }
      bytes += sentence(([names.randomElement(using: &random) ?? ""] + fields).joined(separator: ","))
    case 3:
      bytes += casic(
        0x01, UInt8.random(in: 0...0x20, using: &random),
        payload(Int.random(in: 0..<30, using: &random) * 4, &random))
    case _:
      guard let (type, ids) = messages.randomElement(using: &random),
        let id = ids.randomElement(using: &random)
      else { continue }
      let counts = [0, 1, 2, 4, 8, 16, 18, 20, 24, 28, 36, 44, 52, 60, 68, 72, 84, 92, 100, 300]
      bytes += ubx(type, id, payload(counts.randomElement(using: &random) ?? 0, &random))
    }
  }
  for _ in 0..<Int.random(in: 0..<4, using: &random) where !bytes.isEmpty {
    bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
  }
  return bytes
}
