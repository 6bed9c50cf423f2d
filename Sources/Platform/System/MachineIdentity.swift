import Glibc

/// The public identity of this installation.
public enum MachineIdentity {
  /// The purpose of the identity: other programs derive a different one on the same host.
  private static let purpose = Array("outrider unique_id 1".utf8)

  /// An upper-case UUID that is constant for the installation; nil if the host has no identity
  /// (machine-id(5)).
  public static var uniqueID: String? {
    for path in ["/etc/machine-id", "/var/lib/dbus/machine-id"] {
      guard let bytes = try? FileBytes.read(path, limit: 128) else { continue }
      if let identity = uniqueID(machineID: String(decoding: bytes, as: UTF8.self)) { return identity }
    }
    return nil
  }

  /// Derives the identity from the text of machine-id(5), which must not leave the host, by keyed hashing as
  /// that page requires.
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
