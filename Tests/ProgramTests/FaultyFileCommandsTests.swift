import Foundation
import Glibc
import Testing
import TextSnapshots

@testable import outrider

/// Commands reach a running logger whose configuration file has become faulty.
@Suite struct FaultyFileCommandsTests {
  static let texts = TextSnapshot("commands")

  /// Mistakes, and a part of the message that names each of them.
  static let faults: [(typo: String, named: String)] = [
    ("devise_id: 1,", "device_id?"), ("main: { min_time: 'x' },", "main.min_time:"),
    ("board: 'nokia',", "\"nokia\""),
  ]

  /// Commands, and a part of their output if it is no prose.
  static let commands: [(words: [String], part: String?)] = [
    (["status"], "running for "), (["status", "--json"], #""running":true"#), (["send"], nil),
    (["send", "home"], nil), (["trip", "status"], nil), (["trip", "status", "--json"], "{"), (["stop"], nil),
    (["start"], nil),
  ]

  @Test(arguments: faults)
  func commandsReachTheRunningLoggerAndReportTheFault(typo: String, named: String) throws {
    let bench = try LoggerBench(
      url: "http://127.0.0.1:9/", extra: "api: { socket: \"SOCKET\" },")
    let socket = bench.scratch.path("elsewhere.sock")
    try bench.rewrite { $0.replacingOccurrences(of: "SOCKET", with: socket) }
    try bench.start()
    #expect(RemoteSettingsTests.hasStarted(bench, times: 1))
    try bench.rewrite { $0.replacingOccurrences(of: "  device_id:", with: "  \(typo)\n  device_id:") }
    let config = bench.scratch.path("config.json5")
    for command in Self.commands {
      let outcome = try FaultTests.run(command.words + ["--config", config], in: bench.scratch)
      #expect(outcome.status == 0, "\(command.words): \(outcome.errors)")
      if let part = command.part {
        #expect(
          outcome.output.replacingOccurrences(of: "\" : ", with: "\":").contains(part), "\(outcome.output)")
      } else {
        let answer = String(outcome.output.prefix { $0 != ";" && $0 != "\n" })
        #expect(answer == Self.texts.expected("faulty file: \(command.words.joined(separator: " "))", answer))
      }
      #expect(outcome.errors.contains(named), "\(command.words): \(outcome.errors)")
      let message = bench.anonymous(try #require(outcome.errors.line(with: socket), "\(outcome.errors)"))
      #expect(message == Self.texts.expected("faulty file: logger responds", message))
    }
    let set = try FaultTests.run(["send", "--config", config, "--set", "nothing=1"], in: bench.scratch)
    #expect(set.status == 2 && !set.errors.contains(socket), "misuse is no fault of a file: \(set.errors)")
    #expect(bench.stopsInGoodOrder())
    for command in Self.commands {
      let outcome = try FaultTests.run(command.words + ["--config", config], in: bench.scratch)
      #expect(outcome.status == 2 && outcome.output.isEmpty, "\(command.words): \(outcome.output)")
      #expect(outcome.errors.contains(named))
      let message = bench.anonymous(try #require(outcome.errors.line(with: socket), "\(outcome.errors)"))
      #expect(message == Self.texts.expected("faulty file: no logger", message))
    }
  }

  @Test func stopInSpiteOfAFaultyFileIsSaved() throws {
    let bench = try LoggerBench(url: nil)
    try bench.start()
    #expect(RemoteSettingsTests.hasStarted(bench, times: 1))
    let attributes = try FileManager.default.attributesOfItem(atPath: bench.log)
    #expect(attributes[.posixPermissions] as? Int == 0o750, "only the group of the log may read positions")
    try bench.rewrite { "\($0) }" }
    let config = bench.scratch.path("config.json5")
    let named = try FaultTests.run(["stop", "--config", config], in: bench.scratch)
    #expect(named.status == 2 && named.errors.contains("--set api.socket=PATH"), "\(named.errors)")
    let misspelt = bench.scratch.path("misspelt.json5")
    try "{ sendinterval: 1, api: { sockt: 'x' } }".write(toFile: misspelt, atomically: true, encoding: .utf8)
    let silent = try FaultTests.run(["stop", "--config", misspelt], in: bench.scratch)
    #expect(
      silent.status == 2 && silent.errors.contains("--set api.socket=PATH"),
      "it does not name its logger: \(silent.errors)")
    let set = "api.socket=\(bench.scratch.path("api.sock"))"
    let stop = try FaultTests.run(["stop", "--config", config, "--set", set], in: bench.scratch)
    #expect(stop.status == 0 && stop.errors.contains("\(config):"), "\(stop.errors)")
    let kept = try String(contentsOfFile: "\(bench.log)/settings.json", encoding: .utf8)
    #expect(kept.contains(#""tracking""#) && kept.contains("false"))
    let status = try FaultTests.run(["status", "--set", set, "--config", config], in: bench.scratch)
    #expect(
      status.output.line(with: "tracking ", "outrider start") != nil
        && status.output.contains("in \(bench.log)"), "\(status.output)")
    #expect(bench.stopsInGoodOrder())
  }

