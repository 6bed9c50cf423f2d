extension ReceiverAnswer {
  /// True if a sentence may be an answer, by its address; the bytes after the address are ignored.
  ///
  /// False for all sentences of an ordinary epoch, at the cost of a few comparisons.
  @inline(__always)
  public static func mayAnswer(_ address: UnsafeRawBufferPointer) -> Bool {
    guard address.count >= 5 else { return false }
    guard address[0] == UInt8(ascii: "P") else { return address.spells("TXT", at: 2) }
    switch address[1] {
    // PMTKCHN and similar sentences come with every epoch.
    case UInt8(ascii: "M"): return address.count >= 7 && (0x30...0x39).contains(address[4])
    case UInt8(ascii: "A"): return address.spells("AIR", at: 1)
    case UInt8(ascii: "Q"): return address.spells("QTM", at: 1) && !address.spells("EPE", at: 4)
    case UInt8(ascii: "S"): return address.spells("SRF", at: 1)
    case _: return false
    }
  }

  /// Parses a sentence that answers a command or reports the receiver's status; nil for any other.
  ///
  /// `body` is the text between `$` and `*`; the ``Framer/slack`` bytes after it must be readable.
  init?(sentence body: UnsafeRawBufferPointer) {
    guard Self.mayAnswer(body), let text = body.baseAddress else { return nil }
    let sentence = SentenceFields(text: text, body: 0..<body.count)
    var fields = sentence
    let address = fields.next()
    let answer: ReceiverAnswer?
    if body[0] != UInt8(ascii: "P") {
      answer = address.bytes.count == 5 ? ReceiverText(body: body, sentence).answer : nil
    } else if body.spells("MTK", at: 1) {
      answer = Self.mediaTek(address, fields)
    } else if body.spells("AIR", at: 1) {
      answer = Self.airoha(address, fields)
    } else if body.spells("QTM", at: 1) {
      answer = Self.quectel(address, fields)
    } else {
      answer = Self.sirf(address, fields)
    }
    guard let answer else { return nil }
    self = answer
  }

  private static func mediaTek(_ address: SentenceField, _ fields: SentenceFields) -> ReceiverAnswer? {
    var fields = fields
    switch address.number(after: 4) {
    case 1:
      guard let command = fields.next().whole, let flag = fields.next().whole else { return nil }
      return .pmtk(command: command, flag: flag)
    // 1 reports a start; other numbers request aiding or report another mode.
    case 10: return fields.next().whole == 1 ? .started : nil
    case 11: return .started
    case 705:
      guard let firmware = fields.next().name else { return nil }
      fields.skip(1)
      let module = fields.next().name
      return .version(ReceiverIdentity(family: .mediaTek, module: module, firmware: firmware))
    case _: return nil
    }
  }

  private static func airoha(_ address: SentenceField, _ fields: SentenceFields) -> ReceiverAnswer? {
    var fields = fields
    switch address.number(after: 4) {
    case 1:
      guard let command = fields.next().whole, let result = fields.next().whole else { return nil }
      return .pair(command: command, result: result)
    case 10: return .started
    case 21:
      // Chip, version and build: "AG3335M_V2.5.0.AG3335_20230213".
      guard let firmware = fields.next().name else { return nil }
      let chip = firmware.prefix { $0 != "_" }
      return .version(ReceiverIdentity(family: .airoha, module: String(chip), firmware: firmware))
    case _: return nil
    }
  }

  private static func quectel(_ address: SentenceField, _ fields: SentenceFields) -> ReceiverAnswer? {
    var fields = fields
    guard address.bytes.count > 4, let name = address.name else { return nil }
    let first = fields.next().bytes
    if first.spells("OK"), first.count == 2 { return .pqtm(name: name, accepted: true) }
    if first.spells("ERROR"), first.count == 5 { return .pqtm(name: name, accepted: false) }
    guard name == "PQTMVERNO", let firmware = PrintableText.name(first) else { return nil }
    // Modules with Airoha chips answer this query, too, but are configured with PAIR.
    let family: ReceiverFamily = airohaModules.contains { firmware.hasPrefix($0) } ? .airoha : .quectel
    return .version(ReceiverIdentity(family: family, module: module(firmware), firmware: firmware))
  }

  private static let airohaModules = ["LC26G", "LC29H", "LC76G", "LC86G", "L89"]
  private static let otherModules = ["LC02H", "LC79H", "LG290P", "LG580P"]

  /// The module name, "LC29H" from "LC29HDANR11A03S".
  private static func module(_ firmware: String) -> String? {
    (airohaModules + otherModules).first { firmware.hasPrefix($0) }
  }

  private static func sirf(_ address: SentenceField, _ fields: SentenceFields) -> ReceiverAnswer? {
    var fields = fields
    let first = fields.next()
    if address.bytes.spells("TXT", at: 4) {
      guard first.bytes.spells("Version"), let text = PrintableText.name(first.bytes.dropFirst(7)) else {
        return nil
      }
      let firmware = text.drop { $0 == ":" || $0 == " " }
      return firmware.isEmpty
        ? nil : .version(ReceiverIdentity(family: .sirf, firmware: String(firmware)))
    }
    switch address.number(after: 4) {
    // The receiver accepts commands again after a start.
    case 150: return first.whole == 1 ? .started : nil
    case 195: return first.name.map { .version(ReceiverIdentity(family: .sirf, firmware: $0)) }
    case _: return nil
    }
  }
}

extension SentenceField {
  /// The number after the letters of an address.
  fileprivate func number(after letters: Int) -> Int? {
    dropping(letters).whole
  }

  fileprivate var name: String? { PrintableText.name(bytes) }
}

extension UnsafeRawBufferPointer {
  /// True if the bytes at `offset` are `text`.
  @inline(__always)
  func spells(_ text: StaticString, at offset: Int = 0) -> Bool {
    guard count >= offset + text.utf8CodeUnitCount else { return false }
    for index in 0..<text.utf8CodeUnitCount where self[offset + index] != text.utf8Start[index] {
      return false
    }
    return true
  }
}
