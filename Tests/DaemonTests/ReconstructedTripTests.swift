import Foundation
import Quantities
import Records
import Settings
import Store
import TestSupport
import Testing

@testable import Daemon

/// Reconstructed trips: sent to the destinations with the setting, and never blocking another.
@Suite struct ReconstructedTripTests {
  /// A trip from one location of the log to another.
  static func trip(from start: LogRecord, to end: LogRecord, metres: Int64 = 1400) throws -> LogRecord {
    guard case .location(let origin) = start.body, case .location(let arrival) = end.body else {
      throw TestFailure()
    }
    let (from, to) = (try #require(start.time), try #require(end.time))
    var trip = TripRecord(
      mode: .car, start: .utc(from), end: .utc(to), durationMilliseconds: (to - from).wholeMilliseconds,
      distanceMillimetres: metres * 1000, isManual: false, ending: .noFix,
      device: DeviceState(deviceID: "van"))
    trip.isReconstructed = true
    trip.startLocation = TripRecord.Location(origin, time: .utc(from))
    trip.endLocation = TripRecord.Location(arrival, time: .utc(to))
    return LogRecord(moment: end.moment, time: to, timeQuality: .receiver, body: .trip(trip))
  }

  private struct TestFailure: Error {}

  private static func fill(_ bench: HTTPBench, _ records: [LogRecord]) {
    let writer = LogWriter(
      directory: bench.directory + "/log", allowVolatile: true,
      options: LogOptions(bootID: "before", clock: { .zero }))
    _ = writer.handle(.append(records, urgent: false))
    _ = writer.handle(.close)
  }

  private static func logger(_ bench: HTTPBench, _ destinations: String) throws -> Logger {
    let configuration = try Configuration.read(
      board: nil, file: nil,
      overrides: [
        "storage.directory=\(bench.directory)/log", "storage.allow_volatile=true", "api.enabled=false",
        "send_interval=1s", "destinations=[\(destinations)]",
      ], fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
    return try Logger(loop: bench.loop, configuration: configuration, journal: LoggerTests.quiet)
  }

  private static func bodies(_ server: ScriptedServer) -> String {
    server.requests.map { String(decoding: $0.body, as: UTF8.self) }.joined(separator: "\n")
  }

  @Test func onlyDestinationsWithTheSettingReceiveIt() throws {
    let bench = try HTTPBench.simulated()
    Self.fill(bench, [location(0), try Self.trip(from: location(0), to: location(1)), location(1)])
    let ok = ScriptedServer.Reply.answer(200, body: #"{"result":"ok"}"#)
    let (plain, whole) = (try ScriptedServer(bench.loop, [ok]), try ScriptedServer(bench.loop, [ok]))
    let logger = try Self.logger(
      bench,
      "{ name: 'plain', kind: 'overland', url: '\(plain.url())' }, "
        + "{ name: 'whole', kind: 'overland', url: '\(whole.url())', reconstructed_trips: true }")
    logger.start()
    #expect(
      try bench.run {
        let totals = ["plain", "whole"].map { logger.delivery.totals(of: $0) }
        return totals.map(\.delivered) == [2, 3] && totals.allSatisfy { $0.acknowledged?.rawValue ?? 0 >= 3 }
      }, "\(logger.status.destinations)")
    logger.stop()
    let text = Self.bodies(whole)
    #expect(text.contains(#""type":"trip""#) && text.contains(#""reconstructed":true"#))
    #expect(text.contains(#""distance":1400,"#))
    #expect(!Self.bodies(plain).contains(#""type":"trip""#) && !Self.bodies(plain).contains("reconstructed"))
  }

  /// The queue has only such a trip.
  @Test func anUnwantedTripIsAcknowledgedWithoutARequest() throws {
    let bench = try HTTPBench.simulated()
    Self.fill(bench, [try Self.trip(from: location(0), to: location(1))])
    let server = try ScriptedServer(bench.loop, [.answer(503)])
    let logger = try Self.logger(
      bench,
      "{ name: 'overland', kind: 'overland', url: '\(server.url())' }, "
        + "{ name: 'query', kind: 'query', url: '\(server.url())' }, "
        + "{ name: 'owntracks', kind: 'owntracks', url: '\(server.url())', reconstructed_trips: true }, "
        + "{ name: 'disk', kind: 'file', directory: '\(bench.directory)/tracks' }")
    logger.start()
    #expect(
      try bench.run {
        ["overland", "query", "owntracks", "disk"].allSatisfy {
          logger.delivery.totals(of: $0).acknowledged?.rawValue ?? 0 >= 1
        }
      }, "\(logger.status.destinations)")
    logger.stop()
    #expect(server.requests.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: "\(bench.directory)/tracks"))
  }

  @Test func aFileDestinationWritesItIfConfigured() throws {
    let bench = try HTTPBench.simulated()
    Self.fill(bench, [try Self.trip(from: location(0), to: location(1))])
    let logger = try Self.logger(
      bench,
      "{ name: 'disk', kind: 'file', directory: '\(bench.directory)/tracks', file_format: 'both', "
        + "reconstructed_trips: true }")
    logger.start()
    #expect(try bench.run { logger.delivery.totals(of: "disk").delivered == 1 })
    logger.stop()
    let directory = bench.directory + "/tracks"
    let texts = try FileManager.default.contentsOfDirectory(atPath: directory).sorted().map {
      try String(contentsOfFile: "\(directory)/\($0)", encoding: .utf8)
    }
    #expect(texts.count == 2 && texts.first?.contains(#""reconstructed":true"#) == true)
    #expect(texts.last?.contains("1400 m in a straight line, reconstructed") == true)
  }

  /// The setting changes while a batch is not acknowledged: a batch that may have been sent is repeated byte for byte.
  @Test(arguments: [true, false])
  func aPossiblySentBatchKeepsItsForm(isFirstOn: Bool) throws {
    let words = ["reconstructed_trips: true", "reconstructed_trips: false"]
    let (first, second) = isFirstOn ? (words[0], words[1]) : (words[1], words[0])
    let drive = try ResendDrive(batchSize: 5, form: ", \(first)")
    defer { drive.stop() }
    drive.refusal = .answer(503)
    try drive.append([location(0), try Self.trip(from: location(0), to: location(1)), location(1)])
    try drive.send()
    let sent = try #require(drive.seen.last).request.locations
    #expect(sent.contains("reconstructed") == isFirstOn)
    try drive.configure([drive.destination(second)], restarts: true)
    try drive.send()
    #expect(drive.seen.last?.request.locations == sent)
    try drive.deliverEverything()
  }
}
