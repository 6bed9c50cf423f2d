import Chips
import Quantities
import Simulation
import Testing

/// The driver of the PiJuice, byte by byte and with a simulated board.
@Suite struct PiJuiceTests {
  /// A bus that expects exactly these transactions, in order.
  final class Script: I2CBus {
    private var steps: ArraySlice<(write: [UInt8], read: [UInt8])>
    private(set) var surprises: [String] = []
    var isDone: Bool { steps.isEmpty && surprises.isEmpty }

    init(_ steps: [(write: [UInt8], read: [UInt8])]) { self.steps = steps[...] }

    func transfer(to address: I2CAddress, write: [UInt8], readCount: Int) throws(I2CError) -> [UInt8] {
      guard let next = steps.popFirst(), address.rawValue == 0x14, next.write == write,
        next.read.count == readCount
      else {
        surprises.append("\(address): \(write), \(readCount)")
        throw .noAcknowledge(address)
      }
      return next.read
    }
  }

  static let version: (write: [UInt8], read: [UInt8]) = ([0xFD], [0x16, 0x00, 0xE9])

  private func chip(_ bus: any I2CBus) -> PiJuice { PiJuice(bus: bus, address: PiJuice.addresses[0]) }

  // MARK: Bytes

  @Test func theAlarmIsWrittenAndReadBackAsTheMakerDoes() throws {
    let alarm: [UInt8] = [0x07, 0x59, 0x00, 0x01, 0xFF, 0xFF, 0xFF, 0x00, 0xFF]
    let script = Script([
      // 2026-02-28 23:59:07, a Saturday, and an hour.
      ([0xB0], [0x07, 0x59, 0x23, 0x07, 0x28, 0x02, 0x26, 0x00, 0x00, 0x89]),
      Self.version, ([0xB9] + alarm + [0xA0], []),
      ([0xC2], [0x00, 0x01, 0xFE]), ([0xC2], [0x00, 0x01, 0xFE]), Self.version,
      ([0xC2, 0x05, 0x00, 0xFA], []),
      ([0xC2], [0x05, 0x00, 0xFA]),
      ([0xB9], alarm + [0xA0]), ([0xC2], [0x05, 0x00, 0xFA]),
    ])
    let chip = chip(script)
    let due = try chip.setWake(in: .seconds(3600))
    try chip.verifyWake(at: due)
    #expect(due == 825_641_947, "2026-03-01 00:59:07")
    #expect(script.isDone, "\(script.surprises)")
  }

  @Test func theCutIsArmedInStepsAndReadBack() throws {
    let script = Script([
      ([0x40], [0x00, 0xFF]), Self.version, ([0x62, 30, 0xE1], []), ([0x62], [29, 0xE2]),
    ])
    try chip(script).armCut(after: .seconds(30))
    #expect(script.isDone, "\(script.surprises)")
  }

  @Test func theWatchdogIsSetInMinutesWithTheStartByACharge() throws {
    let script = Script([
      // Started by the watchdog: cleared.
      ([0x44], [0x08, 0xF7]), Self.version, ([0x44, 0xF7, 0x08], []),
      ([0x63], [0x7F, 0x80]), ([0x63], [0x7F, 0x80]), Self.version, ([0x63, 0x94, 0x6B], []),
      ([0x63], [0x94, 0x6B]),
      ([0x61], [0x00, 0x00, 0xFF]), Self.version, ([0x61, 0x69, 0x01, 0x97], []),
      ([0x61], [0x69, 0x01, 0x97]),
    ])
    #expect(try chip(script).setDeadMan(.seconds(21_601)) == .seconds(21_660))
    #expect(script.isDone, "\(script.surprises)")
  }

  @Test func theTopBitOfTheFirstByteIsRepaired() throws {
    let script = Script([([0x62], [0x7F, 0x00]), ([0x62], [0x1F, 0xE0]), ([0x62], [0x1F, 0xE1])])
    let chip = chip(script)
    #expect(try !chip.isCutArmed())
    #expect(try chip.isCutArmed())
    #expect(throws: ChipError.wrongChecksum(PiJuice.addresses[0], register: 0x62, expected: 0xE0, got: 0xE1))
    {
      try chip.isCutArmed()
    }
  }

