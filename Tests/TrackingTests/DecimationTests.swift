import Quantities
import Testing
import GNSSProtocol

@Suite struct DecimationTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var promise: String
    var minTime = Duration.seconds(1)
    /// Milliseconds of the fixes, and those of the records.
    var fixes: [Int64]
    var kept: [Int64]
    var testDescription: String { promise }
  }

  static let tenHertz = (0..<30).map { Int64($0) * 100 }

  static let cases = [
    Case(promise: "1 Hz keeps all", fixes: [0, 1000, 2000], kept: [0, 1000, 2000]),
    Case(promise: "10 Hz keeps one a second", fixes: tenHertz, kept: [0, 1000, 2000]),
    Case(promise: "min_time 0 keeps 10 Hz", minTime: .zero, fixes: tenHertz, kept: tenHertz),
    Case(promise: "a second of 990 ms loses nothing", fixes: [770, 1760, 2750], kept: [770, 1760, 2750]),
    Case(promise: "one in a UTC second", fixes: [0, 999, 1000, 1999], kept: [0, 1000]),
    Case(
      promise: "the second decides, not the pause", fixes: [900, 1000, 1100, 2000], kept: [900, 1000, 2000]),
    Case(
      promise: "half a second", minTime: .milliseconds(500), fixes: tenHertz.prefix(11).map { $0 },
      kept: [0, 500, 1000]),
    Case(
      promise: "five seconds", minTime: .seconds(5), fixes: (0..<12).map { $0 * 1000 },
      kept: [0, 5000, 10_000]),
    Case(
      promise: "dropped fixes do not move the reference", minTime: .seconds(2),
      fixes: [0, 1500, 2100, 3500, 4100], kept: [0, 2100, 4100]),
    Case(
      promise: "the same time twice is one record", minTime: .zero, fixes: [0, 0, 100, 100], kept: [0, 100]),
    Case(promise: "a late fix is dropped", fixes: [5000, 4000, 3000, 6000], kept: [5000, 6000]),
    Case(
      promise: "a clock set back begins a new series", fixes: [50_000, 10_000, 11_000],
      kept: [50_000, 10_000, 11_000]),
    Case(
      promise: "one wrong time in the future costs nothing", fixes: [0, 900_000, 2000, 3000],
      kept: [0, 900_000, 2000, 3000]),
    Case(promise: "a gap has no effect", fixes: [0, 86_400_000 * 3], kept: [0, 86_400_000 * 3]),
  ]

  @Test(arguments: cases)
  func theFixesOwnTimesDecideHoweverFastTheyArrive(_ test: Case) {
    for pause in [Duration.seconds(1), .milliseconds(1), .zero, .seconds(3600)] {
      let drill = Drill(minTime: test.minTime)
      drill.handle(Fix.series(test.fixes), pause: pause)
      drill.handle(.stopping)
      #expect(drill.times.map { $0 - Fix.start.milliseconds } == test.kept, "pause \(pause)")
    }
  }

  /// The cases without a step back, and without a UTC second: an undated fix has none.
  static let undatedCases = cases.filter { test in
    test.fixes == test.fixes.sorted() && test.fixes.allSatisfy { $0 < 1_000_000 }
      && !test.promise.contains("990 ms") && !test.promise.contains("the second decides")
  }

  /// Without dates the records are the same, and with the date they have the same times.
  @Test(arguments: undatedCases)
  func undatedFixesGiveTheSameRecords(_ test: Case) {
    let drill = Drill(minTime: test.minTime)
    drill.handle(Fix.series(test.fixes).map(\.undated), pause: .milliseconds(3))
    drill.handle(Fix.series([test.fixes.max() ?? 0].map { $0 + 5000 }))
    #expect(drill.times.dropLast().map { $0 - Fix.start.milliseconds } == test.kept)
  }

  @Test func nearFixesAreOmittedAndMeasuredFromTheLastRecord() {
    let drill = Drill(minDistance: 10)
    drill.handle(
      [0.0, 4, 8, 12, 16, 20, 24].enumerated().map { second, north in
        var fix = Fix(Fix.start + .seconds(second), north: north)
        fix.horizontalAccuracy = 5
        return fix
      })
    #expect(drill.times.map { ($0 - Fix.start.milliseconds) / 1000 } == [0, 3, 6])
    #expect(drill.tracker.fixes.rejections.totals[.minDistance]?.count == 4)
    #expect(drill.rejections.isEmpty)
  }

  /// A missing accuracy is that of a poor fix, so that its noise is no distance.
  @Test func withoutAccuracyADistanceMustExceedTheErrorOfPoorFixes() {
    let drill = Drill(minDistance: 10)
    drill.handle([0.0, 12, 24, 36, 48, 60].enumerated().map { Fix(Fix.start + .seconds($0), north: $1) })
    #expect(drill.times.map { ($0 - Fix.start.milliseconds) / 1000 } == [0, 4])
  }

  /// For any stream: at most one record in a UTC second, and time runs forward until the clock is set back.
  @Test(arguments: 0..<200 as Range<UInt64>)
  func anyStreamMakesAtMostOneRecordPerSecond(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let drill = Drill()
    var time = Fix.start
    let steps: [Int64] = [
      0, 10, 90, 100, 100, 100, 200, 990, 1000, 1000, 1010, 1500, 5000, 60_000, -100, -900, -1900,
    ]
    let undatedUntil = Int.random(in: 0...60, using: &random)
    for index in 0..<400 {
      let isRare = Int.random(in: 0..<50, using: &random) == 0
      let step =
        isRare
        ? Int64.random(in: -90_000_000...90_000_000, using: &random)
        : steps.randomElement(using: &random) ?? 0
      // Undated fixes run forward: without a date a step back looks like a late arrival.
      time = time + .milliseconds(index < undatedUntil ? min(abs(step), 5000) : step)
      let fix = Fix(time, north: Double(index))
      drill.handle(
        [index < undatedUntil ? fix.undated : fix],
        pause: .milliseconds(Int.random(in: 0...1500, using: &random)))
    }
    let times = drill.times
    #expect(times.count == drill.locations.count && times.count > 50)
    for (earlier, later) in zip(times, times.dropFirst()) where later >= earlier - 2000 {
      #expect(later > earlier)
      #expect(later / 1000 > earlier / 1000)
    }
  }
}
