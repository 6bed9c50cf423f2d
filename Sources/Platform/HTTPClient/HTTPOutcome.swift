import Quantities

/// The result of a request.
public enum HTTPOutcome: Equatable, Sendable {
  /// The server sent a complete response, with any status.
  case response(HTTPResponse)
  case failure(TransportFailure)
}

/// A response of a server.
public struct HTTPResponse: Equatable, Sendable {
  /// The status code, 100...599.
  public var status: Int
  public var body: [UInt8] = []
  /// True if the response was longer than the request's limit and the rest was not read.
  public var isCut = false
  /// The value of `Retry-After`; nil if there is none.
  public var retryAfter: Duration?
  /// The absolute URL of the `Location` header, which is not followed.
  public var redirectURL: String?
  /// The time when the first certificate of the server's chain expires; nil without TLS, or if it was not requested.
  public var certificateEnd: Timestamp?

  public init(status: Int) { self.status = status }
}
