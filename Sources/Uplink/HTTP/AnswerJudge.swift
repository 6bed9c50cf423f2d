import HTTPClient
import JSON

/// Decides whether a server has taken a batch.
///
/// In the Overland form success is a 2xx whose body is a JSON object with `"result":"ok"`, exact and in lower case; the
/// content type is not looked at. A login page with 200 is no success, 201 with `ok` is.
public enum AnswerJudge {
  /// What must come with a 2xx.
  public struct Confirmation: Equatable, Sendable {
    /// A JSON object with `"result":"ok"`; otherwise anything but a web page, which is no server of this sort but
    /// something in between.
    public var isResultWanted: Bool
    /// Anything else counts too, and is worth a warning.
    public var isAnyBodyTaken: Bool
    /// A server has chosen this form and it has not proved itself: an answer that names an error keeps the records.
    public var isFormOnTrial: Bool

    public init(isResultWanted: Bool = true, isAnyBodyTaken: Bool = false, isFormOnTrial: Bool = false) {
      self.isResultWanted = isResultWanted
      self.isAnyBodyTaken = isAnyBodyTaken
      self.isFormOnTrial = isFormOnTrial
    }
  }

  /// `place` names the server in the reason, without path and query: these may hold a token.
  public static func judge(
    _ outcome: HTTPOutcome, place: String, confirmation: Confirmation = Confirmation()
  ) -> Verdict {
    switch outcome {
    case .response(let response): judge(response, place: place, confirmation)
    case .failure(let failure): .refused(refusal(failure))
    }
  }

  private struct Answer: Decodable {
    var result: String?
  }

  private static func judge(_ response: HTTPResponse, place: String, _ confirmation: Confirmation) -> Verdict
  {
    guard (200...299).contains(response.status) else { return .refused(refusal(response, place: place)) }
    let isPage = isWebPage(response.body)
    if !confirmation.isResultWanted, !isPage { return judgeFree(response, place: place, confirmation) }
    if confirmation.isResultWanted, isConfirmed(response) {
      guard response.isCut else { return .accepted }
      return .acceptedOddly(
        "\(place): status \(response.status), response too large; accepted by the part that was read")
    }
    if confirmation.isAnyBodyTaken {
      let said = "status \(response.status)\(words(response))"
      return .acceptedOddly("\(place): \(said); accepted because accept_2xx is set")
    }
    var lack = confirmation.isResultWanted ? " without {\"result\":\"ok\"}" : ""
    var remedy = "check the url's path and the token"
    var kind = Refusal.Kind.notConfirmed
    if isPage {
      remedy =
        "the response is a web page: check the url's path and the token, and whether the network requires a sign-in"
    } else if response.isCut {
      lack = ", response too large, no {\"result\":\"ok\"} in the part that was read"
      remedy = "check the url's path and what the server adds to its response"
      // An answer that repeats the records gets shorter with fewer of them.
      let isUnknown = JSONBeginning.member("result", atTopOf: response.body) == nil
      if confirmation.isResultWanted, isUnknown, response.body.first == UInt8(ascii: "{") { kind = .tooLarge }
    } else if confirmation.isResultWanted, let fault = fault(of: response.body) {
      lack = " but the response is not valid JSON (\(fault))"
      remedy = "check what the server adds to its response"
    }
    return .refused(
      Refusal(
        kind, reason: "\(place): status \(response.status)\(lack)\(words(response)); \(remedy)",
        retryAfter: response.retryAfter))
  }

  /// The answer in a form that has no answer of its own: any 2xx is success. One that names an error all the same is
  /// worth a warning, and keeps the records while nothing has shown that the server takes this form.
  private static func judgeFree(_ response: HTTPResponse, place: String, _ confirmation: Confirmation)
    -> Verdict
  {
    guard let result = JSONBeginning.member("result", atTopOf: response.body), result != "ok" else {
      return .accepted
    }
    let said = "\(place): status \(response.status)\(words(response))"
    guard confirmation.isFormOnTrial else {
      return .acceptedOddly("\(said); accepted because this format treats any 2xx as success")
    }
    return .refused(
      Refusal(
        .notConfirmed,
        reason: "\(said); the server has set a logging_mode whose records it rejects",
        retryAfter: response.retryAfter))
  }

  /// What is wrong with an answer that begins as an object; nil for nothing, and for other answers.
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

  /// True for HTML, as captive portals and login pages send it.
  private static func isWebPage(_ body: [UInt8]) -> Bool {
    var start = body[...]
    if start.starts(with: [0xEF, 0xBB, 0xBF]) { start = start.dropFirst(3) }
    let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
    return start.drop { blanks.contains($0) }.first == UInt8(ascii: "<")
  }

  private static func refusal(_ response: HTTPResponse, place: String) -> Refusal {
    let (kind, remedy) = meaning(of: response.status)
    return Refusal(
      kind, reason: "\(place): status \(response.status)\(words(response)); \(remedy)",
      retryAfter: response.retryAfter)
  }

  private static func meaning(of status: Int) -> (Refusal.Kind, remedy: String) {
    switch status {
    case 300...399: (.redirected, "check the url: only redirects with status 307 or 308 are followed")
    case 401, 402, 403: (.credentials, "check the token and the account")
    case 407: (.credentials, "the proxy requires a user and a password; check proxy")
    case 404, 405, 410, 421, 451: (.wrongPlace, "check the url's path")
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
      case .timedOut, .interrupted, .other: .outcomeUnknown
      case .clientCertificate, .invalidRequest: .configuration
      }
    return Refusal(kind, reason: failure.description)
  }

  /// The start of the body, at most 120 printable characters.
  static func words(_ response: HTTPResponse) -> String {
    guard !response.body.isEmpty else { return ", empty response" }
    let text = printable(String(decoding: response.body.prefix(1024), as: UTF8.self))
    return text.isEmpty ? ", unprintable response" : ", response: \(text)"
  }

  /// At most 120 characters of what a server said, fit for a line of a log.
  static func printable(_ words: String) -> String {
    var text = ""
    var count = 0
    for scalar in words.unicodeScalars {
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
