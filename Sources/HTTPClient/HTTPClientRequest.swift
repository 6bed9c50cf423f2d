/// One request, complete before it starts.
public struct HTTPClientRequest: Sendable {
  public enum Method: Sendable { case get, post, patch }

  public var method: Method
  /// `http` or `https`; nothing else is spoken.
  public var url: String
  /// In this order; a name with an empty value removes libcurl's own header of that name.
  public var headers: [(name: String, value: String)] = []
  /// The body, its parts sent one after the other. They are read where they are and kept until the end.
  public var body: [[UInt8]] = []
  /// From the start to the last byte of the answer.
  public var timeout: Duration = .seconds(60)
  /// For name, connection and TLS together; held to 30 s.
  public var connectTimeout: Duration = .seconds(30)
  /// PEM file of the authorities to trust instead of the system's.
  public var authorityFile: String?
  /// PEM files of the certificate that the server wants from its clients, and of its key.
  public var clientCertificateFile: String?
  public var clientKeyFile: String?
  /// `http`, `https` or `socks5h` address of a proxy; nil: what the environment names (`https_proxy`…).
  public var proxy: String?
  /// A local socket to talk to; the URL's host is then only a name.
  public var socketPath: String?
  /// More of an answer than this many bytes is not read.
  public var responseLimit = 256 * 1024
  /// False closes the connection after the answer: for destinations that are not asked again soon.
  public var keepsConnection = true

  public init(_ method: Method, url: String) {
    self.method = method
    self.url = url
  }

  /// Neither a URL nor a header may carry line ends or other control characters: they would end the line
  /// early.
  var hasControlCharacters: Bool {
    func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F }
    return url.utf8.contains(where: isControl)
      || headers.contains {
        $0.name.utf8.contains(where: isControl) || $0.value.utf8.contains(where: isControl)
      }
  }
}
