import HTTPClient
import JSON

/// Decides from an HTTP response whether a server has accepted a batch.
///
/// In the Overland format, success is a status 2xx whose body is a JSON object with `"result":"ok"`, exactly and in
/// lower case. The content type is ignored. Status 201 with `ok` is a success, a login page with status 200 is not.
public enum ResponseEvaluator {
  /// The requirements on the body of a 2xx response.
  public struct Confirmation: Equatable, Sendable {
    /// True if the body must be a JSON object with `"result":"ok"`. Otherwise any body except a web page is accepted: a
    /// web page comes from a captive portal or proxy, not from the server.
    public var requiresResult: Bool
    /// True if any other body is accepted, too, with a warning.
    public var acceptsAnyBody: Bool
    /// True if the server has chosen the format by a remote setting that is still on trial. A response that reports an
    /// error then keeps the records in the queue.
    public var isFormOnTrial: Bool

    public init(requiresResult: Bool = true, acceptsAnyBody: Bool = false, isFormOnTrial: Bool = false) {
      self.requiresResult = requiresResult
      self.acceptsAnyBody = acceptsAnyBody
      self.isFormOnTrial = isFormOnTrial
    }
  }

  /// Returns the verdict on `outcome`. `server` identifies the server in the reason, without path and query, which may
  /// contain a token.
  public static func evaluate(
    _ outcome: HTTPOutcome, server: String, confirmation: Confirmation = Confirmation()
  ) -> Verdict {
    switch outcome {
    case .response(let response): evaluate(response, server: server, confirmation)
    case .failure(let failure): .refused(refusal(failure))
    }
  }

  private struct Answer: Decodable {
    var result: String?
  }

  private static func evaluate(_ response: HTTPResponse, server: String, _ confirmation: Confirmation)
    -> Verdict
  {
    guard (200...299).contains(response.status) else { return .refused(refusal(response, server: server)) }
    let isPage = isWebPage(response.body)
    if !confirmation.requiresResult, !isPage {
      return evaluateWithoutResult(response, server: server, confirmation)
    }
    if confirmation.requiresResult, isConfirmed(response) {
      guard response.isCut else { return .accepted }
      return .acceptedUnconfirmed(
        "\(server): status \(response.status), response too large; accepted by the part that was read")
    }
    if confirmation.acceptsAnyBody {
      let statusText = "status \(response.status)\(message(response))"
      return .acceptedUnconfirmed("\(server): \(statusText); accepted because accept_2xx is set")
    }
    var lack = confirmation.requiresResult ? " without {\"result\":\"ok\"}" : ""
    var remedy = "check the url's path and the token"
    var kind = Refusal.Kind.notConfirmed
    if isPage {
      remedy =
        "the response is a web page: check the url's path and the token, and whether the network requires a sign-in"
    } else if response.isCut {
      lack = ", response too large, no {\"result\":\"ok\"} in the part that was read"
      remedy = "check the url's path and what the server adds to its response"
      // A response that repeats the records gets shorter with fewer records.
      let isUnknown = JSONBeginning.member("result", atTopOf: response.body) == nil
      if confirmation.requiresResult, isUnknown, response.body.first == UInt8(ascii: "{") { kind = .tooLarge }
    } else if confirmation.requiresResult, let fault = fault(of: response.body) {
      lack = " but the response is not valid JSON (\(fault))"
      remedy = "check what the server adds to its response"
    }
    return .refused(
      Refusal(
        kind, reason: "\(server): status \(response.status)\(lack)\(message(response)); \(remedy)",
        retryAfter: pause(response)))
  }

  /// Returns the verdict in a format that defines no response body: any 2xx is a success.
  ///
  /// A body that reports an error causes a warning. While the format is on trial, it keeps the records in the queue.
  private static func evaluateWithoutResult(
    _ response: HTTPResponse, server: String, _ confirmation: Confirmation
  )
    -> Verdict
  {
    guard let result = JSONBeginning.member("result", atTopOf: response.body), result != "ok" else {
      return .accepted
    }
    let statusText = "\(server): status \(response.status)\(message(response))"
    guard confirmation.isFormOnTrial else {
      return .acceptedUnconfirmed("\(statusText); accepted because this format treats any 2xx as success")
    }
    return .refused(
      Refusal(
        .notConfirmed,
        reason: "\(statusText); the server has set a logging_mode whose records it rejects",
        retryAfter: pause(response)))
  }

