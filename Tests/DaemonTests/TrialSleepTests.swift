import Devices
import EventLoop
import Foundation
import LoggerConfiguration
import Quantities
import Scheduling
import Settings
import System
import TestSupport
import Testing

@testable import Daemon

/// The sleep of a host that halts while a setting of a server is on trial.
@Suite struct TrialSleepTests {
  private final class Bench {
    let http: HTTPBench
    let logger: Logger

    init() throws {
      http = try HTTPBench()
      let path = http.directory + "/down"
      try "#!/bin/sh\necho called > '\(http.directory)/called'\n".write(
        toFile: path, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
      let sources = ConfigurationSources(
        overrides: [
          "storage.directory=\(http.directory)/log", "storage.allow_volatile=true", "api.enabled=false",
          "storage.commit_interval=0s", "tracking=false", "host.sleep=halt", "host.down=\(path)",
          "host.while_fed=true", "host.stopping=0s", "rtc=/dev/rtc0",
          #"destinations=[{ name: "a", kind: "overland", url: "http://127.0.0.1:9/" }]"#,
        ], fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
      let configuration = try sources.configuration(StoredLayers())
      logger = try Logger(
        loop: http.loop, configuration: configuration, sources: sources, stored: StoredSettings(),
        journal: LoggerTests.quiet)
      var rules = try #require(HostRules(configuration))
      (rules.quiet, rules.afterStart, rules.currents) = (.zero, .zero, nil)
      logger.power.startHost(
        HostController(
          rules, HostSwitch(.halt, program: path, clock: HostTests.FakeClock(), loop: http.loop),
          loop: http.loop))
      logger.start()
      let logger = logger
      #expect(try http.run { logger.log.isOpen })
    }

    deinit { logger.stop() }

    func respond(_ text: String) {
      logger.settingsController.handleResponse(Array(text.utf8), from: "a")
    }

    var isShutdownCalled: Bool { FileManager.default.fileExists(atPath: http.directory + "/called") }

    func sleeps() throws -> Bool {
      let timer = http.loop.addTimer("look") { _ in }
      defer { http.loop.removeTimer(timer) }
      return try http.run { [self] in
        timer.arm(at: http.loop.now + .milliseconds(20))
        return isShutdownCalled
      }
    }
  }

  @Test func aHostThatHaltsSleepsDuringATrial() throws {
    let bench = try Bench()
    bench.respond(#"{"set":{"main":{"min_time":"7s"}}}"#)
    #expect(bench.logger.status.remote?.on_trial?.map(\.key) == ["main.min_time"])
    #expect(try bench.sleeps(), "\(bench.logger.status.host?.reason ?? "-")")
  }
}
