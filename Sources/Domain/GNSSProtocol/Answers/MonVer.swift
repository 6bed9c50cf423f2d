/// UBX MON-VER (class 0A, id 04): 30 bytes of software version, 10 of hardware version, then extensions of 30.
struct MonVer {
  let identity: ReceiverIdentity

  /// Decodes the payload; nil if it is too short.
  init?(payload: UnsafeRawBufferPointer) {
    guard payload.count >= 40 else { return nil }
    let software = PrintableText.name(payload[..<30])
    let hardware = PrintableText.name(payload[30..<40])
    var firmware: String?
    var module: String?
    var protocolVersion: Int?
    var start = 40
    while start + 30 <= payload.count {
      if let text = PrintableText.name(payload[start..<start + 30]) {
        if let value = text.value(of: "FWVER") { firmware = value }
        if let value = text.value(of: "MOD") { module = value }
        if let value = text.value(of: "PROTVER") {
          protocolVersion = Self.hundredths(value) ?? protocolVersion
        }
      }
      start += 30
    }
    identity = Self.identity(
      protocolVersion: protocolVersion, module: module, firmware: firmware ?? software, hardware: hardware)
  }

  /// The identity of a u-blox receiver: by PROTVER, else by the chip in the hardware version, else an old
  /// one.
  static func identity(
    protocolVersion: Int?, module: String?, firmware: String?, hardware: String?
  ) -> ReceiverIdentity {
    let version = protocolVersion ?? hardware.flatMap(protocolVersion(ofChip:))
    return ReceiverIdentity(
      family: (version ?? 0) >= firstWithKeys ? .ubloxKeys : .ubloxMessages, protocolVersion: version,
      module: module, firmware: firmware, hardware: hardware)
  }

  /// First protocol version of generation 9, times 100.
  private static let firstWithKeys = 2700

  /// The oldest protocol version of a chip's firmware; nil for u-blox 5 and 6, which send 0004 here.
  private static func protocolVersion(ofChip hardware: String) -> Int? {
    switch hardware.prefix(4) {
    case "0007": 1400
    case "0008": 1500
    case "0019": 2700
    case "000A": 3400
    case _: nil
    }
  }

  /// A version as an integer: "34.10" as 3410, "18" as 1800; nil above 99.99 and for anything else.
  static func hundredths(_ text: some StringProtocol) -> Int? {
    var whole = 0
    var digits = 0
    var decimals: Int?
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39:
        if let place = decimals, place >= 2 { return nil }
        if decimals == nil, digits >= 2 { return nil }
        whole = whole * 10 + Int(byte - 0x30)
        digits += 1
        decimals = decimals.map { $0 + 1 }
      case UInt8(ascii: ".") where decimals == nil && digits > 0: decimals = 0
      case _: return nil
      }
    }
    guard digits > 0 else { return nil }
    switch decimals ?? 0 {
    case 0: return whole * 100
    case 1: return whole * 10
    case _: return whole
    }
  }
}

extension String {
  /// The value after `key` and an equals sign or a blank; both are in use.
  func value(of key: String) -> String? {
    guard hasPrefix(key) else { return nil }
    let remainder = dropFirst(key.count)
    guard let separator = remainder.first, separator == "=" || separator == " " else { return nil }
    let value = remainder.dropFirst()
    return value.isEmpty ? nil : String(value)
  }
}
