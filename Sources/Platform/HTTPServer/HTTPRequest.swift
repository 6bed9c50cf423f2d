/// A received request: complete, or only its head (``HTTPServer/Admitter``).
public struct HTTPRequest: Sendable {
  /// One item of the query.
  public struct QueryItem: Hashable, Sendable {
    public var name: String
    /// The value, percent-decoded, with `+` as a space; nil if the item has no `=`.
    public var value: String?

    public init(name: String, value: String?) {
      self.name = name
      self.value = value
    }
  }

  /// The values of further header fields, as sent; nil if the request has none of that name.
  public struct Fields: Hashable, Sendable {
    public var host: String?
    public var origin: String?
    /// `Sec-Fetch-Site`, by which browsers name the relation of the page to this server.
    public var fetchSite: String?
    public var cookie: String?
    public var accept: String?
    public var acceptEncoding: String?
    public var ifNoneMatch: String?
    public var lastEventID: String?
    /// `Outrider`, which a page of another origin cannot add without permission.
    public var outrider: String?
    /// `X-Client-Verify`, by which a proxy reports its check of the client's certificate.
    public var clientVerify: String?
    /// `X-Forwarded-Proto`, by which a proxy names the scheme of its client.
    public var forwardedProto: String?

    public init() {}
  }

  /// The method as sent, such as `GET`; methods are case-sensitive (RFC 9110 section 9.1).
  public var method: String
  /// The percent-decoded path without the query. It starts with a slash.
  public var path: String
  /// The query items in the order of the URL.
  public var query: [QueryItem]
  public var authorization: String?
  public var contentType: String?
  public var contentEncoding: String?
  /// The header `X-Limit-U`, by which OwnTracks clients give the user of a message.
  public var limitUser: String?
  /// The header `X-Limit-D`, by which OwnTracks clients give the device of a message.
  public var limitDevice: String?
  public var fields = Fields()
  /// True if the client is a program on this host: on a Unix socket or a loopback address.
  public var isFromThisHost = false
  /// The numeric address of the client; nil on a Unix socket, and unless the server has
  /// ``HTTPServer/Limits/hasPeerAddresses``.
  public var peerAddress: String?
  /// The value of `Content-Length`; nil if there is none, as in a chunked request. `Int.max` if it is larger.
  public var contentLength: Int?
  /// The body, at most as long as the server's limit. Empty while only the head is received.
  public var body: [UInt8]

  public init(
    method: String, path: String, query: [QueryItem] = [], authorization: String? = nil,
    contentType: String? = nil, contentEncoding: String? = nil, body: [UInt8] = []
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.authorization = authorization
    self.contentType = contentType
    self.contentEncoding = contentEncoding
    self.body = body
  }

  /// Returns the value of the first item of that name; empty if it has no `=`, nil if there is no such item.
  public func queryValue(_ name: String) -> String? {
    query.first { $0.name == name }.map { $0.value ?? "" }
  }
}
