import HTTPClient
import Quantities
import Testing
import TextSnapshots
import Uplink

@Suite struct ResponseEvaluatorTests {
  struct Answer: Sendable, CustomTestStringConvertible {
    let status: Int, body: String, kind: Refusal.Kind?
    var testDescription: String { "\(status) \(body.prefix(40))" }
  }

  static let answers = [
    Answer(status: 200, body: #"{"result":"ok"}"#, kind: nil),
    Answer(status: 201, body: #"{"result":"ok"}"#, kind: nil),
    Answer(status: 299, body: #" { "saved" : 3, "result" : "ok", "geocode" : null } "#, kind: nil),
    Answer(status: 200, body: #"{"result":"\u006fk","set":{"send_interval":"1m"}}"#, kind: nil),
    Answer(status: 200, body: "", kind: .notConfirmed), Answer(status: 204, body: "", kind: .notConfirmed),
    Answer(status: 200, body: "[]", kind: .notConfirmed),
    Answer(status: 200, body: "null", kind: .notConfirmed),
    Answer(status: 200, body: #""ok""#, kind: .notConfirmed),
    Answer(status: 200, body: "{}", kind: .notConfirmed),
    Answer(status: 200, body: #"{"result":"OK"}"#, kind: .notConfirmed),
    Answer(status: 200, body: #"{"result":"ok "}"#, kind: .notConfirmed),
    Answer(status: 200, body: #"{"Result":"ok"}"#, kind: .notConfirmed),
    Answer(status: 200, body: #"{"result":true}"#, kind: .notConfirmed),
    Answer(status: 200, body: #"{"result":["ok"]}"#, kind: .notConfirmed),
    Answer(status: 200, body: #"[{"result":"ok"}]"#, kind: .notConfirmed),
    Answer(status: 200, body: #"{"error":"invalid token"}"#, kind: .notConfirmed),
    Answer(status: 200, body: #"{"result":"ok""#, kind: .notConfirmed),
    Answer(status: 200, body: #"{"result":"ok"}{"#, kind: .notConfirmed),
    Answer(status: 200, body: "{\"result\":\"ok\",\"x\":", kind: .notConfirmed),
    Answer(status: 200, body: "<html><body>Sign in, ok?</body></html>", kind: .notConfirmed),
    Answer(status: 200, body: String(repeating: "[", count: 100_000), kind: .notConfirmed),
    Answer(
      status: 200, body: #"{"result":"ok","x":"# + String(repeating: "[", count: 50_000), kind: .notConfirmed),
    Answer(
      status: 200, body: #"{"result":"ok","x":"# + String(repeating: " ", count: 200_000) + "1}", kind: nil),
    Answer(status: 500, body: #"{"result":"ok"}"#, kind: .content),
    Answer(status: 302, body: #"{"result":"ok"}"#, kind: .redirected),
    Answer(status: 304, body: "", kind: .redirected), Answer(status: 400, body: "", kind: .content),
    Answer(status: 401, body: "", kind: .credentials), Answer(status: 402, body: "", kind: .credentials),
    Answer(status: 403, body: "", kind: .credentials), Answer(status: 404, body: "", kind: .wrongAddress),
    Answer(status: 408, body: "", kind: .busy), Answer(status: 410, body: "", kind: .wrongAddress),
    Answer(status: 413, body: "", kind: .tooLarge), Answer(status: 422, body: "", kind: .content),
    Answer(status: 429, body: "", kind: .busy), Answer(status: 503, body: "", kind: .busy),
    Answer(status: 502, body: "", kind: .busy), Answer(status: 504, body: "", kind: .busy),
    Answer(status: 511, body: "<html>", kind: .notConfirmed), Answer(status: 599, body: "", kind: .busy),
    Answer(status: 199, body: #"{"result":"ok"}"#, kind: .busy),
    // Faults of a gateway or of the sender, not of a record.
    Answer(status: 407, body: "", kind: .credentials), Answer(status: 421, body: "", kind: .wrongAddress),
    Answer(status: 431, body: "", kind: .busy), Answer(status: 451, body: "", kind: .wrongAddress),
    Answer(status: 501, body: "", kind: .busy), Answer(status: 520, body: "", kind: .busy),
    Answer(status: 522, body: "", kind: .busy), Answer(status: 530, body: "", kind: .busy),
    Answer(status: 409, body: "", kind: .content), Answer(status: 415, body: "", kind: .content),
  ]

  /// A status and the longest `Retry-After` in s that is obeyed with it.
  static let pauses: [(status: Int, longest: Int64)] = [
    (429, 86_400), (503, 86_400), (200, 3600), (204, 3600), (302, 3600), (400, 3600), (401, 3600),
    (404, 3600), (408, 3600), (413, 3600), (422, 3600), (500, 3600), (502, 3600), (504, 3600), (511, 3600),
    (599, 3600),
  ]

  @Test(arguments: pauses.indices)
  func onlyA429OrA503PausesForMoreThanAnHour(row: Int) throws {
    let (status, longest) = Self.pauses[row]
    for asked in [Duration.seconds(17), .seconds(3600), .seconds(7200), .seconds(31_536_000), .seconds(1e12)]
    {
      var response = HTTPResponse(status: status)
      response.retryAfter = asked
      let verdict = ResponseEvaluator.evaluate(.response(response), server: "s")
      guard case .refused(let refusal) = verdict else {
        Issue.record("\(status) is accepted")
        continue
      }
      #expect(refusal.retryAfter == min(asked, .seconds(longest)))
    }
  }

  static func evaluate(_ status: Int, _ body: [UInt8], isCut: Bool = false) -> Verdict {
    var response = HTTPResponse(status: status)
    response.body = body
    response.isCut = isCut
    return ResponseEvaluator.evaluate(.response(response), server: "https://example.org")
  }

  @Test(arguments: answers)
  func onlyAnObjectWithResultOkIsSuccess(_ answer: Answer) {
    switch Self.evaluate(answer.status, Array(answer.body.utf8)) {
    case .accepted: #expect(answer.kind == nil)
    case .acceptedUnconfirmed(let reason): Issue.record("accepted: \(reason)")
    case .refused(let refusal): #expect(refusal.kind == answer.kind, "\(refusal)")
    }
  }

  @Test func aByteOrderMarkIsIgnored() {
    #expect(Self.evaluate(200, [0xEF, 0xBB, 0xBF] + Array(#"{"result":"ok"}"#.utf8)) == .accepted)
  }

  /// Only the first part of a long response is available. If it does not contain the result, fewer records are sent, whose
  /// response may be shorter.
  @Test(
    arguments: [
      (#"{"result":"ok","locations":[{"a":"}{"#, nil),
      (#" { "saved" : [1,{"result":"no"}], "result" : "ok","x"#, nil),
      (#"{"result":"ok"}"#, nil), (#"{"locations":[{"result":"ok"},"#, .tooLarge),
      (#"{"locations":["result","ok","#, .tooLarge), (#"{"a":"result","b":"ok","#, .tooLarge),
      (#"{"result":"error","x":["#, .notConfirmed), (#"{"result":"ok"#, .tooLarge),
      (#"{"result":["ok"],"x":["#, .tooLarge), (#"[{"result":"ok"},"#, .notConfirmed),
      (#"{"x":"\ud800","result":"ok","#, .tooLarge), (#"{"result":"o\u006b","x":["#, .tooLarge),
      ("<html>{", .notConfirmed), ("fine", .notConfirmed),
    ] as [(String, Refusal.Kind?)])
  func aTruncatedResponseIsJudgedByItsFirstPart(body: String, kind: Refusal.Kind?) {
    switch Self.evaluate(200, Array(body.utf8), isCut: true) {
    case .accepted: Issue.record("accepted without a reason")
    case .acceptedUnconfirmed(let reason):
      #expect(kind == nil, "\(body)")
      #expect(reason == DeliveryTests.texts.expected("accepted by the first part of a response", reason))
    case .refused(let refusal): #expect(refusal.kind == kind, "\(body)")
    }
  }

  @Test(arguments: [false, true])
  func anErrorInAFormatWithoutResponseBodyIsNoConfirmation(isOnTrial: Bool) {
    var response = HTTPResponse(status: 200)
    let confirmation = ResponseEvaluator.Confirmation(requiresResult: false, isFormOnTrial: isOnTrial)
    for good in ["", "[]", #"[{"_type":"cmd"}]"#, #"{"result":"ok"}"#, "{}", "fine"] {
      response.body = Array(good.utf8)
      let verdict = ResponseEvaluator.evaluate(
        .response(response), server: "here", confirmation: confirmation)
      #expect(verdict == .accepted, "\(good)")
    }
    response.body = Array(#"{"result":"error"}"#.utf8)
    switch ResponseEvaluator.evaluate(.response(response), server: "here", confirmation: confirmation) {
    case .accepted: Issue.record("accepted without a reason")
    case .acceptedUnconfirmed(let reason):
      #expect(!isOnTrial)
      #expect(reason == DeliveryTests.texts.expected("error in a format that accepts any 2xx", reason))
    case .refused(let refusal): #expect(isOnTrial && refusal.kind == .notConfirmed)
    }
  }

  @Test(arguments: [
    (#"{"x":"ok"}"#, true, "too large"),
    (#"{"result":"ok","set":{"a":"\ud800"}}"#, false, "lone surrogate"),
    (#"{"result":"ok","set":"#, false, "truncated JSON"), (#"{"result":"no"}"#, false, "other result"),
  ])
  func theReasonNamesTheFaultOfAResponse(body: String, isCut: Bool, name: String) {
    guard case .refused(let refusal) = Self.evaluate(200, Array(body.utf8), isCut: isCut) else {
      Issue.record("accepted")
      return
    }
    #expect(refusal.reason == DeliveryTests.texts.expected("rejected response: \(name)", refusal.reason))
  }

  @Test func binaryBytesAreFilteredFromTheReason() {
    guard case .refused(let refusal) = Self.evaluate(200, [0xFF, 0xFE, 0x00, 0xC3, 0x28, 0x1B]) else {
      Issue.record("accepted")
      return
    }
    #expect(refusal.reason.unicodeScalars.allSatisfy { $0.value >= 0x20 })
  }

  @Test func theReasonQuotesTheStartOfTheResponse() throws {
    let page = "<html>\r\n\t<title>\u{1B}[31mLogin\u{202E}</title>" + String(repeating: "é", count: 500)
    guard case .refused(let refusal) = Self.evaluate(401, Array(page.utf8)) else {
      Issue.record("accepted")
      return
    }
    #expect(refusal.reason == DeliveryTests.texts.expected("quoted response", refusal.reason))
    let start = try #require(refusal.reason.firstIndex(of: "<"))
    let quoted = refusal.reason[start...].prefix { $0 != ";" }
    #expect(quoted.hasPrefix("<html> <title>[31mLogin</title>é") && quoted.hasSuffix("é"))
    #expect(quoted.count == 120)
  }
}
