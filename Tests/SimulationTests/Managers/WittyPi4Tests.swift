import Chips
import Quantities
import Simulation
import Testing

/// The driver of the Witty Pi 4 with a simulated board.
@Suite struct WittyPi4Tests {
  typealias Bench = WittyPi4Bench

  @Test func theLimitsOfTheVoltageAreStoredOnceAndObeyed() throws {
    let bench = WittyPi4Bench()
    let limits = SupplyLimits(low: 5.5, recovery: 6.5)
    try bench.chip.setLimits(limits)
    let writes = bench.board.writes
    try bench.chip.setLimits(limits)
    #expect(bench.board.writes == writes, "nothing is written that has its value already")
    _ = try bench.chip.setDeadMan(.seconds(3600))
    bench.board.voltage = 5.4
    try bench.chip.setWake(in: .seconds(120))
    try bench.chip.armCut(after: .seconds(10))
    bench.pass(1800)
    #expect(!bench.board.isHostPowered, "the alarm is refused below the low voltage")
    bench.board.voltage = 12
    bench.pass(3600)
    #expect(bench.board.isHostPowered)
    for limits in [
      SupplyLimits(low: 1.9, recovery: nil), SupplyLimits(low: nil, recovery: 25.6),
      SupplyLimits(low: .nan, recovery: nil),
    ] {
      #expect(throws: ChipError.self) { try bench.chip.setLimits(limits) }
    }
  }

  @Test func aBoardIsIdentifiedWithoutAWrite() throws {
    let bench = Bench()
    #expect(try bench.chip.identify() == PowerManagerModel(name: "Witty Pi 4", firmware: 7))
    #expect(try Bench(VirtualWittyPi4(model: 0x37)).chip.identify().name == "Witty Pi 4 L3V7")
    #expect(try Bench(VirtualWittyPi4(firmware: 4)).chip.identify().objection != nil)
    #expect(throws: ChipError.self) { try Bench(VirtualWittyPi4(model: 0x22)).chip.identify() }
    #expect(throws: ChipError.self) { try Bench(VirtualWittyPi4(firmware: 0xFF)).chip.identify() }
    #expect(bench.written.isEmpty)
  }

  /// Month ends, a leap day and the turn of the year, in seconds since 2000.
  static let starts: [Int64] = [
    761_443_140, 762_479_999, 820_454_300, 825_551_990, 894_326_395, 883_612_790, 0, 86_399,
  ]

  @Test(arguments: starts, [60, 61, 3599, 86_400, 86_401])
  func theHostStartsWhenTheAlarmIsDue(start: Int64, wait: Int64) throws {
    let bench = Bench(VirtualWittyPi4(time: start))
    try bench.chip.setWake(in: .seconds(wait))
    try bench.chip.armCut(after: .seconds(30))
    #expect(try bench.chip.isCutArmed())
    bench.pass(29)
    #expect(bench.board.supply == .on)
    bench.pass(8)
    #expect(!bench.board.isHostPowered)
    bench.pass(wait - 37 - 1)
    #expect(!bench.board.isHostPowered)
    bench.pass(1)
    #expect(bench.board.isHostPowered)
    #expect(try bench.chip.startReason() == .alarm)
  }

  @Test func anArmedCutCanBeTakenBack() throws {
    let bench = Bench()
    try bench.chip.armCut(after: .seconds(30))
    try bench.chip.disarmCut()
    #expect(try !bench.chip.isCutArmed())
    bench.pass(60)
    #expect(bench.board.isHostPowered)
  }

  @Test func theSecondWayBackStartsTheHostWithoutAnAlarm() throws {
    let bench = Bench()
    bench.board.faults = [.neverRings]
    #expect(try bench.chip.setDeadMan(.seconds(3601)) == .seconds(7200))
    try bench.chip.setWake(in: .seconds(3600))
    try bench.chip.armCut(after: .seconds(30))
    bench.pass(7200)
    #expect(!bench.board.isHostPowered)
    bench.pass(40)
    #expect(bench.board.isHostPowered)
    #expect(try bench.chip.startReason() == .deadMan)
  }

