import Devices
import Energy
import EventLoop
import Foundation
import LocalAPI
import LoggerConfiguration
import Quantities
import Records
import Scheduling
import Settings
import Store
import System
import TestSupport
import Testing
@testable import Daemon

/// Sleep of the host, with a program and a clock chip that only log their calls.
@Suite struct HostTests {
  final class FakeClock: WakeClock {
    var shown: Int64 = 1_000_000
    var failure: SystemError?
    private(set) var calls: [String] = []

    func seconds() throws(SystemError) -> Int64 { shown }

    func wake(in time: Duration) throws(SystemError) {
      if let failure { throw failure }
      calls.append("wake in \(time.components.seconds)")
    }

    func cancel() throws(SystemError) { calls.append("cancel") }
  }

  /// An idle logger: tracking is off, and no sleep inhibitor is active.
  final class Bench {
    let http: HTTPBench
    let clock = FakeClock()
    let logger: Logger
    var suspended = Duration.zero
    private let timer: LoopTimer

    init(
      _ lines: String = "", depth: HostDepth = .suspend, note: SavedHostSleep? = nil, isServing: Bool = false
    ) throws {
      http = try HTTPBench()
      let path = http.directory + "/down"
      let environment = http.directory + "/told"
      try "#!/bin/sh\nenv > '\(environment).part'; mv '\(environment).part' '\(environment)'\n\(lines)\n"
        .write(
          toFile: path, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
      if let note {
        let writer = LogWriter(
          directory: http.directory + "/log", allowVolatile: true,
          options: LogOptions(bootID: "before", clock: { .zero }))
        _ = writer.handle(.saveState(.host, note.text))
        _ = writer.handle(.close)
      }
      let configuration = try PowerTests.configuration([
        "storage.directory=\(http.directory)/log", "tracking=false", "host.sleep=\(depth.rawValue)",
        "host.down=\(path)", "host.while_fed=true", "host.stopping=0s", "api.enabled=\(isServing)",
        "api.socket=\(http.directory)/api.sock",
        "energy={ host_idle: { mA: 75, V: 5, source: 's' }, host_halted: { mA: 30, V: 5, source: 's' }, "
          + "host_suspended: { mA: 30, V: 5, source: 's' }, host_starting: { mA: 220, V: 5, source: 's' } }",
      ])
      logger = try Logger(loop: http.loop, configuration: configuration, journal: LoggerTests.quiet)
      timer = http.loop.addTimer("look") { _ in }
      var rules = try #require(HostRules(configuration))
      (rules.quiet, rules.afterStart) = (.zero, .zero)
      logger.power.startHost(
        HostController(
          rules, HostSwitch(depth, program: path, clock: clock, loop: http.loop), loop: http.loop
        ) {
          [unowned self] in suspended
        })
      logger.start()
    }

    func run(until condition: @escaping () -> Bool) throws -> Bool {
      try http.run { [self] in
        timer.arm(at: http.loop.now + .milliseconds(20))
        return condition()
      }
    }

    /// The environment of the program.
    var environment: [Substring] {
      let text = (try? String(contentsOfFile: http.directory + "/told", encoding: .utf8)) ?? ""
      return text.split(separator: "\n").filter { $0.hasPrefix("OUTRIDER_") }.sorted()
    }

    /// Kinds, values and fields of host events.
    func events() throws -> [String] {
      try LogReader(directory: http.directory + "/log").records(after: .zero, limit: 1000).compactMap {
        guard case .event(let event) = $0.record.body,
          [.hostSleeping, .hostWoke, .hostStaysAwake].contains(event.kind)
        else { return nil }
        return "\(event.kind.rawValue) \(event.value.map(String.init) ?? "-"): \(event.fields.json)"
      }
    }
  }

