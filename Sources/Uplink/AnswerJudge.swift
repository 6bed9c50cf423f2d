import Formats
import FoundationEssentials
import HTTPClient

/// Decides whether a server has taken a batch.
///
/// Success is a 2xx whose body is a JSON object with `"result":"ok"`, exact and in lower case; the content
/// type is not looked at. A login page with 200 is no success, 201 with `ok` is.
public enum AnswerJudge {
  /// `place` names the server in the reason, without path and query: these may hold a token.
  public static func judge(_ outcome: HTTPOutcome, place: String) -> Verdict {
    switch outcome {
    case .response(let response): judge(response, place: place)
    case .failure(let failure): .refused(refusal(failure))
    }
  }

  private struct Answer: Decodable {
    var result: String?
  }

  private static func judge(_ response: HTTPResponse, place: String) -> Verdict {
    guard (200...299).contains(response.status) else { return .refused(refusal(response, place: place)) }
    let isReadable = !response.isCut && JSONStrings.areSound(response.body)
    let answer = isReadable ? try? JSONDecoder().decode(Answer.self, from: Data(response.body)) : nil
    if answer?.result == "ok" { return .accepted }
    return .refused(
      Refusal(
        .notConfirmed,
        reason:
          "\(place): status \(response.status) but no {\"result\":\"ok\"}\(words(response)); "
          + "check the url's path and the token",
        retryAfter: response.retryAfter))
  }

  private static func refusal(_ response: HTTPResponse, place: String) -> Refusal {
    let (kind, remedy) = meaning(of: response.status)
    return Refusal(
      kind, reason: "\(place): status \(response.status)\(words(response)); \(remedy)",
      retryAfter: response.retryAfter)
  }

  private static func meaning(of status: Int) -> (Refusal.Kind, remedy: String) {
    switch status {
    case 300...399: (.redirected, "check the url: it is redirected in a way that is not followed")
    case 401, 402, 403: (.credentials, "check the token and the account")
    case 404, 405, 410: (.wrongPlace, "check the url's path")
    case 408, 425, 429, 503: (.busy, "the server wants to be asked later")
    case 413: (.tooLarge, "check the server's limit for a request, or lower batch_size")
    case 400...499: (.content, "check the server's log: it does not like a record of this batch")
    default: (.content, "check the server's log")
    }
  }

  private static func refusal(_ failure: TransportFailure) -> Refusal {
    let kind: Refusal.Kind =
      switch failure {
      case .nameNotResolved, .unreachable, .tls: .unreachable
      case .timedOut, .interrupted, .other: .outcomeUnknown
      case .invalidRequest: .configuration
      }
    return Refusal(kind, reason: failure.description)
  }

  /// The start of the body, at most 120 printable characters.
  private static func words(_ response: HTTPResponse) -> String {
    guard !response.body.isEmpty else { return ", empty answer" }
    var text = ""
    var count = 0
    for scalar in String(decoding: response.body.prefix(1024), as: UTF8.self).unicodeScalars {
      let isBlank = scalar.properties.isWhitespace
      if isBlank ? text.last == " " || text.isEmpty : !isPrintable(scalar) { continue }
      text.unicodeScalars.append(isBlank ? " " : scalar)
      count += 1
      if count == 120 { break }
    }
    return text.isEmpty ? ", unprintable answer" : ", answer: \(text)"
  }

  private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    default: scalar != "\u{FFFD}"
    }
  }
}