  static let reasons: [(events: UInt8, control: UInt8, reason: StartReason)] = [
    (0x00, 1, .alarm), (0x08, 0, .deadMan), (0x08, 1, .deadMan), (0x01, 0, .button), (0x02, 0, .lowVoltage),
    (0x04, 0, .lowVoltage), (0x00, 0, .other(0)), (0x40, 0, .other(0x40)),
  ]

  @Test(arguments: reasons)
  func theStartReasonIsReadFromTheEvents(events: UInt8, control: UInt8, reason: StartReason) throws {
    let all: [(write: [UInt8], read: [UInt8])] = [
      ([0x44], [events, 0xFF ^ events]), ([0xC2], [0x05, control, 0xFA ^ control]),
    ]
    #expect(try chip(Script(all)).startReason() == reason)
  }

  static let identities: [(frame: [UInt8], firmware: Int?)] = [
    ([0x16, 0x00, 0xE9], 16), ([0x15, 0x00, 0xEA], 15), ([0x14, 0x00, 0xEB], 14), ([0x16, 0x00, 0xE8], nil),
    ([0xFF, 0xFF, 0xFF], nil), ([0x00, 0x00, 0x00], nil), ([0x00, 0x00, 0xFF], nil),
    ([0x96, 0x00, 0x69], nil),
    ([0x16, 0x00, 0x69], nil),
  ]

  @Test(arguments: identities)
  func aBoardIsIdentifiedByItsVersionAndSum(frame: [UInt8], firmware: Int?) {
    let model = try? chip(Script([([0xFD], frame)])).identify()
    #expect(model?.firmware == firmware)
    #expect((model?.objection != nil) == (firmware.map { $0 < 15 } ?? false))
  }

  @Test func nothingIsWrittenToAChipThatIsNoPiJuice() throws {
    for fill in [0x00, 0xFF, 0x5A, 0x31] as [UInt8] {
      let bench = PiJuiceBench()
      bench.other = [UInt8](repeating: fill, count: 256)
      _ = try? bench.chip.setDeadMan(.seconds(3600))
      _ = try? bench.chip.setDeadMan(nil)
      _ = try? bench.chip.setWake(in: .seconds(3600))
      _ = try? bench.chip.clearWake()
      _ = try? bench.chip.armCut(after: .seconds(30))
      _ = try? bench.chip.disarmCut()
      #expect(throws: ChipError.self) { try bench.chip.identify() }
      #expect(bench.writesToOther == 0 && bench.written.isEmpty)
    }
  }

  // MARK: Board

  static let hour = PowerDown.Request(
    time: .seconds(3600), cutAfter: .seconds(30), deadMan: .seconds(6 * 3600))

