import Formats
import HTTPClient
import HostileJSON
import Quantities
import Testing
import TextSnapshots

@testable import Uplink

/// Hostile responses: the program continues and returns a verdict.
@Suite struct HostileAnswerTests {
  /// Judges the response in every format; returns true if it confirms an Overland batch.
  static func evaluate(_ body: [UInt8]) -> Bool {
    var response = HTTPResponse(status: 200)
    response.body = body
    for (requiresResult, acceptsAnyBody) in [(false, false), (true, true)] {
      _ = ResponseEvaluator.evaluate(
        .response(response), server: "https://h",
        confirmation: .init(requiresResult: requiresResult, acceptsAnyBody: acceptsAnyBody))
    }
    for profile in OverlandProfile.all {
      var endpoint = HTTPEndpoint(url: "https://h")
      endpoint.form = .overland(profile)
      _ = ProbeReport(.response(response), of: endpoint)
    }
    if case .accepted = ResponseEvaluator.evaluate(.response(response), server: "https://h") { return true }
    return false
  }

  static let documents =
    HostileJSON.frames + HostileJSON.documents(key: "result") + HostileJSON.documents(key: "status")
    + HostileJSON.documents(before: #"{"result":"ok","set":{"main":{"#, after: "}}}")

  @Test(arguments: documents)
  func noResponseTraps(_ document: HostileJSON.Document) {
    let isConfirmed = Self.evaluate(document.bytes)
    #expect(!isConfirmed || String(validating: document.bytes, as: UTF8.self) != nil)
  }

  @Test(arguments: 0..<40)
  func noMutatedResponseTraps(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let sound = Array(#"{"result":"ok","name":"fleet","status":"ok","set":{"main":{"batch_size":50}}}"#.utf8)
    for _ in 0..<200 { _ = Self.evaluate(HostileJSON.mutated(sound, &random)) }
  }

  @Test func theReasonContainsTheByteAndTheRemedy() {
    var response = HTTPResponse(status: 200)
    response.body =
      Array(#"{"result":"ok","set":{"main":{"ba"#.utf8) + [0x81] + Array(#"ch_size":50}}}"#.utf8)
    guard case .refused(let refusal) = ResponseEvaluator.evaluate(.response(response), server: "https://h")
    else {
      Issue.record("accepted")
      return
    }
    #expect(refusal.reason.contains("0x81 at byte 33"), "\(refusal.reason)")
    #expect(refusal.reason == DeliveryTests.texts.expected("response that is not UTF-8", refusal.reason))
  }
}
