import Energy
import Foundation
import Quantities
import Records
import Settings
import Store
import SystemLoop
import TestSupport
import Testing
import Tracking

@testable import Daemon
@testable import Devices

/// A radio that the logger switches, and what becomes of records when that fails.
@Suite struct NetworkTests {
  /// Programs `up` and `down` that write down when they are run; `up` leaves with `status`.
  static func programs(_ bench: HTTPBench, status: Int = 0) throws -> [String] {
    for (name, status) in [("up", status), ("down", 0)] {
      let path = "\(bench.directory)/\(name)"
      try "#!/bin/sh\necho \(name) >> '\(bench.directory)/said'\nexit \(status)\n".write(
        toFile: path, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }
    return ["network.up=\(bench.directory)/up", "network.down=\(bench.directory)/down"]
  }

  static func said(_ bench: HTTPBench) -> [Substring] {
    let text = (try? String(contentsOfFile: bench.directory + "/said", encoding: .utf8)) ?? ""
    return text.split(separator: "\n")
  }

  /// A logger whose radio is down from the start, with records that wait for two destinations.
  static func logger(_ bench: HTTPBench, _ server: ScriptedServer, _ network: [String]) throws -> Logger {
    LoggerTests.fill(bench, count: 20)
    let destinations = ["home", "other"].map { "{ name: '\($0)', kind: 'overland', url: '\(server.url())' }" }
    let configuration = try PowerTests.configuration(
      network + [
        "storage.directory=\(bench.directory)/log", "send_interval=1h", "storage.commit_interval=0s",
        "destinations=[\(destinations.joined(separator: ", "))]",
      ])
    let logger = try Logger(loop: bench.loop, configuration: configuration, journal: LoggerTests.quiet)
    logger.startNetwork()
    var rules = RadioPlan.Rules(configuration.network)
    (rules.afterStart, rules.linger) = (.zero, .milliseconds(200))
    let network = try #require(try NetworkSwitch(configuration.network, loop: bench.loop))
    let trouble = try #require(logger.radio?.onTrouble)
    let radio = NetworkRadio(network, rules: rules, loop: bench.loop)
    radio.onTrouble = trouble
    radio.onUp = logger.radio?.onUp ?? {}
    logger.radio = radio
    #expect(try bench.run { !radio.plan.isOn })
    #expect(said(bench) == ["down"])
    return logger
  }

  @Test func dueSendsShareASessionAfterWhichTheRadioIsOff() throws {
    let bench = try HTTPBench()
    let server = try ScriptedServer(bench.loop, [.answer(200, body: #"{"result":"ok"}"#)])
    let logger = try Self.logger(bench, server, try Self.programs(bench))
    var wasUp: [Bool] = []
    server.onRequest = { wasUp.append(logger.radio?.plan.isUp == true) }
    logger.start()
    #expect(try bench.run { logger.status.destinations.map(\.delivered) == [20, 20] })
    #expect(!wasUp.isEmpty && wasUp.allSatisfy { $0 })
    #expect(try bench.run { logger.radio?.plan.isOn == false })
    #expect(Self.said(bench) == ["down", "up", "down"])
    #expect(logger.status.network?.sessions == 1 && logger.status.network?.state == "down")
    let account = logger.energyDuty.book.account(now: bench.loop.now)
    #expect(account.entries[.radioSending].map { $0.time > .zero } == true)
    logger.stop()
    #expect(Self.said(bench).last == "up", "whoever comes next finds the network as it was")
  }

  @Test(arguments: [true, false])
  func aProgramThatFailsOrIsNotThereStrandsNoRecord(isThere: Bool) throws {
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
    #expect(events.first?.contains(isThere ? "left with status 3" : "is it there") == true, "\(events)")
    #expect(events.first?.contains("network.up") == true)
  }

  @Test func withoutASwitchNothingIsSwitched() throws {
    let bench = try HTTPBench()
    #expect(try NetworkSwitch(NetworkSettings(), loop: bench.loop) == nil)
    var settings = NetworkSettings()
    settings.line = LineSettings(chip: "/dev/nowhere", line: 1)
    #expect(throws: SystemError.self) { try NetworkSwitch(settings, loop: bench.loop) }
  }

  @Test func theKernelIsToldInItsOwnWords() {
    #expect(RadioKill.event(.wlan, true) == [0, 0, 0, 0, 1, 3, 1, 0])
    #expect(RadioKill.event(.wwan, false) == [0, 0, 0, 0, 5, 3, 0, 0])
    #expect(throws: SystemError.self) { try RadioKill.block(.all, true, device: "/nowhere") }
  }
}
