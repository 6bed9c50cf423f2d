import Quantities
import Testing

@testable import Settings

/// A change that can cut its author off returns, unless it is confirmed.
@Suite struct SettingTrialTests {
  private static let start = Moment.zero + .seconds(1000)
  private static let values = ["api.listen": "0.0.0.0:9090", "api.guest": "status", "main.min_time": "5s"]

  private static func trial() -> SettingTrial {
    SettingTrial(
      id: "a", of: ["api.listen", "api.guest"], before: ["api.listen": "0.0.0.0:8080"], now: start)
  }

  @Test(arguments: [
    ("a", 0, SettingTrial.Answer.kept), ("a", 89, .kept), ("a", 90, .late), ("a", 100_000, .late),
    ("b", 0, .otherTrial), ("", 0, .otherTrial), ("b", 90, .otherTrial),
  ])
  func onlyATimelyConfirmationWithItsNameKeepsTheChange(id: String, seconds: Int, answer: SettingTrial.Answer)
  {
    #expect(Self.trial().answer(to: id, now: Self.start + .seconds(seconds)) == answer)
  }

  @Test func whatIsStoredMeanwhileHasThePreviousValues() {
    #expect(Self.trial().stored(Self.values) == ["api.listen": "0.0.0.0:8080", "main.min_time": "5s"])
    #expect(Self.trial().stored([:]) == ["api.listen": "0.0.0.0:8080"])
  }

  @Test func aSettingThatTheOperatorSetsInAnotherWayLeavesTheTrial() {
    var trial = Self.trial()
    #expect(!trial.leave(["main.min_time"]) && trial.paths == ["api.guest", "api.listen"])
    #expect(trial.leave(["api.listen", "main.min_time"]) && trial.paths == ["api.guest"])
    #expect(trial.stored(Self.values)["api.listen"] == "0.0.0.0:9090")
    #expect(trial.leave(["api.guest"]) && trial.paths.isEmpty && trial.stored(Self.values) == Self.values)
  }

  @Test func theTimeLeftIsNeverNegative() {
    #expect(Self.trial().progress(now: Self.start + .seconds(30)).left == .seconds(60))
    #expect(Self.trial().progress(now: Self.start + .seconds(300)).left == .zero)
    #expect(
      Self.trial().progress(now: Self.start).json
        == #"{"id": "a", "keys": ["api.guest", "api.listen"], "goes_back_in_s": 90}"#)
  }

  @Test(arguments: [
    (#"{"api.listen": "0.0.0.0:8080", "main.min_time": "5s"}"#, ["api.listen"]),
    (#"{"api": {"token": null}, "page": {"enabled": false}}"#, ["api.token", "page.enabled"]),
    (#"{"main.min_time": "5s", "network.settling": "8s"}"#, []),
  ])
  func settingsOfTheAPIAndThePageAreOnTrial(body: String, paths: [String]) throws {
    #expect(SettingTrial.paths(of: try OperatorRequest(json: Array(body.utf8))) == Set(paths))
  }

  @Test func aTrialThatNobodyCanConfirmIsRejected() throws {
    let off = try OperatorRequest(json: Array(#"{"api.enabled": false}"#.utf8))
    #expect(SettingTrial.objection(to: off)?.contains("outrider set") == true)
    let on = try OperatorRequest(json: Array(#"{"api.enabled": true, "page.enabled": false}"#.utf8))
    #expect(SettingTrial.objection(to: on) == nil)
  }
}
