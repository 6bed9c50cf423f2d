import Foundation
import Quantities
import Records
import Store
import TestSupport
import Testing
@testable import Daemon

/// The check of the log after a start of the whole logger, on the simulated clock.
@Suite struct StartCheckTests {
  /// Damage after an orderly stop is found within a minute, in 100,000 records, although nobody reads them.
  @Test func aDamagedLogIsFoundWithinAMinuteOfTheStart() throws {
    let bench = try HTTPBench.simulated()
    for start in stride(from: 0, to: 100_000, by: 10_000) {
      LoggerTests.fill(bench, start..<(start + 10_000))
    }
    let database = bench.directory + "/log/outrider.db"
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: database))
    // In the last tenth.
    let start = try file.seekToEnd() / 10 * 9 / 1024 * 1024
    try file.seek(toOffset: start)
    let bytes = try #require(try file.read(upToCount: 1024))
    try file.seek(toOffset: start)
    try file.write(contentsOf: bytes.map { $0 ^ 0xFF })
    try file.close()
    let running = try LocalAPITests.logger(on: bench)
    defer { running.logger.stop() }
    try bench.run(for: .seconds(10))
    #expect(try #require(running.logger.log.report.unchecked) > 80_000, "the status says what is unchecked")
    try bench.run(for: .seconds(50))
    #expect(FileManager.default.fileExists(atPath: database + ".damaged-1"))
    #expect(running.logger.log.report.unchecked == nil)
  }

  @Test func anIntactLogIsCheckedWithinAMinuteAndThenNothingWakes() throws {
    var pace = LogCheckPace()
    var now = Moment.zero
    pace.begin(records: 100_000, now: now)
    var left: Int64 = 100_000
    var steps = 0
    while let next = pace.next {
      now = next
      let isDue = pace.beginStep(isPossible: true, now: now)
      #expect(isDue)
      steps += 1
      left -= 2048
      pace.take(CheckedPart(unchecked: max(0, left), isOver: left <= 0, took: .milliseconds(20)), now: now)
    }
    #expect(steps == 49 && now - .zero <= .seconds(60))
    let goesOn = pace.beginStep(isPossible: true, now: now + .seconds(1000))
    #expect(pace.unchecked == nil && !goesOn)
  }

  /// Whatever the speed of the machine, the steps take at most 5 % of a core.
  @Test(arguments: [1, 20, 52, 60, 400, 5000] as [Int64])
  func theStepsTakeAtMostATwentiethOfACore(milliseconds: Int64) {
    var pace = LogCheckPace()
    pace.begin(records: 1_000_000, now: .zero)
    var now = Moment.zero
    var work = Duration.zero
    for _ in 0..<100 {
      now = pace.next ?? now
      let isDue = pace.beginStep(isPossible: true, now: now)
      #expect(isDue)
      let took = Duration.milliseconds(milliseconds)
      work += took
      pace.take(CheckedPart(unchecked: 10, isOver: false, took: took), now: now + took)
    }
    #expect(work * 20 <= (pace.next ?? now) - .zero)
  }

  @Test func aLogThatCannotBeReadIsTriedAgainLater() {
    var pace = LogCheckPace()
    pace.begin(records: 10, now: .zero)
    let due = pace.next ?? .zero
    let isStep = pace.beginStep(isPossible: false, now: due)
    #expect(!isStep && pace.next == due + LogCheckPace.pauseAfterFailure)
  }
}