  @Test func recordsAreDurableAndTheAlarmIsSetBeforeSleep() throws {
    let bench = try Bench()
    #expect(try bench.run { !bench.environment.isEmpty })
    #expect(
      bench.clock.calls == ["cancel", "wake in 86399"] || bench.clock.calls == ["cancel", "wake in 86400"])
    #expect(
      bench.environment.contains("OUTRIDER_SLEEP=suspend") && bench.environment.contains("OUTRIDER_WAKE_AT="))
    #expect(
      bench.environment.contains { $0.hasPrefix("OUTRIDER_WAKE_IN=863") || $0 == "OUTRIDER_WAKE_IN=86400" })
    #expect(
      try bench.events() == [
        #"host_sleeping 86400: {"mode":"suspend","wake_reason":"self_check","wake_s":86400}"#
      ])
    #expect(bench.logger.status.host?.state == "going down")
    #expect(bench.logger.log.recordsWaiting == 0)

    bench.suspended = .seconds(86_400)
    #expect(try bench.run { bench.logger.power.hostSleep.host?.schedule.sleeps == 1 })
    #expect(bench.clock.calls.last == "cancel")
    let status = try #require(bench.logger.status.host)
    #expect(status.state == "up" && status.slept_s == 86_400 && status.reason.hasPrefix("after the alarm"))
    let account = bench.logger.power.account(now: bench.http.loop.now)
    #expect(account.entries[.hostDown].map { $0.time > .zero && !$0.isIncomplete } == true)
    // 220 mA for 3 s.
    #expect(account.entries[.hostCycle].map { abs($0.charge.milliampereHours - 0.1833) < 1e-3 } == true)
    bench.logger.stop()
    #expect(
      try bench.events().last == #"host_woke 86400: {"cause":"alarm","duration_s":86400,"planned_s":86400}"#)
  }

  @Test func aFailedProgramLeavesNoAlarmAndIsRetried() throws {
    let bench = try Bench("exit 3")
    #expect(try bench.run { bench.logger.power.hostSleep.host?.schedule.failures == 1 })
    #expect(bench.clock.calls.count == 3 && bench.clock.calls.last == "cancel")
    #expect(bench.logger.status.host?.reason.hasPrefix("after a failure, ") == true)
    bench.logger.stop()
    let last = try #require(try bench.events().last)
    #expect(
      last.hasPrefix("host_stays_up 1: ") && last.contains("status 3") && last.contains(#""retry_s":600"#))
  }

  @Test func withoutAWakeUpAlarmTheHostStaysAwake() throws {
    let bench = try Bench()
    bench.clock.failure = SystemError(call: "RTC_WKALM_SET", subject: "/dev/rtc0", number: EINVAL)
    #expect(try bench.run { bench.logger.power.hostSleep.host?.schedule.failures == 1 })
    #expect(bench.environment.isEmpty && bench.clock.calls == ["cancel"])
    bench.logger.stop()
    #expect(try bench.events().last?.contains("RTC_WKALM_SET") == true)
  }

  @Test func aHaltedHostKeepsItsAlarm() throws {
    let bench = try Bench(depth: .halt)
    #expect(try bench.run { !bench.environment.isEmpty })
    bench.logger.stop()
    #expect(bench.clock.calls.count == 2 && bench.clock.calls.last?.hasPrefix("wake in 86") == true)
    #expect(bench.environment.contains("OUTRIDER_SLEEP=halt"))
  }

  @Test func aRequestToTheLocalAPIKeepsTheHostAwake() throws {
    let bench = try Bench()
    bench.logger.requestReceived()
    #expect(try bench.run { bench.logger.log.isOpen })
    bench.logger.power.hostSleep.host?.look(now: bench.http.loop.now)
    #expect(bench.logger.status.host?.reason == HostSleepInhibitor.visitor.text)
    #expect(bench.logger.power.hostSleep.host?.schedule.isGoingToSleep == false)
    bench.logger.stop()
    #expect(bench.environment.isEmpty)
  }

  @Test func theNextRunReportsTheSleepAndChargesIt() throws {
    let uptime = SystemClock.moment() - Moment.zero
    let note = SavedHostSleep(boot: "another", depth: .halt, planned: .seconds(3000), clockChip: 500)
    let bench = try Bench(depth: .halt, note: note)
    bench.clock.shown = 500 + uptime.components.seconds + 3000
    #expect(try bench.run { bench.logger.log.isOpen })
    let account = bench.logger.power.account(now: bench.http.loop.now)
    // 30 mA for 50 min.
    #expect(account.entries[.hostDown].map { abs($0.charge.milliampereHours - 25) < 0.1 } == true)
    #expect(account.entries[.hostCycle].map { $0.charge > .zero } == true)
    #expect(
      bench.logger.power.hostSleep.host?.schedule.verdict(now: bench.http.loop.now).text(now: .zero)
        .hasPrefix(
          "after the alarm")
        == true)
    bench.logger.stop()
    #expect(try bench.events().first?.contains(#""cause":"alarm""#) == true)
    #expect(bench.environment.isEmpty)
  }

  @Test func anActiveReceiverKeepsTheHostAwake() throws {
    let bench = try Bench()
    bench.logger.apply(
      try PowerTests.configuration([
        "tracking=true", "host.sleep=suspend", "host.down=/nowhere", "host.while_fed=true",
      ]))
    #expect(try bench.run { bench.logger.log.isOpen })
    bench.logger.power.hostSleep.host?.look(now: bench.http.loop.now)
    #expect(bench.logger.status.host?.reason == HostSleepInhibitor.receiver.text)
    bench.logger.stop()
    #expect(bench.environment.isEmpty)
  }

  // MARK: The stream

  /// The messages of a client that connects before the host sleeps: `closing` with its data, else the names.
  private static func messages(_ client: RawHTTPClient) -> [String] {
    String(decoding: client.received, as: UTF8.self)
      .matches(of: /event: ([a-z]+)\ndata: (.*)\n/).map { $0.1 == "closing" ? "closing \($0.2)" : "\($0.1)" }
  }

  private static func follow(_ bench: Bench) throws -> RawHTTPClient {
    let client = try RawHTTPClient(loop: bench.http.loop, path: bench.http.directory + "/api.sock")
    client.send(RawHTTPClient.request("GET", "/stream"))
    return client
  }

  @Test func theStreamAnnouncesTheSleepLastAndGoesOnWithAStatusAfterIt() throws {
    let bench = try Bench(isServing: true)
    let client = try Self.follow(bench)
    #expect(try bench.run { Self.messages(client).contains { $0.hasPrefix("closing") } })
    #expect(try bench.run { !bench.environment.isEmpty })
    for _ in 0..<5 { try bench.http.run(for: .milliseconds(20)) }
    let before = Self.messages(client)
    #expect(before.first == "status", "\(before)")
    #expect(before.last?.hasPrefix(#"closing {"reason":"host suspends","until":"#) == true, "\(before)")
    bench.suspended = .seconds(86_400)
    #expect(try bench.run { bench.logger.power.hostSleep.host?.schedule.sleeps == 1 })
    #expect(try bench.run { Self.messages(client).dropFirst(before.count).contains("status") })
    let after = Self.messages(client).dropFirst(before.count)
    #expect(!after.contains { $0.hasPrefix("closing") } && !client.isClosed, "\(after)")
    bench.logger.stop()
    #expect(try bench.http.run { client.isClosed })
    #expect(Self.messages(client).last == #"closing {"reason":"program ends","until":null}"#)
  }

  @Test func theStreamGoesOnIfTheHostStaysAwake() throws {
    let bench = try Bench("exit 3", isServing: true)
    let client = try Self.follow(bench)
    #expect(try bench.run { bench.logger.power.hostSleep.host?.schedule.failures == 1 })
    #expect(try bench.run { Self.messages(client).last == "event" || Self.messages(client).last == "status" })
    let messages = Self.messages(client)
    let closing = try #require(messages.firstIndex { $0.hasPrefix("closing") })
    #expect(messages[closing...].contains("status"), "\(messages)")
    bench.logger.stop()
  }

  @Test func aHostThatIsSwitchedOffIsNotAnnouncedAsAnEndOfTheProgram() throws {
    let bench = try Bench(depth: .halt, isServing: true)
    let client = try Self.follow(bench)
    #expect(try bench.run { !bench.environment.isEmpty })
    bench.logger.stop()
    #expect(try bench.http.run { client.isClosed })
    let closings = Self.messages(client).filter { $0.hasPrefix("closing") }
    #expect(closings.count == 1 && closings.first?.contains("host suspends") == true, "\(closings)")
  }

  @Test func hostCurrentsAreThoseOfTheBoardFile() throws {
    let board = [
      "rtc=/dev/rtc0", "host.sleep=halt",
      "energy={ host_idle: { mA: 75, V: 5, source: 's' }, host_halted: { mA: 30, V: 5, source: 's' } }",
    ]
    let rules = try #require(HostRules(try PowerTests.configuration(board)))
    #expect(rules.lead == .seconds(20) && rules.depth == .halt)
    #expect(rules.currents?.starting == 150 && rules.currents?.stopTime == .seconds(4), "twice idle")
    let suspend = try #require(HostRules(try PowerTests.configuration(board + ["host.sleep=suspend"])))
    #expect(suspend.currents == nil && suspend.lead == .seconds(3))
    #expect(HostRules(try PowerTests.configuration()) == nil)
  }
}