  /// Returns the fault of a response that begins as a JSON object; nil for a valid object and for other responses.
  private static func fault(of body: [UInt8]) -> String? {
    guard body.first == UInt8(ascii: "{") else { return nil }
    do throws(JSONFault) {
      let text = try CheckedJSON(body)
      return (try? text.decode(Answer.self)) == nil ? "expected a string in result" : nil
    } catch {
      return error.description
    }
  }

  private static func isConfirmed(_ response: HTTPResponse) -> Bool {
    if response.isCut { return JSONBeginning.member("result", atTopOf: response.body) == "ok" }
    return (try? CheckedJSON(response.body).decode(Answer.self))?.result == "ok"
  }

  /// True for HTML, which captive portals and login pages send.
  private static func isWebPage(_ body: [UInt8]) -> Bool {
    var start = body[...]
    if start.starts(with: [0xEF, 0xBB, 0xBF]) { start = start.dropFirst(3) }
    let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
    return start.drop { blanks.contains($0) }.first == UInt8(ascii: "<")
  }

  /// The longest `Retry-After` that is obeyed with a status other than 429 and 503.
  private static let longestPause = Duration.seconds(3600)

  /// The value of `Retry-After`. Only with 429 and 503 it means a limit or a planned absence of the server.
  private static func pause(_ response: HTTPResponse) -> Duration? {
    let longest = [429, 503].contains(response.status) ? RetryDelay.longestRetryAfter : longestPause
    return response.retryAfter.map { min($0, longest) }
  }

  private static func refusal(_ response: HTTPResponse, server: String) -> Refusal {
    let (kind, remedy) = meaning(of: response.status)
    var refusal = Refusal(
      kind, reason: "\(server): status \(response.status)\(message(response)); \(remedy)",
      retryAfter: pause(response))
    refusal.mayBeServer = response.status == 500
    return refusal
  }

  private static func meaning(of status: Int) -> (Refusal.Kind, remedy: String) {
    switch status {
    case 300...399: (.redirected, "check the url: only redirects with status 307 or 308 are followed")
    case 401, 402, 403: (.credentials, "check the token and the account")
    case 407: (.credentials, "the proxy requires a user and a password; check proxy")
    case 404, 405, 410, 421, 451: (.wrongAddress, "check the url's path")
    case 408, 425, 429, 503, 507: (.busy, "the server asks to retry later")
    case 511: (.notConfirmed, "the network requires a sign-in")
    case 413: (.tooLarge, "check the server's limit for the size of a request, or lower batch_size")
    // RFC 9110 section 15.5: the other 4xx concern the request's sender, its header or its connection.
    case 400, 406, 409, 412, 414, 415, 422:
      (.content, "check the server's log: it rejects a record of this batch")
    case 500: (.content, "check the server's log")
    case 500...: (.busy, "check the server and the reverse proxy in front of it")
    default: (.busy, "check the server's log: it rejects requests regardless of their content")
    }
  }

  private static func refusal(_ failure: TransportFailure) -> Refusal {
    let kind: Refusal.Kind =
      switch failure {
      case .nameNotResolved, .unreachable, .noProxy, .tls: .unreachable
      case .timedOut, .interrupted, .headersTooLong, .other: .outcomeUnknown
      case .clientCertificate, .invalidRequest: .configuration
      }
    var refusal = Refusal(kind, reason: failure.description)
    if case .interrupted = failure { refusal.mayBeServer = true }
    return refusal
  }

  /// Returns the start of the body for a message, at most 120 printable characters.
  static func message(_ response: HTTPResponse) -> String {
    guard !response.body.isEmpty else { return ", empty response" }
    let text = printable(String(decoding: response.body.prefix(1024), as: UTF8.self))
    return text.isEmpty ? ", unprintable response" : ", response: \(text)"
  }

  /// Returns at most 120 printable characters of a server's text, in one line.
  static func printable(_ message: String) -> String {
    var text = ""
    var count = 0
    for scalar in message.unicodeScalars {
      let isBlank = scalar.properties.isWhitespace
      if isBlank ? text.last == " " || text.isEmpty : !isPrintable(scalar) { continue }
      text.unicodeScalars.append(isBlank ? " " : scalar)
      count += 1
      if count == 120 { break }
    }
    return text
  }

  private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    default: scalar != "\u{FFFD}"
    }
  }
}
