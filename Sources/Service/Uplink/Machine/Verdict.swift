/// The result of an attempt.
public enum Verdict: Equatable, Sendable {
  /// The server has confirmed the batch.
  case accepted
  /// The status is a success, but the body does not confirm it. The text describes the response in one sentence.
  case acceptedUnconfirmed(String)
  /// The server has not confirmed the batch, or the outcome is unknown: the same batch is sent again.
  case refused(Refusal)

  public var isSuccess: Bool {
    switch self {
    case .accepted, .acceptedUnconfirmed: true
    case .refused: false
    }
  }
}

/// The reason why a batch was not accepted.
public struct Refusal: Error, Equatable, Sendable, CustomStringConvertible {
  /// The class of a refusal, which determines the next step.
  public enum Kind: Equatable, Sendable, CaseIterable {
    /// No connection; nothing was sent.
    case unreachable
    /// The request was sent without a complete response. The server may have stored the batch.
    case outcomeUnknown
    /// The request cannot be made with this configuration.
    case configuration
    /// Status 401, 402, 403, 407: token, account or proxy password.
    case credentials
    /// Status 404, 405, 410, 421, 451: wrong URL.
    case wrongAddress
    /// Status 408, 425, 429, 5xx except 500 and 511, and the other 4xx: retry later.
    case busy
    /// Status 413: fewer records per request.
    case tooLarge
    /// Status 400, 406, 409, 412, 414, 415, 422: a record of this batch. Status 500: the server, or a record.
    case content
    /// A redirect that is not followed.
    case redirected
    /// A 2xx without the confirmation of success, or status 511.
    case notConfirmed
    /// The broker accepted the message but has no subscriber for it.
    case unrouted
  }

  public var kind: Kind
  /// The reason in one sentence with server and remedy, without the name of the destination.
  public var reason: String
  /// The value of `Retry-After`; nil if the server sent none.
  public var retryAfter: Duration?
  /// True if the server may fail as well as a record: status 500, a cut connection. A record is then held, and set aside
  /// only with evidence over hours.
  public var mayBeServer = false

  public init(_ kind: Kind, reason: String, retryAfter: Duration? = nil) {
    self.kind = kind
    self.reason = reason
    self.retryAfter = retryAfter
  }

  public var description: String { reason }

  /// True if a record of the batch may be the cause.
  var concernsContent: Bool { kind == .content || kind == .outcomeUnknown && mayBeServer }
}
