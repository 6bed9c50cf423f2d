import Foundation
import Glibc
import Testing

@testable import outrider

/// A file that has become wrong takes nobody's commands away from the logger that runs on.
@Suite struct FaultyFileCommandsTests {
  static let faults: [(typo: String, said: String)] = [
    ("devise_id: 1,", "did you mean device_id?"), ("main: { min_time: 'x' },", "main.min_time: expected"),
    ("board: 'nokia',", "no board \"nokia\""),
  ]

  static let commands: [(words: [String], said: String)] = [
    (["status"], "running for"), (["status", "--json"], #""running":true"#),
    (["send"], "sending to 1 destination"),
    (["send", "home"], "sending to home"), (["trip", "status"], "no trip runs"),
    (["trip", "status", "--json"], "{"),
    (["stop"], "tracking is off: set in the running logger"),
    (["start"], "tracking is on: set in the running logger"),
  ]

  @Test(arguments: faults)
  func theRunningLoggerIsAskedAllTheSame(typo: String, said: String) throws {
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
      #expect(
        outcome.output.replacingOccurrences(of: "\" : ", with: "\":").contains(command.said),
        "\(outcome.output)")
      #expect(outcome.errors.contains(said), "\(command.words): \(outcome.errors)")
      #expect(outcome.errors.contains("the logger on \(socket) goes on with the configuration that it has"))
    }
    let set = try FaultTests.run(["send", "--config", config, "--set", "nothing=1"], in: bench.scratch)
    #expect(set.status == 2 && !set.errors.contains("goes on"), "misuse is no fault of a file: \(set.errors)")
    #expect(bench.stopsInGoodOrder())
    for command in Self.commands {
      let outcome = try FaultTests.run(command.words + ["--config", config], in: bench.scratch)
      #expect(outcome.status == 2 && outcome.output.isEmpty, "\(command.words): \(outcome.output)")
      #expect(
        outcome.errors.contains(said) && outcome.errors.contains("no logger answers on \(socket) either"))
    }
  }

  @Test func whatIsStoppedInSpiteOfTheFileStaysSo() throws {
    let bench = try LoggerBench(url: nil)
    try bench.start()
    #expect(RemoteSettingsTests.hasStarted(bench, times: 1))
    let attributes = try FileManager.default.attributesOfItem(atPath: bench.log)
    #expect(attributes[.posixPermissions] as? Int == 0o750, "the log tells positions to its own group alone")
    try bench.rewrite { "\($0) }" }
    let config = bench.scratch.path("config.json5")
    let named = try FaultTests.run(["stop", "--config", config], in: bench.scratch)
    #expect(named.status == 2 && named.errors.contains("--set api.socket=PATH"), "\(named.errors)")
    let misspelt = bench.scratch.path("misspelt.json5")
    try "{ sendinterval: 1, api: { sockt: 'x' } }".write(toFile: misspelt, atomically: true, encoding: .utf8)
    let silent = try FaultTests.run(["stop", "--config", misspelt], in: bench.scratch)
    #expect(
      silent.status == 2 && silent.errors.contains("--set api.socket=PATH"),
      "it does not say whom it means: \(silent.errors)")
    let set = "api.socket=\(bench.scratch.path("api.sock"))"
    let stop = try FaultTests.run(["stop", "--config", config, "--set", set], in: bench.scratch)
    #expect(stop.status == 0 && stop.errors.contains("\(config):"), "\(stop.errors)")
    let kept = try String(contentsOfFile: "\(bench.log)/settings.json", encoding: .utf8)
    #expect(kept.contains(#""tracking""#) && kept.contains("false"))
    let status = try FaultTests.run(["status", "--set", set, "--config", config], in: bench.scratch)
    #expect(
      status.output.contains("switched off") && status.output.contains("in \(bench.log)"), "\(status.output)")
    #expect(bench.stopsInGoodOrder())
  }

  @Test(.enabled(if: access(ConfigurationFiles.usualPath, F_OK) != 0, "there is a configuration here"))
  func onlyTheUsualFileMeansTheUsualLogger() throws {
    let refusal = ConfigurationFiles.Refusal(description: "a fault")
    var files = ConfigurationFiles(overrides: ["board=nokia"])
    files.source = .usual
    #expect(try LoggerSocket(files, inSpiteOf: refusal).path == ConfigurationFiles.fallbacks.apiSocket)
    files.source = .named("/no/such/file")
    #expect(throws: LocalCommand.Misconfigured.self) { try LoggerSocket(files, inSpiteOf: refusal) }
    files.overrides.append("api.socket=/run/a.sock")
    #expect(try LoggerSocket(files, inSpiteOf: refusal).path == "/run/a.sock")
  }
}
