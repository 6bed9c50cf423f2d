import Chips
import Quantities
import Simulation
import Testing

/// The driver of the PiSugar 3, byte by byte and with a simulated board.
@Suite struct PiSugar3Tests {
  static let hour = PowerDown.Request(
    time: .seconds(3600), cutAfter: .seconds(30), deadMan: nil, provenAlarms: 10)

  // MARK: Bytes

  /// The order of the maker's answer in issue 179 of PiSugar/PiSugar: protection, delay, output, protection.
  @Test func theCutIsArmedAsTheMakerDoesAndReservedBitsAreKept() throws {
    let bench = PiSugar3Bench()
    try bench.chip.armCut(after: .seconds(30))
    #expect(bench.written == [0x0B, 0x09, 0x0B, 0x0B, 0x02, 0x0B, 0x0B, 0x02, 0x0B])
    #expect(bench.board.transfer(write: [0x09], readCount: 1) == [30])
    #expect(bench.board.transfer(write: [0x02], readCount: 1) == [0x53], "output off, start with a supply")
    #expect(bench.board.transfer(write: [0x0B], readCount: 1) == [0], "protected again")
  }

  @Test func theAlarmHasATimeOfTheDayForAllWeekdays() throws {
    // 2026-02-28 23:59:07, and an hour.
    let bench = PiSugar3Bench(VirtualPiSugar3(time: 825_638_347))
    let due = try bench.chip.setWake(in: .seconds(3600))
    try bench.chip.verifyWake(at: due)
    #expect(due == 825_641_947)
    let registers = ([0x44, 0x45, 0x46, 0x47, 0x40] as [UInt8]).map {
      bench.board.transfer(write: [$0], readCount: 1)[0]
    }
    #expect(registers == [0x7F, 0x00, 0x59, 0x07, 0x85])
    // The alarm is off before its time changes, and on after it.
    let changes = bench.written.filter { $0 != 0x0B }
    #expect(changes == [0x44, 0x46, 0x47, 0x40], "what has its value already is not written")
    _ = try bench.chip.setWake(in: .seconds(7200))
    #expect(bench.written.filter { $0 != 0x0B }.dropFirst(4) == [0x40, 0x45, 0x40])
  }

  static let identities: [(type: UInt8, mode: UInt8, version: String, firmware: Int?, isReliable: Bool)] = [
    (3, 0x0F, "1.3.4", 134, true), (3, 0x0F, "1.2.4", 124, true), (3, 0x0F, "1.2.3", 123, false),
    (3, 0x0F, "1.05", 105, false), (3, 0xF0, "1.3.4", nil, false), (2, 0x0F, "1.3.4", nil, false),
    (3, 0x0F, "", nil, false), (3, 0x0F, "\u{7F}", nil, false),
  ]

  @Test(arguments: identities.indices) func aBoardIsIdentifiedByTypeModeAndVersion(_ index: Int) {
    let row = Self.identities[index]
    let bench = PiSugar3Bench()
    bench.other = [UInt8](repeating: 0, count: 256)
    bench.other?[0] = row.type
    bench.other?[1] = row.mode
    for (offset, byte) in row.version.utf8.enumerated() { bench.other?[0xE2 + offset] = byte }
    let model = try? bench.chip.identify()
    #expect(model?.firmware == row.firmware)
    if let model { #expect((model.objection == nil) == row.isReliable) }
    #expect(bench.writesToOther == 0)
  }

  /// The EEPROM of a clock module has the same address.
  @Test func nothingIsWrittenToAChipThatIsNoPiSugar() throws {
    for fill in [0x00, 0xFF, 0x5A, 0x31, 0x03, 0x0F] as [UInt8] {
      let bench = PiSugar3Bench()
      bench.other = [UInt8](repeating: fill, count: 256)
      _ = try? bench.chip.setWake(in: .seconds(3600))
      _ = try? bench.chip.clearWake()
      _ = try? bench.chip.armCut(after: .seconds(30))
      _ = try? bench.chip.disarmCut()
      _ = try? bench.chip.setDeadMan(nil)
      #expect(throws: ChipError.self) { try bench.chip.identify() }
      #expect(bench.writesToOther == 0 && bench.written.isEmpty)
    }
  }

  // MARK: Board

  @Test func anHourWithoutSupplyEndsWithTheAlarm() throws {
    let bench = PiSugar3Bench()
    #expect(bench.run(Self.hour) == .goDown(alarm: true))
    bench.pass(29)
    #expect(bench.board.isHostPowered)
    bench.pass(3)
    #expect(!bench.board.isHostPowered)
    bench.pass(3566)
    #expect(!bench.board.isHostPowered)
    bench.pass(5)
    #expect(bench.board.isHostPowered && bench.board.starts == 1)
    #expect(try bench.chip.startReason() == .alarm)
    #expect(
      Set(bench.board.writes.keys).isSubset(of: [0x02, 0x09, 0x40, 0x44, 0x45, 0x46, 0x47]),
      "none of those never to be written")
  }

