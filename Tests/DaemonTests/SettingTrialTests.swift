import EventLoop
import Foundation
import HTTPServer
import LocalAPI
import Quantities
import Settings
import Store
import TestSupport
import Testing
@testable import Daemon

/// Changes of the local API's settings on a running logger: they return without a confirmation.
@Suite struct SettingTrialTests {
  private static let token = "correct horse battery"
  private static let bearer = ["Authorization: Bearer \(token)"]

  private struct Running {
    let bench: HTTPBench
    let logger: Logger
    let port: UInt16
  }

  /// A logger whose API listens as its file says, on a simulated clock.
  private static func start(on given: HTTPBench? = nil) throws -> Running {
    let bench = try given ?? HTTPBench.simulated()
    let port = try freePort()
    let file = """
      { storage: { directory: "\(bench.directory)/log", allow_volatile: true }, receiver: { port: "/dev/none" },
        api: { socket: "\(bench.directory)/api.sock", listen: "127.0.0.1:\(port)", token: "\(token)" } }
      """
    let sources = ConfigurationSources(
      file: SourceText(name: "outrider.json5", bytes: Array(file.utf8)),
      overrides: ["storage.directory=\(bench.directory)/log", "api.socket=\(bench.directory)/api.sock"],
      fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
    let stored = try storedSettings(bench)
    let logger = try Logger(
      loop: bench.loop, configuration: try sources.configuration(stored.layers), sources: sources,
      stored: stored, journal: LoggerTests.quiet)
    logger.start()
    return Running(bench: bench, logger: logger, port: port)
  }

  private static func freePort() throws -> UInt16 {
    let server = try HTTPServer(loop: try EventLoop(), listen: .tcp(address: "127.0.0.1", port: 0)) { _ in
      .json("")
    }
    defer { server.stop() }
    return server.port ?? 0
  }

  private static func patch(_ running: Running, _ body: String, port: UInt16? = nil) throws -> HTTPAnswer {
    try running.bench.ask(port ?? running.port, "PATCH", "/settings", headers: bearer, body: Array(body.utf8))
  }

  private static func confirm(_ running: Running, _ id: String, port: UInt16, headers: [String] = bearer)
    throws
    -> HTTPAnswer
  {
    try running.bench.ask(
      port, "POST", "/settings/confirm", headers: headers, body: Array(#"{"id": "\#(id)"}"#.utf8))
  }

  private static func isOpen(_ running: Running, _ port: UInt16, headers: [String] = bearer) -> Bool {
    (try? running.bench.ask(port, "GET", "/status", headers: headers).status) == 200
  }

  private static func trial(_ answer: HTTPAnswer) throws -> (id: String, keys: [String]) {
    let json = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
    let trial = json?["trial"] as? [String: Any]
    #expect(trial?["goes_back_in_s"] as? Int == 90)
    return (try #require(trial?["id"] as? String), trial?["keys"] as? [String] ?? [])
  }

  private static func stored(_ running: Running) throws -> [String: String] {
    try storedSettings(running.bench).operator
  }

  private static func storedSettings(_ bench: HTTPBench) throws -> StoredSettings {
    let path = "\(bench.directory)/log/settings.json"
    guard let data = FileManager.default.contents(atPath: path) else { return StoredSettings() }
    return try StoredSettings(json: Array(data))
  }

  /// The fields of the events about trials that ended.
  private static func ends(_ running: Running) throws -> [String] {
    let logger = running.logger
    #expect(try running.bench.run { logger.supervision.isReady && logger.log.recordsWaiting == 0 })
    return try LogReader(directory: running.bench.directory + "/log").records(after: .zero, limit: 1000)
      .compactMap {
        guard case .event(let event) = $0.record.body, event.kind == .settingsRolledBack else { return nil }
        return event.fields.json
      }
  }

  @Test func everyTrialThatIsNotConfirmedIsAnEventAlsoAfterARestart() throws {
    let late = #"{"cause":"not_confirmed","changes":["api.guest"]}"#
    let cut = #"{"cause":"restart","changes":["api.guest","page.enabled"]}"#
    let first = try Self.start()
    _ = try Self.patch(first, #"{"api.guest": "status"}"#)
    try first.bench.run(for: .seconds(92))
    #expect(try Self.ends(first) == [late])
    _ = try Self.patch(first, #"{"api.guest": "status", "page.enabled": false}"#)
    try first.bench.run(for: .seconds(5))
    first.logger.stop()
    let second = try Self.start(on: first.bench)
    #expect(try Self.ends(second) == [late, cut])
    let id = try Self.trial(try Self.patch(second, #"{"api.guest": "positions"}"#)).id
    try second.bench.run(for: .seconds(2))
    #expect(try Self.confirm(second, id, port: second.port).status == 200)
    second.logger.stop()
    let third = try Self.start(on: first.bench)
    #expect(try Self.ends(third) == [late, cut], "a confirmed trial has no such end")
    #expect(third.logger.context.configuration.api.guest == .positions)
    third.logger.stop()
  }

  @Test func anUnreachableAddressReturnsByItself() throws {
    let running = try Self.start()
    defer { running.logger.stop() }
    let answer = try Self.patch(running, #"{"api.listen": "192.0.2.1:8080", "main.min_time": "7s"}"#)
    #expect(answer.status == 200, "\(answer.text)")
    #expect(try Self.trial(answer).keys == ["api.listen"])
    try running.bench.run(for: .seconds(5))
    #expect(!Self.isOpen(running, running.port))
    #expect(running.logger.status.settings_trial?.listen == "192.0.2.1:8080")
    // A power cut now would keep the previous address, and the setting that is not on trial.
    #expect(try Self.stored(running) == ["main.min_time": "7s"])
    try running.bench.run(for: .seconds(80))
    #expect(!Self.isOpen(running, running.port))
    try running.bench.run(for: .seconds(10))
    #expect(Self.isOpen(running, running.port))
    #expect(running.logger.status.settings_trial == nil)
    #expect(try Self.stored(running) == ["main.min_time": "7s"])
    #expect(running.logger.context.configuration.main.minTime == .seconds(7))
  }

  @Test func aConfirmationFromTheNewAddressKeepsIt() throws {
    let running = try Self.start()
    defer { running.logger.stop() }
    let next = try Self.freePort()
    let answer = try Self.patch(running, #"{"api.listen": "127.0.0.1:\#(next)"}"#)
    let id = try Self.trial(answer).id
    // The old address is still open for a second, and proves nothing.
    #expect(try Self.confirm(running, id, port: running.port).status == 409)
    try running.bench.run(for: .seconds(2))
    #expect(!Self.isOpen(running, running.port) && Self.isOpen(running, next))
    #expect(try Self.confirm(running, id, port: next, headers: []).status == 401)
    #expect(try Self.confirm(running, "x", port: next).status == 409)
    #expect(try Self.confirm(running, id, port: next).status == 200)
    #expect(try Self.confirm(running, id, port: next).status == 409)
    try running.bench.run(for: .seconds(200))
    #expect(Self.isOpen(running, next))
    #expect(try Self.stored(running) == ["api.listen": "127.0.0.1:\(next)"])
  }

  @Test func aNewTokenEndsTheOldOneAndReturnsWithoutAConfirmation() throws {
    let running = try Self.start()
    defer { running.logger.stop() }
    let answer = try Self.patch(running, #"{"api.token": "another long token"}"#)
    #expect(!answer.text.contains("another long"))
    _ = try Self.trial(answer)
    try running.bench.run(for: .seconds(2))
    #expect(Self.isOpen(running, running.port, headers: ["Authorization: Bearer another long token"]))
    #expect(!Self.isOpen(running, running.port))
    try running.bench.run(for: .seconds(92))
    #expect(Self.isOpen(running, running.port))
  }

  @Test func aSecondChangeWaitsForTheFirst() throws {
    let running = try Self.start()
    defer { running.logger.stop() }
    #expect(try Self.patch(running, #"{"api.enabled": false}"#).status == 422)
    #expect(try Self.patch(running, #"{"page.enabled": false}"#).status == 200)
    let second = try Self.patch(running, #"{"api.guest": "status"}"#)
    #expect(second.status == 409 && second.text.contains("page.enabled is on trial"), "\(second.text)")
    #expect(try Self.patch(running, #"{"main.min_time": "9s"}"#).status == 200)
    #expect(try running.bench.ask(running.port, "GET", "/", headers: Self.bearer).status == 404)
    try running.bench.run(for: .seconds(92))
    #expect(running.logger.context.configuration.page.isEnabled)
    #expect(try Self.patch(running, #"{"api.guest": "status"}"#).status == 200)
  }

  @Test func aChangeOnTheSocketIsFinalUnlessATrialIsAskedFor() throws {
    let running = try Self.start()
    defer { running.logger.stop() }
    let plain = running.logger.changeSettings(Array(#"{"api.guest":"status"}"#.utf8), queue: nil)
    if case .done(let text) = plain { #expect(!text.contains("\"trial\"")) } else { Issue.record("refused") }
    _ = try Self.patch(running, #"{"api.guest": "positions", "page.enabled": false}"#)
    #expect(running.logger.status.settings_trial?.keys == ["api.guest", "page.enabled"])
    _ = running.logger.changeSettings(Array(#"{"api.guest":"positions"}"#.utf8), queue: nil)
    #expect(running.logger.status.settings_trial?.keys == ["page.enabled"])
    try running.bench.run(for: .seconds(92))
    #expect(running.logger.status.settings_trial == nil)
    #expect(try Self.stored(running) == ["api.guest": "positions"])
  }

  @Test func aStopDuringATrialLeavesThePreviousValues() throws {
    let running = try Self.start()
    _ = try Self.patch(running, #"{"api.listen": "127.0.0.1:1", "main.min_time": "8s"}"#)
    running.logger.stop()
    #expect(try Self.stored(running) == ["main.min_time": "8s"])
  }

  @Test func aSetupURLIsPlannedAndThenApplied() throws {
    let running = try Self.start()
    defer { running.logger.stop() }
    func setUp(_ url: String, _ query: String = "") throws -> HTTPAnswer {
      try running.bench.ask(
        running.port, "POST", "/settings/setup\(query)", headers: Self.bearer,
        body: Array(#"{"url": "\#(url)"}"#.utf8))
    }
    let url = "overland://setup?url=https%3A%2F%2Fexample.org%2Fapi&token=hush&device_id=bike"
    let plan = try setUp(url)
    #expect(plan.status == 200 && !plan.text.contains("hush"))
    #expect(
      plan.text
        == #"{"cleared": ["unique_id: off"], "set": ["url: https://example.org/…, as destination overland", "#
        + #""token: (hidden)", "device_id: \"bike\""]}"#, "\(plan.text)")
    #expect(try Self.stored(running).isEmpty && running.logger.context.configuration.destinations.isEmpty)
    for wrong in ["", "https://example.org", "overland://other", "overland://setup?url=x"] {
      #expect(try setUp(wrong).status == 422 && setUp(wrong, "?apply=1").status == 422, "\(wrong)")
    }
    #expect(try setUp(url, "?apply=2").status == 400 && setUp(url, "?queue=x").status == 400)
    #expect(try setUp(url, "?apply=1").status == 200)
    let destination = try #require(running.logger.context.configuration.destinations.first)
    #expect(destination.url.text == "https://example.org/api" && destination.token?.revealed == "hush")
    #expect(running.logger.context.configuration.deviceID == "bike")
    let moved = url.replacingOccurrences(of: "example.org", with: "example.net")
    #expect(try setUp(moved, "?apply=1").status == 409 && setUp(moved, "?apply=1&queue=drop").status == 200)
  }
}
