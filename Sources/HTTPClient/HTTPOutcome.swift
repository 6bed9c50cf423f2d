/// How a request ended.
public enum HTTPOutcome: Equatable, Sendable {
  /// The server answered, whatever the status.
  case response(HTTPResponse)
  case failure(TransportFailure)
}

public struct HTTPResponse: Equatable, Sendable {
  /// 100...599
  public var status: Int
  public var body: [UInt8] = []
  /// True when the answer was longer than the request's limit and the rest was not read.
  public var isCut = false
  /// How long the server asks to be left alone.
  public var retryAfter: Duration?
  /// The absolute URL that a `Location` header points to, not followed.
  public var redirectURL: String?

  public init(status: Int) { self.status = status }
}
