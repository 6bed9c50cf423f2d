import Chips
import Quantities
import Simulation
import Testing

/// A thousand nights for each board, with a fault before any step or in the night: after every one the host is up again, at the
/// latest when the dead-man timer rings. A seed repeats a night.
@Suite struct ThousandNightsTests {
  enum Fault: CaseIterable {
    case none, alarmIsLost, alarmIsChanged, clockStops, clockIsSetBack, clockIsAtYear2000, noAcknowledge,
      busHangs
    case cutComesEarly, cutNeverComes, alarmNeverRings, deadManRingsEarly, batteryIsLow, otherChip
  }

  enum End: String, CaseIterable {
    case alarm = "up by the alarm"
    case deadMan = "up by the dead-man timer"
    case otherStart = "up by another start"
    case stayedUp = "stayed up"
    case neverCut = "went down, but the supply stayed on"
    case stranded = "stranded"
  }

  struct Night: Equatable {
    var fault: Fault
    /// The number of steps before the fault; from ``steps`` on it is in the night.
    var place: Int
    var action: PowerDown.Action?
    var end: End
    /// True if the board restarted a host that stayed up.
    var wasRestarted = false
    /// True if the supply was cut before the host had written everything.
    var wasCutEarly = false
  }

  /// Without a fault: identify, dead-man timer, clock, clock, alarm, read back, cut.
  static let steps = 7
  static let places = 11
  static let settingWake = 4

  static let seed: UInt64 = 20_260_301
  /// The host has written everything this long after its shutdown began.
  static let flush = Duration.seconds(10)
  /// The delay of a cut and of a start.
  static let grace = Duration.seconds(120)

  @Test func noNightStrandsAWittyPi4() throws {
    let nights = (0..<1000).map { index in
      Self.night(index) { WittyPi4Bench(VirtualWittyPi4(time: $0)) }
    }
    try check(nights, of: "Witty Pi 4", repeated: Self.night(7) { WittyPi4Bench(VirtualWittyPi4(time: $0)) })
  }

  @Test func noNightStrandsAPiJuice() throws {
    let nights = (0..<1000).map { index in
      Self.night(index) { PiJuiceBench(VirtualPiJuice(time: $0)) }
    }
    // Its alarm and its watchdog restart a host that is halted.
    #expect(!nights.contains { $0.end == .neverCut })
    try check(nights, of: "PiJuice", repeated: Self.night(7) { PiJuiceBench(VirtualPiJuice(time: $0)) })
  }

  private func check(_ nights: [Night], of name: String, repeated: Night) throws {
    let counts = End.allCases.map { end in (end, nights.count { $0.end == end }) }
    let down = nights.count { if case .goDown = $0.action { true } else { false } }
    print(
      "\(name), \(nights.count) nights, seed \(Self.seed): \(down) went down;",
      counts.map { "\($0.0.rawValue): \($0.1)" }.joined(separator: ", "),
      "; restarted while up: \(nights.count { $0.wasRestarted }), cut early: \(nights.count { $0.wasCutEarly })"
    )
    for (index, night) in nights.enumerated() {
      #expect(night.end != .stranded, "\(name), night \(index): \(night)")
      #expect(night.action != nil, "\(name), night \(index): \(night)")
      switch (night.fault, night.end) {
      case (.none, let end): #expect(end == .alarm, "\(name), night \(index): \(night)")
      case (.alarmIsLost, _) where night.place <= Self.settingWake:
        #expect(night.action != .goDown(alarm: true), "\(name), night \(index): \(night)")
      // Its cut is an alarm of its clock.
      case (.cutNeverComes, .neverCut), (.clockStops, .neverCut), (.clockIsSetBack, .neverCut),
        (.clockIsAtYear2000, .neverCut):
        break
      case (_, .neverCut): Issue.record("\(name), night \(index): \(night)")
      default: break
      }
      // What cannot be reached cannot be cleared.
      let isCutOff = [.noAcknowledge, .busHangs, .otherChip].contains(night.fault)
      #expect(!night.wasRestarted || isCutOff, "\(name), night \(index): \(night)")
    }
    #expect(nights[7] == repeated, "the same seed, the same night")
    #expect(down > 400 && nights.count - down > 100)
    #expect(nights.count { $0.end == .alarm } > 200 && nights.count { $0.end == .deadMan } > 100)
    #expect(Set(nights.map { "\($0.fault) \($0.place)" }).count == Fault.allCases.count * Self.places)
  }

  // MARK: One night

