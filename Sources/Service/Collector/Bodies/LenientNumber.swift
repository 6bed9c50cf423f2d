/// A number of a message, as a number of JSON or as a text that has one: GPSLogger for Android sends texts.
enum LenientNumber: Decodable, Equatable {
  case number(Double)
  /// Null, an empty text, or the text `null`.
  case absent
  /// A value that is no number.
  case invalid

  /// The longest text of a number, in bytes.
  private static let longest = 64

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .absent
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let text = try? value.decode(String.self) {
      self = Self(text)
    } else {
      self = .invalid
    }
  }

  /// Reads a number as JSON writes it, between blanks and with an optional plus sign.
  init(_ text: String) {
    guard text.utf8.count <= Self.longest else {
      self = .invalid
      return
    }
    let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
    var bytes = text.utf8.drop { blanks.contains($0) }
    while let last = bytes.last, blanks.contains(last) { bytes.removeLast() }
    if bytes.isEmpty || bytes.elementsEqual("null".utf8) {
      self = .absent
      return
    }
    if bytes.first == UInt8(ascii: "+") { bytes.removeFirst() }
    guard Self.isNumber(Array(bytes)), let number = Double(Substring(bytes)), number.isFinite else {
      self = .invalid
      return
    }
    self = .number(number)
  }

  var value: Double? { if case .number(let number) = self { number } else { nil } }

  private static func isNumber(_ bytes: [UInt8]) -> Bool {
    var index = 0
    func take(_ characters: String) -> Bool {
      guard index < bytes.count, characters.utf8.contains(bytes[index]) else { return false }
      index += 1
      return true
    }
    func takeDigits() -> Bool {
      guard take("0123456789") else { return false }
      while take("0123456789") {}
      return true
    }
    _ = take("-")
    guard takeDigits() else { return false }
    if take("."), !takeDigits() { return false }
    if take("eE") {
      _ = take("+-")
      guard takeDigits() else { return false }
    }
    return index == bytes.count
  }
}
