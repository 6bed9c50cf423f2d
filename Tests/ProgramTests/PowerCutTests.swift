import Foundation
import Glibc
import Quantities
import System
import TestSupport
import Testing

/// Power cuts, which SIGKILL simulates for the process.
@Suite(.serialized) struct PowerCutTests {
  static let commitInterval = Duration.milliseconds(200)

  /// Plays a recording up to 50 times faster than real time, kills the logger repeatedly, and stops the collector for a
  /// third of the time.
  ///
  /// Only epochs that were read within the commit interval before a kill may be missing, and none may be duplicate.
  @Test(
    .enabled(
      if: SharedRecordings.arePresent,
      "recordings are absent: put them in ../shared, or name their folder in OUTRIDER_SHARED"))
  func onlyTheCommitIntervalBeforeAKillIsMissingAndNothingIsTwice() throws {
    let kills = wholeRecordings ? 10 : 3
    let recording = try Recording.drive(epochs: wholeRecordings ? nil : 420)
    let port = try freePort()
    let bench = try LoggerBench(
      url: "http://127.0.0.1:\(port)/api/input", commitInterval: "200ms", extra: "main: { batch_size: 50 },")
    let pace = Duration.milliseconds(21)
    let length = pace * recording.pieces.count
    let start = SystemClock.moment()
    bench.feeder.play(recording.pieces, every: pace)

    // The collector is down in the middle third.
    var collector: Program? = try DataPathTests.collector(bench.scratch, port: port)
    try bench.start()
    var missingAllowed: Set<Int64> = []
    for kill in 1...kills {
      let due = start + length * kill / (kills + 1)
      while SystemClock.moment() < due {
        let share = (SystemClock.moment() - start) / length
        if collector != nil, share > 1.0 / 3, share < 2.0 / 3 {
          collector?.send(SIGTERM)
          _ = collector?.exitStatus(within: .seconds(5))
          collector = nil
        } else if collector == nil, share >= 2.0 / 3 {
          collector = try DataPathTests.collector(bench.scratch, port: port)
        }
        poll(nil, 0, 5)
      }
      let before = SystemClock.moment()
      bench.program?.send(SIGKILL)
      _ = bench.program?.exitStatus(within: .seconds(5))
      let after = SystemClock.moment()
      missingAllowed.formUnion(
        epochsRead(recording, bench.feeder, from: before - Self.commitInterval, to: after))
      try bench.start()
    }
    if collector == nil { collector = try DataPathTests.collector(bench.scratch, port: port) }
    #expect(eventually(within: length + .seconds(60)) { bench.feeder.isFinished })
    let expected = Set(recording.times).subtracting(missingAllowed)
    #expect(eventually(within: .seconds(20)) { Set(bench.times).isSuperset(of: expected) })
    let collected = bench.scratch.path("collected")
    #expect(
      eventually(within: .seconds(40)) {
        let times = Set((try? LogFile.collectedTimes(in: collected)) ?? [])
        return times.isSuperset(of: bench.times.map { $0 / 1000 * 1000 })
      }, "\(bench.program?.standardError ?? "")")
    #expect(bench.stopsInGoodOrder())

    #expect(missingAllowed.count * 3 <= recording.epochs.count)
    let stored = try LogFile.times(in: bench.log)
    let missing = Set(recording.times).subtracting(stored).subtracting(missingAllowed)
    #expect(missing.isEmpty, "missing without a reason: \(missing.sorted())")
    #expect(Set(stored).count == stored.count, "stored twice")
    let received = try LogFile.collectedTimes(in: collected)
    #expect(Set(received).count == received.count, "collected twice")
    #expect(received == stored.sorted().map { $0 / 1000 * 1000 })
    collector?.send(SIGTERM)
  }

  /// The times of the epochs that the logger read, at least in part, between two moments.
  private func epochsRead(
    _ recording: Recording, _ feeder: Feeder, from: Moment, to: Moment
  ) -> Set<Int64> {
    let first = feeder.bytesTaken(at: from)
    let last = feeder.bytesTaken(at: to)
    var times: Set<Int64> = []
    var begin = 0
    for epoch in recording.epochs {
      // An epoch is complete with its last byte; one that is partly read at a kill is lost, too.
      if epoch.endsAt > first, begin < last { times.insert(epoch.time.milliseconds) }
      begin = epoch.endsAt
    }
    return times
  }

  @Test func anUnacknowledgedBatchIsSentAgainByteForByteAfterAKill() throws {
    let recording = Recording.simulated(epochs: 120)
    let server = try ScriptedServer { number, _ in number < 3 ? .close : .ok }
    defer { server.stop() }
    let bench = try LoggerBench(url: server.url, extra: "main: { batch_size: 40 },")
    try bench.start()
    bench.feeder.play(recording.pieces, every: .milliseconds(1))
    #expect(eventually(within: .seconds(10)) { server.received.count >= 1 })
    #expect(bench.hasStored(recording.epochs.count))
    bench.program?.send(SIGKILL)
    _ = bench.program?.exitStatus(within: .seconds(5))
    let beforeKill = server.received.map { locations(in: $0.body) }
    try bench.start()
    #expect(eventually(within: .seconds(20)) { server.received.count > beforeKill.count })
    let afterKill = locations(in: server.received[beforeKill.count].body)
    #expect(Set(beforeKill).count == 1, "retries differ")
    #expect(afterKill == beforeKill.first)
    #expect(
      eventually(within: .seconds(60)) {
        // Repeated batches are identical, so that the distinct ones hold every epoch once.
        Set(server.received.map { locations(in: $0.body) ?? "" }).reduce(0) {
          $0 + featureCount(inLocations: $1)
        }
          == recording.epochs.count
      })
    #expect(bench.stopsInGoodOrder())
  }
}
