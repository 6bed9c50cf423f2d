import Foundation
import LocalAPI
import Quantities
import Records
@testable import Settings
import TestSupport
import Testing

@testable import Daemon

/// A server that takes its own values back, and the last request beyond the rate limit.
@Suite struct ServerUnsetResponseTests {
  private typealias Bench = ServerSettingsTests.Bench

  private static func respond(_ box: Bench, _ text: String, from name: String = "a") {
    box.logger.settingsController.handleResponse(Array(text.utf8), from: name)
  }

  @Test func aServerTakesItsOwnValueBack() throws {
    let box = try Bench(ServerSettingsTests.two)
    box.answer(#"{"main": {"min_time": "7s"}}"#, from: "a", provenBy: 1000)
    #expect(box.logger.context.configuration.main.minTime == .seconds(7))
    Self.respond(box, #"{"result":"ok","unset":["main.min_time"]}"#)
    #expect(box.logger.context.configuration.main.minTime == .seconds(1), "the default")
    #expect(try box.kept().layers.server.isEmpty)
    #expect(box.outcomes == ["main.min_time a unset"])
    // A server that repeats its request is not told that there is nothing to unset.
    Self.respond(box, #"{"result":"ok","unset":["main.min_time"]}"#)
    #expect(box.outcomes == ["main.min_time a unset"])
    try box.restart(ServerSettingsTests.two)
    #expect(box.logger.context.configuration.main.minTime == .seconds(1))
  }

  @Test(arguments: [nil, 1000] as [Int64?])
  func anUnsetOfAServerIsANoticeAndNoRollback(proof: Int64?) throws {
    let box = try Bench(ServerSettingsTests.two)
    if let proof {
      box.answer(#"{"main": {"min_time": "7s"}}"#, from: "a", provenBy: proof)
    } else {
      box.answer(#"{"main": {"min_time": "7s"}}"#, from: "a")
    }
    Self.respond(box, #"{"unset":["main.min_time"]}"#)
    let lines = box.logged("unset by its server")
    #expect(lines.count == 1 && lines.allSatisfy { !$0.contains("rolled back") }, "\(lines)")
    #expect(EventKind.remoteUnset.definition.level == .notice)
    #expect(EventKind.remoteUnset.definition.advice.isEmpty, "the server wanted it")
  }

  @Test func aTrialEndsWithIt() throws {
    let box = try Bench(ServerSettingsTests.two)
    box.answer(#"{"send_interval": "off", "main": {"min_time": "7s"}}"#, from: "a")
    Self.respond(box, #"{"unset":["send_interval","main.min_time"]}"#)
    #expect(box.logger.status.remote?.on_trial == nil)
    #expect(box.logger.context.configuration.main.minTime == .seconds(1))
    #expect(box.outcomes == ["main.min_time a unset", "send_interval a unset"])
  }

  @Test func aValueOfAnotherServerOrOfTheOperatorStays() throws {
    let box = try Bench(ServerSettingsTests.two)
    box.answer(#"{"main": {"min_time": "7s"}}"#, from: "a", provenBy: 1000)
    Self.respond(box, #"{"unset":["main.min_time"]}"#, from: "b")
    #expect(box.logger.context.configuration.main.minTime == .seconds(7))
    #expect(box.outcomes == ["main.min_time a persisted", "main.min_time b refused"])
    #expect(
      box.logger.status.remote?.keys.last?.reason
        == "this server has not set it, and cannot unset it; a has set it")
    var request = OperatorRequest()
    request.values["main.min_time"] = "20s"
    #expect(box.logger.settingsController.change(request).isEmpty)
    Self.respond(box, #"{"unset":["main.min_time"]}"#)
    #expect(box.logger.context.configuration.main.minTime == .seconds(20))
  }

  /// The process is killed: nothing is stored at the end.
  @Test(
    arguments: [(#"{"set":{"main":{"min_time":"9s"}}}"#, 9), (#"{"unset":["main.min_time"]}"#, 1)]
      as [(String, Int)])
  func theSeventhRequestOutlastsAPowerCut(text: String, seconds: Int) throws {
    let box = try Bench(ServerSettingsTests.two)
    for seconds in 2...7 {
      box.answer("{\"main\": {\"min_time\": \"\(seconds)s\"}}", from: "a", provenBy: 1000)
    }
    Self.respond(box, text)
    #expect(box.logger.context.configuration.main.minTime == .seconds(7))
    try box.bench.loop.advance(by: .seconds(2))
    let kept = try box.kept()
    let directory = box.bench.directory + "/log"
    #expect(kept.server.waiting?.count == 1)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: directory + "/settings.json"))
    box.logger.settingsController.serverTimeout(now: box.bench.loop.now + .seconds(3601))
    #expect(box.logger.context.configuration.main.minTime == .seconds(Int64(seconds)), "when the hour allows")
    try box.restart(ServerSettingsTests.two, with: bytes)
    #expect(box.logger.context.configuration.main.minTime == .seconds(Int64(seconds)), "after the power cut")
  }
}
