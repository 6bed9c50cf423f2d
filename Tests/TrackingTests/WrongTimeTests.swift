import DaySupport
import GNSSProtocol
import Quantities
import Records
import Testing

@testable import Tracking

/// A live session whose clock is known, and a receiver that gives a wrong hour.
@Suite struct WrongTimeTests {
  static let start = Timestamp(milliseconds: 1_796_000_000_000)
  static let unset = Timestamp(milliseconds: 0)

  /// How the receiver is wrong.
  enum Fault: CaseIterable, Sendable {
    /// Date and time of day are those of another hour.
    case date
    /// There is only a time of day, of another hour.
    case ofDay
    /// The time of day is of another hour, and the date is from before the release.
    case oldDate
    /// There is no valid time of day, and the date is of another hour.
    case dateAlone
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var fault: Fault
    var seconds: Int64
    var count: Int64
    var testDescription: String { "\(count) epochs with \(fault) off by \(seconds) s" }
  }

  static let cases = Fault.allCases.flatMap { fault in
    [-43_000, -21_600, -10_800, -3600, -300, 61, 3600, 10_800, 21_600, 43_000].flatMap { seconds in
      [1, 2, 3, 9].map { Case(fault: fault, seconds: seconds, count: $0) }
    }
  }

  /// A clock with a receiver that sends an epoch every second.
  private struct Bench {
    var clock = DeviceClock(DateBounds(release: WrongTimeTests.start + .seconds(-8 * 86_400)))
    var second: Int64 = 0
    /// Time on the boot clock between two epochs, in ms.
    var pace: Int64 = 1000
    var truth: Timestamp { WrongTimeTests.start + .seconds(second) }

    mutating func epoch(
      _ time: Timestamp?, ofDay: Int64?, late: Duration = .zero, system: SystemTime = unsetSystem
    ) -> DeviceClock.Reading {
      defer { second += 1 }
      return clock.read(
        timestamp: time, millisecondOfDay: ofDay.map { Int32(truncatingIfNeeded: $0) },
        arrival: Moment.zero + .milliseconds(1_000_000 + second * pace) + late, systemClock: system.utc,
        isSynchronised: system.isSynchronised)
    }

    mutating func right() -> DeviceClock.Reading { epoch(truth, ofDay: truth.millisecondOfDay) }

    mutating func wrong(_ fault: Fault, by seconds: Int64) -> DeviceClock.Reading {
      let time = truth + .seconds(seconds)
      return switch fault {
      case .date: epoch(time, ofDay: time.millisecondOfDay)
      case .ofDay: epoch(nil, ofDay: time.millisecondOfDay)
      case .oldDate: epoch(time + .seconds(-500 * 86_400), ofDay: time.millisecondOfDay)
      case .dateAlone: epoch(time, ofDay: nil)
      }
    }

    static let unsetSystem = SystemTime(utc: WrongTimeTests.unset, isSynchronised: false)
  }

  @Test(arguments: cases) func wrongHoursMoveNoClockAndDateNothing(_ test: Case) {
    var bench = Bench()
    for _ in 0..<20 { _ = bench.right() }
    let known = bench.clock.offsetMilliseconds
    for _ in 0..<test.count {
      let truth = bench.truth
      let reading = bench.wrong(test.fault, by: test.seconds)
      #expect(bench.clock.offsetMilliseconds == known)
      if case .doubtful = reading.trust { continue }
      #expect(reading.timestamp == truth)
    }
    let truth = bench.truth
    let reading = bench.right()
    #expect(reading.trust == .refutesDoubt && reading.timestamp == truth && reading.isDated)
    #expect(bench.clock.offsetMilliseconds == known)
  }

