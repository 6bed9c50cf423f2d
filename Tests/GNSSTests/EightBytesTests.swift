import Quantities
import Testing
@testable import GNSSProtocol

/// Results for eight bytes at a time must match those for one byte at a time.
@Suite struct EightBytesTests {
  /// Bytes of the kinds that matter: digits, special characters of sentences, controls, high bytes.
  static func bytes(_ random: inout SplitMix64, count: Int) -> [UInt8] {
    let distinctive: [UInt8] = [
      0x30, 0x39, 0x2F, 0x3A, 0x2C, 0x2A, 0x24, 0x2B, 0x2E, 0x0A, 0x1F, 0x7E, 0x7F, 0x80, 0xFF,
    ]
    return (0..<count).map { _ in
      Bool.random(using: &random)
        ? distinctive.randomElement(using: &random) ?? 0x30 : UInt8.random(in: 0x30...0x39, using: &random)
    }
  }

  static func load(_ bytes: [UInt8]) -> EightBytes {
    EightBytes(bytes.enumerated().reduce(UInt64(0)) { $0 | UInt64($1.element) << UInt64($1.offset * 8) })
  }

  @Test(arguments: 0..<300)
  func marksMatchTheBytes(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<50 {
      let bytes = Self.bytes(&random, count: 8)
      let eight = Self.load(bytes)
      let comma = UInt8(ascii: ",")
      let text = bytes.map { $0 & 0x7F }
      #expect(EightBytes.index(of: Self.load(text).marks(of: comma)) == text.firstIndex(of: comma) ?? 8)
      #expect(EightBytes.count(of: Self.load(text).marks(of: comma)) == text.count { $0 == comma })
      if let mark = bytes.firstIndex(of: comma), bytes[..<mark].allSatisfy({ $0 < 0x80 }) {
        #expect(EightBytes.index(of: eight.marks(of: comma)) == mark)
      }
      #expect(eight.sum == bytes.reduce(0) { $0 + UInt64($1) })
      #expect(eight.fallingSum == zip(bytes, (1...8).reversed()).reduce(0) { $0 + UInt64($1.0) * $1.1 })
      let rare = bytes.firstIndex { !(0x2B...0x7E).contains($0) }
      #expect(EightBytes.index(of: eight.rareMarks) == rare ?? 8)
      #expect(eight.parity == bytes.reduce(0, ^))
      let count = Int.random(in: 0...7, using: &random)
      #expect(EightBytes(eight.prefix(count)).parity == bytes.prefix(count).reduce(0, ^))
    }
  }

  @Test(arguments: 0..<300)
  func numbersMatchTheirText(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<50 {
      let bytes = Self.bytes(&random, count: 8)
      let count = Int.random(in: 1...8, using: &random)
      let text = String(decoding: bytes.prefix(count), as: UTF8.self)
      let isNumber = bytes.prefix(count).allSatisfy { (0x30...0x39).contains($0) }
      #expect(Self.load(bytes).number(count) == (isNumber ? UInt64(text) : nil))
      let decimals = (text + "00000000").prefix(8)
      #expect(Self.load(bytes).decimals(count) == (isNumber ? UInt64(decimals) : nil))
      let twos = Self.load(bytes).pairs(count)
      #expect((twos == nil) != isNumber)
      if let twos, let number = UInt64(text) { #expect(twos >> 48 == number % 100) }
      let index = Int.random(in: 0...7, using: &random)
      var shorter = bytes
      shorter.remove(at: index)
      #expect(Self.load(bytes).without(index).prefix(7) == Self.load(shorter + [0]).word)
    }
  }

  @Test(arguments: 0..<40)
  func theUBXChecksumMatchesItsDefinition(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let bytes = (0..<Int.random(in: 0...4100, using: &random)).map { _ in
      seed % 2 == 0 ? UInt8.max : UInt8.random(in: 0...255, using: &random)
    }
    var a: UInt8 = 0
    var b: UInt8 = 0
    for byte in bytes {
      a &+= byte
      b &+= a
    }
    let sum = bytes.withUnsafeBytes { Fletcher8($0, 0..<$0.count) }
    #expect(sum.a == a && sum.b == b)
  }
}
