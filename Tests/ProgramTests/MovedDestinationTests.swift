import Foundation
import Glibc
import LocalAPI
import Store
import Testing
import TextSnapshots

/// The queue of a destination whose address or name changes.
@Suite struct MovedDestinationTests {
  static let texts = TextSnapshot("commands")

  static func bench(records: Int, url: String = "http://127.0.0.1:9/old") throws -> LoggerBench {
    let bench = try LoggerBench(url: url)
    let writer = LogWriter(
      directory: bench.log, allowVolatile: true, options: LogOptions(bootID: "before", clock: { .zero }))
    _ = writer.handle(.register(batchSizes: ["home": 10]))
    _ = writer.handle(.append(try (0..<records).map(DrainTests.record), urgent: false))
    _ = writer.handle(.close)
    return bench
  }

  static func command(_ bench: LoggerBench, _ words: String...) throws -> FaultTests.Outcome {
    try FaultTests.run(words + ["--config", bench.scratch.path("config.json5")], in: bench.scratch)
  }

  static func queued(_ bench: LoggerBench) throws -> Int? {
    try LogReader(directory: bench.log).status().destinations.first { $0.name == "home" }?.queued
  }

  static func destinations(_ url: String) -> String {
    "destinations=[{ name: \"home\", kind: \"overland\", url: \"\(url)\", timeout: \"5s\" }]"
  }

  static let setup = "overland://setup?url=http%3A%2F%2F127.0.0.1%3A9%2Fnew&token=t&device_id=d"

