import Foundation
import Records
import Settings
import Store
import Synchronization
import TestSupport
import Testing
import TextSnapshots

@testable import Daemon

/// Names of destinations that are added and removed, and device IDs per destination.
@Suite struct DestinationNameTests {
  final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    func add(_ line: String) { lines.withLock { $0.append(String(line.dropLast())) } }
    var all: [String] { lines.withLock { $0 } }
  }

  static func logger(
    _ bench: HTTPBench, _ destinations: String, _ lines: Lines = Lines(),
    stored: StoredSettings = StoredSettings()
  ) throws -> Logger {
    let sources = ConfigurationSources(
      overrides: [
        "storage.directory=\(bench.directory)/log", "storage.allow_volatile=true", "api.enabled=false",
        "storage.commit_interval=0s", "send_interval=1s", "destinations=[\(destinations)]",
      ], fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
    let logger = try Logger(
      loop: bench.loop, configuration: try sources.configuration(), sources: sources, stored: stored,
      journal: Journal(threshold: .notice, hasPriorities: false) { lines.add($0) })
    logger.start()
    return logger
  }

  static let ok = ScriptedServer.Reply.answer(200, body: #"{"result":"ok"}"#)

  static func known(_ bench: HTTPBench) throws -> [String] {
    try LogReader(directory: bench.directory + "/log").status().destinations.map(\.name).sorted()
  }

  @Test(arguments: ["all", "latest"])
  func aNewDestinationIsReportedWithItsQueue(mode: String) throws {
    let bench = try HTTPBench()
    LoggerTests.fill(bench, count: 5)
    let server = try ScriptedServer(bench.loop, [Self.ok])
    let lines = Lines()
    let logger = try Self.logger(
      bench, #"{ name: "new", kind: "overland", url: "\#(server.url())", logging_mode: "\#(mode)" }"#, lines)
    defer { logger.stop() }
    #expect(try bench.run { logger.status.destinations.first.map { $0.delivered > 0 } ?? false })
    let logged = lines.all.filter { $0.contains("outrider drop new") }
    #expect(logged.count == 1, "\(logged)")
    let line = try #require(logged.first)
    #expect(line.contains("5 records"), "\(line)")
    #expect(line == TextSnapshot("daemon").expected("new destination, logging_mode \(mode)", line))
    let sent = server.requests.flatMap(LoggerTests.times)
    #expect(sent.count == (mode == "all" ? 5 : 1))
  }

  @Test func theStatusShowsTheLatestReason() throws {
    let bench = try HTTPBench()
    LoggerTests.fill(bench, count: 5)
    let server = try ScriptedServer(bench.loop, [.answer(401), .answer(503)])
    let logger = try Self.logger(bench, #"{ name: "a", kind: "overland", url: "\#(server.url())" }"#)
    defer { logger.stop() }
    #expect(try bench.run { logger.status.destinations.first?.trouble?.contains("401") == true })
    logger.delivery.pipelines["a"]?.delivery?.sendNow()
    #expect(try bench.run { logger.status.destinations.first?.trouble?.contains("503") == true })
  }

  @Test func dropRemovesADestinationThatIsNoLongerConfigured() throws {
    let bench = try HTTPBench()
    LoggerTests.fill(bench, count: 5)
    let server = try ScriptedServer(bench.loop, [.answer(503)])
    let url = server.url()
    let before = try Self.logger(
      bench,
      #"{ name: "old", kind: "overland", url: "\#(url)" }, { name: "b", kind: "overland", url: "\#(url)" }"#)
    #expect(try bench.run { (try? Self.known(bench)) == ["b", "old"] })
    before.stop()
    let logger = try Self.logger(bench, #"{ name: "b", kind: "overland", url: "\#(url)" }"#)
    defer { logger.stop() }
    #expect(try bench.run { logger.delivery.registry.removed.contains("old") })
    guard case .refused = logger.dropQueue(of: "nobody") else {
      Issue.record("an unknown name is accepted")
      return
    }
    guard case .done = logger.dropQueue(of: "old") else {
      Issue.record("refused")
      return
    }
    #expect(try bench.run { (try? Self.known(bench)) == ["b"] && logger.delivery.registry.removed.isEmpty })
    guard case .refused = logger.dropQueue(of: "old") else {
      Issue.record("the name is still known")
      return
    }
  }

  @Test(arguments: ["overland", "owntracks", "query"])
  func aDestinationCanHaveItsOwnDeviceID(kind: String) throws {
    let bench = try HTTPBench()
    LoggerTests.fill(bench, count: 3)
    let server = try ScriptedServer(bench.loop, [Self.ok])
    let logger = try Self.logger(
      bench, #"{ name: "a", kind: "\#(kind)", url: "\#(server.url())", device_id: "fleet/van7" }"#)
    defer { logger.stop() }
    #expect(try bench.run { logger.status.destinations.first.map { $0.delivered > 0 } ?? false })
    let request = try #require(server.requests.first)
    let body = String(decoding: request.body, as: UTF8.self)
    switch kind {
    case "overland":
      #expect(body.contains(#""device_id":"fleet/van7""#) && !body.contains(#""device_id":"van""#))
    case "owntracks":
      #expect(body.contains(#""topic":"owntracks/fleet/van7""#))
      #expect(request.headers["x-limit-u"] == "fleet" && request.headers["x-limit-d"] == "van7")
    default: #expect(request.line.contains("id=fleet%2Fvan7&"), "\(request.line)")
    }
  }

  @Test(
    .enabled(
      if: MosquittoProgram.isInstalled,
      "mosquitto or openssl is absent: sudo apt-get install mosquitto openssl"))
  func atABrokerTheDeviceIDIsPartOfTheTopic() throws {
    let bench = try HTTPBench()
    LoggerTests.fill(bench, count: 3)
    let program = try MosquittoProgram()
    let listener = try #require(MQTTListener(port: program.port))
    let logger = try Self.logger(
      bench,
      #"{ name: "a", kind: "owntracks", url: "mqtt://127.0.0.1:\#(program.port)", device_id: "fleet/van7", "#
        + #"logging_mode: "all" }"#)
    defer { logger.stop() }
    #expect(try bench.run { logger.status.destinations.first.map { $0.delivered == 3 } ?? false })
    for _ in 0..<1000 where listener.messages.count < 3 { try bench.run(for: .milliseconds(10)) }
    #expect(listener.messages.map(\.topic) == Array(repeating: "owntracks/fleet/van7", count: 3))
  }

  @Test(
    .enabled(
      if: MosquittoProgram.isInstalled,
      "mosquitto or openssl is absent: sudo apt-get install mosquitto openssl"),
    arguments: [false, true])
  func aMessageWithoutASubscriberIsDeliveredOnlyIfAllowed(isAllowed: Bool) throws {
    let bench = try HTTPBench()
    LoggerTests.fill(bench, count: 3)
    let program = try MosquittoProgram()
    let logger = try Self.logger(
      bench,
      #"{ name: "a", kind: "owntracks", url: "mqtt://127.0.0.1:\#(program.port)", device_id: "fleet/van7", "#
        + #"logging_mode: "all", accept_unrouted: \#(isAllowed) }"#)
    defer { logger.stop() }
    func events() throws -> [EventRecord] {
      try LogReader(directory: bench.directory + "/log").records(after: .zero, limit: 100).compactMap {
        if case .event(let event) = $0.record.body, event.kind == .deliveryDoubtful { event } else { nil }
      }
    }
    if isAllowed {
      #expect(try bench.run { logger.status.destinations.first.map { $0.delivered == 3 } ?? false })
      #expect(try events().isEmpty)
    } else {
      #expect(try bench.run { (try? events().isEmpty) == false })
      #expect(try events().allSatisfy { $0.fields.text(.reason)?.contains("owntracks/fleet/van7") == true })
      #expect(logger.status.destinations.first?.delivered == 0)
      #expect(logger.status.destinations.first?.acknowledged_id ?? 0 == 0)
    }
  }

  @Test(arguments: [
    (#"kind: "owntracks", url: "https://ha/api/webhook/x""#, "van", true),
    (#"kind: "owntracks", url: "https://ha/api/webhook/x", device_id: "me/van""#, "van", false),
    (#"kind: "owntracks", url: "https://ha/api/webhook/x""#, "me/van", false),
    (#"kind: "owntracks", url: "https://ha/api/webhook/x""#, "/van", true),
    (#"kind: "owntracks", url: "mqtts://broker""#, "van", true),
    (#"kind: "overland", url: "https://ha/api/webhook/x", logging_mode: "owntracks""#, "van", true),
    (#"kind: "overland", url: "https://ha/api/webhook/x""#, "van", false),
    (#"kind: "owntracks", url: "https://recorder/pub""#, "van", false),
  ])
  func aDeviceIDThatHomeAssistantDropsCausesAWarning(
    _ row: (settings: String, device: String, isWarned: Bool)
  ) throws {
    let configuration = try Configuration.read(
      board: nil, file: nil,
      overrides: ["destinations=[{ name: \"a\", \(row.settings) }]", "device_id=\(row.device)"],
      fallbacks: Fallbacks(deviceID: "x", apiSocket: "/nowhere"))
    let warnings = configuration.warnings.filter { $0.contains("Home Assistant") }
    #expect(warnings.count == (row.isWarned ? 1 : 0), "\(row) \(warnings)")
    #expect(warnings.allSatisfy { $0.contains("destinations[0] (a): device_id: ") })
  }
}
