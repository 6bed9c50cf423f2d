/// One request with its options.
public struct HTTPClientRequest: Sendable {
  /// The request method.
  public enum Method: Sendable { case get, post, patch }

  public var method: Method
  /// The URL, with scheme `http` or `https`.
  public var url: String
  /// The headers in the order of sending. An empty value removes libcurl's own header of that name.
  public var headers: [(name: String, value: String)] = []
  /// The parts of the body, sent one after the other without copying them together.
  public var body: [[UInt8]] = []
  /// The time limit from the start to the last byte of the response.
  public var timeout: Duration = .seconds(60)
  /// The time limit of name resolution, connection and TLS together; at most 30 s.
  public var connectTimeout: Duration = .seconds(30)
  /// The PEM file of the certificate authorities to trust instead of the system's.
  public var authorityFile: String?
  /// The PEM file of the client certificate.
  public var clientCertificateFile: String?
  /// The PEM file of the client certificate's key.
  public var clientKeyFile: String?
  /// The `http`, `https` or `socks5h` URL of a proxy; nil: the proxy of the environment (`https_proxy`…), if any.
  public var proxy: String?
  /// The path of a Unix socket to connect to instead of the URL's host.
  public var socketPath: String?
  /// The maximum size in bytes of a response body. The rest is not read.
  public var responseLimit = 256 * 1024
  /// True to keep the connection after the response; false closes it, if no other request follows soon.
  public var keepsConnection = true
  /// True to read when the server's certificates expire, as ``HTTPResponse/certificateEnd``.
  public var readsCertificates = false

  public init(_ method: Method, url: String) {
    self.method = method
    self.url = url
  }

  /// True if the URL or a header contains line ends or other control characters, which would end the header line early.
  var hasControlCharacters: Bool {
    func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F }
    return url.utf8.contains(where: isControl)
      || headers.contains {
        $0.name.utf8.contains(where: isControl) || $0.value.utf8.contains(where: isControl)
      }
  }
}