  /// The clock has been known for seconds only, or the epochs come faster than the boot clock runs.
  @Test(arguments: [1, 3, 8], [1000, 125]) func aWrongHourSoonAfterTheStartDatesNothing(
    known: Int64, pace: Int64
  ) {
    for fault in Fault.allCases {
      for seconds in [-21_600, 3600, 10_800] as [Int64] {
        for count in 1...2 {
          var bench = Bench(pace: pace)
          for _ in 0..<known { _ = bench.right() }
          for _ in 0..<count {
            let reading = bench.wrong(fault, by: seconds)
            #expect(reading.trust == .doubtful(isCredible: false), "\(fault) by \(seconds) s")
          }
          let truth = bench.truth
          let reading = bench.right()
          #expect(reading.trust == .refutesDoubt && reading.timestamp == truth)
        }
      }
    }
  }

  /// A receiver that was wrong at first is right with its third time.
  @Test func aWrongFirstHourIsCorrectedByThreeTimes() {
    var bench = Bench()
    for _ in 0..<3 { _ = bench.wrong(.date, by: 10_800) }
    #expect(bench.right().trust == .doubtful(isCredible: false))
    #expect(bench.right().trust == .doubtful(isCredible: false))
    let truth = bench.truth
    let reading = bench.right()
    #expect(reading.trust == .confirmsDoubt && reading.timestamp == truth)
  }

