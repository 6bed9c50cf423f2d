import Chips
import Devices
import EventLoop
import Foundation
import GNSSProtocol
import LoggerConfiguration
import Quantities
import Records
import Scheduling
import Settings
import Simulation
import Store
import TestSupport
import Testing
@testable import Daemon

/// A receiver with a supply of its own on a moving device: it stores its epochs while the host is off, and the next start retrieves
/// them. Every start of the logger stands for one of the host.
@Suite struct StoredEpochsTests {
  /// The Witty Pi 4 that cuts the supply of the host.
  final class Board: I2CBus {
    var part = VirtualWittyPi4()
    private let loop: EventLoop
    private let start: Moment
    private var skipped = Duration.zero

    init(_ loop: EventLoop) { (self.loop, start) = (loop, loop.now) }

    func transfer(to address: I2CAddress, write: [UInt8], readCount: Int) throws(I2CError) -> [UInt8] {
      guard address == WittyPi4.addresses.first else { throw .noAcknowledge(address) }
      skip(.zero)
      return part.transfer(write: write, readCount: readCount)
    }

    /// Advances the time of the board by `time`.
    func skip(_ time: Duration) {
      skipped = skipped + time
      part.advance(to: .zero + (loop.now - start) + skipped)
    }

    var seconds: Int64 {
      get throws { try WittyPi4(bus: self, address: WittyPi4.addresses[0]).seconds() }
    }
  }

  final class Device {
    let bench: HTTPBench
    let talker: ModuleTalker
    /// The board that cuts the supply; nil for a host that powers itself off.
    let board: Board?
    private var settings: [String]
    /// The program for the shutdown, which does nothing.
    private let program: String
    private(set) var logger: Logger?

