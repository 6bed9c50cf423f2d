import Chips
import Devices
import EventLoop
import Foundation
import LoggerConfiguration
import Quantities
import Records
import Scheduling
import Settings
import Simulation
import Store
import System
import TestSupport
import Testing
@testable import Daemon

/// Sleep of a host whose supply a simulated Witty Pi 4 cuts, with a program for the shutdown that only logs its call.
@Suite struct SupplyCutTests {
  /// The board on its bus, in the time of a loop.
  final class BoardBus: I2CBus {
    var board = VirtualWittyPi4()
    var isAbsent = false
    private let loop: EventLoop
    private let start: Moment

    init(_ loop: EventLoop) {
      self.loop = loop
      start = loop.now
    }

    func transfer(to address: I2CAddress, write: [UInt8], readCount: Int) throws(I2CError) -> [UInt8] {
      guard !isAbsent, address == WittyPi4.addresses.first else { throw .noAcknowledge(address) }
      board.advance(to: time)
      return board.transfer(write: write, readCount: readCount)
    }

    /// The time of the board.
    var time: Moment { .zero + (loop.now - start) }
    var chip: WittyPi4 { WittyPi4(bus: self, address: WittyPi4.addresses[0]) }
  }

  /// An idle logger on the board: tracking is off, and no sleep inhibitor is active.
  final class Bench {
    let http: HTTPBench
    let bus: BoardBus
    let logger: Logger
    /// The reasons why a cut could not be called off.
    private(set) var faults: [String] = []
    private let timer: LoopTimer

    init(
      _ lines: String = "", note: SavedHostSleep? = nil, sends: String = "",
      settings: [String] = ["tracking=false"], records: Int = 0,
      prepare: (BoardBus) throws -> Void = { _ in }
    ) throws {
      http = try HTTPBench()
      bus = BoardBus(http.loop)
      try prepare(bus)
      let path = http.directory + "/down"
      try "#!/bin/sh\necho called > '\(http.directory)/called'\n\(lines)\n".write(
        toFile: path, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
      if let note {
        let writer = LogWriter(
          directory: http.directory + "/log", allowVolatile: true,
          options: LogOptions(bootID: "before", clock: { .zero }))
        _ = writer.handle(.append((0..<records).map(location), urgent: false))
        _ = writer.handle(.saveState(.host, note.text))
        _ = writer.handle(.saveState(.sends, sends))
        _ = writer.handle(.close)
      }
      let manager =
        #"power_manager={ chip: "witty-pi-4", bus: "/dev/i2c-1", cut_after: "30s", dead_man: "6h" }"#
      let configuration = try PowerTests.configuration(
        settings + [
          "storage.directory=\(http.directory)/log", "host.sleep=halt", "host.down=\(path)",
          "host.while_fed=true", "host.stopping=0s", manager,
        ])
      let bus = bus
      let open: BusOpening = { _, _ in bus }
      logger = try Logger(
        loop: http.loop, configuration: configuration, journal: LoggerTests.quiet, openBus: open)
      timer = http.loop.addTimer("look") { _ in }
      var rules = try #require(HostRules(configuration))
      (rules.quiet, rules.afterStart, rules.afterAlarm) = (.zero, .zero, .zero)
      rules.cut = SupplyCutRules(deadMan: .seconds(6 * 3600), longestWake: .seconds(27 * 86_400))
      let settings = try #require(configuration.powerManager)
      let cut = try #require(SupplyCut(settings, loop: http.loop, openBus: open))
      cut.onFault = { [unowned self] in faults.append($0) }
      logger.power.startHost(
        HostController(
          rules, HostSwitch(.halt, program: path, clock: nil, cut: cut, loop: http.loop), loop: http.loop))
      logger.start()
    }

    func run(until condition: @escaping () -> Bool) throws -> Bool {
      try http.run { [self] in
        timer.arm(at: http.loop.now + .milliseconds(20))
        return condition()
      }
    }

    var isShutdownCalled: Bool { FileManager.default.fileExists(atPath: http.directory + "/called") }
    var schedule: HostSchedule? { logger.power.hostSleep.host?.schedule }

    /// Kinds and fields of the events about the host, of all runs.
    func events() throws -> [String] {
      try LogReader(directory: http.directory + "/log").records(after: .zero, limit: 1000).compactMap {
        guard case .event(let event) = $0.record.body,
          [.hostSleeping, .hostWoke, .hostStaysAwake, .wakeAlarmMissed, .powerManagerFailed].contains(
            event.kind)
        else { return nil }
        return "\(event.kind.rawValue) \(event.fields.json)"
      }
    }
  }

