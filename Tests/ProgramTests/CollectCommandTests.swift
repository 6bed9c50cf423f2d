import Foundation
import Glibc
import Quantities
import Testing
import TextSnapshots

/// The options `--set` and `--raw-days` of `outrider collect`.
@Suite struct CollectCommandTests {
  static let texts = TextSnapshot("commands")

  private static func collector(_ scratch: Scratch, port: UInt16, _ words: [String]) throws -> Program {
    try Program(
      ["collect", "--listen", "127.0.0.1:\(port)", "--data", scratch.path("collected")] + words, in: scratch)
  }

  private static func bodies(_ scratch: Scratch) -> [String] {
    let raw = FileManager.default.enumerator(atPath: scratch.path("collected/raw"))
    return raw?.compactMap { $0 as? String }.filter { $0.contains(".") } ?? []
  }

  @Test(arguments: [
    ("trip_mode=nope", "trip_mode"), ("main.min_time=1e999s", "main.min_time"),
    ("destinations=[]", "destinations"),
    ("log.level=debug", "log"),
  ])
  func aValueThatLoggersRejectIsRejected(_ row: (word: String, key: String)) throws {
    let scratch = try Scratch()
    let outcome = try FaultTests.run(
      ["collect", "--listen", "127.0.0.1:0", "--data", scratch.path("collected"), "--set", row.word],
      in: scratch)
    #expect(outcome.status == 2)
    let message = try #require(outcome.errors.line(with: "--set: ", "\(row.key)"), "\(outcome)")
    #expect(message == Self.texts.expected("collect: \(row.word)", message))
  }

  @Test(arguments: [0, 3])
  func aLoggerAppliesTheSettingsOfTheCollector(rawDays: Int) throws {
    let port = try freePort()
    let bench = try LoggerBench(url: "http://127.0.0.1:\(port)/api/input")
    let collector = try Self.collector(
      bench.scratch, port: port,
      ["--set", "send_interval=2s", "--set", "main.batch_size=50", "--raw-days", "\(rawDays)"])
    try bench.start()
    RemoteSettingsTests.drive(bench)
    #expect(bench.hasEvent("remote_applied"), "\(bench.standardError) \(collector.standardError)")
    #expect(bench.hasEvent("remote_proved"), "\(bench.standardError)")
    let listing = try RemoteSettingsTests.listing(bench)
    #expect(listing["send_interval"]?.value == "2s" && listing["send_interval"]?.origin == "server")
    #expect(listing["main.batch_size"]?.value == "50" && listing["main.batch_size"]?.origin == "server")
    let outcomes = try RemoteSettingsTests.outcomes(bench)
    #expect(outcomes == ["send_interval": "persisted", "main.batch_size": "persisted"])
    #expect(bench.stopsInGoodOrder())
    collector.send(SIGTERM)
    #expect(collector.exitStatus(within: .seconds(5)) == 0)
    #expect(try !LogFile.collectedTimes(in: bench.scratch.path("collected")).isEmpty)
    #expect(Self.bodies(bench.scratch).isEmpty == (rawDays == 0), "\(Self.bodies(bench.scratch))")
  }

  static let misuses = [
    ["--set", "main.batch_size"], ["--set", "main.batchsize=50"], ["--raw-days", "-1"],
    ["--raw-days", "week"],
  ]

  @Test(arguments: misuses)
  func anInvalidOptionIsRejectedBeforeAnyFileIsCreated(words: [String]) throws {
    let scratch = try Scratch()
    let collector = try Self.collector(scratch, port: 0, words)
    #expect(collector.exitStatus(within: .seconds(10)) == 2)
    let message = try #require(collector.standardError.line(with: words[0]), "\(collector.standardError)")
    #expect(message == Self.texts.expected("collect: \(words.joined(separator: " "))", message))
    #expect(!scratch.exists("collected"))
  }
}
