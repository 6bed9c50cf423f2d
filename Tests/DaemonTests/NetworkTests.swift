import Energy
import Foundation
import LoggerConfiguration
import Quantities
import Records
import Scheduling
import Settings
import Store
import System
import TestSupport
import Testing
import TextSnapshots
@testable import Daemon
@testable import Devices

/// Switching of the radio, and uploads when that fails.
@Suite struct NetworkTests {
  /// Programs `up` and `down` that log their calls; `up` exits with `status`.
  static func programs(_ bench: HTTPBench, status: Int = 0) throws -> [String] {
    for (name, status) in [("up", status), ("down", 0)] {
      let path = "\(bench.directory)/\(name)"
      try "#!/bin/sh\necho \(name) >> '\(bench.directory)/said'\nexit \(status)\n".write(
        toFile: path, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }
    return ["network.up=\(bench.directory)/up", "network.down=\(bench.directory)/down"]
  }

  static func calls(_ bench: HTTPBench) -> [Substring] {
    let text = (try? String(contentsOfFile: bench.directory + "/said", encoding: .utf8)) ?? ""
    return text.split(separator: "\n")
  }

  /// A logger whose radio is off from the start, with queued records for two destinations. `began` gets the radio before
  /// any record is sent.
  static func logger(
    _ bench: HTTPBench, _ server: ScriptedServer, _ network: [String],
    by other: NetworkSwitch? = nil, began: (NetworkRadio) -> Void = { _ in }
  ) throws -> Logger {
    LoggerTests.fill(bench, count: 20)
    let destinations = ["home", "other"].map { "{ name: '\($0)', kind: 'overland', url: '\(server.url())' }" }
    let configuration = try PowerTests.configuration(
      network + [
        "storage.directory=\(bench.directory)/log", "send_interval=1h", "storage.commit_interval=0s",
        "destinations=[\(destinations.joined(separator: ", "))]",
      ])
    let logger = try Logger(loop: bench.loop, configuration: configuration, journal: LoggerTests.quiet)
    var rules = RadioSchedule.Rules(configuration.network)
    (rules.afterStart, rules.linger) = (.zero, .milliseconds(200))
    logger.delivery.startRadio(by: other, rules: rules)
    let radio = try #require(logger.delivery.radio)
    began(radio)
    // The queued records may switch it on again at once.
    var wasOff = false
    #expect(
      try bench.run {
        wasOff = wasOff || !radio.schedule.isOn
        return wasOff
      })
    if other == nil { #expect(calls(bench).first == "down") }
    return logger
  }

  @Test func dueUploadsShareARadioSession() throws {
    let bench = try HTTPBench()
    let server = try ScriptedServer(bench.loop, [.answer(200, body: #"{"result":"ok"}"#)])
    var wasUp: [Bool] = []
    let logger = try Self.logger(bench, server, try Self.programs(bench)) { radio in
      server.onRequest = { wasUp.append(radio.schedule.isUp) }
    }
    logger.start()
    #expect(try bench.run { logger.status.destinations.map(\.delivered) == [20, 20] })
    #expect(!wasUp.isEmpty && wasUp.allSatisfy { $0 })
    #expect(try bench.run { logger.delivery.radio?.schedule.isOn == false })
    #expect(Self.calls(bench) == ["down", "up", "down"])
    #expect(logger.status.network?.sessions == 1 && logger.status.network?.state == "down")
    let account = logger.power.account(now: bench.loop.now)
    #expect(account.entries[.radioSending].map { $0.time > .zero } == true)
    logger.stop()
    #expect(Self.calls(bench).last == "up", "the network is left switched on")
  }

  @Test(arguments: [true, false])
  func aFailingOrMissingProgramDoesNotPreventUploads(isThere: Bool) throws {
    let bench = try HTTPBench()
    let server = try ScriptedServer(bench.loop, [.answer(200, body: #"{"result":"ok"}"#)])
    var programs = try Self.programs(bench, status: 3)
    if !isThere { programs[0] = "network.up=/nowhere/up" }
    let logger = try Self.logger(bench, server, programs)
    logger.start()
    #expect(try bench.run { logger.status.destinations.map(\.delivered) == [20, 20] })
    logger.stop()
    let events = try LogReader(directory: bench.directory + "/log").records(after: .zero, limit: 1000)
      .compactMap {
        if case .event(let event) = $0.record.body, event.kind == .networkFailing {
          event.detail
        } else {
          nil
        }
      }
    #expect(events.count == 1)
    let detail = try #require(events.first).replacing(bench.directory, with: "DIRECTORY")
    let name = isThere ? "network.up with status 3" : "network.up is missing"
    #expect(detail == TextSnapshot("daemon").expected(name, detail))
    #expect(detail.contains("network.up"))
  }

  @Test func withoutASwitchNothingIsSwitched() throws {
    let bench = try HTTPBench()
    #expect(try NetworkSwitch(NetworkSettings(), loop: bench.loop) == nil)
    var settings = NetworkSettings()
    settings.line = LineSettings(chip: "/dev/nowhere", line: 1)
    #expect(throws: SystemError.self) { try NetworkSwitch(settings, loop: bench.loop) }
  }

  /// `/dev/rfkill` as a pipe, with the events that were written: `struct rfkill_event` of linux/rfkill.h, 8 bytes each.
  final class KernelPipe {
    let path: String
    private var reader: Int32 = -1
    private(set) var events: [[UInt8]] = []

    init(_ bench: HTTPBench) throws {
      path = bench.directory + "/rfkill"
      try #require(mkfifo(path, 0o600) == 0)
      open()
    }

    deinit { close() }

    func open() { reader = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }

    /// Closes the reading end: opening to write fails with ENXIO, as for a removed device.
    func close() {
      if reader >= 0 { Glibc.close(reader) }
      reader = -1
    }

    func take() -> [[UInt8]] {
      var event = [UInt8](repeating: 0, count: 8)
      while reader >= 0, read(reader, &event, 8) == 8 { events.append(event) }
      return events
    }
  }

  /// Index 0, RFKILL_TYPE_WLAN 1, RFKILL_OP_CHANGE_ALL 3, soft, hard.
  private static let (blocked, freed): ([UInt8], [UInt8]) = (
    [0, 0, 0, 0, 1, 3, 1, 0], [0, 0, 0, 0, 1, 3, 0, 0]
  )

  private static func events(_ bench: HTTPBench, _ kind: EventKind) throws -> [EventRecord] {
    try LogReader(directory: bench.directory + "/log").records(after: .zero, limit: 1000).compactMap {
      if case .event(let event) = $0.record.body, event.kind == kind { event } else { nil }
    }
  }

  @Test func rfkillUnblocksTheRadioForUploadsAndBlocksItAfterwards() throws {
    let bench = try HTTPBench()
    let server = try ScriptedServer(bench.loop, [.answer(200, body: #"{"result":"ok"}"#)])
    let pipe = try KernelPipe(bench)
    var settings = NetworkSettings()
    settings.radio = .wlan
    let kernel = try #require(try NetworkSwitch(settings, loop: bench.loop, kernel: pipe.path))
    let logger = try Self.logger(bench, server, ["network.rfkill=wlan"], by: kernel)
    #expect(pipe.take() == [Self.blocked])
    var atRequest: [[UInt8]] = []
    server.onRequest = { if atRequest.isEmpty { atRequest = pipe.take() } }
    logger.start()
    #expect(try bench.run { logger.status.destinations.map(\.delivered) == [20, 20] })
    #expect(atRequest == [Self.blocked, Self.freed], "the radio is on before the first byte")
    #expect(try bench.run { logger.delivery.radio?.schedule.isOn == false })
    #expect(pipe.take() == [Self.blocked, Self.freed, Self.blocked])
    logger.stop()
    #expect(pipe.take().last == Self.freed, "the network is left switched on")
    #expect(try Self.events(bench, .networkFailing).isEmpty)
  }

  @Test func anRfkillFailureAndItsEndAreReportedOnceEach() throws {
    let bench = try HTTPBench()
    let server = try ScriptedServer(bench.loop, [.answer(200, body: #"{"result":"ok"}"#)])
    let pipe = try KernelPipe(bench)
    var settings = NetworkSettings()
    settings.radio = .wlan
    let kernel = try #require(try NetworkSwitch(settings, loop: bench.loop, kernel: pipe.path))
    let logger = try Self.logger(bench, server, ["network.rfkill=wlan"], by: kernel)
    _ = pipe.take()
    pipe.close()
    logger.start()
    #expect(
      try bench.run { logger.status.destinations.map(\.delivered) == [20, 20] },
      "uploads are tried nevertheless")
    #expect(
      try bench.run {
        (logger.delivery.radio?.schedule.failures ?? 0) > 0 && logger.delivery.radio?.schedule.isOn == false
      })
    pipe.open()
    let token = logger.delivery.radio?.requestNetwork {}
    #expect(try bench.run { logger.delivery.radio?.schedule.isUp == true })
    if let token { logger.delivery.radio?.done(token) }
    #expect(try bench.run { logger.delivery.radio?.schedule.isOn == false })
    #expect(pipe.take().suffix(2) == [Self.freed, Self.blocked])
    logger.stop()
    let failing = try Self.events(bench, .networkFailing)
    #expect(failing.count == 1 && failing.first?.detail.contains("rfkill") == true, "\(failing)")
    #expect(try Self.events(bench, .networkRecovered).count == 1)
  }

  /// A GPIO line: the levels at its pin, which the kernel derives from active and inactive, and its error.
  private final class Pin {
    private(set) var wirings: [LineWiring] = []
    private(set) var levels: [Level] = []
    var isBroken = false

    enum Level { case low, high }

    func open(_ wiring: LineWiring, _ isActive: Bool) -> SupplySwitch {
      wirings.append(wiring)
      levels.append(Self.level(wiring, isActive))
      return { [unowned self] isOn throws(SystemError) in
        guard !isBroken else {
          throw SystemError(
            call: "GPIO_V2_LINE_SET_VALUES", subject: "\(wiring.chip) line \(wiring.line)", number: EIO)
        }
        levels.append(Self.level(wiring, isOn))
      }
    }

    private static func level(_ wiring: LineWiring, _ isActive: Bool) -> Level {
      isActive == wiring.isActiveLow ? .low : .high
    }
  }

  @Test(arguments: [false, true], [false, true])
  func aGPIOLineIsActiveFromTheStartAndDuringUploads(isActiveLow: Bool, isBrokenAtFirst: Bool)
    throws
  {
    let bench = try HTTPBench()
    let server = try ScriptedServer(bench.loop, [.answer(200, body: #"{"result":"ok"}"#)])
    let network = ["network.line={ chip: '/dev/gpiochip0', line: 5, active_low: \(isActiveLow) }"]
    let pin = Pin()
    let onLine = try #require(
      try NetworkSwitch(
        PowerTests.configuration(network).network, loop: bench.loop,
        open: { wiring, isActive in pin.open(wiring, isActive) }))
    let (on, off): (Pin.Level, Pin.Level) = isActiveLow ? (.low, .high) : (.high, .low)
    #expect(pin.wirings == [LineWiring(chip: "/dev/gpiochip0", line: 5, isActiveLow: isActiveLow)])
    #expect(pin.levels == [on], "the network stays on until the first session ends")
    let logger = try Self.logger(bench, server, network, by: onLine)
    #expect(pin.levels == [on, off])
    pin.isBroken = isBrokenAtFirst
    var atRequest: [Pin.Level] = []
    server.onRequest = { if atRequest.isEmpty { atRequest = pin.levels } }
    logger.start()
    #expect(try bench.run { logger.status.destinations.map(\.delivered) == [20, 20] })
    #expect(atRequest == (isBrokenAtFirst ? [on, off] : [on, off, on]))
    #expect(try bench.run { logger.delivery.radio?.schedule.isOn == false })
    pin.isBroken = false
    let before = pin.levels.count
    let token = logger.delivery.radio?.requestNetwork {}
    #expect(try bench.run { logger.delivery.radio?.schedule.isUp == true })
    if let token { logger.delivery.radio?.done(token) }
    #expect(try bench.run { logger.delivery.radio?.schedule.isOn == false })
    #expect(pin.levels.dropFirst(before) == [on, off])
    logger.stop()
    #expect(pin.levels.last == on, "the network is left switched on")
    let failing = try Self.events(bench, .networkFailing)
    #expect(failing.count == (isBrokenAtFirst ? 1 : 0))
    #expect(failing.allSatisfy { $0.detail.contains("/dev/gpiochip0 line 5") }, "\(failing)")
    #expect(try Self.events(bench, .networkRecovered).count == failing.count)
  }

  @Test func rfkillHasTheTypesOfTheKernel() {
    #expect(RadioKill.event(.wlan, true) == [0, 0, 0, 0, 1, 3, 1, 0])
    #expect(RadioKill.event(.wwan, false) == [0, 0, 0, 0, 5, 3, 0, 0])
    #expect(throws: SystemError.self) { try RadioKill.block(.all, true, device: "/nowhere") }
  }
}
