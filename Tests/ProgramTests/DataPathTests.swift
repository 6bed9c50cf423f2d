import Foundation
import Glibc
import Quantities
import TestSupport
import Testing

/// The program itself: bytes into a pseudo-terminal, records out of real SQLite, batches at a real server.
@Suite(.serialized) struct DataPathTests {
  /// The collector in a process of its own.
  static func collector(_ bench: Scratch, port: UInt16) throws -> Program {
    try Program(
      ["collect", "--listen", "127.0.0.1:\(port)", "--data", bench.path("collected")], in: bench)
  }

  @Test func everyValidEpochIsInTheLogOnceAndInTheCollectorOnce() throws {
    let recording = Recording.simulated(epochs: 500)
    let port = try freePort()
    let bench = try LoggerBench(url: "http://127.0.0.1:\(port)/api/input")
    let collector = try Self.collector(bench.scratch, port: port)
    try bench.start()
    bench.feeder.play(recording.pieces, every: .zero)
    #expect(bench.hasStored(recording.epochs.count), "\(bench.program?.standardError ?? "")")
    let collected = bench.scratch.path("collected")
    #expect(
      eventually(within: .seconds(20)) {
        ((try? LogFile.collectedTimes(in: collected)) ?? []).count >= recording.epochs.count
      })
    #expect(bench.stopsInGoodOrder())
    #expect(try LogFile.times(in: bench.log) == recording.times)
    #expect(try LogFile.collectedTimes(in: collected) == recording.times.map { $0 / 1000 * 1000 })
    collector.send(SIGTERM)
    #expect(collector.exitStatus(within: .seconds(5)) == 0)
  }

  @Test(
    "every valid epoch of a recorded drive is in the log once, at any speed of the input",
    .enabled(
      if: SharedRecordings.arePresent,
      "recordings are absent: put them in ../shared, or name their folder in OUTRIDER_SHARED"))
  func everyEpochOfARecordedDriveIsInTheLog() throws {
    let recording = try Recording.drive(epochs: wholeRecordings ? nil : 300)
    let bench = try LoggerBench(url: nil)
    try bench.start()
    bench.feeder.play(recording.pieces, every: .zero)
    #expect(bench.hasStored(recording.epochs.count, within: .seconds(60)))
    #expect(bench.stopsInGoodOrder())
    #expect(try LogFile.times(in: bench.log) == recording.times)
  }

  @Test func theFirstFixIsDurableAtOnceWithALongCommitInterval() throws {
    let recording = Recording.simulated(epochs: 3)
    let bench = try LoggerBench(url: nil, commitInterval: "10m")
    try bench.start()
    bench.feeder.play(recording.pieces, every: .milliseconds(200))
    #expect(bench.hasStored(1, within: .seconds(3)))
    bench.program?.send(SIGKILL)
    #expect(bench.program?.exitStatus(within: .seconds(5)) == -SIGKILL)
    #expect(try LogFile.times(in: bench.log).first == recording.times.first)
  }

  @Test func sigtermCommitsAllRecords() throws {
    let recording = Recording.simulated(epochs: 40)
    let bench = try LoggerBench(url: nil, commitInterval: "10m")
    try bench.start()
    bench.feeder.play(recording.pieces, every: .milliseconds(2))
    #expect(eventually(within: .seconds(10)) { bench.feeder.isFinished })
    // The last epoch has not yet ended by its timeout.
    #expect(bench.stopsInGoodOrder())
    #expect(try LogFile.times(in: bench.log) == recording.times)
  }

  @Test func severalLoggersRunSideBySide() throws {
    let recording = Recording.simulated(epochs: 20)
    let benches = try (0..<3).map { _ in try LoggerBench(url: nil) }
    for bench in benches { try bench.start() }
    for bench in benches { bench.feeder.play(recording.pieces, every: .milliseconds(1)) }
    for bench in benches { #expect(bench.hasStored(recording.epochs.count)) }
    for bench in benches { #expect(bench.stopsInGoodOrder()) }
  }
}

/// True if whole recordings are played instead of their beginnings: `OUTRIDER_WHOLE=1`.
let wholeRecordings = ProcessInfo.processInfo.environment["OUTRIDER_WHOLE"] != nil

/// Returns an unused port of the loopback interface.
func freePort() throws -> UInt16 {
  let server = try ScriptedServer { _, _ in .close }
  defer { server.stop() }
  return server.port
}