  static let waits: [Int64] = [60, 61, 3599, 3600, 43_200, 86_339, 86_340]

  @Test(arguments: AlarmCalendarTests.starts, waits)
  func theHostStartsAtTheTimeOfTheAlarm(start: Int64, wait: Int64) throws {
    let bench = PiSugar3Bench(VirtualPiSugar3(time: start))
    let due = try bench.chip.setWake(in: .seconds(wait))
    #expect(due == start + wait)
    try bench.chip.armCut(after: .seconds(5))
    bench.pass(until: .zero + .seconds(wait) - .milliseconds(100))
    #expect(!bench.board.isHostPowered, "\(start) + \(wait): too early")
    bench.pass(2)
    #expect(bench.board.isHostPowered, "\(start) + \(wait): too late")
  }

  @Test func anAlarmThatIsMissedAtALowBatteryRingsADayLater() throws {
    let bench = PiSugar3Bench()
    _ = bench.run(Self.hour)
    bench.pass(600)
    bench.board.isBatteryLow = true
    bench.pass(7200)
    #expect(!bench.board.isHostPowered)
    bench.board.isBatteryLow = false
    bench.pass(86_400 - 4000)
    #expect(bench.board.isHostPowered && bench.board.starts == 1)
    #expect(try bench.chip.startReason() == .alarm)
  }

  @Test func aSupplyThatIsConnectedStartsTheHostWithoutAnyAlarm() throws {
    let bench = PiSugar3Bench()
    bench.board.faults = [.neverRings]
    _ = bench.run(Self.hour)
    bench.pass(30 * 86_400 + 5000)
    #expect(!bench.board.isHostPowered)
    bench.board.connectSupply()
    #expect(bench.board.isHostPowered)
    #expect(try bench.chip.startReason() != .alarm)
  }

  static let refused: [PowerBoardFault] =
    [.losesAlarm, .losesDelay, .changesCut(byte: 0, to: 1), .stopsClock]
    + (0..<4).map { .changesAlarm(byte: $0, to: 0x44) }

  /// A delay that the firmware does not take would cut the supply at once.
  @Test(arguments: refused) func whatDoesNotReadBackKeepsTheHostUp(fault: PowerBoardFault) {
    let bench = PiSugar3Bench()
    bench.board.faults = [fault]
    guard case .stayUp = bench.run(Self.hour) else {
      Issue.record("no refusal")
      return
    }
    bench.pass(3 * 86_400)
    #expect(bench.board.isHostPowered && bench.board.starts == 0)
  }

  @Test func aBoardWithoutDeadManTimerSaysSo() {
    let bench = PiSugar3Bench()
    #expect(throws: ChipError.self) { try bench.chip.setDeadMan(.seconds(3600)) }
    #expect(throws: ChipError.self) { try bench.chip.deadMan() }
    #expect(throws: Never.self) { try bench.chip.setDeadMan(nil) }
    #expect(throws: ChipError.self) { try bench.chip.setLimits(SupplyLimits(low: 3.3, recovery: nil)) }
    #expect(throws: Never.self) { try bench.chip.receiveHost(deadMan: nil) }
  }

  @Test func anArmedCutCanBeTakenBack() throws {
    let bench = PiSugar3Bench()
    for time in [5, 30, 255] as [Int64] {
      try bench.chip.armCut(after: .seconds(time))
      #expect(try bench.chip.isCutArmed())
      try bench.chip.disarmCut()
      #expect(try !bench.chip.isCutArmed())
      bench.pass(600)
      #expect(bench.board.isHostPowered)
    }
  }

  static let impossible: [(call: @Sendable (PiSugar3) throws -> Void, name: String)] = [
    ({ try $0.setWake(in: .seconds(59)) }, "59 s"), ({ try $0.setWake(in: .seconds(-1)) }, "-1 s"),
    ({ try $0.setWake(in: .seconds(86_341)) }, "a day"), ({ try $0.armCut(after: .seconds(4)) }, "cut 4 s"),
    ({ try $0.armCut(after: .seconds(256)) }, "cut 256 s"),
  ]

  @Test func aTimeThatTheBoardCannotKeepIsRefused() {
    for (call, name) in Self.impossible {
      let bench = PiSugar3Bench()
      #expect(throws: ChipError.self, "\(name)") { try call(bench.chip) }
      #expect(bench.written.isEmpty)
    }
  }

  @Test func theBatteryIsRead() throws {
    let bench = PiSugar3Bench()
    bench.board.temperature = -7
    bench.board.connectSupply()
    let gauge = PiSugar3Gauge(bus: bench, address: PiSugar3.addresses[0], wiring: GaugeWiring())
    try gauge.identify()
    guard case .reading(let reading) = try gauge.read() else { return }
    #expect(reading.stateOfCharge == 80 && reading.voltage == 3.9 && reading.temperature == -7)
    #expect(reading.isCharging == true && reading.isPlugged == true && reading.current == nil)
    #expect(bench.written.isEmpty)
  }

