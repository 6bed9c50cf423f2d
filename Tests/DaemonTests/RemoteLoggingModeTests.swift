import LocalAPI
import Quantities
import Settings
import Store
import TestSupport
import Testing
import TextSnapshots
import Uplink
@testable import Daemon

/// Remote settings of several servers, and the upload at a departure.
@Suite struct RemoteLoggingModeTests {
  static func logger(_ bench: HTTPBench, _ overrides: [String]) throws -> Logger {
    let sources = ConfigurationSources(
      overrides: [
        "storage.directory=\(bench.directory)/log", "storage.allow_volatile=true", "api.enabled=false",
        "storage.commit_interval=0s",
      ] + overrides, fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
    let logger = try Logger(
      loop: bench.loop, configuration: try sources.configuration(), sources: sources,
      journal: LoggerTests.quiet)
    logger.start()
    return logger
  }

  static let two = """
    destinations=[{ name: "a", kind: "overland", url: "http://127.0.0.1:9/" },
      { name: "b", kind: "overland", url: "http://127.0.0.1:9/", may_set: true }]
    """

  @Test func everyServerHasItsOwnOutcomeForTheSameKey() throws {
    let bench = try HTTPBench.simulated()
    let logger = try Self.logger(bench, [Self.two])
    defer { logger.stop() }
    logger.settingsController.handleResponse(
      Array(#"{"set": {"main": {"batch_size": 50, "min_time": "x"}}}"#.utf8), from: "a")
    logger.settingsController.handleResponse(
      Array(#"{"set": {"main": {"batch_size": "many", "min_time": "5s"}}}"#.utf8), from: "b")
    let remote = try #require(logger.status.remote)
    #expect(
      remote.keys.map { "\($0.key) \($0.destination ?? "-") \($0.outcome)" } == [
        "main.batch_size a applied", "main.batch_size b refused", "main.min_time a refused",
        "main.min_time b applied",
      ])
    #expect(
      remote.on_trial?.map { "\($0.key) \($0.destination)" } == ["main.batch_size a", "main.min_time b"])
    logger.settingsController.handleResponse(Array(#"{"set": {"main": {"min_time": "7s"}}}"#.utf8), from: "a")
    let later = try #require(logger.status.remote?.keys.filter { $0.key == "main.min_time" })
    #expect(later.map(\.outcome) == ["applied", "ignored"])
    let reason = try #require(later.last?.reason)
    #expect(reason == TextSnapshot("daemon").expected("value of a device setting replaced by a", reason))
  }

  /// `latest` skips older locations, and skipped ones are never sent.
  @Test(arguments: ["latest", "owntracks"])
  func anUnprovenLoggingModeSkipsNoRecords(mode: String) throws {
    let bench = try HTTPBench.simulated()
    LoggerTests.fill(bench, count: 30)
    let server = try ScriptedServer(bench.loop, [])
    var requests = 0
    server.answer = { _ in
      requests += 1
      return requests == 1
        ? .answer(200, body: "{\"result\":\"ok\",\"set\":{\"main\":{\"logging_mode\":\"\(mode)\"}}}")
        : .answer(503)
    }
    let logger = try Self.logger(
      bench,
      [
        "destinations=[{ name: \"a\", kind: \"overland\", url: \"\(server.url())\" }]", "main.batch_size=10",
      ])
    defer { logger.stop() }
    #expect(try bench.run { requests >= 3 })
    let pipeline = try #require(logger.delivery.pipelines["a"])
    #expect(pipeline.settings.records != .all && !pipeline.settings.isNewestOnly)
    let queued = try LogReader(directory: bench.directory + "/log").status().destinations.first?.queued
    #expect(queued == 20)
  }

  /// The server accepted no location in that format, so they are sent in the format that applies afterwards.
  @Test func anErrorResponseProvesNoLoggingModeAndKeepsTheRecords() throws {
    let bench = try HTTPBench.simulated()
    LoggerTests.fill(bench, count: 30)
    let server = try ScriptedServer(bench.loop, [])
    var refused = 0
    server.answer = { request in
      guard String(decoding: request.body, as: UTF8.self).contains("_type") else {
        return .answer(200, body: #"{"result":"ok","set":{"main":{"logging_mode":"owntracks"}}}"#)
      }
      refused += 1
      return .answer(200, body: #"{"result":"error"}"#)
    }
    let logger = try Self.logger(
      bench,
      ["destinations=[{ name: \"a\", kind: \"overland\", url: \"\(server.url())\" }]", "main.batch_size=10"])
    defer { logger.stop() }
    #expect(try bench.run { refused >= 1 })
    logger.tracking.process(
      .epoch(PowerTests.fix(60), systemClock: Timestamp(milliseconds: 0)), now: bench.loop.now + .seconds(60))
    for count in 2...6 {
      logger.delivery.pipelines["a"]?.delivery?.sendNow()
      #expect(try bench.run { refused >= count })
    }
    #expect(logger.delivery.pipelines["a"]?.settings.isLoggingModeOnTrial == true)
    #expect(logger.status.remote?.on_trial?.map(\.key) == ["main.logging_mode"])
    let queued = try LogReader(directory: bench.directory + "/log").status().destinations.first?.queued
    #expect(queued.map { $0 >= 20 } == true, "\(queued ?? -1) queued")
    #expect(logger.delivery.pipelines["a"]?.failure?.contains("result") == true)
  }

  /// The mode is proven by a response, and the pipeline is replaced while that response is handled.
  @Test(arguments: ["latest", "owntracks"])
  func aProvenLoggingModeIsUsed(mode: String) throws {
    let bench = try HTTPBench.simulated()
    let server = try ScriptedServer(bench.loop, [])
    let body = "{\"result\":\"ok\",\"set\":{\"main\":{\"logging_mode\":\"\(mode)\"}}}"
    server.answer = { _ in .answer(200, body: body) }
    let logger = try Self.logger(
      bench,
      ["destinations=[{ name: \"a\", kind: \"overland\", url: \"\(server.url())\" }]", "send_interval=1s"])
    defer { logger.stop() }
    var second: Int64 = 0
    let isServed = try bench.run {
      // A fix for every request, so that one is recorded under the new mode.
      if second <= Int64(server.requests.count) {
        logger.tracking.process(
          .epoch(PowerTests.fix(second), systemClock: Timestamp(milliseconds: 0)),
          now: bench.loop.now + .seconds(second))
        second += 1
      }
      return server.requests.count >= 4
        && logger.delivery.pipelines["a"]?.settings.isLoggingModeOnTrial == false
    }
    #expect(isServed)
    #expect(logger.delivery.pipelines["a"]?.settings.isNewestOnly == true)
  }

  @Test func aDepartureOnBatteryRetriesAFailedUploadImmediately() throws {
    let bench = try HTTPBench.simulated()
    LoggerTests.fill(bench, count: 3)
    let server = try ScriptedServer(bench.loop, [])
    server.answer = { _ in .answer(503) }
    let logger = try Self.logger(
      bench,
      [
        "destinations=[{ name: \"a\", kind: \"overland\", url: \"\(server.url())\" }]", "supply=battery",
        "send_interval=1h", "main.tracking_mode=both",
      ])
    defer { logger.stop() }
    // Two quick retries, after at most 2 s and 4 s.
    let isWaiting = try bench.run {
      guard case .backingOff(_, let until?)? = logger.delivery.pipelines["a"]?.delivery?.machine.phase else {
        return false
      }
      return until - bench.loop.now > .seconds(3000)
    }
    try #require(isWaiting)
    let before = server.requests.count
    logger.tracking.process(.positionRequested, now: bench.loop.now)
    logger.tracking.process(.evidence(.accelerometer, isActive: false), now: bench.loop.now)
    #expect(server.requests.count == before)
    logger.tracking.process(.evidence(.accelerometer, isActive: true), now: bench.loop.now)
    #expect(try bench.run { server.requests.count == before + 1 })
  }
}
