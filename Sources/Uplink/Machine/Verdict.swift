/// What an attempt came to.
public enum Verdict: Equatable, Sendable {
  /// The server has the batch.
  case accepted
  /// It has by its status; what it said is odd, in one sentence with the place.
  case acceptedOddly(String)
  /// It has not, or nobody knows: the same batch is sent again.
  case refused(Refusal)

  public var isSuccess: Bool {
    switch self {
    case .accepted, .acceptedOddly: true
    case .refused: false
    }
  }
}

/// Why a batch was not accepted.
public struct Refusal: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Kind: Equatable, Sendable, CaseIterable {
    /// No connection; nothing was sent.
    case unreachable
    /// Sent, but no complete answer: the server may have stored it.
    case outcomeUnknown
    /// The request cannot be made as it is configured.
    case configuration
    /// 401, 402, 403: token or account.
    case credentials
    /// 404, 405, 410: not the place for records.
    case wrongPlace
    /// 408, 425, 429, 502, 503, 504, 507: later.
    case busy
    /// 413: fewer records at a time.
    case tooLarge
    /// Any other 4xx or 5xx: the server, or a record in this batch.
    case content
    /// A redirect that is not followed.
    case redirected
    /// A 2xx without the words of success.
    case notConfirmed
    /// The broker took the message and has nobody to give it to.
    case unrouted
  }

  public var kind: Kind
  /// One sentence with place and remedy, without the destination's name.
  public var reason: String
  /// How long the server asks to be left alone.
  public var retryAfter: Duration?

  public init(_ kind: Kind, reason: String, retryAfter: Duration? = nil) {
    self.kind = kind
    self.reason = reason
    self.retryAfter = retryAfter
  }

  public var description: String { reason }
}
