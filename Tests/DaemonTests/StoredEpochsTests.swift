import Devices
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
  final class Device {
    let bench: HTTPBench
    let talker: ModuleTalker
    private let settings: [String]
    /// The program for the shutdown, which does nothing.
    private let program: String
    private(set) var logger: Logger?

    init(
      _ settings: [String] = [], ownSupply: Bool = true, _ change: (inout ModuleOptions) -> Void = { _ in }
    )
      throws
    {
      bench = try HTTPBench.simulated()
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
    }

    /// Starts the host.
    func start() throws {
      let configuration = try Configuration.read(
        board: nil, file: nil, overrides: settings + ["receiver.port=\(talker.terminal.path)"],
        fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
      let logger = try Logger(loop: bench.loop, configuration: configuration, journal: LoggerTests.quiet)
      var rules = try #require(HostRules(configuration))
      rules.afterStart = .seconds(10)
      logger.power.startHost(
        HostController(
          rules, HostSwitch(.halt, program: program, clock: HostTests.FakeClock(), loop: bench.loop),
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

    func faults(_ fault: String) throws -> [EventFields] {
      try records.compactMap { record in
        guard case .event(let event) = record.body, event.kind == .receiverFault,
          event.fields[.fault] == .text(fault)
        else { return nil }
        return event.fields
      }
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
