import HTTPClient
import Quantities

/// One attempt to post a batch, through the redirects that keep method and body (RFC 9110 sections 15.4.8,
/// 15.4.9).
struct PostAttempt {
  enum Next {
    case verdict(Verdict)
    case follow(PostAttempt)
  }

  static let mostRedirects = 5

  let endpoint: Delivery.Endpoint
  let userAgent: String
  let body: [[UInt8]]
  let deadline: Moment
  let keepsConnection: Bool
  private(set) var url: String
  private(set) var redirects = 0

  init(
    endpoint: Delivery.Endpoint, userAgent: String, body: [[UInt8]], deadline: Moment, keepsConnection: Bool
  ) {
    self.endpoint = endpoint
    self.userAgent = userAgent
    self.body = body
    self.deadline = deadline
    self.keepsConnection = keepsConnection
    url = endpoint.url
  }

  func request(now: Moment) -> HTTPClientRequest {
    var request = HTTPClientRequest(.post, url: url)
    request.headers = [("Content-Type", "application/json"), ("User-Agent", userAgent)]
    // The token belongs to the configured server and to no other.
    if !endpoint.token.isEmpty, HTTPOrigin(url) == HTTPOrigin(endpoint.url) {
      request.headers.append(("Authorization", "Bearer \(endpoint.token)"))
    }
    request.body = body
    request.timeout = deadline - now
    request.authorityFile = endpoint.authorityFile
    request.keepsConnection = keepsConnection
    return request
  }

  /// What an outcome means: the end, or the same body to another place.
  func next(after outcome: HTTPOutcome) -> Next {
    let origin = HTTPOrigin(url)
    let place = origin?.description ?? "a destination without a valid url"
    guard case .response(let response) = outcome, response.status == 307 || response.status == 308 else {
      return .verdict(AnswerJudge.judge(outcome, place: place))
    }
    guard let target = response.redirectURL, let targetOrigin = HTTPOrigin(target) else {
      return refused("\(place): redirects without a usable place; check the url")
    }
    guard redirects < Self.mostRedirects else {
      return refused("\(place): redirects more than \(Self.mostRedirects) times; check the url")
    }
    if origin?.isEncrypted == true, !targetOrigin.isEncrypted {
      return refused("\(place): redirects to \(targetOrigin), which is not encrypted; check the url")
    }
    var next = self
    next.url = target
    next.redirects += 1
    return .follow(next)
  }

  private func refused(_ reason: String) -> Next { .verdict(.refused(Refusal(.redirected, reason: reason))) }
}
