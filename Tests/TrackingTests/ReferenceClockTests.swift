import Quantities
import Testing
import GNSSProtocol
@testable import Tracking

/// The times that go to chrony, and their offsets.
@Suite struct ReferenceClockTests {
  /// A receiver, a device clock that follows it, and a system clock.
  struct Bench {
    var reference = ReferenceClock()
    var device = DeviceClock()
    /// System clock minus the receiver's UTC at the same instant, in ms.
    var systemError: Int64 = 0
    /// Delay from the second to the first byte of its epoch, and from there to its processing, in ms.
    var delay: Int64 = 80
    var processing: Int64 = 120

    static let start = Timestamp(milliseconds: 1_800_000_000_000)

    static func fix(_ time: Timestamp?) -> Fix {
      var fix = Fix()
      fix.timestamp = time
      fix.millisecondOfDay = time.map { Int32(truncatingIfNeeded: $0.millisecondOfDay) }
      (fix.kind, fix.latitude, fix.longitude) = (.threeDimensional, 52, 13)
      return fix
    }

    /// Sends an epoch `milliseconds` after the start; `changes` alters its fix, `late` delays its first byte.
    mutating func epoch(
      _ milliseconds: Int64, late: Int64 = 0, began: Bool = true, _ changes: (inout Fix) -> Void = { _ in }
    ) -> ReferenceClock.Sample? {
      var fix = Self.fix(Self.start + .milliseconds(milliseconds))
      changes(&fix)
      let first = Moment(nanoseconds: (5000 + milliseconds + delay + late) * 1_000_000)
      let processed = first + .milliseconds(processing)
      let truth = Self.start.milliseconds + milliseconds + delay + late + processing
      _ = device.read(
        timestamp: fix.position == nil ? nil : fix.timestamp,
        millisecondOfDay: fix.position == nil ? nil : fix.millisecondOfDay, arrival: processed,
        systemClock: Timestamp(milliseconds: truth + systemError))
      return reference.sample(
        of: fix,
        ReferenceClock.Arrival(
          began: began ? first : nil, processed: processed,
          // Read 3 ms after the epoch was processed.
          systemNanoseconds: (truth + systemError + 3) * 1_000_000,
          systemMoment: processed + .milliseconds(3)), clock: device)
    }
  }

  struct Offset: Sendable, CustomTestStringConvertible {
    var systemError: Int64
    var delay: Int64
    var processing: Int64
    var expected: Double
    var testDescription: String { "system \(systemError) ms, delay \(delay) ms, processing \(processing) ms" }
  }

  /// The offset is the error of the system clock with the opposite sign, less the delay of the line.
  static let offsets = [
    Offset(systemError: 0, delay: 0, processing: 0, expected: 0),
    Offset(systemError: 0, delay: 80, processing: 0, expected: -0.08),
    Offset(systemError: 0, delay: 80, processing: 700, expected: -0.08),
    Offset(systemError: 250, delay: 80, processing: 120, expected: -0.33),
    Offset(systemError: -250, delay: 80, processing: 120, expected: 0.17),
    Offset(systemError: 1, delay: 500, processing: 9000, expected: -0.501),
    // An unset clock of 1970, and one that is ten years fast.
    Offset(systemError: -1_799_999_000_000, delay: 100, processing: 0, expected: 1_799_998_999.9),
    Offset(systemError: 315_360_000_000, delay: 100, processing: 0, expected: -315_360_000.1),
  ]

  @Test(arguments: offsets) func theOffsetIsThatOfTheFirstByte(_ row: Offset) throws {
    var bench = Bench(systemError: row.systemError, delay: row.delay, processing: row.processing)
    let first = bench.epoch(0)
    #expect(first == nil)
    let measured = bench.epoch(1000)
    let sample = try #require(measured)
    #expect(abs(sample.offset - row.expected) < 1e-6)
    let arrival = Bench.start.milliseconds + 1000 + row.delay + row.systemError
    #expect(sample.systemNanoseconds == arrival * 1_000_000)
  }

  @Test func everyTimeAfterTheFirstIsUsed() {
    var bench = Bench()
    let samples = (0..<60).map { bench.epoch($0 * 1000, late: $0 % 5 * 20) }
    #expect(samples.first == .some(nil))
    #expect(samples.dropFirst().allSatisfy { $0 != nil })
  }

  @Test func aPauseOfTheReceiverCostsNoTime() {
    var bench = Bench()
    _ = bench.epoch(0)
    let after = bench.epoch(4 * 3_600_000)
    #expect(after != nil)
  }

  struct Rejected: Sendable, CustomTestStringConvertible {
    var title: String
    var began = true
    var late: Int64 = 0
    var changes: @Sendable (inout Fix) -> Void = { _ in }
    var testDescription: String { title }
  }

