/// The manufacturers' sentences that contribute to an epoch.
enum VendorSentence: Equatable {
  /// `$PUBX,00` of u-blox: position with the receiver's own errors.
  case pubx00
  /// `$PQTMEPE` of Quectel: estimated errors.
  case pqtmepe
  /// `$PQGSV` and `$PQGSA` of Qualcomm modems: satellites of BeiDou and QZSS.
  case pqgsv, pqgsa
  /// `$PSTI,030` of SkyTraq: velocity in three axes and RTK state.
  case psti030

  /// Decodes a sentence; nil for any other. `fields` start at the beginning of the sentence; its name and a number that
  /// belongs to it are consumed.
  init?(_ fields: inout SentenceFields) {
    let bytes = fields.next().bytes
    if bytes.matches("PUBX") {
      guard fields.next().bytes.matches("00") else { return nil }
      self = .pubx00
    } else if bytes.matches("PQGSV") {
      self = .pqgsv
    } else if bytes.matches("PQGSA") {
      self = .pqgsa
    } else if bytes.matches("PSTI") {
      guard fields.next().bytes.matches("030") else { return nil }
      self = .psti030
    } else if bytes.matches("PQTMEPE") {
      self = .pqtmepe
    } else {
      return nil
    }
  }
}

extension UnsafeRawBufferPointer {
  /// True if the bytes are those of `text`.
  func matches(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    for index in 0..<count where self[index] != text.utf8Start[index] { return false }
    return true
  }
}
