import LocalAPI
import Quantities
import Records
import Settings
import Store
import TestSupport
import Testing

@testable import Daemon

/// Trips and the master switch, in any order of changes.
@Suite struct TripSwitchTests {
  enum Turn: String, Sendable { case start, stop, on, off }

  static let orders: [[Turn]] = [
    [.start, .stop], [.start, .off, .stop, .on], [.start, .off, .on, .stop], [.off, .start, .stop, .on],
    [.off, .start, .off, .stop, .on], [.off, .start, .off, .on, .stop], [.off, .start, .on, .stop],
    [.start, .off, .off, .on],
  ]

  @Test(arguments: orders)
  func everyTripHasOneEndThatIsSentWhenSendingIsAllowed(order: [Turn]) throws {
    let running = try LocalAPITests.logger(extra: ["storage.commit_interval=0s", "send_interval=1s"])
    let logger = running.logger
    defer { logger.stop() }
    let server = try ScriptedServer(running.bench.loop, [])
    server.answer = { _ in .answer(200, body: #"{"result":"ok"}"#) }
    #expect(try running.bench.run { logger.supervision.isReady })
    func set(_ json: String) { _ = logger.changeSettings(Array(json.utf8), queue: nil, onTrial: false) }
    set(#"{"destinations": [{"name": "home", "kind": "overland", "url": "\#(server.url())"}]}"#)
    var second: Int64 = 0
    func drive() {
      // Without receiver control the receiver keeps sending while tracking is off.
      for _ in 0..<20 {
        second += 1
        var fix = PowerTests.fix(second)
        fix.horizontalAccuracy = 3
        logger.tracking.process(
          .epoch(fix, systemClock: Timestamp(milliseconds: 0)), now: running.bench.loop.now)
      }
    }
    drive()
    var secondsInTrip: Int64 = 0
    for turn in order {
      switch turn {
      case .start: _ = logger.trip(.start(mode: "car"))
      case .stop: _ = logger.trip(.stop)
      case .on: set(#"{"tracking": true}"#)
      case .off: set(#"{"tracking": false}"#)
      }
      if logger.tracking.tracker.summary.isTripRunning { secondsInTrip += 20 }
      #expect(
        !logger.tracking.tracker.summary.isTripRunning || logger.context.configuration.isTracking,
        "after \(turn)")
      drive()
    }
    #expect(!logger.tracking.tracker.summary.isTripRunning && logger.context.configuration.isTracking)
    logger.log.commit(now: running.bench.loop.now)
    func records() throws -> [LogRecord] {
      try LogReader(directory: running.bench.directory + "/log").records(after: .zero, limit: 1000)
        .map(\.record)
    }
    func trips() throws -> [TripRecord] {
      try records().compactMap { if case .trip(let trip) = $0.body { trip } else { nil } }
    }
    #expect(try running.bench.run { (try? trips().count) == 1 })
    let metres = try trips().map { $0.distanceMillimetres / 1000 }
    // 1.1 m/s.
    #expect(metres.allSatisfy { (10...(secondsInTrip * 12 / 10)).contains($0) }, "\(metres) m")
    let kinds = try records().compactMap { if case .event(let event) = $0.body { event.kind } else { nil } }
    #expect(kinds.filter { $0 == .tripStarted || $0 == .tripEnded } == [.tripStarted, .tripEnded])
    func sent() -> Int {
      server.requests.map { String(decoding: $0.body, as: UTF8.self) }
        .filter { $0.contains(#""type":"trip""#) }.count
    }
    _ = logger.send(to: nil)
    #expect(try running.bench.run { sent() == 1 })
  }

  // MARK: Restoring tracking

  /// Changes by the operator before and during a trip, and `tracking` in the operator's layer after it.
  struct SwitchCase: Sendable, CustomTestStringConvertible {
    var file: String? = nil
    var before: [String] = []
    var during: [String] = []
    var setAfter: String?
    var isOnAfter: Bool
    var testDescription: String { "file \(file ?? "-"), \(before), \(during)" }
  }

  static let (on, off, unset) = (#"{"tracking": true}"#, #"{"tracking": false}"#, #"{"tracking": null}"#)
  static let cases: [SwitchCase] = [
    SwitchCase(setAfter: nil, isOnAfter: true),
    SwitchCase(before: [off], setAfter: "false", isOnAfter: false),
    SwitchCase(before: [off], during: [unset], setAfter: nil, isOnAfter: true),
    SwitchCase(before: [off], during: [on], setAfter: "true", isOnAfter: true),
    SwitchCase(before: [off], during: [off], setAfter: "false", isOnAfter: false),
    SwitchCase(before: [off], during: [unset, on], setAfter: "true", isOnAfter: true),
    SwitchCase(before: [off], during: [#"{"main.min_time": "5s"}"#], setAfter: "false", isOnAfter: false),
    SwitchCase(before: [off], during: [#"{"tracking": "x"}"#], setAfter: "false", isOnAfter: false),
    SwitchCase(file: "false", setAfter: nil, isOnAfter: false),
    SwitchCase(file: "false", during: [on], setAfter: "true", isOnAfter: true),
    SwitchCase(file: "false", during: [unset], setAfter: nil, isOnAfter: false),
    SwitchCase(file: "false", before: [off], during: [unset], setAfter: nil, isOnAfter: false),
    SwitchCase(file: "false", before: [on], setAfter: "true", isOnAfter: true),
  ]

  static func logger(_ bench: HTTPBench, file: String?) throws -> Logger {
    let sources = sources(bench, file: file)
    let stored = try ServerSettingsTests.Bench.stored(bench)
    let logger = try Logger(
      loop: bench.loop, configuration: try sources.configuration(stored.layers), sources: sources,
      stored: stored, journal: LoggerTests.quiet)
    logger.start()
    #expect(try bench.run { logger.supervision.isReady })
    return logger
  }

  static func sources(_ bench: HTTPBench, file: String?) -> ConfigurationSources {
    let text = file.map { "{ tracking: \($0) }" } ?? "{}"
    return ConfigurationSources(
      file: SourceText(name: "config.json5", bytes: Array(text.utf8)),
      overrides: [
        "storage.directory=\(bench.directory)/log", "storage.allow_volatile=true", "api.enabled=false",
        "storage.commit_interval=0s",
      ], fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
  }

  @Test(arguments: cases, [false, true])
  func theEndOfATripRestoresTrackingUnlessTheOperatorChangedIt(cases: SwitchCase, restarts: Bool) throws {
    let bench = try HTTPBench.simulated()
    var logger = try Self.logger(bench, file: cases.file)
    defer { logger.stop() }
    func set(_ json: String) { _ = logger.changeSettings(Array(json.utf8), queue: nil, onTrial: false) }
    cases.before.forEach(set)
    _ = logger.trip(.start(mode: "car"))
    #expect(logger.tracking.tracker.summary.isTripRunning && logger.context.configuration.isTracking)
    cases.during.forEach(set)
    if restarts {
      logger.stop()
      logger = try Self.logger(bench, file: cases.file)
      #expect(logger.tracking.tracker.summary.isTripRunning == logger.context.configuration.isTracking)
    }
    _ = logger.trip(.stop)
    #expect(!logger.tracking.tracker.summary.isTripRunning)
    #expect(logger.settingsController.state.operator["tracking"] == cases.setAfter)
    #expect(
      logger.context.configuration.isTracking == cases.isOnAfter
        && logger.settingsController.state.tripOverride == nil)
  }

  /// The override is stored and the trip is not, as after a power cut at its start or end.
  @Test(arguments: ["false", "true", nil], ["false", nil])
  func theClaimOfAnInterruptedTripEndsAtTheNextStart(before: String?, file: String?) throws {
    let bench = try HTTPBench.simulated()
    try Self.logger(bench, file: file).stop()
    var stored = StoredSettings()
    stored.operator["tracking"] = "true"
    stored.tripOverride = TripOverride(before: before)
    try SettingsFile.write(stored.json, in: bench.directory + "/log")
    let logger = try Self.logger(bench, file: file)
    defer { logger.stop() }
    #expect(!logger.tracking.tracker.summary.isTripRunning)
    #expect(
      logger.settingsController.state.operator["tracking"] == before
        && logger.settingsController.state.tripOverride == nil)
    #expect(logger.context.configuration.isTracking == ((before ?? file) != "false"))
    #expect(try bench.run { logger.settingsController.isDurable })
    let kept = try ServerSettingsTests.Bench.stored(bench)
    #expect(kept.operator["tracking"] == before && kept.tripOverride == nil)
  }

  @Test func aFileThatChangesDuringATripAppliesAfterIt() throws {
    let bench = try HTTPBench.simulated()
    let logger = try Self.logger(bench, file: "false")
    defer { logger.stop() }
    _ = logger.trip(.start(mode: "car"))
    _ = logger.trip(.stop)
    #expect(!logger.context.configuration.isTracking)
    logger.reload(Self.sources(bench, file: "true"))
    #expect(logger.context.configuration.isTracking)
  }

  @Test func aTripIsRejectedIfTrackingCannotBeSwitchedOn() throws {
    let running = try LocalAPITests.logger(extra: ["tracking=false"])
    defer { running.logger.stop() }
    #expect(try running.bench.run { running.logger.supervision.isReady })
    let answer = try LocalAPITests.ask(running, "POST", "/trips", body: #"{"action":"start"}"#)
    #expect(answer.status == 409 && answer.text.contains("--set tracking=false"), "\(answer.text)")
    #expect(
      !running.logger.tracking.tracker.summary.isTripRunning
        && running.logger.settingsController.state.operator["tracking"] == nil)
    #expect(running.logger.settingsController.state.tripOverride == nil)
  }
}
