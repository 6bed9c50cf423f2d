import CNettle

/// Message authentication codes: HMAC with SHA-256 (RFC 2104, RFC 6234).
public enum HMAC {
  /// Returns the 32 bytes of the code of a message. Key and message may have any length, also zero.
  public static func code(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: 32)
    // A pointer of an empty array may be nil, which the library does not accept.
    let (paddedKey, paddedMessage) = (key + [0], message + [0])
    outrider_hmac_sha256(paddedKey, key.count, paddedMessage, message.count, &code)
    return code
  }

  /// Compares in constant time: the duration depends only on the lengths.
  public static func areEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    guard a.count == b.count else { return false }
    return zip(a, b).reduce(into: UInt8(0)) { $0 |= $1.0 ^ $1.1 } == 0
  }
}
