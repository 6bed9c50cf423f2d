/// A completely received request.
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
  /// The body, at most as long as the server's limit.
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
