/// What tells this host from others. It has keyed hashes only: machine-id and serial number stay in this file.
public struct MachineIdentity: Equatable, Sendable {
  /// An upper-case UUID by the machine-id alone; nil if the host has none (machine-id(5)).
  public let machine: String?
  /// An upper-case UUID by machine-id and serial number; nil if one of them is missing.
  public let machineAndBoard: String?
  /// The hash of the serial number; nil if the hardware has none, or if it is not readable.
  public let board: BoardHash?

  /// The purpose of an identity: other programs derive a different one on the same host.
  private static let purpose = Array("outrider unique_id 1".utf8)
  private static let purposeWithBoard = Array("outrider unique_id 2".utf8)

  public init(machineID: String?, serial: HardwareSerial?) {
    machine = machineID.flatMap(Self.uniqueID(machineID:))
    board = serial?.hash
    machineAndBoard = machineID.flatMap(Self.key).flatMap { key in
      serial.map { Self.uuid(of: Self.purposeWithBoard + [0] + $0.text.utf8, key: key) }
    }
  }

  /// Reads what this host has. `root` precedes all paths, for tests.
  public static func read(root: String = "") -> Self {
    func text(_ path: String) -> [UInt8]? { try? FileBytes.read(root + path, limit: 256) }
    let machineID = ["/etc/machine-id", "/var/lib/dbus/machine-id"].lazy
      .compactMap(text).map { String(decoding: $0, as: UTF8.self) }
      .first { uniqueID(machineID: $0) != nil }
    let serial = HardwareSerial.Source.allCases.lazy
      .flatMap { source in source.paths.lazy.map { (source, $0) } }
      .compactMap { source, path in text(path).flatMap { HardwareSerial(source, $0) } }
      .first
    return Self(machineID: machineID, serial: serial)
  }

  /// Derives the identity from the text of machine-id(5), which must not leave the host, by keyed hashing as
  /// that page requires.
  static func uniqueID(machineID text: String) -> String? { key(text).map { uuid(of: purpose, key: $0) } }

  /// The digits of a valid machine-id.
  private static func key(_ text: String) -> [UInt8]? {
    let digits = text.filter { !$0.isWhitespace }
    guard digits.utf8.count == 32, digits.allSatisfy(\.isHexDigit), digits.contains(where: { $0 != "0" })
    else {
      return nil
    }
    return Array(digits.lowercased().utf8)
  }

  private static func uuid(of message: [UInt8], key: [UInt8]) -> String {
    var bytes = Array(SHA256.authentication(of: message, key: key).prefix(16))
    // Version 4, variant 1 (RFC 9562, section 5.4).
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    var uuid = ""
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { uuid += "-" }
      uuid += (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
    return uuid
  }
}
