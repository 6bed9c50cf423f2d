/// The serial number of the hardware, which must not leave the host.
public struct HardwareSerial: Equatable, Sendable {
  /// The origin of a serial number, the preferred one first; the raw values are stored.
  public enum Source: String, CaseIterable, Sendable {
    /// The device tree of the firmware: Raspberry Pi and most ARM boards.
    case deviceTree = "device-tree"
    /// The UUID of the product in the tables of a PC (SMBIOS, section 7.2.1). Only root may read it.
    case dmi

    /// The first path is a link to the second one, and hidden where a service sees only processes in /proc.
    var paths: [String] {
      switch self {
      case .deviceTree: ["/proc/device-tree/serial-number", "/sys/firmware/devicetree/base/serial-number"]
      case .dmi: ["/sys/class/dmi/id/product_uuid"]
      }
    }
  }

  let source: Source
  /// Lower-case letters and digits only.
  let text: String

  /// Takes a text of the firmware, which may end with NUL; nil for one that many boards share.
  public init?(_ source: Source, _ bytes: [UInt8]) {
    let text = String(decoding: bytes.prefix { $0 != 0 }.filter(Self.isLetterOrDigit), as: UTF8.self)
      .lowercased()
    guard text.utf8.count >= 4, Set(text.utf8).count >= 3, !Self.placeholders.contains(text),
      !Self.counting.contains(where: { $0.hasPrefix(text) })
    else { return nil }
    self.source = source
    self.text = text
  }

  /// The hash that a log keeps.
  var hash: BoardHash {
    let code = SHA256.authentication(
      of: Array("\(source.rawValue) \(text)".utf8), key: Array("outrider board 1".utf8))
    let digits = code.prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return BoardHash(source: source, digits: digits)
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }

  /// Texts that manufacturers leave in place of a serial number, as ``text``.
  private static let placeholders: Set<String> = [
    "03000200040005000006000700080009", "00020003000400050006000700080009",
    "12345678123456789012345678901234", "123456781234567890abcddeefaabbcc",
    "1234567812345678123456781234567812345678", "0102030405060708090a0b0c0d0e0f10",
    "default", "defaultstring", "defaultvalue", "empty", "filledbyoem", "invalid", "none", "noserial",
    "noserialnumber", "notapplicable", "notavailable", "notdefined", "notpresent", "notset", "notspecified",
    "null", "oemserial", "oemserialnumber", "serial", "serialnumber", "chassisserialnumber",
    "boardserialnumber", "productserialnumber", "systemserialnumber", "sernumber", "sn12345", "sn12345678",
    "sn123456789", "sn1234567890", "standard", "tobefilled", "tobefilledbyoem", "tobefilledbyoemmanufacturer",
    "tobefilledbytheoem", "tobedefined", "undefined", "unknown", "unset", "unspecified", "uninitialized",
    "deadbeef", "test",
  ]

  /// Texts that count up.
  private static let counting = [
    "0123456789abcdef0123456789abcdef", "123456789abcdef0123456789abcdef0",
    "0123456789012345678901234567890123456789",
    "1234567890123456789012345678901234567890", "00112233445566778899aabbccddeeff",
    "abcdefghijklmnopqrstuvwxyz",
    "1234567812345678123456781234567812345678", "1234123412341234123412341234123412341234",
  ]
}

/// A hash of a serial number, to tell boards apart.
public struct BoardHash: Equatable, Sendable {
  public let source: HardwareSerial.Source
  let digits: String

  init(source: HardwareSerial.Source, digits: String) { (self.source, self.digits) = (source, digits) }

  /// Takes over a hash in its stored form; nil for any other text.
  public init?(_ text: String) {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 2, let source = HardwareSerial.Source(rawValue: String(parts[0])),
      parts[1].utf8.count == 16, parts[1].allSatisfy(\.isHexDigit)
    else { return nil }
    self.init(source: source, digits: String(parts[1]))
  }

  /// The stored form.
  public var text: String { "\(source.rawValue) \(digits)" }
}