  /// A clock chip is less credible than the receiver's first date.
  @Test func theFirstDateCorrectsAClockChip() {
    var bench = Bench()
    #expect(
      bench.clock.adopt(bench.truth + .seconds(7200), quality: .clockChip, at: Moment.zero + .seconds(1000))
        != nil)
    let reading = bench.right()
    #expect(reading.isDated && bench.clock.quality == .receiver)
  }

  /// The boot clock was wrong, such as after the pause of a virtual machine.
  @Test(arguments: [-43_000, -10_800, -61, 61, 3600, 43_000] as [Int64], [Fault.date, .ofDay])
  func aTimeThatHoldsForTenSecondsIsBelieved(seconds: Int64, fault: Fault) throws {
    var bench = Bench()
    for _ in 0..<4000 { _ = bench.right() }
    var steps: [Int64] = []
    for second in 0..<12 as Range<Int64> {
      let time = bench.truth + .seconds(seconds)
      let reading = bench.wrong(fault, by: seconds)
      if case .doubtful = reading.trust { continue }
      #expect(reading.timestamp == time && reading.trust == (second == 10 ? .confirmsDoubt : .known))
      for case .stepped(let step) in reading.notices { steps.append(step) }
    }
    #expect(steps == [seconds * 1000])
  }

  /// Two times that contradict each other are no evidence for either.
  @Test func anErraticReceiverNeverMovesTheClock() {
    var bench = Bench()
    for _ in 0..<20 { _ = bench.right() }
    let known = bench.clock.offsetMilliseconds
    for index in 0..<300 as Range<Int64> { _ = bench.wrong(.date, by: index % 2 == 0 ? 3600 : -7200) }
    #expect(bench.clock.offsetMilliseconds == known)
  }

  /// The program or the connection had stopped for some minutes; what was buffered arrives at once.
  @Test(arguments: [120, 200, 900] as [Int64], [1000, 850, 600] as [Int64])
  func epochsThatArriveLateHaveTheirOwnTime(stopped: Int64, late: Int64) {
    var bench = Bench()
    for _ in 0..<20 { _ = bench.right() }
    let known = bench.clock.offsetMilliseconds
    for left in (0..<stopped).reversed() {
      let time = bench.truth
      let reading = bench.epoch(time, ofDay: time.millisecondOfDay, late: .milliseconds(left * late))
      #expect(reading.timestamp == time && reading.notices.isEmpty)
      // The first one is held, the second one confirms it.
      let isFirst = left == stopped - 1
      #expect(
        reading.trust
          == (isFirst ? .doubtful(isCredible: false) : left == stopped - 2 ? .confirmsDoubt : .known))
    }
    for _ in 0..<20 { #expect(bench.right().notices.isEmpty) }
    #expect(bench.clock.offsetMilliseconds == known)
  }

  /// An epoch without a position has no time, and proves nothing about the others.
  @Test func gapsOfReceptionDoNotPreventTheEvidence() {
    var bench = Bench()
    for _ in 0..<100 { _ = bench.right() }
    var steps = 0
    for second in 0..<40 {
      let reading = second % 7 == 6 ? bench.epoch(nil, ofDay: nil) : bench.wrong(.date, by: 300)
      for case .stepped in reading.notices { steps += 1 }
    }
    #expect(steps == 1)
  }

  /// A frozen time does not run like the boot clock.
  @Test func aFrozenWrongHourIsNeverBelieved() {
    var bench = Bench()
    for _ in 0..<20 { _ = bench.right() }
    let known = bench.clock.offsetMilliseconds
    let frozen = bench.truth + .seconds(10_800)
    for _ in 0..<600 { _ = bench.epoch(frozen, ofDay: frozen.millisecondOfDay) }
    #expect(bench.clock.offsetMilliseconds == known)
  }

  @Test func threeHoursThatContradictEachOtherProveNothing() {
    var bench = Bench()
    for _ in 0..<3 { _ = bench.right() }
    let known = bench.clock.offsetMilliseconds
    for seconds in [10_800, -7200, 21_600] as [Int64] { _ = bench.wrong(.date, by: seconds) }
    #expect(bench.clock.offsetMilliseconds == known)
  }

  /// The receiver continues with the time at which it stopped hours ago.
  @Test func aTimeThatStoodStillDuringAPauseIsDoubted() {
    var bench = Bench()
    for _ in 0..<20 { _ = bench.right() }
    let stopped = bench.truth
    bench.second += 10_800
    for second in 0..<5 as Range<Int64> {
      let time = stopped + .seconds(20 + second)
      #expect(bench.epoch(time, ofDay: time.millisecondOfDay).trust == .doubtful(isCredible: false))
    }
  }

  /// A clock chip set the clock; the receiver has shown only its time of day since.
  @Test func aWrongHourOfAReceiverWithoutADateMovesNoClockChip() {
    var bench = Bench()
    _ = bench.clock.adopt(bench.truth + .seconds(7200), quality: .clockChip, at: Moment.zero + .seconds(1000))
    for _ in 0..<100 { _ = bench.epoch(nil, ofDay: bench.truth.millisecondOfDay) }
    let known = bench.clock.offsetMilliseconds
    #expect(bench.clock.timestamp(at: Moment.zero + .seconds(1099)) == bench.truth + .seconds(-1))
    #expect(bench.wrong(.ofDay, by: 10_800).trust == .doubtful(isCredible: false))
    #expect(bench.clock.offsetMilliseconds == known)
  }

  /// The first date contradicts the time of day of all epochs before.
  @Test(arguments: [1, 3, 9]) func aWrongFirstDateAfterRightTimesOfDayDatesNothing(count: Int) {
    var bench = Bench()
    for _ in 0..<30 { _ = bench.epoch(nil, ofDay: bench.truth.millisecondOfDay) }
    for _ in 0..<count { #expect(bench.wrong(.date, by: 10_800).timestamp == nil) }
    let truth = bench.truth
    let reading = bench.right()
    #expect(reading.isDated && reading.timestamp == truth)
    #expect(bench.clock.offsetMilliseconds == Self.start.milliseconds - 1_000_000)
  }

  /// The network set the clock; the first fix of the receiver is hours off.
  @Test func aSynchronisedClockDoubtsTheFirstWrongHour() {
    var bench = Bench()
    #expect(bench.clock.adopt(bench.truth, quality: .network, at: Moment.zero + .seconds(1000)) != nil)
    let known = bench.clock.offsetMilliseconds
    for _ in 0..<3 {
      let time = bench.truth + .seconds(3 * 3600)
      let reading = bench.epoch(
        time, ofDay: time.millisecondOfDay, system: SystemTime(utc: bench.truth, isSynchronised: true))
      #expect(reading.trust == .doubtful(isCredible: false))
    }
    #expect(bench.clock.offsetMilliseconds == known)
    let reading = bench.right()
    #expect(reading.isDated && bench.clock.offsetMilliseconds == known)
  }

  /// Before the date is known, moments are counted by the time of day.
  @Test(arguments: [-40_000, -3 * 3600, 61, 3600, 3 * 3600, 40_000] as [Int64], [1, 5])
  func aWrongTimeOfDayBeforeTheDateMovesNoEarlierRecord(seconds: Int64, count: Int) {
    let drill = Drill(dates: DateBounds(release: Self.start + .seconds(-86_400)))
    let boot = drill.now
    func fixes(_ range: Range<Int64>, off: Int64 = 0) -> [Fix] {
      range.map { Fix(Self.start + .seconds($0 + off)) }
    }
    let jump = 30 + Int64(count)
    drill.handle(fixes(0..<30).map(\.undated))
    drill.handle(fixes(30..<jump, off: seconds).map(\.undated))
    drill.handle(fixes(jump..<60).map(\.undated))
    drill.handle(fixes(60..<70))
    let moments = drill.locations.map { ($0.moment - boot).wholeSeconds }
    for (time, moment) in zip(drill.times, moments) where !(30..<jump).contains(moment) {
      #expect(time == Self.start.milliseconds + moment * 1000)
    }
    #expect(drill.locations.count >= 70 - count)
    #expect(drill.offset == Self.start.milliseconds - boot.nanoseconds / 1_000_000)
  }

  // MARK: The report

  /// The times of the events about refused dates.
  private func refusals(_ drill: Drill) -> [Int64] {
    drill.events.filter { $0.kind == .dateRefused }.compactMap(\.value)
  }

  @Test func aRefusedDateIsReportedOnceADay() {
    let drill = Drill(minTime: .seconds(60), dates: DateBounds(release: Self.start + .seconds(-86_400)))
    let old = Self.start + .seconds(-900 * 86_400)
    drill.handle((0..<300).map { Fix(old + .seconds($0)) })
    #expect(refusals(drill) == [old.milliseconds])
    drill.handle((300..<400).map { Fix(Self.start + .seconds($0)) })
    drill.now = drill.now + .seconds(86_400)
    drill.handle((400..<500).map { Fix(old + .seconds($0)) })
    #expect(refusals(drill) == [old.milliseconds, old.milliseconds + 400_000])
  }

  @Test func aWrongHourIsReportedWhenItIsRefuted() {
    let drill = Drill(dates: DateBounds(release: Self.start + .seconds(-86_400)))
    drill.handle((0..<30).map { Fix(Self.start + .seconds($0)) })
    let wrong = Self.start + .seconds(3 * 3600)
    drill.handle([Fix(wrong)])
    #expect(refusals(drill).isEmpty)
    drill.handle((31..<40).map { Fix(Self.start + .seconds($0)) })
    #expect(refusals(drill) == [wrong.milliseconds])
    #expect(drill.tracker.fixes.rejections.totals[.impossibleTime]?.count == 1)
    #expect(drill.times == (0..<40).filter { $0 != 30 }.map { Self.start.milliseconds + $0 * 1000 })
  }

  /// A system clock that a file restored is days behind at every start: 10 s of doubt are no fault of the receiver.
  @Test func aDateThatIsBelievedAfterAShortDoubtIsNotReported() {
    let drill = Drill(dates: DateBounds(release: Self.start + .seconds(-20 * 86_400)))
    drill.systemClock = Self.start + .seconds(-5 * 86_400)
    drill.handle((0..<30).map { Fix(Self.start + .seconds($0)) })
    #expect(refusals(drill).isEmpty && drill.tracker.fixes.clock.quality == .receiver)
  }

  /// The log ends in the future: the researcher learns why nothing is dated.
  @Test func aDateThatTheLogContradictsIsReported() {
    let drill = Drill(dates: DateBounds(release: Self.start + .seconds(-20 * 86_400)))
    drill.handle(.started(lastLocation: nil, lastDated: Self.start + .seconds(300 * 86_400)))
    drill.handle((0..<30).map { Fix(Self.start + .seconds($0)) })
    #expect(refusals(drill).count == 1 && drill.tracker.fixes.clock.quality == .none)
  }
}
