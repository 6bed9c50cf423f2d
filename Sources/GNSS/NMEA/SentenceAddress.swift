/// The address of a sentence: talker and form, or a manufacturer's name.
struct SentenceAddress {
  let talker: Talker
  let kind: MessageKind

  /// Reads the first field of a sentence.
  init(_ field: SentenceField) {
    let bytes = field.bytes
    guard bytes.first != UInt8(ascii: "P") else {
      talker = .other
      kind = .vendorSentence
      return
    }
    guard bytes.count == 5 else {
      talker = .other
      kind = .otherSentence
      return
    }
    talker = Talker(bytes[0], bytes[1])
    kind = Self.kind(bytes[2], bytes[3], bytes[4])
  }

  private static func kind(_ a: UInt8, _ b: UInt8, _ c: UInt8) -> MessageKind {
    switch UInt32(a) << 16 | UInt32(b) << 8 | UInt32(c) {
    case 0x52_4D_43: .rmc
    case 0x47_47_41: .gga
    case 0x47_4E_53: .gns
    case 0x47_53_41: .gsa
    case 0x47_53_54: .gst
    case 0x56_54_47: .vtg
    case 0x47_4C_4C: .gll
    case 0x5A_44_41: .zda
    case 0x47_53_56: .gsv
    case _: .otherSentence
    }
  }
}
