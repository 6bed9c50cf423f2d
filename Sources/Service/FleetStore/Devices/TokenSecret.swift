import CNettle

/// The secret of a token: 256 random bits as 64 hexadecimal digits. The database has only its hash.
public struct TokenSecret: Equatable, Sendable {
  public let text: String

  /// A new secret from the kernel's random number generator (getrandom(2)).
  public static func random() -> TokenSecret {
    var generator = SystemRandomNumberGenerator()
    return TokenSecret(text: Digest.hex((0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }))
  }

  /// The 32 bytes under which the token is found: SHA-256 of its text.
  public var hash: [UInt8] { Self.hash(of: text) }

  /// The hash of any token, as a client presents it.
  public static func hash(of token: some StringProtocol) -> [UInt8] { Digest.sha256(Array(token.utf8)) }
}

/// SHA-256 (FIPS 180-4) through nettle.
enum Digest {
  static func sha256(_ message: [UInt8]) -> [UInt8] {
    var context = sha256_ctx()
    var digest = [UInt8](repeating: 0, count: 32)
    nettle_sha256_init(&context)
    nettle_sha256_update(&context, message.count, message + [0])
    nettle_sha256_digest(&context, digest.count, &digest)
    return digest
  }

  static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
