import Quantities
import Records
import Settings
import Store
import Synchronization
import System
import TestSupport
import Testing
@testable import Daemon

/// Log and deliveries of the logger on a real loop, without a receiver.
@Suite struct LoggerTests {
  static func configuration(_ bench: HTTPBench, url: String, token: String, batchSize: Int = 1) throws
    -> Configuration
  {
    try Configuration.read(
      board: nil, file: nil,
      overrides: [
        "storage.directory=\(bench.directory)/log", "storage.allow_volatile=true", "api.enabled=false",
        "main.batch_size=\(batchSize)", "send_interval=1s",
        "destinations=[{ name: \"home\", kind: \"overland\", url: \"\(url)\", token: \"\(token)\" }]",
      ], fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
  }

  /// Writes a log with locations that is closed cleanly.
  static func fill(_ bench: HTTPBench, count: Int) { fill(bench, 0..<count) }

  static func fill(_ bench: HTTPBench, _ seconds: Range<Int>) {
    let writer = LogWriter(
      directory: bench.directory + "/log", allowVolatile: true,
      options: LogOptions(bootID: "before", clock: { .zero }))
    _ = writer.handle(.append(seconds.map(location), urgent: false))
    _ = writer.handle(.close)
  }

  static let quiet = Journal(threshold: .error, hasPriorities: false) { _ in }

  /// The times of the locations in a body.
  static func times(_ request: ScriptedServer.Request) -> [Substring] {
    let text = String(decoding: request.body, as: UTF8.self)
    let locations = text.split(separator: "\"current\"").first ?? ""
    return locations.split(separator: "\"timestamp\":\"").dropFirst().map { $0.prefix { $0 != "\"" } }
  }

  @Test func aDestinationThatChangesTwiceReceivesEveryBatchInOrder() throws {
    let bench = try HTTPBench.simulated()
    Self.fill(bench, count: 6)
    let server = try ScriptedServer(bench.loop, [.silence, .answer(200, body: #"{"result":"ok"}"#)])
    let logger = try Logger(
      loop: bench.loop, configuration: try Self.configuration(bench, url: server.url(), token: "a"),
      journal: Self.quiet)
    logger.start()
    #expect(try bench.run { server.requests.count == 1 })
    logger.apply(try Self.configuration(bench, url: server.url(), token: "b"))
    logger.apply(try Self.configuration(bench, url: server.url(), token: "c"))
    #expect(try bench.run { logger.status.destinations.first?.delivered == 6 })
    logger.stop()
    let times = server.requests.map(Self.times)
    #expect(times.allSatisfy { $0.count == 1 })
    // The first request was in progress when the destination changed.
    #expect(times.first == times.dropFirst().first)
    let accepted = times.dropFirst().flatMap { $0 }
    #expect(accepted.count == 6)
    #expect(Set(accepted).count == 6)
    #expect(accepted == accepted.sorted())
  }

  @Test func anUnchangedDestinationKeepsItsRequest() throws {
    let bench = try HTTPBench.simulated()
    Self.fill(bench, count: 1)
    let server = try ScriptedServer(
      bench.loop, [.drip("HTTP/1.1 200 OK\r\n\r\n{\"result\":\"ok\"}", milliseconds: 1)])
    let configuration = try Self.configuration(bench, url: server.url(), token: "a")
    let logger = try Logger(loop: bench.loop, configuration: configuration, journal: Self.quiet)
    logger.start()
    #expect(try bench.run { server.requests.count == 1 })
    var next = configuration
    next.deviceID = "other"
    next.destinations.append(
      DestinationSettings(name: "spare", kind: .overland, url: configuration.destinations[0].url))
    logger.apply(next)
    #expect(try bench.run { logger.status.destinations.allSatisfy { $0.delivered == 1 } })
    logger.stop()
    #expect(server.requests.count == 2)
  }

  /// It applies from the next batch on, without a restart; a host without a machine-id sends none.
  @Test(arguments: [nil, "0123456789abcdef0123456789abcdef"])
  func theUniqueIDIsSentWhileItIsSwitchedOn(machineID: String?) throws {
    let bench = try HTTPBench.simulated()
    Self.fill(bench, count: 4)
    let server = try ScriptedServer(bench.loop, [.silence, .answer(200, body: #"{"result":"ok"}"#)])
    var configuration = try Self.configuration(bench, url: server.url(), token: "a")
    let host = MachineIdentity(machineID: machineID, serial: nil)
    let logger = try Logger(loop: bench.loop, configuration: configuration, journal: Self.quiet, host: host)
    logger.start()
    #expect(try bench.run { server.requests.count == 1 })
    configuration.sendsUniqueID = true
    logger.apply(configuration)
    // Without an identity the unanswered request goes on until its timeout.
    #expect(try bench.run(for: .seconds(600)) { logger.status.destinations.first?.delivered == 4 })
    logger.stop()
    let bodies = server.requests.map { String(decoding: $0.body, as: UTF8.self) }
    #expect(bodies.first?.contains("unique_id") == false)
    let identity = machineID == nil ? nil : "DB8952FE-E1F0-489A-9356-58321D2DEA51"
    for body in bodies.dropFirst() {
      #expect(body.contains(#""unique_id":"\#(identity ?? "")""#) == (identity != nil))
    }
  }

  @Test func recordsThatWaitForTheLogAreWrittenAtTheStop() throws {
    let bench = try HTTPBench.simulated()
    let logger = try Logger(
      loop: bench.loop,
      configuration: try Self.configuration(bench, url: "http://127.0.0.1:1/", token: "a"),
      journal: Self.quiet)
    logger.start()
    logger.refuse("a test")
    // The loop has not run, so the log is not open for the logger yet.
    logger.stop()
    let reader = try LogReader(directory: bench.directory + "/log")
    let kinds = try reader.records(after: .zero, limit: 10).compactMap { stored in
      if case .event(let event) = stored.record.body { event.kind } else { nil }
    }
    #expect(kinds == [.configurationRefused, .stopped])
  }

  /// A missing LED matters only if recording is to be indicated.
  @Test(arguments: [false, true]) func aMissingLEDIsReportedOnceIfRecordingIsIndicated(asked: Bool) throws {
    let bench = try HTTPBench.simulated()
    let logged = Mutex<[String]>([])
    let configuration = try Configuration.read(
      board: nil, file: nil,
      overrides: [
        "storage.directory=\(bench.directory)/log", "storage.allow_volatile=true", "api.enabled=false",
        "leds.status=no-such-light", "main.background_indicator=\(asked)",
      ], fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
    let logger = try Logger(
      loop: bench.loop, configuration: configuration,
      journal: Journal(threshold: .warning, hasPriorities: false) { line in
        logged.withLock { $0.append(line) }
      })
    logger.start()
    logger.power.followRecording()
    logger.stop()
    let warnings = logged.withLock {
      $0.filter { $0.contains("leds.status") && $0.contains("no-such-light") }
    }
    #expect(warnings.count == (asked ? 1 : 0))
  }
}
