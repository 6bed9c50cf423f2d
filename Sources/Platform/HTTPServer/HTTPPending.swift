/// A value that is given once, after the call that returned it: the response to a request, or the decision on
/// its head.
///
/// The connection is suspended until then, without a wake-up. A value for a client that is gone is ignored. All
/// calls are on the loop's thread.
public final class HTTPPending<Value>: Equatable {
  private var value: Value?
  /// True if a value was given, or if nobody waits for it any more.
  public private(set) var isDone = false
  /// Set by the server: continues with the suspended connection.
  var onGive: () -> Void = {}

  public init() {}

  /// Gives the value. Without effect after the first time, and if the client is gone.
  public func give(_ value: Value) {
    guard !isDone else { return }
    isDone = true
    self.value = value
    onGive()
  }

  /// Returns the value once; nil if there is none.
  func take() -> Value? {
    defer { value = nil }
    return value
  }

  /// Ends the wait, because the client is gone.
  func cancel() {
    (isDone, value, onGive) = (true, nil, {})
  }

  public static func == (a: HTTPPending, b: HTTPPending) -> Bool { a === b }
}

/// The decision on a request whose head was received and whose body was not read yet.
public enum HTTPAdmission {
  /// The body is read, and `handler` responds to the whole request.
  case read(_ handler: HTTPServer.Handler)
  /// The response is sent at once, and the body is not used. A client that expects `100 Continue` does not send
  /// it.
  case answer(HTTPResponse)
  /// The decision is made later. Until then nothing is read from the client.
  case later(HTTPPending<HTTPAdmission>)
}
