import Chips
import Quantities
import Simulation
import Testing

/// Alarms of 60 s to 27 days against a calendar that counts days one by one.
@Suite struct AlarmCalendarTests {
  /// Counts from 2000-01-01 to a day: month, day, and the start of the day in seconds.
  static let days: [(year: Int, month: Int, day: Int)] = {
    var days: [(year: Int, month: Int, day: Int)] = []
    for year in 2000...2068 {
      let isLeap = year % 4 == 0
      for (month, length) in zip(1..., [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]) {
        for day in 1...length { days.append((year, month, day)) }
      }
    }
    return days
  }()

  /// Second, minute, hour and day in BCD.
  static func alarm(_ time: Int64) -> [UInt8] {
    let (day, second) = (days[Int(time / 86_400)].day, Int(time % 86_400))
    return [second % 60, second % 3600 / 60, second / 3600, day].compactMap { UInt8(String($0), radix: 16) }
  }

  static func start(_ year: Int, _ month: Int, _ day: Int, _ hour: Int, _ minute: Int, _ second: Int)
    -> Int64?
  {
    days.firstIndex { $0 == (year, month, day) }.map {
      Int64($0) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
    }
  }

  /// The ends of months, leap days, the turn of years, and the days of the change to summer time and back.
  static let starts: [Int64] = [
    start(2000, 1, 1, 0, 0, 0), start(2000, 2, 28, 23, 59, 30), start(2000, 12, 31, 23, 59, 59),
    start(2024, 2, 28, 23, 59, 1), start(2024, 2, 29, 0, 0, 0), start(2025, 2, 28, 23, 58, 59),
    start(2026, 1, 31, 12, 34, 56), start(2026, 3, 29, 1, 59, 30), start(2026, 4, 30, 23, 59, 59),
    start(2026, 10, 25, 2, 59, 59), start(2026, 12, 31, 23, 0, 0), start(2028, 2, 2, 5, 6, 7),
    start(2050, 6, 15, 9, 59, 59), start(2068, 2, 28, 13, 0, 0),
  ].compactMap { $0 }

  static let waits: [Int64] = [
    60, 61, 3599, 3600, 3601, 86_399, 86_400, 86_401, 7 * 86_400, 26 * 86_400 + 1, 27 * 86_400 - 1,
    27 * 86_400,
  ]

  /// The registers, and the host down until the second of the alarm and up after it.
  private func check<Board, Chip>(
    _ bench: BoardBench<Board, Chip>, at start: Int64, for wait: Int64, registers: () -> [UInt8]
  ) throws {
    let due = try bench.chip.setWake(in: .seconds(wait))
    #expect(due == start + wait)
    bench.pass(until: bench.now + bench.chip.settleTime)
    try bench.chip.verifyWake(at: due)
    #expect(registers() == Self.alarm(start + wait), "\(start) + \(wait)")
    try bench.chip.armCut(after: .seconds(5))
    bench.pass(until: .zero + .seconds(wait) - .milliseconds(100))
    #expect(!bench.board.isHostPowered, "\(start) + \(wait): too early")
    bench.pass(3)
    #expect(bench.board.isHostPowered, "\(start) + \(wait): too late")
    #expect(try bench.chip.startReason() == .alarm)
  }

  @Test(arguments: starts, waits) func theWittyPi4StartsTheHostOnTheDay(start: Int64, wait: Int64) throws {
    let bench = WittyPi4Bench(VirtualWittyPi4(time: start))
    try check(bench, at: start, for: wait) {
      (UInt8(27)...30).map { bench.board.transfer(write: [$0], readCount: 1)[0] }
    }
  }

  @Test(arguments: starts, waits) func thePiJuiceStartsTheHostOnTheDay(start: Int64, wait: Int64) throws {
    let bench = PiJuiceBench(VirtualPiJuice(time: start))
    try check(bench, at: start, for: wait) { Array(bench.board.transfer(write: [0xB9], readCount: 4)) }
  }

  @Test func theCasesAreThere() { #expect(Self.starts.count == 14 && Self.days.count == 25_203) }
}