  @Test func alarmAndDeadManTimerAreSetAndTheCutArmedBeforeTheShutdown() throws {
    let bench = try Bench()
    #expect(try bench.run { bench.isShutdownCalled })
    bench.logger.stop()
    let chip = bench.bus.chip
    #expect(try chip.isCutArmed() && chip.deadMan() == .seconds(6 * 3600))
    let events = try bench.events()
    #expect(events.map { $0.prefix { $0 != " " } } == ["host_woke", "host_sleeping"], "\(events)")
    // The board cuts after 30 s and its own delay of 7 s, and starts the host at the alarm, a day later.
    let now = bench.bus.time
    bench.bus.board.advance(to: now + .seconds(25))
    #expect(bench.bus.board.isHostPowered)
    bench.bus.board.advance(to: now + .seconds(40))
    #expect(!bench.bus.board.isHostPowered)
    bench.bus.board.faults = [.neverRings]
    bench.bus.board.advance(to: now + .seconds(6 * 3600 + 120))
    #expect(bench.bus.board.isHostPowered, "the dead-man timer starts it without the alarm")
  }

  @Test func aFailedShutdownCallsOffCutAndAlarm() throws {
    let bench = try Bench("exit 3")
    #expect(try bench.run { bench.schedule?.failures == 1 })
    #expect(bench.isShutdownCalled)
    #expect(try !bench.bus.chip.isCutArmed())
    bench.logger.stop()
    let last = try #require(try bench.events().last)
    #expect(last.hasPrefix("host_stays_up ") && last.contains("status 3"), "\(last)")
  }

  @Test func callingOffIsTriedUntilTheBoardAnswersAndReportedOnce() throws {
    let bench = try Bench("sleep 1; exit 3")
    #expect(try bench.run { bench.isShutdownCalled })
    bench.bus.isAbsent = true
    #expect(try bench.run { bench.schedule?.failures == 1 })
    _ = try bench.http.run(for: .milliseconds(4500)) { false }
    bench.bus.isAbsent = false
    #expect(try bench.run { (try? bench.bus.chip.isCutArmed()) == false })
    bench.logger.stop()
    let faults = bench.faults
    #expect(faults.count == 1 && faults.first?.contains("may be cut at any time") == true, "\(faults)")
  }

  @Test func aStopBeforeTheShutdownLeavesNoCut() throws {
    let bench = try Bench()
    #expect(try bench.run { bench.schedule?.isFalling == true })
    bench.logger.stop()
    #expect(try !bench.isShutdownCalled && !bench.bus.chip.isCutArmed())
  }

  @Test func aBoardThatIsLostKeepsTheHostUpWithTheReason() throws {
    let bench = try Bench()
    #expect(try bench.run { bench.schedule?.isGoingToSleep == true })
    bench.bus.isAbsent = true
    #expect(try bench.run { bench.schedule?.failures == 1 })
    #expect(!bench.isShutdownCalled)
    bench.logger.stop()
    let last = try #require(try bench.events().last)
    #expect(
      last.hasPrefix("host_stays_up ") && last.contains("witty-pi-4 at 0x08 on /dev/i2c-1: "), "\(last)")
  }