  static let deadMen: [(time: Int64, effect: Int64?)] = [
    (0, 3600), (3600, 3600), (3601, 7200), (127 * 3600, 127 * 3600), (127 * 3600 + 1, 6 * 86_400),
    (127 * 86_400, 127 * 86_400), (127 * 86_400 + 1, nil),
  ]

  @Test(arguments: deadMen)
  func aSecondWayBackIsRoundedUpToHoursOrDays(time: Int64, effect: Int64?) throws {
    let bench = Bench()
    let got = try? bench.chip.setDeadMan(.seconds(time))
    #expect(got ?? nil == effect.map { .seconds($0) })
  }

  @Test func earlierFirmwareHasNoSecondWayBack() throws {
    let bench = Bench(VirtualWittyPi4(firmware: 6))
    #expect(throws: ChipError.self) { try bench.chip.setDeadMan(.seconds(3600)) }
    #expect(bench.written.isEmpty)
  }

  static let impossible: [Int64] = [-1, 0, 59, 27 * 86_400 + 1, .max / 2]

  @Test(arguments: impossible)
  func anAlarmThatTheBoardCannotKeepIsRefused(time: Int64) {
    let bench = Bench()
    #expect(throws: ChipError.self) { try bench.chip.setWake(in: .seconds(time)) }
    #expect(bench.written.isEmpty)
  }

  @Test func anAlarmThatReadsBackWrongIsReported() {
    let bench = Bench()
    for byte in 0...3 {
      bench.board.faults = [.changesAlarm(byte: byte, to: 0x44)]
      #expect(throws: ChipError.self) { try bench.chip.setWake(in: .seconds(3600)) }
    }
  }

  @Test func aClockThatStandsOrShowsNonsenseIsNoClock() {
    let bench = Bench(VirtualWittyPi4(time: -5))
    #expect(throws: ChipError.self) { try bench.chip.seconds() }
  }

  /// The board compares an alarm each second, also while it is written.
  @Test func afterAFailureAtAnyTransactionTheAlarmIsTheOldOneTheNewOneOrNone() throws {
    let registers = { (bench: Bench) in
      (UInt8(27)...30).map { bench.board.transfer(write: [$0], readCount: 1)[0] }
    }
    let bench = Bench()
    try bench.chip.setWake(in: .seconds(1800))
    let new = registers(bench)
    var seen: Set<String> = []
    for count in 0..<60 {
      let bench = Bench()
      try bench.chip.setWake(in: .seconds(945))
      let old = registers(bench)
      bench.failsAfter = count
      _ = try? bench.chip.setWake(in: .seconds(1800))
      bench.failsAfter = nil
      let left = registers(bench)
      seen.insert(
        left == old ? "old" : left == new ? "new" : left[3] == 0 ? "none" : "\(left) after \(count)")
    }
    #expect(seen == ["old", "new", "none"])
  }

  /// The whole sequence, from the start of the host to the cut. Cells last 100,000 writes.
  @Test func aYearOfHourlyWakesWearsNoCellAbove20000Writes() throws {
    let bench = Bench()
    let request = PowerDown.Request(
      time: .seconds(3600), cutAfter: .seconds(30), deadMan: .seconds(6 * 3600))
    for _ in 0..<(365 * 24) {
      #expect(bench.run(request) == .goDown(alarm: true))
      bench.pass(3600)
      #expect(bench.board.isHostPowered)
      #expect(try bench.chip.startReason() == .alarm)
      try bench.chip.disarmCut()
      try bench.chip.clearWake()
    }
    let worn = bench.board.writes.enumerated().filter { $0.element > 0 }
    print("EEPROM writes in a year of hourly wakes:", worn.map { "cell \($0.offset): \($0.element)" })
    let worst = try #require(bench.board.writes.max())
    #expect(worst < 20_000 && worst > 17_000, "\(worst)")
  }
}
