import Foundation
import LocalAPI
import Quantities
import Records
import Settings
import Store
import TestSupport
import Testing
@testable import Daemon

/// A drive, its server, and a logger that can be restarted.
final class ResendDrive {
  struct Seen {
    var request: SentRequest
    /// True if a trip was running at the time of the request.
    var isInTrip: Bool
    var isTaken: Bool
  }

  let bench: HTTPBench
  let server: ScriptedServer
  private(set) var logger: Logger?
  private(set) var seen: [Seen] = []
  /// The response while the server rejects everything; nil: it accepts everything.
  var refusal: ScriptedServer.Reply?
  private var overrides: [String]
  private let start: Moment
  private var seconds: Int64 = 0

  /// `form` contains further settings of the destination, `settings` those of the device.
  init(batchSize: Int, form: String = "", settings: [String] = []) throws {
    bench = try HTTPBench.simulated()
    server = try ScriptedServer(bench.loop, [])
    start = bench.loop.now
    overrides =
      [
        "storage.directory=\(bench.directory)/log", "storage.allow_volatile=true", "api.enabled=false",
        "storage.commit_interval=0s", "send_interval=1h",
        "main.batch_size=\(batchSize)", "trip.batch_size=\(batchSize)",
        "destinations=[{ name: \"home\", kind: \"overland\", url: \"\(server.url())\"\(form) }]",
      ] + settings
    server.answer = { [unowned self] request in
      guard let request = try? SentRequest(request) else { return .answer(400) }
      seen.append(
        Seen(
          request: request, isInTrip: logger?.tracking.tracker.summary.isTripRunning == true,
          isTaken: refusal == nil)
      )
      return refusal ?? .answer(200, body: #"{"result":"ok"}"#)
    }
    try startLogger()
  }

  private func startLogger() throws {
    let kept = try SettingsFile.read(in: bench.directory + "/log", limit: StoredSettings.largest)
    let stored = try kept.map { try StoredSettings(json: $0) } ?? StoredSettings()
    let sources = sources
    let logger = try Logger(
      loop: bench.loop, configuration: try sources.configuration(stored.layers), sources: sources,
      stored: stored,
      journal: LoggerTests.quiet)
    self.logger = logger
    logger.start()
    try settle()
  }

  private var sources: ConfigurationSources {
    ConfigurationSources(overrides: overrides, fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
  }

  /// Changes the settings, immediately or at a restart; a given key replaces its earlier value.
  ///
  /// With `forgets` the file of stored settings is lost.
  func configure(_ settings: [String], restarts: Bool, forgets: Bool = false) throws {
    let keys = settings.map { $0.prefix { $0 != "=" } }
    overrides = overrides.filter { old in !keys.contains { old.hasPrefix($0 + "=") } } + settings
    if restarts { return try restart(forgets: forgets) }
    logger?.reload(sources)
    try settle()
  }

  /// The destination with these settings beside its address.
  func destination(_ settings: String) -> String {
    "destinations=[{ name: \"home\", kind: \"overland\", url: \"\(server.url())\", \(settings) }]"
  }

  func restart(forgets: Bool = false) throws {
    logger?.stop()
    logger = nil
    if forgets { try FileManager.default.removeItem(atPath: bench.directory + "/log/settings.json") }
    try startLogger()
  }

  func drive(seconds count: Int64) throws {
    for _ in 0..<count {
      seconds += 1
      logger?.tracking.process(
        .epoch(PowerTests.fix(seconds), systemClock: Timestamp(milliseconds: 0)),
        now: start + .seconds(seconds))
    }
    try settle()
  }

  /// Appends records in one group, of kinds that a drive does not produce.
  func append(_ records: [LogRecord]) throws {
    logger?.tracking.outputs.execute(records.map { .keep($0, .routine) }, bench.loop.now)
    try settle()
  }

  func trip(_ request: TripRequest) throws {
    let outcome = logger?.trip(request)
    guard case .done? = outcome else {
      Issue.record("no trip: \(request)")
      return
    }
    try settle()
  }

  /// Sends until a request is complete.
  func send() throws {
    logger?.delivery.pipelines["home"]?.delivery?.sendNow()
    try settle()
  }

  /// Runs until all records are durable and no request is in progress.
  private func settle() throws {
    // The results of a turn are visible in the next one.
    let poll = bench.loop.addTimer("look again") { _ in }
    defer { bench.loop.removeTimer(poll) }
    let isQuiet = try bench.run { [unowned self] in
      poll.arm(at: bench.loop.now + .milliseconds(2))
      guard let logger, logger.log.isOpen else { return false }
      // The drive is faster than the clock of the commit interval.
      logger.log.commit(now: bench.loop.now)
      guard logger.log.recordsWaiting == 0,
        let delivery = logger.delivery.pipelines["home"]?.delivery
      else { return false }
      switch delivery.machine.phase {
      case .idle, .backingOff: return true
      case .loading, .shortening, .committingBatchBoundary, .awaitingAcknowledgement, .posting: return false
      }
    }
    try #require(isQuiet, "the delivery does not become idle")
  }

  /// Lets the server accept requests and sends until the queue is empty.
  func deliverEverything() throws {
    refusal = nil
    for _ in 0..<100 where try queued() != 0 { try send() }
    #expect(try queued() == 0)
  }

  private func queued() throws -> Int {
    try LogReader(directory: bench.directory + "/log").status().destinations.first.map { Int($0.queued) }
      ?? -1
  }

  func stop() {
    logger?.stop()
    logger = nil
  }
}
