import CCurl

/// The scheme, host and port of a URL, to which credentials belong (RFC 6454). Parsed by `curl_url_set`.
public struct HTTPOrigin: Hashable, Sendable, CustomStringConvertible {
  public let scheme: String
  public let host: String
  public let port: String

  /// Parses a URL; nil for an invalid one and for schemes other than `http` and `https`.
  public init?(_ url: String) {
    guard let parts = curl_url() else { return nil }
    defer { curl_url_cleanup(parts) }
    guard curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK,
      let scheme = Self.part(CURLUPART_SCHEME, of: parts)?.lowercased(),
      scheme == "http" || scheme == "https",
      let host = Self.part(CURLUPART_HOST, of: parts)?.lowercased(), !host.isEmpty,
      let port = Self.part(CURLUPART_PORT, of: parts, flags: UInt32(CURLU_DEFAULT_PORT))
    else { return nil }
    self.scheme = scheme
    self.host = host
    self.port = port
  }

  public var isEncrypted: Bool { scheme == "https" }

  /// The origin without path and query, which may contain a token.
  public var description: String {
    let isDefault = port == (isEncrypted ? "443" : "80")
    return isDefault ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
  }

  private static func part(_ part: CURLUPart, of url: OpaquePointer, flags: UInt32 = 0) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard curl_url_get(url, part, &text, flags) == CURLUE_OK, let text else { return nil }
    defer { curl_free(text) }
    return String(cString: text)
  }
}
