/// A TXT sentence: total, number, type (00 error, 01 warning, 02 notice, 07 user), text.
///
/// The text is the remainder of the sentence, commas included.
struct ReceiverText {
  let answer: ReceiverAnswer?

  /// Parses a sentence; `body` is the text between `$` and `*`, `fields` are its fields.
  init(body: UnsafeRawBufferPointer, _ fields: SentenceFields) {
    var fields = fields
    var start = 0
    for _ in 0..<3 { start += fields.next().bytes.count + 1 }
    let type = fields.next()
    start += type.bytes.count + 1
    guard start <= body.count,
      let text = PrintableText.string(body[start...], most: PrintableText.longestErrorText)
    else {
      answer = nil
      return
    }
    if let state = Self.antenna(text) {
      answer = .antenna(state)
    } else if let type = type.whole, type <= 1 {
      // Some chips send bare numbers here in every epoch.
      answer = text.contains(where: \.isLetter) ? .errorText(text) : nil
    } else {
      answer = Self.banner(text)
    }
  }

  /// The antenna status: CASIC sends "ANTENNA OK", u-blox "ANTSTATUS=OK".
  private static func antenna(_ text: String) -> AntennaState? {
    guard let state = text.value(of: "ANTENNA") ?? text.value(of: "ANTSTATUS") else { return nil }
    return switch state {
    case "OK": .ok
    case "OPEN": .open
    case "SHORT": .short
    case "INIT", "DONTKNOW": .unknown
    case _: nil
    }
  }

  /// The answer in a line of the start banner, of u-blox or of CASIC; the latter also answers `$PCAS06` with
  /// it.
  private static func banner(_ text: String) -> ReceiverAnswer? {
    if text.lowercased().hasPrefix("u-blox ag") { return .started }
    if let version = text.value(of: "PROTVER").flatMap(MonVer.hundredths) {
      return .version(
        MonVer.identity(protocolVersion: version, module: nil, firmware: nil, hardware: nil))
    }
    if let hardware = text.value(of: "HW"), hardware.hasPrefix("UBX"),
      let chip = hardware.split(separator: " ").last
    {
      return .version(
        MonVer.identity(protocolVersion: nil, module: nil, firmware: nil, hardware: bounded(chip)))
    }
    if let software = text.value(of: "SW") {
      return .version(ReceiverIdentity(family: .casic, firmware: bounded(software)))
    }
    if let hardware = text.value(of: "HW") {
      let parts = hardware.split(separator: ",", maxSplits: 1)
      return .version(
        ReceiverIdentity(
          family: .casic, module: parts.first.map { bounded($0) },
          hardware: parts.count > 1 ? bounded(parts[1]) : nil))
    }
    return nil
  }

  private static func bounded(_ text: some StringProtocol) -> String {
    String(text.prefix(PrintableText.longestName))
  }
}
