import Foundation
import Quantities
import Records
import Store
import System
import Testing

/// Logger and collector with a long backlog, one record that the server rejects, and a network that fails at random.
@Suite struct DrainTests {
  /// The environment variables `OUTRIDER_DRAIN` and `OUTRIDER_SEED`, which scripts/drain sets.
  static func number(_ name: String) -> UInt64? {
    ProcessEnvironment.variable(name).flatMap { UInt64($0) }
  }

  static func record(_ number: Int) throws -> LogRecord {
    let coordinate = try #require(
      Coordinate(latitudeE7: 525_000_000 + Int32(number) * 13, longitudeE7: 134_000_000))
    var location = LocationRecord(coordinate: coordinate, deviceID: "drain")
    location.speedMillimetresPerSecond = Int32(number % 30_000)
    location.horizontalAccuracyMillimetres = 4000
    return LogRecord(
      moment: .zero, time: Timestamp(milliseconds: 1_772_000_000_000 + Int64(number) * 1000),
      timeQuality: .receiver, body: .location(location))
  }

  static func fill(_ directory: String, count: Int) throws {
    let writer = LogWriter(
      directory: directory, allowVolatile: true, options: LogOptions(bootID: "before", clock: { .zero }))
    for start in stride(from: 0, to: count, by: 5000) {
      _ = writer.handle(.append(try (start..<min(start + 5000, count)).map(record), urgent: false))
    }
    _ = writer.handle(.close)
  }

  @Test func allButTheBadRecordAreCollectedOnce() throws {
    let count = Int(Self.number("OUTRIDER_DRAIN") ?? 3000)
    let seed = Self.number("OUTRIDER_SEED") ?? .random(in: 0...9999)
    var random = SplitMix64(seed: seed)
    let bad = Int.random(in: 0..<count - 1, using: &random)
    let badTime = try #require(try Self.record(bad).time).iso8601()

    let port = try freePort()
    let scratch = try Scratch()
    let collector = try DataPathTests.collector(scratch, port: port)
    defer { collector.send(SIGTERM) }
    let network = try CutNetwork(
      to: port, poison: #""timestamp":"\#(badTime)""#, rarity: 16, seed: random.next())
    defer { network.stop() }
    let bench = try LoggerBench(url: network.url, extra: "main: { batch_size: 200 },")
    try Self.fill(bench.log, count: count)

    let start = SystemClock.moment()
    try bench.start()
    let collected = scratch.path("collected")
    let arrived = {
      ((try? LogFile.count("features", in: "\(collected)/collector.db")) ?? 0) >= count - 1
        && !bench.events("record_set_aside").isEmpty
        && (try? LogReader(directory: bench.log).status().destinations.first?.queued) == 0
    }
    #expect(
      eventually(within: .seconds(60 + count / 100), every: 100, arrived),
      "seed \(seed): \(bench.standardError)")
    let elapsed = SystemClock.moment() - start
    #expect(bench.stopsInGoodOrder(), "seed \(seed)")

    let times = try LogFile.collectedTimes(in: collected)
    #expect(times.count == count - 1 && Set(times).count == times.count, "seed \(seed)")
    let expected = try Set((0..<count).compactMap { try Self.record($0).time?.milliseconds })
    let missing = expected.subtracting(times).map { ($0 - 1_772_000_000_000) / 1000 }
    #expect(missing == [Int64(bad)], "seed \(seed)")
    #expect(try LogFile.times(in: bench.log).count == count, "the bad record stays in the log, seed \(seed)")
    let aside = try LogFile.column(
      "SELECT value FROM event WHERE kind = 'record_set_aside'", of: "\(bench.log)/outrider.db")
    #expect(aside == [Int64(bad) + 1], "seed \(seed)")
    let counts = network.counts
    print(
      "drain: seed \(seed), \(count) records in \(Int(elapsed / .seconds(1))) s: \(times.count) collected once, "
        + "\(aside.count) set aside; \(counts.requests) requests, \(counts.cutRequests) cut on the way, "
        + "\(counts.cutAnswers) answers cut, \(counts.choked) refused")
  }
}
