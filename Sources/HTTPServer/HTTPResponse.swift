/// What the server answers. Length, date and connection headers are added by the library.
public struct HTTPResponse: Equatable {
  public struct Header: Hashable, Sendable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// 200...599; anything else is sent as 500.
  public var status: Int
  /// Left out when empty.
  public var contentType: String
  public var body: [UInt8]
  /// Added to the answer; one with a line break in it is left out.
  public var headers: [Header]
  /// What follows the body, made slice by slice as the client takes it; the length is not known beforehand.
  public var slices: HTTPSlices?

  public init(status: Int = 200, contentType: String, body: [UInt8], headers: [Header] = []) {
    self.status = status
    self.contentType = contentType
    self.body = body
    self.headers = headers
  }

  /// An answer in JSON; the text must be JSON already.
  public static func json(_ text: String, status: Int = 200, headers: [Header] = []) -> HTTPResponse {
    HTTPResponse(
      status: status, contentType: "application/json", body: Array(text.utf8), headers: headers)
  }
}