  // MARK: A thousand nights

  enum End: String, CaseIterable {
    case alarm = "up by the alarm"
    case nextDay = "up by the alarm of a later day"
    case supply = "up when a supply was connected"
    case stayedUp = "stayed up"
    case neverCut = "went down, but the supply stayed on"
    case stranded = "stranded"
  }

  /// As ``ThousandNightsTests``, for a board whose second way back is the alarm of the next day, and then a supply. A board
  /// whose alarm never rings, or whose clock stands after the cut, waits for the supply.
  @Test func noNightStrandsAPiSugar3() {
    typealias Fault = ThousandNightsTests.Fault
    var counts: [End: Int] = [:]
    var down = 0
    var cutEarly = 0
    for index in 0..<1000 {
      let fault = Fault.allCases[index % Fault.allCases.count]
      let (end, isDown, isEarly) = Self.night(index, fault)
      counts[end, default: 0] += 1
      down += isDown ? 1 : 0
      cutEarly += isEarly ? 1 : 0
      let text = "night \(index), \(fault): \(end.rawValue)"
      #expect(end != .stranded, "\(text)")
      if fault == .none { #expect(end == .alarm, "\(text)") }
      if end == .neverCut { #expect(fault == .cutNeverComes, "\(text)") }
      if end == .supply {
        #expect([.alarmNeverRings, .deadManRingsEarly, .clockStops].contains(fault), "\(text)")
      }
      if isEarly { #expect(fault == .cutComesEarly, "\(text)") }
    }
    print(
      "PiSugar 3, 1000 nights, seed \(ThousandNightsTests.seed): \(down) went down;",
      End.allCases.map { "\($0.rawValue): \(counts[$0] ?? 0)" }.joined(separator: ", "),
      "; cut early: \(cutEarly)")
    #expect(down > 400 && (counts[.stayedUp] ?? 0) > 100 && (counts[.alarm] ?? 0) > 200)
    #expect((counts[.nextDay] ?? 0) > 20)
  }

  private static func night(
    _ index: Int, _ fault: ThousandNightsTests.Fault
  ) -> (end: End, isDown: Bool, isCutEarly: Bool) {
    var random = SplitMix64(seed: ThousandNightsTests.seed &+ UInt64(index))
    var stepsLeft = index / ThousandNightsTests.Fault.allCases.count % ThousandNightsTests.places
    let bench = PiSugar3Bench(VirtualPiSugar3(time: Int64(random.next() % 3_000_000_000)))
    bench.pass(3600)
    let time = min(Int64(60) << Int64(random.next() % 11) + Int64(random.next() % 60), 86_340)
    let request = PowerDown.Request(
      time: .seconds(time), cutAfter: .seconds(Int64(20 + random.next() % 30)), deadMan: nil,
      isCritical: random.next() % 4 == 0, provenAlarms: Int(random.next() % 20))
    let action = bench.run(request) { _ in
      if stepsLeft == 0 { ThousandNightsTests.inject(fault, into: bench, &random) }
      stepsLeft -= 1
    }
    bench.failsAfter = nil
    let (began, starts) = (bench.now, bench.board.starts)
    guard case .goDown = action else {
      if case .otherChip = fault, bench.writesToOther > 0 { return (.stranded, false, false) }
      bench.repair()
      bench.pass(3 * 86_400)
      // A cut that may be armed and cannot be called off ends with the alarm.
      return (bench.board.isHostPowered ? .stayedUp : .stranded, false, false)
    }
    bench.pass(until: began + ThousandNightsTests.flush)
    let isCutEarly = !bench.board.isHostPowered
    if stepsLeft >= 0 {
      bench.pass(Int64(random.next() % UInt64(max(1, time))))
      ThousandNightsTests.inject(fault, into: bench, &random)
    }
    if bench.board.isBatteryLow {
      bench.pass(Int64(random.next() % 1_000_000))
      bench.board.isBatteryLow = false
    }
    bench.repair()
    let due = began + .seconds(time) + ThousandNightsTests.grace
    var wasOff = !bench.board.isHostPowered
    for limit in [due, max(due, bench.now) + .seconds(86_400)] {
      while bench.now < limit, bench.board.starts == starts {
        bench.pass(until: min(limit, bench.now + .seconds(50)))
        wasOff = wasOff || !bench.board.isHostPowered
      }
      guard bench.board.starts == starts else { return (limit == due ? .alarm : .nextDay, true, isCutEarly) }
    }
    guard wasOff else { return (.neverCut, true, isCutEarly) }
    bench.board.connectSupply()
    return (bench.board.isHostPowered ? .supply : .stranded, true, isCutEarly)
  }
}
