import HTTPServer
import Quantities

/// The cookie of a page that has signed in: `outrider=v1.EXPIRY.ROLE.MAC`.
///
/// Nothing is stored for it: the code (HMAC with SHA-256) is made with a key from token and device. It survives a restart,
/// and ends when the token changes.
public struct SignInCookie: Sendable {
  public static let name = "outrider"
  /// The time for which a sign-in is valid.
  public static let lifetime = Duration.seconds(2_592_000)

  private let key: [UInt8]

  public init(token: String, deviceID: String) {
    key = HMAC.code(of: Array("outrider cookie v1\n\(deviceID)".utf8), key: Array(token.utf8))
  }

  /// Returns the value of a cookie that expires ``lifetime`` from now on.
  public func value(role: AccessRole, now: Timestamp) -> String {
    let text = "v1.\(now.wholeSeconds + Self.lifetime.wholeSeconds).\(role.rawValue)"
    return "\(text).\(code(of: text))"
  }

  /// Returns the role of the first valid cookie of a `Cookie` header; nil without one.
  public func role(in header: String?, now: Timestamp) -> AccessRole? {
    for pair in header?.split(separator: ";") ?? [] {
      let trimmed = pair.drop { $0 == " " }
      guard trimmed.hasPrefix("\(Self.name)=") else { continue }
      if let role = role(ofValue: String(trimmed.dropFirst(Self.name.count + 1)), now: now) { return role }
    }
    return nil
  }

  private func role(ofValue value: String, now: Timestamp) -> AccessRole? {
    let parts = value.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0] == "v1", let expiry = Int64(parts[1]),
      let role = AccessRole(rawValue: String(parts[2]))
    else { return nil }
    let expected = code(of: "v1.\(parts[1]).\(parts[2])")
    guard HMAC.areEqual(Array(expected.utf8), Array(parts[3].utf8)), expiry > now.wholeSeconds else {
      return nil
    }
    return role
  }

  private func code(of text: String) -> String {
    HMAC.code(of: Array(text.utf8), key: key).map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0\(digits)" : digits
    }.joined()
  }
}
