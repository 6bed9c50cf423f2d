/// Text from a receiver: printable ASCII with a maximum length.
enum PrintableText {
  /// The bytes up to a NUL, without unprintable bytes and surrounding blanks; nil if nothing is left.
  static func string(_ bytes: some Sequence<UInt8>, most: Int) -> String? {
    var text: [UInt8] = []
    for byte in bytes {
      guard byte != 0, text.count < most else { break }
      guard (0x20...0x7E).contains(byte), byte != 0x20 || !text.isEmpty else { continue }
      text.append(byte)
    }
    while text.last == 0x20 { text.removeLast() }
    return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
  }

  /// Maximum length of the parts of a ``ReceiverIdentity``.
  static let longestName = 63
  /// Maximum length of a complaint.
  static let longestErrorText = 79

  static func name(_ bytes: some Sequence<UInt8>) -> String? { string(bytes, most: longestName) }
}