  @Test func anHourWithoutSupplyEndsWithTheAlarm() throws {
    let bench = PiJuiceBench()
    #expect(bench.run(Self.hour) == .goDown(alarm: true))
    bench.pass(29)
    #expect(bench.board.isHostPowered)
    bench.pass(3)
    #expect(!bench.board.isHostPowered)
    bench.pass(3566)
    #expect(!bench.board.isHostPowered)
    bench.pass(2)
    #expect(bench.board.isHostPowered && bench.board.starts == 1)
    #expect(try bench.chip.startReason() == .alarm)
    #expect(
      Set(bench.board.writes.keys) == [0x61, 0x62, 0x63, 0xB9, 0xC2], "none of those never to be written")
  }

  @Test func theDeadManTimerIsSetBeforeTheAlarmAndTheAlarmBeforeTheCut() {
    let bench = PiJuiceBench()
    _ = bench.run(Self.hour)
    #expect(bench.written == [0x63, 0x61, 0xB9, 0xC2, 0x62])
  }

  @Test func theWatchdogStartsTheHostWithoutAnAlarm() throws {
    let bench = PiJuiceBench()
    bench.board.faults = [.neverRings]
    _ = bench.run(Self.hour)
    bench.pass(5999)
    #expect(!bench.board.isHostPowered)
    bench.pass(3)
    #expect(bench.board.isHostPowered)
    #expect(try bench.chip.startReason() == .deadMan)
    #expect(try bench.chip.setDeadMan(nil) == nil)
    #expect(try bench.chip.startReason() != .deadMan, "cleared")
    bench.pass(86_400)
    #expect(bench.board.starts == 1, "a watchdog that is off does not restart the host")
  }

  /// Alarm and watchdog would restart a host that is up.
  @Test func ifTheSupplyStaysOnAlarmAndWatchdogAreCleared() {
    let bench = PiJuiceBench()
    bench.board.power.isFed = true
    guard case .stayUp(.failed(.armCut, .cannot)) = bench.run(Self.hour) else {
      Issue.record("no refusal")
      return
    }
    bench.pass(86_400)
    #expect(bench.board.isHostPowered && bench.board.starts == 0)
  }

  static let badAlarms: [PowerBoardFault] =
    [.losesAlarm] + (0..<9).map { .changesAlarm(byte: $0, to: 0x44) }

  @Test(arguments: badAlarms) func anAlarmThatDoesNotReadBackKeepsTheHostUp(fault: PowerBoardFault) {
    let bench = PiJuiceBench()
    bench.board.faults = [fault]
    guard case .stayUp(.failed(.verifyWake, .settingLost)) = bench.run(Self.hour) else {
      Issue.record("no refusal")
      return
    }
    #expect(bench.board.writes[0xB9] == 3, "tries")
    bench.pass(86_400)
    #expect(bench.board.isHostPowered && bench.board.starts == 0)
  }

  /// The kernel's driver disables the alarm at each start.
  @Test func anAlarmThatIsDisabledIsNoAlarm() throws {
    let bench = PiJuiceBench()
    let due = try bench.chip.setWake(in: .seconds(3600))
    bench.pass(1)
    _ = bench.board.transfer(write: [0xC2, 0x01, 0x00, 0xFE], readCount: 0)
    #expect(throws: ChipError.self) { try bench.chip.verifyWake(at: due) }
  }

  @Test func anAlarmIsReadBackOnlyWhenTheBoardHasTakenItOver() throws {
    let bench = PiJuiceBench()
    let due = try bench.chip.setWake(in: .seconds(3600))
    #expect(throws: ChipError.self) { try bench.chip.verifyWake(at: due) }
    bench.pass(until: bench.now + bench.chip.settleTime)
    try bench.chip.verifyWake(at: due)
    try bench.chip.clearWake()
    #expect(throws: ChipError.self) { try bench.chip.verifyWake(at: due) }
  }

  /// The board loses alarm and watchdog with its battery.
  @Test func afterAnEmptyBatteryAChargeStartsTheHost() throws {
    let bench = PiJuiceBench()
    _ = bench.run(Self.hour)
    bench.pass(600)
    bench.board.empty()
    bench.pass(30 * 86_400)
    #expect(!bench.board.isHostPowered)
    (bench.board.power.isCharging, bench.board.power.isLow, bench.board.power.charge) = (true, false, 19)
    bench.pass(3600)
    #expect(!bench.board.isHostPowered)
    bench.board.power.charge = 20
    bench.pass(3600)
    #expect(bench.board.isHostPowered && bench.board.starts == 1)
  }

  @Test func aStoredStartByAChargeStays() throws {
    let bench = PiJuiceBench()
    let level: UInt8 = 0x80 | 50
    _ = bench.board.transfer(write: [0x63, level, 0xFF ^ level], readCount: 0)
    _ = try bench.chip.setDeadMan(.seconds(3600))
    #expect(bench.board.transfer(write: [0x63], readCount: 1) == [level])
    #expect(bench.board.writes[0x63] == 1)
  }

  /// A wake waits for 15 s without a command, and any command clears it.
  @Test func aCommandClearsAPendingWake() throws {
    let bench = PiJuiceBench()
    bench.pass(3600)
    try bench.chip.setWake(in: .seconds(60))
    bench.pass(59)
    _ = try bench.chip.seconds()
    bench.pass(2)
    #expect(bench.board.starts == 0, "pending")
    _ = try bench.chip.seconds()
    bench.pass(600)
    #expect(bench.board.starts == 0, "cleared")
  }

  /// The alarm rings 10 s after the watchdog has started the host.
  @Test func aWakeWaitsFor30SecondsAfterTheLastStart() throws {
    let bench = PiJuiceBench()
    _ = try bench.chip.setDeadMan(.seconds(60))
    try bench.chip.setWake(in: .seconds(70))
    bench.pass(89)
    #expect(bench.board.starts == 1)
    bench.pass(2)
    #expect(bench.board.starts == 2)
  }

  @Test func theBoardRefusesACutWhileTheHostHasAnotherSupply() {
    let bench = PiJuiceBench()
    bench.board.power.isFed = true
    _ = bench.board.transfer(write: [0x62, 10, 0xF5], readCount: 0)
    bench.pass(60)
    #expect(bench.board.isHostPowered)
    bench.board.power.isFed = false
    _ = bench.board.transfer(write: [0x62, 10, 0xF5], readCount: 0)
    bench.pass(60)
    #expect(!bench.board.isHostPowered)
  }

  static let deadMen: [(time: Int64, effect: Int64?)] = [
    (0, 60), (60, 60), (61, 120), (16_383 * 60, 16_383 * 60), (16_383 * 60 + 1, 16_384 * 60),
    (16_385 * 60, 16_388 * 60), (65_532 * 60, 65_532 * 60), (65_532 * 60 + 1, nil), (-1, nil),
    (.max / 2, nil),
  ]

  @Test(arguments: deadMen)
  func aWatchdogIsRoundedUpToMinutesOrFourMinutes(time: Int64, effect: Int64?) throws {
    let bench = PiJuiceBench()
    let got = try? bench.chip.setDeadMan(.seconds(time))
    #expect(got ?? nil == effect.map { .seconds($0) })
    guard let effect else { return }
    bench.pass(effect - 1)
    #expect(bench.board.starts == 0)
    bench.pass(1)
    #expect(bench.board.starts == 1)
  }

  static let impossible: [(call: @Sendable (PiJuice) throws -> Void, name: String)] = [
    ({ try $0.setWake(in: .seconds(59)) }, "59 s"), ({ try $0.setWake(in: .seconds(-1)) }, "-1 s"),
    ({ try $0.setWake(in: .seconds(27 * 86_400 + 1)) }, "27 days"),
    ({ try $0.armCut(after: .seconds(4)) }, "cut 4 s"),
    ({ try $0.armCut(after: .seconds(257)) }, "cut 257 s"),
  ]

  @Test func aTimeThatTheBoardCannotKeepIsRefused() {
    for (call, name) in Self.impossible {
      let bench = PiJuiceBench()
      #expect(throws: ChipError.self, "\(name)") { try call(bench.chip) }
      #expect(bench.written.isEmpty)
    }
  }

  @Test func anArmedCutCanBeTakenBack() throws {
    let bench = PiJuiceBench()
    for time in [5, 30, 256] as [Int64] {
      try bench.chip.armCut(after: .seconds(time))
      #expect(try bench.chip.isCutArmed())
      try bench.chip.disarmCut()
      #expect(try !bench.chip.isCutArmed())
      bench.pass(600)
      #expect(bench.board.isHostPowered)
    }
  }

  @Test func theBatteryIsRead() throws {
    let bench = PiJuiceBench()
    bench.board.power.temperature = -7
    bench.board.power.isCharging = true
    let gauge = PiJuiceGauge(bus: bench, address: PiJuice.addresses[0], wiring: GaugeWiring())
    try gauge.identify()
    guard case .reading(let reading) = try gauge.read() else { return }
    #expect(reading.stateOfCharge == 80 && reading.voltage == 3.9 && reading.temperature == -7)
    #expect(reading.isCharging == true && reading.isPlugged == true && reading.current == nil)
    #expect(bench.written.isEmpty)
  }
}
