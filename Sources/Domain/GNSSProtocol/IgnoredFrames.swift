import Quantities

/// Counts the frames that contribute nothing, by reason, with the address of the last one.
struct IgnoredFrames: Equatable, Sendable {
  // Stored inline, as in DecodeStatistics.
  private var counts = SIMD16<UInt64>()
  /// The first eight bytes of the last address of each reason, the first one lowest; 0 without one.
  private var addresses = SIMD16<UInt64>()

  /// The counts and addresses, for people.
  var summary: IgnoredInputs {
    var summary = IgnoredInputs()
    for reason in IgnoredInput.allCases {
      let index = Int(reason.rawValue)
      summary.add(Int(clamping: counts[index]), reason, last: Self.text(addresses[index]))
    }
    return summary
  }

  /// Counts a sentence that is not used.
  mutating func record(_ sentence: SentenceFields, _ address: SentenceAddress) {
    var fields = sentence
    let field = fields.next()
    let letters = EightBytes(field.firstLetters)
    let word = field.count < 8 ? letters.prefix(field.count) : letters.word
    record(Self.reason(address, word, count: field.count), word)
  }

  /// Counts a binary message that is not used.
  mutating func record(_ reason: IgnoredInput, class type: UInt8, id: UInt8) {
    record(reason, Self.digits(type) | UInt64(UInt8(ascii: "-")) &<< 16 | Self.digits(id) &<< 24)
  }

  /// Counts a frame without an address.
  mutating func record(_ reason: IgnoredInput) { record(reason, 0) }

  private mutating func record(_ reason: IgnoredInput, _ address: UInt64) {
    let index = Int(reason.rawValue)
    DecodeStatistics.countOne(&counts, at: index)
    addresses[index] = address
  }

  /// Two hexadecimal digits, the first one lowest.
  private static func digits(_ byte: UInt8) -> UInt64 { digit(byte >> 4) | digit(byte & 0xF) &<< 8 }

  private static func digit(_ half: UInt8) -> UInt64 {
    UInt64(half < 10 ? UInt8(ascii: "0") &+ half : UInt8(ascii: "A") &+ half &- 10)
  }

  private static func reason(_ address: SentenceAddress, _ letters: UInt64, count: Int) -> IgnoredInput {
    if address.kind == .vendorSentence { return .vendorSentence }
    guard count == 5 else { return .address }
    for index in 0..<5 as Range<UInt64> {
      let letter = UInt8(truncatingIfNeeded: letters &>> (8 &* index))
      if (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter) { return .lowerCase }
    }
    guard address.talker == .other else { return .sentenceType }
    return Talker.areLetters(address.letters) ? .otherEquipment : .address
  }

  private static func text(_ address: UInt64) -> String? {
    guard address != 0 else { return nil }
    let bytes = (0..<8).map { UInt8(truncatingIfNeeded: address &>> UInt64(8 &* $0)) }.prefix { $0 != 0 }
    let shown = bytes.map { (0x21...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }
    return String(decoding: shown, as: UTF8.self)
  }
}
