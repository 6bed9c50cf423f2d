import Formats
import HTTPClient
import Quantities
import Records

/// One attempt to send a batch. It follows the redirects that keep method and body (RFC 9110 sections 15.4.8, 15.4.9).
struct PostAttempt {
  /// The next step of the attempt.
  enum Next {
    case verdict(Verdict)
    case follow(PostAttempt)
  }

  static let mostRedirects = 5

  let endpoint: HTTPEndpoint
  let userAgent: String
  private let method: HTTPClientRequest.Method
  private let body: [[UInt8]]
  private let deadline: Moment
  private let keepsConnection: Bool
  private let headers: [(name: String, value: String)]
  private var url: String
  private var redirects = 0

  init(endpoint: HTTPEndpoint, userAgent: String, batch: OutgoingBatch) {
    self.endpoint = endpoint
    self.userAgent = userAgent
    deadline = batch.deadline
    keepsConnection = batch.keepsConnection
    var url = endpoint.url
    url = URLMarkers.filled(url, from: batch.newest)
    var headers = [("User-Agent", userAgent)]
    var parts: [[UInt8]]
    switch endpoint.form {
    case .overland(let profile):
      method = .post
      headers.append(("Content-Type", "application/json"))
      let current = profile.sendsCurrent ? batch.current : nil
      parts = OverlandBatch.body(
        batch.batch.bytes, current: current, trip: batch.trip, report: batch.report, for: profile)
    case .ownTracks(_, var deviceID):
      method = .post
      headers.append(("Content-Type", "application/json"))
      if case .location(let location)? = batch.batch.records.last?.body { deviceID = location.deviceID }
      if let owner = HTTPEndpoint.owner(deviceID: deviceID, user: endpoint.user) {
        headers += [("X-Limit-U", owner.user), ("X-Limit-D", owner.device)]
      }
      parts = [batch.batch.bytes]
    case .query(let isPost, _), .traccar(let isPost, _, _):
      method = isPost ? .post : .get
      if isPost { headers.append(("Content-Type", "application/x-www-form-urlencoded")) }
      parts = isPost ? [batch.batch.bytes] : []
      if !isPost { url = QueryText.url(url, adding: String(decoding: batch.batch.bytes, as: UTF8.self)) }
    }
    if endpoint.isPacked, method == .post, let packed = GzipBody.packed(parts) {
      parts = [packed]
      headers.append(("Content-Encoding", "gzip"))
    }
    if case .query(let name, let token) = endpoint.credentials {
      url = QueryText.url(url, adding: "\(name)=\(QueryText.percentEncoded(token))")
    }
    body = parts
    self.headers = headers
    self.url = url
  }

  func request(now: Moment) -> HTTPClientRequest {
    var request = HTTPClientRequest(method, url: url)
    request.headers = headers
    // Credentials and client certificate are sent to the configured server only.
    if HTTPOrigin(url) == HTTPOrigin(endpoint.url) {
      request.headers += endpoint.identity
      request.clientCertificateFile = endpoint.clientCertificateFile
      request.clientKeyFile = endpoint.clientKeyFile
    }
    request.body = body
    request.timeout = deadline - now
    request.authorityFile = endpoint.authorityFile
    request.proxy = endpoint.proxy
    request.keepsConnection = keepsConnection
    return request
  }

  /// Returns the next step after an outcome: a verdict, or the same body to another URL.
  func next(after outcome: HTTPOutcome) -> Next {
    let origin = HTTPOrigin(url)
    let server = origin?.description ?? "invalid url"
    guard case .response(let response) = outcome, response.status == 307 || response.status == 308 else {
      return .verdict(
        ResponseEvaluator.evaluate(outcome, server: server, confirmation: endpoint.confirmation))
    }
    guard let target = response.redirectURL, let targetOrigin = HTTPOrigin(target) else {
      return refused("\(server): redirect without a valid Location header; check the url")
    }
    guard redirects < Self.mostRedirects else {
      return refused("\(server): more than \(Self.mostRedirects) redirects; check the url")
    }
    if origin?.isEncrypted == true, !targetOrigin.isEncrypted {
      return refused("\(server): redirect to \(targetOrigin), which is not encrypted; check the url")
    }
    var next = self
    next.url = target
    next.redirects += 1
    return .follow(next)
  }

  private func refused(_ reason: String) -> Next { .verdict(.refused(Refusal(.redirected, reason: reason))) }
}