  @Test(.enabled(if: access(ConfigurationFiles.usualPath, F_OK) != 0, "this host has a configuration"))
  func onlyTheUsualFileMeansTheUsualSocket() throws {
    let refusal = ConfigurationFiles.Refusal(description: "a fault")
    var files = ConfigurationFiles(overrides: ["board=nokia"])
    files.source = .usual
    #expect(try LoggerSocket(files, inSpiteOf: refusal).path == ConfigurationFiles.fallbacks.apiSocket)
    files.source = .named("/no/such/file")
    #expect(throws: LocalCommand.Misconfigured.self) { try LoggerSocket(files, inSpiteOf: refusal) }
    files.overrides.append("api.socket=/run/a.sock")
    #expect(try LoggerSocket(files, inSpiteOf: refusal).path == "/run/a.sock")
  }

  @Test func aRejectedStartIsARecordOfTheNextOne() throws {
    let bench = try LoggerBench(url: nil)
    let environment = ["STATE_DIRECTORY": bench.scratch.url.path]
    let file = bench.scratch.path("start-rejected")
    try bench.rewrite { $0.replacingOccurrences(of: "device_id", with: "devise_id") }
    for _ in 0..<2 {
      try bench.start(environment: environment)
      #expect(bench.program?.exitStatus(within: .seconds(20)) == 2)
    }
    let reason = try String(contentsOfFile: file, encoding: .utf8)
    #expect(reason.contains("devise_id") && !reason.contains("\n"), "\(reason)")
    try bench.rewrite { $0.replacingOccurrences(of: "devise_id", with: "device_id") }
    for start in 1...2 {
      try bench.start(environment: environment)
      #expect(RemoteSettingsTests.hasStarted(bench, times: start))
      #expect(bench.stopsInGoodOrder())
    }
    let events = bench.events("configuration_refused")
    #expect(events.count == 1 && events.first?.contains("devise_id") == true, "\(events)")
    #expect(!bench.scratch.exists("start-rejected"))
  }

  @Test func aTrialWithoutTheAPIIsJudgedByTheLog() throws {
    let bench = try LoggerBench(url: nil, extra: "api: { enabled: false },")
    let config = ["--config", bench.scratch.path("config.json5")]
    let trial = ["health", "--since-upgrade", bench.scratch.url.path, "--elapsed", "700"] + config
    let silent = try FaultTests.run(trial, in: bench.scratch)
    #expect(silent.status == 1, "there is no log: \(silent)")
    try bench.start()
    bench.feeder.play(Recording.simulated(epochs: 8).pieces, every: .milliseconds(200))
    #expect(bench.hasStored(1))
    let before = try FaultTests.run(["status", "--json"] + config, in: bench.scratch)
    _ = try bench.scratch.write("before.json", before.output)
    let proven = try FaultTests.run(trial, in: bench.scratch)
    #expect(proven.status == 0 && proven.output == "proven\n", "\(proven)")
    let elsewhere = ["health", "--since-upgrade", "/nonexistent", "--elapsed", "700"] + config
    #expect(try FaultTests.run(elsewhere, in: bench.scratch).status == 2)
    let plain = try FaultTests.run(["health"] + config, in: bench.scratch)
    #expect(plain.status == 2 && plain.errors.contains("api.enabled is false"), "\(plain)")
  }
}