  static let rejected = [
    Rejected(title: "no fix", changes: { $0.kind = .none }),
    Rejected(title: "no position", changes: { $0.latitude = nil }),
    Rejected(title: "impossible position", changes: { $0.latitude = 91 }),
    Rejected(title: "no date", changes: { $0.timestamp = nil }),
    Rejected(title: "stored by the receiver", changes: { $0.isStored = true }),
    Rejected(title: "unknown time of arrival", began: false),
    Rejected(
      title: "week rollover", changes: { $0.timestamp = $0.timestamp.map { $0 + .days(-7168) } }),
    Rejected(title: "a year off", changes: { $0.timestamp = $0.timestamp.map { $0 + .days(365) } }),
    Rejected(title: "an hour off", changes: { $0.timestamp = $0.timestamp.map { $0 + .seconds(3600) } }),
    Rejected(
      title: "the time before again", changes: { $0.timestamp = $0.timestamp.map { $0 + .seconds(-1) } }),
    Rejected(title: "a leap second", changes: { $0.millisecondOfDay = 86_400_500 }),
    Rejected(title: "held up on the way", late: 700),
  ]

  @Test(arguments: rejected) func anUnprovenTimeIsNotUsed(_ row: Rejected) {
    var bench = Bench()
    for second in 0..<10 as Range<Int64> { _ = bench.epoch(second * 1000) }
    let doubtful = bench.epoch(10_000, late: row.late, began: row.began, row.changes)
    #expect(doubtful == nil)
    // Two epochs later at most the time counts again.
    _ = bench.epoch(11_000)
    let later = bench.epoch(12_000)
    #expect(later != nil)
  }

  /// Wrong times that agree with each other: few are no evidence against many.
  @Test(arguments: [2, 5, 30] as [Int64]) func someWrongTimesInARowAreNotUsed(count: Int64) {
    var bench = Bench()
    for second in 0..<120 as Range<Int64> { _ = bench.epoch(second * 1000) }
    for second in 120..<(120 + count) {
      let sample = bench.epoch(second * 1000) { $0.timestamp = $0.timestamp.map { $0 + .seconds(3600) } }
      #expect(sample == nil)
    }
    let right = bench.epoch((120 + count) * 1000)
    #expect(right != nil)
  }

  @Test func aStepThatHoldsForAMinuteIsUsed() {
    var bench = Bench()
    for second in 0..<120 as Range<Int64> { _ = bench.epoch(second * 1000) }
    let samples = (120..<200 as Range<Int64>).map { second in
      bench.epoch(second * 1000) { $0.timestamp = $0.timestamp.map { $0 + .seconds(3600) } }
    }
    #expect(samples.firstIndex { $0 != nil } == ReferenceClock.mostEvidence)
  }

  @Test func aReceiverThatRepeatsItsTimeIsNotUsed() {
    var bench = Bench()
    for tenth in 0..<20 as Range<Int64> { _ = bench.epoch(tenth * 100) }
    for tenth in 20..<60 as Range<Int64> {
      let sample = bench.epoch(tenth * 100) { $0.timestamp = Bench.start + .milliseconds(1900) }
      #expect(sample == nil)
    }
  }

  /// A rollover that the device clock repairs dates records, but the repair rests on an assumption.
  @Test func aRepairedDateIsNotUsed() {
    var bench = Bench()
    for second in 0..<20 as Range<Int64> {
      let sample = bench.epoch(second * 1000) { $0.timestamp = $0.timestamp.map { $0 + .days(-7168) } }
      #expect(sample == nil)
    }
    #expect(bench.device.quality == .receiver)
  }

  @Test func timeOfTheNetworkOrTheClockChipIsNotUsed() {
    var device = DeviceClock()
    _ = device.adopt(Bench.start, quality: .network, at: .zero)
    var reference = ReferenceClock()
    for second in 0..<5 as Range<Int64> {
      let moment = Moment(nanoseconds: second * 1_000_000_000)
      let arrival = ReferenceClock.Arrival(
        began: moment, processed: moment, systemNanoseconds: 0, systemMoment: moment)
      let fix = Bench.fix(Bench.start + .seconds(second))
      let sample = reference.sample(of: fix, arrival, clock: device)
      #expect(sample == nil)
    }
  }

  /// A recording played fast agrees with itself, but not with the boot clock.
  @Test func aRecordingPlayedFastIsNotUsed() {
    var bench = Bench()
    for second in 0..<60 as Range<Int64> {
      let sample = bench.epoch(second * 10) { $0.timestamp = Bench.start + .seconds(second) }
      #expect(sample == nil)
    }
  }
}

extension Duration {
  fileprivate static func days(_ days: Int64) -> Duration { .seconds(days * 86_400) }
}