  private static func night<Board, Chip>(
    _ index: Int, on make: (_ clock: Int64) -> BoardBench<Board, Chip>
  ) -> Night {
    var random = SplitMix64(seed: seed &+ UInt64(index))
    let fault = Fault.allCases[index % Fault.allCases.count]
    let place = index / Fault.allCases.count % places
    let bench = make(Int64(random.next() % 3_000_000_000))
    bench.pass(3600)
    let time = Int64(60) << Int64(random.next() % 16) + Int64(random.next() % 60)
    let request = PowerDown.Request(
      time: .seconds(min(time, 27 * 86_400)), cutAfter: .seconds(Int64(20 + random.next() % 30)),
      deadMan: .seconds(time + 3600 * Int64(1 + random.next() % 900)), isCritical: random.next() % 4 == 0)
    var stepsLeft = place
    var deadMan = Duration.zero
    let action = bench.run(request) { step in
      if case .setDeadMan(let time) = step { deadMan = time }
      if stepsLeft == 0 { inject(fault, into: bench, &random) }
      stepsLeft -= 1
    }
    let isInjected = stepsLeft < 0
    bench.failsAfter = nil
    var night = Night(fault: fault, place: place, action: action, end: .stranded)
    switch action {
    case .goDown: goDown(&night, bench, request, isInjected: isInjected, deadMan: deadMan, &random)
    default: stayUp(&night, bench, deadMan: deadMan)
    }
    return night
  }

  static func inject<Board, Chip>(
    _ fault: Fault, into bench: BoardBench<Board, Chip>, _ random: inout SplitMix64
  ) {
    let number = Int64(random.next() % 1_000_000)
    switch fault {
    case .none: break
    case .alarmIsLost: bench.board.faults.insert(.losesAlarm)
    case .alarmIsChanged:
      let value = UInt8(truncatingIfNeeded: random.next())
      bench.board.faults.insert(.changesAlarm(byte: Int(number % 4), to: value))
    case .clockStops: bench.board.faults.insert(.stopsClock)
    case .clockIsSetBack: bench.board.clock = max(0, bench.board.clock - 1 - number)
    case .clockIsAtYear2000: bench.board.clock = number % 60
    case .noAcknowledge, .busHangs:
      bench.hangs = fault == .busHangs
      bench.failsAfter = Int(number % 12)
      bench.failures = [1, 2, 3, 10, 100, 1000][Int(random.next() % 6)]
    case .cutComesEarly: bench.board.faults.insert(.cutsEarly(seconds: 5 + number % 60))
    case .cutNeverComes: bench.board.faults.insert(.neverCuts)
    case .alarmNeverRings: bench.board.faults.insert(.neverRings)
    case .deadManRingsEarly: bench.board.faults.formUnion([.ringsDeadManEarly, .neverRings])
    case .batteryIsLow: bench.board.isBatteryLow = true
    case .otherChip:
      let fill = [0x00, 0xFF, 0x5A, 0x31] as [UInt8]
      bench.other = [UInt8](repeating: fill[Int(number % 4)], count: 256)
    }
  }

  private static func goDown<Board, Chip>(
    _ night: inout Night, _ bench: BoardBench<Board, Chip>, _ request: PowerDown.Request, isInjected: Bool,
    deadMan: Duration, _ random: inout SplitMix64
  ) {
    let (began, starts) = (bench.now, bench.board.starts)
    // Hours are the longest step of a dead-man timer up to 127 of them, then days.
    let step = bench.chip.restartsRunningHost ? 240 : deadMan > .seconds(127 * 3600) ? 86_400 : 3600
    var latest = began + request.cutAfter + deadMan + .seconds(step) + grace
    bench.pass(until: began + flush)
    night.wasCutEarly = !bench.board.isHostPowered
    if !isInjected {
      bench.pass(Int64(random.next() % UInt64(max(1, request.time.wholeSeconds))))
      inject(night.fault, into: bench, &random)
    }
    if bench.board.isBatteryLow {
      let recovers = Int64(random.next() % 1_000_000)
      bench.pass(recovers)
      bench.board.isBatteryLow = false
      latest = max(latest, bench.now + deadMan + .seconds(step) + grace)
    }
    var wasOff = !bench.board.isHostPowered
    let stride = max(10, (latest - bench.now).wholeSeconds / 400)
    while bench.now < latest, bench.board.starts == starts || !bench.board.isHostPowered {
      bench.pass(until: min(latest, bench.now + .seconds(stride)))
      wasOff = wasOff || !bench.board.isHostPowered
    }
    bench.repair()
    if bench.board.starts > starts, bench.board.isHostPowered {
      switch try? bench.chip.startReason() {
      case .alarm: night.end = .alarm
      case .deadMan: night.end = .deadMan
      default: night.end = .otherStart
      }
    } else if !wasOff, bench.board.isHostPowered, !bench.chip.restartsRunningHost {
      night.end = .neverCut
    }
  }

  /// The host stays up, unless it was told that the supply may be cut.
  private static func stayUp<Board, Chip>(
    _ night: inout Night, _ bench: BoardBench<Board, Chip>, deadMan: Duration
  ) {
    let starts = bench.board.starts
    if case .otherChip = night.fault, bench.writesToOther > 0 { return }
    bench.repair()
    let latest = bench.now + .seconds(300) + deadMan + .seconds(86_400)
    if bench.board.isBatteryLow {
      bench.pass(3600)
      bench.board.isBatteryLow = false
    }
    bench.pass(until: latest)
    night.wasRestarted = bench.board.starts > starts
    if bench.board.isHostPowered { night.end = .stayedUp }
  }
}
