import CCurl
import System

/// The hosts whose addresses a new connection may need: the server of the URL, and a proxy.
struct ConnectionHosts: Equatable {
  /// A host and a port, as libcurl looks them up.
  struct Host: Hashable {
    /// The name in ASCII form (RFC 5890), or an address without brackets.
    let name: String
    let port: String

    /// True if libcurl knows the address without a lookup: an address, or the local host (RFC 6761).
    var isKnown: Bool {
      let lower = name.lowercased()
      return lower == "localhost" || lower.hasSuffix(".localhost") || NetworkAddress.isLiteral(name)
    }
  }

  let server: Host
  /// The proxy, unless `no_proxy` excludes the server.
  let proxy: Host?

  var all: [Host] { [server] + (proxy.map { [$0] } ?? []) }

  /// Parses the URLs as libcurl does; nil for an invalid one. `environment` returns the value of a variable.
  init?(_ request: HTTPClientRequest, environment: (String) -> String?) {
    guard let (scheme, server) = Self.host(request.url, port: nil) else { return nil }
    self.server = server
    let address = request.proxy ?? Self.proxy(of: scheme, environment)
    guard let address, !address.isEmpty, request.socketPath == nil else {
      proxy = nil
      return
    }
    guard let (_, proxy) = Self.host(address, port: { $0 == "https" ? "443" : "1080" }) else { return nil }
    self.proxy = proxy
  }

  /// The proxy that the environment names (libcurl-env(3)).
  private static func proxy(of scheme: String, _ environment: (String) -> String?) -> String? {
    // HTTP_PROXY is ignored, as libcurl does: a web server sets it from a header of its client.
    let names = [
      "\(scheme)_proxy", scheme == "http" ? nil : "\(scheme.uppercased())_PROXY", "all_proxy", "ALL_PROXY",
    ]
    return names.compactMap { $0.flatMap(environment) }.first { !$0.isEmpty }
  }

  private static func host(_ url: String, port: ((String) -> String)?) -> (scheme: String, Host)? {
    guard let parts = curl_url() else { return nil }
    defer { curl_url_cleanup(parts) }
    let flags = UInt32(CURLU_NON_SUPPORT_SCHEME) | UInt32(CURLU_GUESS_SCHEME)
    guard curl_url_set(parts, CURLUPART_URL, url, flags) == CURLUE_OK,
      let scheme = part(CURLUPART_SCHEME, of: parts)?.lowercased(),
      var name = part(CURLUPART_HOST, of: parts, UInt32(CURLU_PUNYCODE)), !name.isEmpty
    else { return nil }
    if name.hasPrefix("["), name.hasSuffix("]") { name = String(name.dropFirst().dropLast()) }
    let number =
      port.map { part(CURLUPART_PORT, of: parts) ?? $0(scheme) }
      ?? part(CURLUPART_PORT, of: parts, UInt32(CURLU_DEFAULT_PORT))
    return number.map { (scheme, Host(name: name, port: $0)) }
  }

  private static func part(_ part: CURLUPart, of url: OpaquePointer, _ flags: UInt32 = 0) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard curl_url_get(url, part, &text, flags) == CURLUE_OK, let text else { return nil }
    defer { curl_free(text) }
    return String(cString: text)
  }
}
