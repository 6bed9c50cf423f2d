/// The address of a sentence: talker and formatter, or a manufacturer's name.
struct SentenceAddress {
  let talker: Talker
  let kind: MessageKind
  /// The two letters of the talker as one number, the first one lowest; 0 without a talker.
  let letters: UInt16

  /// Parses the first field of a sentence.
  @inline(__always)
  init(_ fields: inout SentenceFields) {
    let field = fields.next()
    let letters = field.firstLetters
    guard UInt8(truncatingIfNeeded: letters) != UInt8(ascii: "P") else {
      talker = .other
      kind = .vendorSentence
      self.letters = 0
      return
    }
    guard field.count == 5 else {
      talker = .other
      kind = .otherSentence
      self.letters = 0
      return
    }
    self.letters = UInt16(truncatingIfNeeded: letters)
    talker = Talker(self.letters)
    kind = Self.kind(UInt32(truncatingIfNeeded: letters &>> 16) & 0xFF_FFFF)
  }

  /// The three letters of a formatter as one number, the first one lowest.
  @inline(__always)
  private static func kind(_ form: UInt32) -> MessageKind {
    switch form {
    case 0x43_4D_52: .rmc
    case 0x41_47_47: .gga
    case 0x53_4E_47: .gns
    case 0x41_53_47: .gsa
    case 0x54_53_47: .gst
    case 0x53_42_47: .gbs
    case 0x47_54_56: .vtg
    case 0x4C_4C_47: .gll
    case 0x41_44_5A: .zda
    case 0x56_53_47: .gsv
    case _: .otherSentence
    }
  }
}
