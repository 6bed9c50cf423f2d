import Glibc

/// The identity of this installation, as far as others may know it.
public enum MachineIdentity {
  /// What the identity is for: other programs derive another one from the same machine.
  private static let purpose = Array("outrider unique_id 1".utf8)

  /// An upper-case UUID that stays the same for the installation; nil where the machine has no identity
  /// (machine-id(5)).
  public static var uniqueID: String? {
    for path in ["/etc/machine-id", "/var/lib/dbus/machine-id"] {
      guard let bytes = try? FileBytes.read(path, limit: 128) else { continue }
      if let identity = uniqueID(machineID: String(decoding: bytes, as: UTF8.self)) { return identity }
    }
    return nil
  }

  /// From the text of machine-id(5), which must not leave the machine: keyed hashing, as that page asks for.
  static func uniqueID(machineID text: String) -> String? {
    let digits = text.filter { !$0.isWhitespace }
    guard digits.utf8.count == 32, digits.allSatisfy(\.isHexDigit), digits.contains(where: { $0 != "0" })
    else {
      return nil
    }
    var bytes = Array(SHA256.authentication(of: purpose, key: Array(digits.lowercased().utf8)).prefix(16))
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
