/// A response. The library adds the headers for length, date and connection.
public struct HTTPResponse: Equatable {
  /// An additional header.
  public struct Header: Hashable, Sendable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The status code, 200...599; any other value is sent as 500.
  public var status: Int
  /// The `Content-Type`; omitted if empty.
  public var contentType: String
  public var body: [UInt8]
  /// Additional headers. A header that contains a line break is omitted.
  public var headers: [Header]
  /// The continuation of the body, produced in slices at the client's speed. Its length is not known beforehand.
  public var slices: HTTPSlices?
  /// Makes the response instead of this one when it is the connection's turn; nil if this is the response.
  var work: HTTPWork?
  /// The response that takes the place of this one when it is given; nil if this is the response.
  var pending: HTTPPending<HTTPResponse>?

  public init(status: Int = 200, contentType: String, body: [UInt8], headers: [Header] = []) {
    self.status = status
    self.contentType = contentType
    self.body = body
    self.headers = headers
  }

  /// Returns a response that is made later: one in a turn of the loop.
  public static func later(_ work: HTTPWork) -> HTTPResponse {
    var response = HTTPResponse(status: 204, contentType: "", body: [])
    response.work = work
    return response
  }

  /// Returns a response that is given later, at any time: the connection is suspended until then.
  public static func pending(_ pending: HTTPPending<HTTPResponse>) -> HTTPResponse {
    var response = HTTPResponse(status: 204, contentType: "", body: [])
    response.pending = pending
    return response
  }

  /// Returns a JSON response. `text` must be valid JSON.
  public static func json(_ text: String, status: Int = 200, headers: [Header] = []) -> HTTPResponse {
    HTTPResponse(
      status: status, contentType: "application/json", body: Array(text.utf8), headers: headers)
  }
}