  @Test func dropDiscardsAQueueAndItsRecordsStayInTheLog() throws {
    let bench = try Self.bench(records: 5)
    #expect(try Self.command(bench, "drop", "away").status == 2)
    #expect(try Self.command(bench, "drop").status == 2)
    #expect(try Self.queued(bench) == 5)
    #expect(try Self.command(bench, "drop", "home").status == 0)
    #expect(try LogReader(directory: bench.log).records(after: .zero, limit: 10).count == 6, "and an event")
    #expect(try Self.queued(bench).map { $0 <= 1 } == true)
    try bench.rewrite { $0.replacing(#"name: "home""#, with: #"name: "fresh""#) }
    #expect(try Self.command(bench, "drop", "home").status == 0, "it is no longer configured")
    #expect(try Self.queued(bench) == nil && Self.command(bench, "drop", "home").status == 2)
  }

  @Test func withoutAChoiceNothingIsChanged() throws {
    let bench = try Self.bench(records: 5)
    for (name, outcome) in [
      ("set", try Self.command(bench, "set", Self.destinations("http://127.0.0.1:9/new"))),
      ("setup", try Self.command(bench, "setup", Self.setup)),
    ] {
      #expect(outcome.status == 2)
      #expect(outcome.errors == Self.texts.expected("moved destination: \(name)", outcome.errors))
      #expect(outcome.errors.line(with: "home", "5 records") != nil, "\(outcome.errors)")
      #expect(outcome.errors.contains("--keep") && outcome.errors.contains("--drop"))
    }
    #expect(!bench.scratch.exists("log/settings.json"))
    #expect(try Self.queued(bench) == 5)
    #expect(try Self.command(bench, "set", "a=b", "--keep", "--drop").status == 2)
  }

  @Test func keepPreservesTheQueueAndDropDiscardsIt() throws {
    for (flag, left) in [("--keep", 5), ("--drop", 0)] {
      let bench = try Self.bench(records: 5)
      let outcome = try Self.command(bench, "setup", Self.setup, flag)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(try Self.queued(bench) == left)
      #expect(bench.times.count == 5)
      #expect(bench.events("queue_dropped").count == (left == 0 ? 1 : 0))
    }
  }

  @Test func theSameAddressOrAnEmptyQueueRequiresNoChoice() throws {
    let bench = try Self.bench(records: 5)
    #expect(try Self.command(bench, "set", Self.destinations("http://127.0.0.1:9/old")).status == 0)
    #expect(try Self.command(bench, "set", "main.min_time=5s").status == 0)
    let empty = try Self.bench(records: 0)
    #expect(try Self.command(empty, "set", Self.destinations("http://127.0.0.1:9/new")).status == 0)
  }

  @Test func theConsequencesOfAddedAndRemovedDestinationsAreReported() throws {
    let bench = try Self.bench(records: 5)
    let renamed = Self.destinations("http://127.0.0.1:9/old").replacing("home", with: "other")
    let outcome = try Self.command(bench, "set", renamed)
    #expect(outcome.status == 0)
    let text = bench.scratch.anonymous(outcome.output)
    #expect(text == Self.texts.expected("renamed destination: set", text))
    #expect(outcome.output.line(with: "destination home ", "5 records") != nil, "\(outcome.output)")
    #expect(outcome.output.line(with: "destination other ", "5 records") != nil, "\(outcome.output)")
    let empty = try Self.bench(records: 0)
    #expect(try !Self.command(empty, "set", renamed).output.contains("destination other "))
  }

  @Test func aRunningLoggerDiscardsTheQueueAndSendsOnlyLaterRecords() throws {
    let server = try ScriptedServer { _, _ in .ok }
    defer { server.stop() }
    let bench = try Self.bench(records: 5)
    try bench.start()
    #expect(eventually(within: .seconds(20)) { !bench.events("started").isEmpty })
    let rejected = try Self.command(bench, "set", Self.destinations(server.url))
    #expect(
      rejected.status == 2 && rejected.errors.line(with: "home", "5 records") != nil, "\(rejected.errors)")
    let dropped = try Self.command(bench, "set", Self.destinations(server.url), "--drop")
    #expect(dropped.status == 0 && dropped.output.contains("in the running logger"), "\(dropped.errors)")
    #expect(bench.hasEvent("queue_dropped"))
    #expect(bench.events("queue_dropped").first?.contains("5 records") == true)
    bench.feeder.play(Recording.simulated(epochs: 20).pieces, every: .zero)
    #expect(eventually(within: .seconds(20)) { !server.received.isEmpty })
    #expect(bench.stopsInGoodOrder())
    let old = try DrainTests.record(0).time?.iso8601() ?? ""
    #expect(!server.received.contains { String(decoding: $0.body, as: UTF8.self).contains(old) })
  }

  @Test func aRunningLoggerSendsTheQueueToTheNewAddress() throws {
    let server = try ScriptedServer { _, _ in .ok }
    defer { server.stop() }
    let bench = try Self.bench(records: 5)
    try bench.start()
    #expect(eventually(within: .seconds(20)) { !bench.events("started").isEmpty })
    #expect(try Self.command(bench, "set", Self.destinations(server.url), "--keep").status == 0)
    #expect(eventually(within: .seconds(20)) { (try? Self.queued(bench)) == 0 })
    #expect(bench.stopsInGoodOrder())
    #expect(server.received.compactMap { locations(in: $0.body) }.map(featureCount).reduce(0, +) == 5)
    #expect(bench.line(with: "home", "5 records") != nil, "\(bench.standardError)")
  }

  /// A destination is identified by its name.
  @Test(arguments: [false, true])
  func aNameThatChangesInTheFileIsReportedOnceWithTheQueue(restarts: Bool) throws {
    let bench = try Self.bench(records: 5)
    try bench.start()
    #expect(eventually(within: .seconds(20)) { !bench.events("started").isEmpty })
    #expect(Self.count(Self.dropAway, in: bench) == 0)
    if restarts { #expect(bench.stopsInGoodOrder()) }
    try bench.rewrite { $0.replacing(#"name: "home""#, with: #"name: "away""#) }
    if restarts { try bench.start() } else { bench.program?.send(SIGHUP) }
    let new = try #require(
      bench.line(with: "away", "5 records", Self.dropAway), "\(bench.standardError)")
    #expect(new == Self.texts.expected("renamed destination: new name", new))
    let gone = try #require(
      bench.line(with: "home", "5 records", "storage.retention"), "\(bench.standardError)")
    #expect(gone == Self.texts.expected("renamed destination: old name", gone))
    for line in [new, gone] { #expect(Self.count(line, in: bench) == 1, "\(bench.standardError)") }
    func status() throws -> [Substring] {
      try Self.command(bench, "status").output.split(separator: "\n").filter { $0.hasPrefix("destination ") }
    }
    let rows = try status()
    let away = try #require(rows.first { $0.hasPrefix("destination away ") }, "\(rows)")
    #expect(away.contains(" 5 queued, ") && away.contains(Self.dropAway), "\(away)")
    let home = String(try #require(rows.first { $0.hasPrefix("destination home ") }, "\(rows)"))
    #expect(home == Self.texts.expected("renamed destination: row of the old name", home))
    #expect(bench.stopsInGoodOrder())
    let report = try #require(
      StatusReport(json: Array(try Self.command(bench, "status", "--json").output.utf8)))
    #expect(report.destinations.first { $0.name == "away" }?.new_through_id == 5, "without a logger too")
    try bench.start()
    #expect(eventually(within: .seconds(20)) { bench.events("started").count == (restarts ? 3 : 2) })
    #expect(try status().contains { $0.contains(Self.dropAway) }, "the queue is still there")
    #expect(try Self.command(bench, "drop", "away").status == 0)
    #expect(
      eventually(within: .seconds(20)) { (try? status().contains { $0.contains("drop away") }) == false })
    #expect(
      eventually(within: .seconds(5)) {
        let kept = try? String(contentsOfFile: bench.scratch.path("log/settings.json"), encoding: .utf8)
        return kept?.contains("newcomers") == false
      })
    #expect(bench.stopsInGoodOrder())
    #expect(Self.count(new, in: bench) == 0, "not at every start")
    #expect(Self.count(gone, in: bench) == 0, "\(bench.standardError)")
    #expect(try Self.queued(bench) == 5, "the queue of the old name returns with the name")
  }

  /// The command that discards the queue of the destination `away`.
  private static let dropAway = "outrider drop away"

  /// The number of times that the running logger has printed a text.
  static func count(_ words: String, in bench: LoggerBench) -> Int {
    bench.standardError.components(separatedBy: words).count - 1
  }

  /// The new address of the destination, as the journal shows it.
  private static let newHost = "http://localhost:9/"

  @Test(arguments: [false, true])
  func anAddressThatChangesInTheFileIsReportedOnce(restarts: Bool) throws {
    let bench = try Self.bench(records: 5, url: "http://127.0.0.1:9/old?token=sesame")
    try bench.start()
    #expect(eventually(within: .seconds(20)) { !bench.events("started").isEmpty })
    #expect(eventually(within: .seconds(5)) { bench.scratch.exists("log/settings.json") })
    #expect(Self.count(Self.newHost, in: bench) == 0, "\(bench.standardError)")
    if restarts { #expect(bench.stopsInGoodOrder()) }
    try bench.rewrite { $0.replacing("127.0.0.1:9/old?token=sesame", with: "localhost:9/new?token=simsim") }
    if restarts { try bench.start() } else { bench.program?.send(SIGHUP) }
    let line = try #require(
      bench.line(with: Self.newHost, "http://127.0.0.1:9/", "5 records", "outrider drop home"),
      "\(bench.standardError)")
    #expect(line == Self.texts.expected("moved destination: journal", line))
    #expect(Self.count(line, in: bench) == 1, "\(bench.standardError)")
    #expect(bench.stopsInGoodOrder())
    #expect(!bench.standardError.contains("sesame") && !bench.standardError.contains("simsim"))
    #expect(Self.count(line, in: bench) == 1)
    let kept = try String(contentsOfFile: bench.scratch.path("log/settings.json"), encoding: .utf8)
    #expect(!kept.contains("sesame") && !kept.contains("simsim"))
    try bench.start()
    #expect(eventually(within: .seconds(20)) { bench.events("started").count == (restarts ? 3 : 2) })
    #expect(bench.stopsInGoodOrder())
    #expect(Self.count(line, in: bench) == 0, "not at every start")
    #expect(try Self.queued(bench) == 5)
  }
}