    init(
      _ settings: [String] = [], ownSupply: Bool = true, hasBoard: Bool = false,
      _ change: (inout ModuleOptions) -> Void = { _ in }
    ) throws {
      bench = try HTTPBench.simulated()
      board = hasBoard ? Board(bench.loop) : nil
      talker = try ModuleTalker(loop: bench.loop, .ublox10) { options in
        options.savedSpeed = 115_200
        options.route = CityRoute.berlin.halting(CityRoute.Halts([]))
        change(&options)
      }
      program = bench.directory + "/down"
      try "#!/bin/sh\n".write(toFile: program, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
      self.settings =
        [
          "storage.directory=\(bench.directory)/log", "storage.allow_volatile=true", "api.enabled=false",
          "storage.commit_interval=30s", "receiver.speed=115200",
          "receiver.own_supply=\(ownSupply)", "main.tracking_mode=both", "main.pause_automatically=true",
          "main.desired_accuracy=best", "main.min_time=1s", "main.deferred=10km", "destinations=[]",
          "host.sleep=halt", "host.down=\(program)", "host.stopping=0s", "host.while_fed=true",
        ] + settings
      guard hasBoard else { return }
      self.settings.append(
        #"power_manager={ chip: "witty-pi-4", bus: "/dev/i2c-1", cut_after: "30s", dead_man: "6h" }"#)
    }

    /// Starts the host.
    func start() throws {
      let configuration = try Configuration.read(
        board: nil, file: nil, overrides: settings + ["receiver.port=\(talker.terminal.path)"],
        fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
      let board = board
      let open: BusOpening = { _, _ throws(I2CError) in
        guard let board else { throw .noAcknowledge(WittyPi4.addresses[0]) }
        return board
      }
      let logger = try Logger(
        loop: bench.loop, configuration: configuration, journal: LoggerTests.quiet, openBus: open)
      var rules = try #require(HostRules(configuration))
      rules.afterStart = .seconds(10)
      let cut = configuration.powerManager.flatMap { SupplyCut($0, loop: bench.loop, openBus: open) }
      if cut != nil { rules.cut = SupplyCutRules(deadMan: .seconds(6 * 3600), longestWake: .seconds(86_400)) }
      let clock = cut == nil ? HostTests.FakeClock() : nil
      logger.power.startHost(
        HostController(
          rules, HostSwitch(.halt, program: program, clock: clock, cut: cut, loop: bench.loop),
          loop: bench.loop))
      logger.start()
      self.logger = logger
    }

    /// The sleep that the host has commanded; nil if it does not within `time`.
    func sleep(within time: Duration) throws -> HostSleep? {
      let isFalling = try bench.run(for: time) { [self] in schedule?.isFalling == true }
      return isFalling ? schedule?.nextSleep : nil
    }

    /// Ends the program with the host, whose supply is cut for `time`.
    func cut(for time: Duration) {
      logger?.stop()
      logger = nil
      goOn(for: time)
    }

    /// Ends the program in a planned sleep, for which the board cuts the supply of the host. Returns the time until
    /// the board has started the host, in another boot.
    func cut(_ sleep: HostSleep) throws -> Duration {
      let board = try #require(board)
      // Alarm, dead-man timer and cut are set, and the shutdown is commanded.
      try bench.run(for: .seconds(10))
      #expect(schedule?.isFalling == true)
      let note = SavedHostSleep(
        boot: "before", depth: .halt, planned: sleep.planned, clockChip: try board.seconds)
      logger?.stop()
      logger = nil
      let writer = LogWriter(
        directory: bench.directory + "/log", allowVolatile: true,
        options: LogOptions(bootID: "before", clock: { .zero }))
      _ = writer.handle(.saveState(.host, note.text))
      _ = writer.handle(.close)
      var time = Duration.zero
      func pass(while isOn: Bool) {
        while board.part.isHostPowered == isOn, time < .seconds(86_400) {
          board.skip(.seconds(5))
          time = time + .seconds(5)
        }
      }
      pass(while: true)
      pass(while: false)
      goOn(for: time)
      return time
    }

    /// The receiver goes on alone.
    private func goOn(for time: Duration) {
      let step = Duration.seconds(100)
      for _ in 0..<Int(time / step) { talker.skip(step) }
      talker.skip(time - step * Int(time / step))
    }

    /// The supply of the host fails: nothing more is written, and the receiver sends to nobody. `log` is a copy of the log.
    func lose(_ log: String, for time: Duration) throws {
      try talker.move()
      logger?.receiver.line?.stop()
      logger?.stop()
      logger = nil
      let directory = bench.directory + "/log"
      try FileManager.default.removeItem(atPath: directory)
      try FileManager.default.moveItem(atPath: log, toPath: directory)
      goOn(for: time)
    }

    /// A copy of the log as it is now.
    func copyOfLog() throws -> String {
      let copy = bench.directory + "/copy"
      try FileManager.default.copyItem(atPath: bench.directory + "/log", toPath: copy)
      return copy
    }

    var schedule: HostSchedule? { logger?.power.hostSleep.host?.schedule }

    var records: [LogRecord] {
      get throws {
        try LogReader(directory: bench.directory + "/log").records(after: .zero, limit: 5000).map(\.record)
      }
    }

    /// The times of the locations in the order of the log, in s.
    var seconds: [Int64] {
      get throws {
        try records.compactMap { record in
          guard case .location = record.body, let time = record.time else { return nil }
          return time.milliseconds / 1000
        }
      }
    }

    func events(_ kind: EventKind) throws -> [EventFields] {
      try records.compactMap { record in
        guard case .event(let event) = record.body, event.kind == kind else { return nil }
        return event.fields
      }
    }

    func faults(_ fault: String) throws -> [EventFields] {
      try events(.receiverFault).filter { $0[.fault] == .text(fault) }
    }
  }

  static func steps(_ seconds: [Int64]) -> [Int64] {
    zip(seconds, seconds.dropFirst()).map { $1 - $0 }
  }

  @Test func everyEpochOfADriveIsInTheLogOnceAcrossThreeCutsOfTheSupply() throws {
    let device = try Device()
    for number in 0..<3 {
      try device.start()
      let sleep = try #require(try device.sleep(within: .seconds(120)), "start \(number)")
      #expect(sleep.need.purpose == .storedEpochs && sleep.planned > .seconds(200), "\(sleep)")
      device.cut(for: sleep.planned + .seconds(15))
    }
    try device.start()
    _ = try device.sleep(within: .seconds(60))
    device.logger?.stop()
    let seconds = try device.seconds
    #expect(seconds.count > 3 * 260)
    #expect(Self.steps(seconds).allSatisfy { $0 == 1 }, "\(Self.steps(seconds).filter { $0 != 1 })")
    #expect(try device.faults("epochs_missing").isEmpty && device.faults("epochs_lost").isEmpty)
  }

  /// `scripts/energy --device` counts this time.
  @Test func theReceiverStoresAgainSecondsAfterAStart() throws {
    let device = try Device()
    try device.start()
    let sleep = try #require(try device.sleep(within: .seconds(120)))
    device.cut(for: sleep.planned + .seconds(15))
    let start = device.bench.loop.now
    try device.start()
    let isStoring = try device.bench.run(for: .seconds(30)) {
      if case .storing? = device.logger?.receiver.storage { true } else { false }
    }
    let time = device.bench.loop.now - start
    print("stored epochs: storing again after \(time)")
    #expect(isStoring && time < .seconds(8), "270 epochs take 2.5 s: \(time)")
    let again = try #require(try device.sleep(within: .seconds(30)))
    print("stored epochs: asleep again after \(device.bench.loop.now - start)")
    #expect(again.planned > .seconds(250) && device.bench.loop.now - start < .seconds(17))
    device.logger?.stop()
  }

  @Test func aReceiverWithoutItsOwnSupplyKeepsTheHostUpInMotion() throws {
    let device = try Device(ownSupply: false)
    try device.start()
    defer { device.logger?.stop() }
    #expect(try device.sleep(within: .seconds(400)) == nil)
  }

  /// The dead-man timer starts the host an hour late.
  @Test func epochsForWhichThereWasNoRoomAreAnEventWithTheirTimeRange() throws {
    let device = try Device()
    try device.start()
    _ = try #require(try device.sleep(within: .seconds(120)))
    device.cut(for: .seconds(3600))
    let before = try #require(try device.seconds.last)
    try device.start()
    _ = try device.sleep(within: .seconds(60))
    device.logger?.stop()
    let seconds = try device.seconds
    let gaps = Self.steps(seconds).filter { $0 != 1 }
    // Epochs that are lost on the line have an event of their own.
    let damaged = try device.faults("epochs_lost").count
    #expect(gaps.count == 1 + damaged && (gaps.first ?? 0) > 3000, "\(gaps)")
    let event = try #require(try device.faults("epochs_missing").first)
    #expect(event[.cause] == .text("no_room"))
    guard case .integer(let from)? = event[.started], case .integer(let to)? = event[.time],
      case .integer(let count)? = event[.count]
    else {
      Issue.record("\(event)")
      return
    }
    #expect(abs(from / 1000 - before) <= 30, "up to the last epoch before the cut: \(from) \(before)")
    #expect(seconds.contains(to / 1000) && !seconds.contains(to / 1000 - 1))
    #expect(abs(count - (gaps.first ?? 0)) < 30)
    #expect(try device.faults("epochs_missing").count == 1)
  }

  /// The alarm is missed, and the board starts the host by its other timer, long after the memory of the receiver
  /// is full.
  @Test func afterAMissedAlarmTheDeadManTimerIsNamedAndTheStoredEpochsAreReadOnce() throws {
    let device = try Device(hasBoard: true)
    try device.start()
    let first = try #require(try device.sleep(within: .seconds(120)))
    #expect(first.need.purpose == .storedEpochs && first.planned > .seconds(200), "\(first)")
    let planned = try device.cut(first)
    #expect(planned < first.planned + .seconds(10), "the alarm rings")
    try device.start()
    let second = try #require(try device.sleep(within: .seconds(60)))
    let before = try device.seconds
    #expect(Self.steps(before).allSatisfy { $0 == 1 })
    device.board?.part.faults = [.neverRings]
    let time = try device.cut(second)
    #expect(time > .seconds(3600) && time < .seconds(3700), "\(time)")
    var starts = try device.events(.hostWoke).map { $0.text(.cause) }
    #expect(starts.last == "alarm", "\(starts)")
    device.board?.part.faults = []
    try device.start()
    let third = try device.sleep(within: .seconds(60))
    #expect(third?.need.purpose == .storedEpochs, "it sleeps on: \(String(describing: third))")
    device.logger?.stop()
    starts = try device.events(.hostWoke).map { $0.text(.cause) }
    #expect(starts.last == "dead_man", "\(starts)")
    let missed = try device.events(.wakeAlarmMissed)
    #expect(missed.count == 1, "\(missed)")
    let seconds = try device.seconds
    #expect(Array(seconds.prefix(before.count)) == before)
    #expect(Set(seconds).count == seconds.count && seconds == seconds.sorted())
    let gaps = Self.steps(seconds).filter { $0 != 1 }
    let damaged = try device.faults("epochs_lost").count
    let missing = try device.faults("epochs_missing")
    #expect(gaps.count == 1 + damaged && missing.count == 1, "\(gaps) \(missing)")
    #expect(missing.first?.text(.cause) == "no_room")
    let gap = try #require(seconds.indices.dropFirst().first { seconds[$0] - seconds[$0 - 1] > 100 })
    #expect(seconds[gap...].count > 290, "what the receiver had room for")
    let to = try #require(missing.first?.number(.time))
    let count = try #require(missing.first?.number(.count))
    #expect(to / 1000 == seconds[gap] && abs(count - (seconds[gap] - seconds[gap - 1])) < 30)
  }

  /// The supply fails while the receiver sends: it does not send these epochs again.
  @Test func aRetrievalThatAPowerCutInterruptsLosesNothingWithoutAnEventAndRecordsNothingTwice() throws {
    let device = try Device()
    try device.start()
    let sleep = try #require(try device.sleep(within: .seconds(120)))
    device.cut(for: sleep.planned)
    let before = try device.seconds
    try device.start()
    let isSending = try device.bench.run(for: .seconds(10)) { device.logger?.receiver.storage == .sending }
    try device.bench.run(for: .seconds(1))
    #expect(isSending && device.logger?.receiver.storage == .sending)
    try device.lose(device.copyOfLog(), for: .seconds(100))
    try device.start()
    _ = try device.sleep(within: .seconds(60))
    device.logger?.stop()
    let seconds = try device.seconds
    #expect(Array(seconds.prefix(before.count)) == before)
    #expect(Set(seconds).count == seconds.count && seconds == seconds.sorted())
    let gaps = Self.steps(seconds).filter { $0 != 1 }
    let events = try device.faults("epochs_missing")
    #expect(gaps.count == events.count, "each gap has its reason: \(gaps) \(events)")
  }

  @Test func aTripStaysOneAndGoesOnWhileTheHostIsOff() throws {
    let device = try Device(["trip.start=automatic", "trip_mode=car"])
    for number in 0..<3 {
      try device.start()
      _ = try #require(try device.sleep(within: .seconds(240)))
      // The trip is detected later than the host sleeps, by the epochs that the second start retrieves.
      #expect(device.logger?.tracking.tracker.summary.isTripRunning == (number > 0))
      device.cut(for: .seconds(250))
    }
    try device.start()
    _ = try device.sleep(within: .seconds(60))
    #expect(device.logger?.tracking.tracker.summary.isTripRunning == true)
    device.logger?.stop()
    let trips = try device.records.filter { if case .trip = $0.body { true } else { false } }
    #expect(trips.isEmpty, "the trip has not ended")
    let begun = try device.records.compactMap { record -> Instant? in
      guard case .location(let location) = record.body else { return nil }
      return location.trip
    }
    #expect(Set(begun).count == 1, "\(Set(begun))")
  }
}