  @Test func aBoardThatDoesNotAnswerIsReportedAndKeepsTheHostUp() throws {
    let bench = try Bench { $0.isAbsent = true }
    #expect(try bench.run { bench.schedule?.failures == 1 })
    #expect(!bench.isShutdownCalled)
    bench.logger.stop()
    let events = try bench.events()
    #expect(
      events.contains {
        $0.hasPrefix("power_manager_failed ") && $0.contains("witty-pi-4 at 0x08 on /dev/i2c-1")
          && $0.contains("does not answer")
      }, "\(events)")
  }

  @Test func aCutOfAnEarlierRunIsCalledOffAtTheStart() throws {
    let bench = try Bench("exit 3") { bus in
      try bus.chip.armCut(after: .seconds(60))
      try bus.chip.setWake(in: .seconds(3600))
    }
    #expect(try bench.run { bench.logger.log.isOpen })
    #expect(try !bench.bus.chip.isCutArmed() && bench.bus.chip.deadMan() != nil)
    bench.logger.stop()
  }

  /// The host of the tests has been up for longer than the board.
  private static let uptime = (SystemClock.moment() - Moment.zero).wholeSeconds

  /// A board that started the host for this reason after a planned sleep of an hour.
  private static func returned(_ bus: BoardBus, _ change: (inout VirtualWittyPi4) -> Void) throws
    -> SavedHostSleep
  {
    let chip = bus.chip
    let note = SavedHostSleep(
      boot: "another", depth: .halt, planned: .seconds(3600), clockChip: try chip.seconds() - uptime)
    _ = try chip.setDeadMan(.seconds(7200))
    try chip.setWake(in: .seconds(3600))
    try chip.armCut(after: .seconds(30))
    change(&bus.board)
    return note
  }

  @Test func aStartByTheDeadManTimerIsReportedAndNobodyIsExpected() throws {
    let loop = try EventLoop()
    let past = BoardBus(loop)
    let note = try Self.returned(past) { board in
      board.faults = [.neverRings]
      board.advance(to: .zero + .seconds(60))
      #expect(!board.isHostPowered)
      board.advance(to: .zero + .seconds(9000))
      #expect(board.isHostPowered)
    }
    let bench = try Bench("exit 3", note: note) { $0.board = past.board }
    #expect(try bench.run { bench.schedule?.sleeps == 1 })
    #expect(bench.schedule?.alarms.missed == 1)
    bench.logger.stop()
    let events = try bench.events()
    #expect(
      events.contains { $0.hasPrefix("host_woke ") && $0.contains(#""cause":"dead_man""#) }, "\(events)")
    #expect(
      events.contains { $0.hasPrefix("wake_alarm_missed ") && $0.contains(#""planned_s":3600"#) }, "\(events)"
    )
  }

  /// A destination is sent to after its interval, as if the host had not been down.
  @Test(arguments: [(7000, "home", false), (3630, "home", true), (7000, "other", true), (nil, "home", true)])
  func sendIntervalsContinueAfterAPlannedSleep(rest: Int64?, name: String, sendsAtOnce: Bool) throws {
    let sends = "x\n\(rest.map { "\($0 + Self.uptime)" } ?? "-") \(name)"
    let past = BoardBus(try EventLoop())
    let note = try Self.returned(past) { $0.advance(to: .zero + .seconds(3605)) }
    let bench = try Bench(
      "exit 3", note: note, sends: sends,
      settings: [
        "receiver.port=/dev/none", "send_interval=2h",
        #"destinations=[{ name: "home", kind: "overland", url: "http://127.0.0.1:9", logging_mode: "all" }]"#,
      ], records: 3
    ) { $0.board = past.board }
    #expect(try bench.run { bench.logger.delivery.pipelines["home"]?.delivery != nil })
    _ = try bench.http.run(for: .milliseconds(500)) {
      bench.logger.delivery.pipelines["home"]?.delivery?.machine.lastAttempt != nil
    }
    let machine = try #require(bench.logger.delivery.pipelines["home"]?.delivery?.machine)
    let left = machine.restOfInterval(now: bench.http.loop.now) ?? .zero
    #expect((machine.lastAttempt != nil) == sendsAtOnce, "\(left)")
    if !sendsAtOnce { #expect(left > .seconds(3000) && left < .seconds(3400), "\(left)") }
    bench.logger.stop()
  }

  /// A destination that takes reports is checked in with, as if the host had not been down.
  @Test(arguments: [(30_000, 43_200 - 33_605), (-1, 43_200), (50_000, 0)])
  func theTimeToTheCheckInContinuesAfterAPlannedSleep(since: Int64, expected: Int64) throws {
    let past = BoardBus(try EventLoop())
    let note = try Self.returned(past) { $0.advance(to: .zero + .seconds(3605)) }
    let sends = since < 0 ? "contact - home" : "contact \(since - Self.uptime) home"
    let bench = try Bench(
      "exit 3", note: note, sends: sends,
      settings: [
        "receiver.port=/dev/none",
        #"destinations=[{ name: "home", kind: "overland", profile: "outrider", url: "http://127.0.0.1:9", "#
          + #"check_in: "12h", send_interval: "5m" }]"#,
      ], records: 0
    ) { $0.board = past.board }
    #expect(try bench.run { bench.logger.delivery.pipelines["home"]?.delivery?.machine.checkInTime != nil })
    let now = bench.http.loop.now
    let machine = try #require(bench.logger.delivery.pipelines["home"]?.delivery?.machine)
    let passed = try #require(machine.timeSinceContact(now: now)).wholeSeconds
    #expect(abs(max(43_200 - passed, 0) - expected) < 60, "\(passed)")
    #expect(bench.logger.delivery.intervalsText.contains("contact "))
    bench.logger.stop()
  }

  @Test func aStartByTheAlarmCountsForTheBoard() throws {
    let past = BoardBus(try EventLoop())
    let note = try Self.returned(past) { board in
      board.advance(to: .zero + .seconds(3605))
      #expect(board.isHostPowered)
    }
    let bench = try Bench("exit 3", note: note) { $0.board = past.board }
    #expect(try bench.run { bench.schedule?.sleeps == 1 })
    #expect(bench.schedule?.alarms.proven == 1 && bench.schedule?.alarms.missed == 0)
    bench.logger.stop()
    #expect(try bench.events().first { $0.hasPrefix("host_woke ") }?.contains(#""cause":"alarm""#) == true)
  }
}
