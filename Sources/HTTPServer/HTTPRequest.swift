/// A request that has arrived in full.
public struct HTTPRequest: Sendable {
  public struct QueryItem: Hashable, Sendable {
    public var name: String
    /// Percent-decoded, `+` read as a space; nil when the item has no `=`.
    public var value: String?

    public init(name: String, value: String?) {
      self.name = name
      self.value = value
    }
  }

  /// As sent: `GET`, `POST`; methods are case-sensitive (RFC 9110, 9.1).
  public var method: String
  /// The percent-decoded path without the query, beginning with a slash.
  public var path: String
  /// In the order of the URL.
  public var query: [QueryItem]
  public var authorization: String?
  public var contentType: String?
  public var contentEncoding: String?
  /// `X-Limit-U` and `X-Limit-D`, in which clients of OwnTracks say whose a message is.
  public var limitUser: String?
  public var limitDevice: String?
  /// At most as long as the server's limit.
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

  /// The value of the first item of that name; empty when it has no `=`, nil when there is no such item.
  public func queryValue(_ name: String) -> String? {
    query.first { $0.name == name }.map { $0.value ?? "" }
  }
}
