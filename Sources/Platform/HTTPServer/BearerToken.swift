/// A secret that authorizes clients (RFC 6750).
public struct BearerToken: Sendable {
  private let expected: [UInt8]

  /// Creates the secret; nil for an empty token.
  public init?(_ token: String) {
    guard !token.isEmpty else { return nil }
    expected = Array(token.utf8)
  }

  /// True if `Authorization: Bearer` contains the token.
  public func admits(_ request: HTTPRequest) -> Bool {
    guard let authorization = request.authorization,
      let space = authorization.firstIndex(of: " "), authorization[..<space].lowercased() == "bearer"
    else { return false }
    return matches(String(authorization[space...].drop { $0 == " " }))
  }

  /// Compares in constant time: the duration depends only on the length of `presented`, not on the first difference.
  public func matches(_ presented: String) -> Bool {
    let count = expected.count
    var difference = presented.utf8.count ^ count
    var position = 0
    for byte in presented.utf8 {
      difference |= Int(byte ^ expected[position])
      position = position &+ 1 == count ? 0 : position &+ 1
    }
    return difference == 0
  }
}
