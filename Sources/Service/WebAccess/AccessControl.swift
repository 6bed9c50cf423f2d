import EventLoop
import FoundationEssentials
import HTTPServer
import JSON
import Quantities

/// The access rules of all sockets of an API, with the state that they share: wrong tokens and the one-time code.
package final class AccessControl {
  /// The time for which a one-time code of `outrider page` is valid.
  package static let codeLifetime = Duration.seconds(300)

  private struct Code {
    var text: String
    var until: Moment
  }

  package private(set) var policy: AccessPolicy
  private let loop: EventLoop
  private var limit = WrongTokenLimit()
  private var code: Code?
  /// Called when wrong tokens exhaust their limit, with their number.
  package var refused: (Int) -> Void = { _ in }

  package init(loop: EventLoop, policy: AccessPolicy) {
    self.loop = loop
    self.policy = policy
  }

  /// Follows a changed policy.
  package func follow(_ policy: AccessPolicy) { self.policy = policy }

  /// Returns the role of an admitted request. Throws the response to any other. `isPublic` is true for a route that
  /// everyone may use; a wrong token does not matter there.
  package func role(
    of request: HTTPRequest, at entrance: AccessPolicy.Entrance, isPublic: Bool
  ) throws(APIRefusal) -> AccessRole {
    let presented = try presented(by: request, at: entrance, isPublic: isPublic)
    do throws(AccessPolicy.Refusal) { try policy.check(request, presented: presented) } catch {
      throw APIRefusal(Problem(error.status, error.detail))
    }
    return policy.role(of: request, at: entrance, presented: presented, now: loop.clock.timestamp())
  }

  private func presented(
    by request: HTTPRequest, at entrance: AccessPolicy.Entrance, isPublic: Bool
  ) throws(APIRefusal) -> AccessPolicy.Presented {
    guard entrance.requiresSignIn else {
      // The token is not necessary here, but excuses from the check of the host.
      return policy.presented(by: request) == .right ? .right : .nothing
    }
    guard request.authorization != nil else { return .nothing }
    let wait = try waitingTime()
    let presented = policy.presented(by: request)
    guard presented == .wrong else { return presented }
    try countWrongToken(wait)
    guard isPublic else { throw .unauthorized(token: policy.words.token) }
    return presented
  }

  /// The response to `POST /login`.
  package func signIn(_ request: HTTPRequest, at entrance: AccessPolicy.Entrance) throws(APIRefusal)
    -> HTTPResponse
  {
    struct Body: Decodable {
      var token: String?
      var code: String?
    }
    guard let body = try? CheckedJSON(request.body).decode(Body.self),
      (body.token == nil) != (body.code == nil)
    else { throw APIRefusal(Problem(400, #"expected {"token": "…"} or {"code": "…"}"#)) }
    guard entrance.requiresSignIn else {
      throw APIRefusal(Problem(409, "this address requires no sign-in"))
    }
    guard policy.admitsSignIn(at: entrance) else {
      throw APIRefusal(
        Problem(
          403,
          "\(policy.words.token) has fewer than \(AccessPolicy.shortestPageToken) characters; "
            + policy.words.longToken))
    }
    let wait = try waitingTime()
    let isRight = body.token.map(policy.matches(token:)) ?? redeem(body.code ?? "")
    guard isRight else {
      try countWrongToken(wait)
      let subject =
        body.token == nil ? "the code was used, is older than five minutes or wrong" : "wrong token"
      throw APIRefusal(Problem(401, "\(subject)\(policy.words.help)"))
    }
    // Only a proxy on this host is believed to have received the request over TLS.
    let isSecure = request.isFromThisHost && request.fields.forwardedProto?.lowercased() == "https"
    let cookie = policy.signIn(isSecure: isSecure, now: loop.clock.timestamp())
    return HTTPResponse(status: 204, contentType: "", body: [], headers: cookie.map { [$0] } ?? [])
  }

  /// Creates a one-time code, which replaces an earlier one.
  package func makeCode() -> String {
    let letters = Array("abcdefghjkmnpqrstuvwxyz23456789")
    var generator = SystemRandomNumberGenerator()
    let text = String((0..<20).map { _ in letters[Int.random(in: letters.indices, using: &generator)] })
    code = Code(text: text, until: loop.now + Self.codeLifetime)
    return text
  }

  private func redeem(_ text: String) -> Bool {
    guard let code, loop.now < code.until, HMAC.areEqual(Array(text.utf8), Array(code.text.utf8)) else {
      return false
    }
    self.code = nil
    return true
  }

  /// Returns the time after which a wrong token is permitted again; nil if it is now. A long token cannot be guessed and is
  /// checked in any case, so that wrong ones do not lock its owner out; with a short one this throws instead.
  private func waitingTime() throws(APIRefusal) -> Duration? {
    guard let wait = limit.wait(now: loop.now) else { return nil }
    guard policy.isTokenLong else { throw .tooManyTokens(wait) }
    return wait
  }

  private func countWrongToken(_ wait: Duration?) throws(APIRefusal) {
    if let wait { throw .tooManyTokens(wait) }
    if let count = limit.add(now: loop.now) { refused(count) }
  }
}
