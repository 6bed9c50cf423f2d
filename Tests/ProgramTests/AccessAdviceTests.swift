import Foundation
import Glibc
import Testing
import TextSnapshots

@testable import outrider

/// An ordinary user gets one message, with the missing permission and its remedy.
@Suite struct AccessAdviceTests {
  static let texts = TextSnapshot("commands")

  @Test func theGroupWithThePermissionIsNamedOrSudo() {
    let group = "\(AccessAdvice(path: "/etc/outrider/config.json5", user: "pi", group: "outrider"))"
    #expect(group == Self.texts.expected("no permission: group", group))
    #expect(group.contains("sudo usermod -aG outrider pi"))
    let root = "\(AccessAdvice(path: "/x", user: "pi", group: nil))"
    #expect(root == Self.texts.expected("no permission: no group", root))
  }

  static let permissions: [(mode: mode_t, group: gid_t, needs: mode_t, named: Bool)] = [
    (0o640, 7, 0o040, true), (0o600, 7, 0o040, false), (0o640, 0, 0o040, false), (0o660, 7, 0o060, true),
    (0o640, 7, 0o060, false), (0o750, 7, 0o010, true),
  ]

  @Test(arguments: permissions)
  func onlyAGroupWithThePermissionIsNamed(mode: mode_t, group: gid_t, needs: mode_t, named: Bool) {
    let permissions = AccessAdvice.Permissions(mode: mode, group: group)
    #expect((AccessAdvice.group(of: permissions, needs: needs) { _ in "gps" } == "gps") == named)
  }

  private static let setpriv = "/usr/bin/setpriv"
  private static let canChange = geteuid() == 0 && FileManager.default.isExecutableFile(atPath: setpriv)

  private func ask(_ words: [String], in scratch: Scratch) throws -> FaultTests.Outcome {
    try FaultTests.run(
      ["--reuid=65534", "--regid=65534", "--clear-groups", Program.executable] + words, in: scratch,
      executable: Self.setpriv)
  }

  private func running() throws -> LoggerBench {
    let bench = try LoggerBench(url: nil)
    try bench.start()
    #expect(bench.hasEvent("started"))
    return bench
  }

  @Test(.enabled(if: canChange, "only root can become another user"))
  func anOrdinaryUserGetsOneCauseAndTheRemedy() throws {
    let bench = try running()
    let config = bench.scratch.path("config.json5")
    let socket = ["--set", "api.socket=\(bench.scratch.path("api.sock"))"]
    #expect(chown(config, 0, 60) == 0 && chmod(config, 0o640) == 0)
    let closed = try ask(["status", "--config", config], in: bench.scratch)
    #expect(closed.status == 2)
    #expect(closed.errors.split(separator: "\n").count == 1, "\(closed.errors)")
    #expect(closed.errors.contains("\(config): ") && closed.errors.contains("usermod -aG games nobody"))

    #expect(chmod(config, 0o644) == 0)
    #expect(chown(bench.scratch.path("api.sock"), 0, 60) == 0)
    #expect(chmod(bench.scratch.path("api.sock"), 0o660) == 0)
    for words in [["status"], ["trip", "status"], ["send"]] {
      let outcome = try ask(words + ["--config", config] + socket, in: bench.scratch)
      #expect(outcome.status == 1, "\(words): \(outcome)")
      #expect(outcome.errors.split(separator: "\n").count == 1, "\(words): \(outcome.errors)")
      #expect(outcome.errors.contains("api.sock: "), "\(outcome.errors)")
      #expect(outcome.errors.contains("usermod -aG games nobody"), "\(outcome.errors)")
    }
    #expect(bench.stopsInGoodOrder())
  }

  /// The package creates the directory for the user of the service; its owner may start the logger as root first.
  @Test(.enabled(if: canChange, "only root can become another user"))
  func theLogOfALoggerThatRanAsRootBelongsToTheOwnerOfItsDirectory() throws {
    let bench = try LoggerBench(url: nil)
    #expect(mkdir(bench.log, 0o750) == 0 && chown(bench.log, 65534, 65534) == 0)
    try bench.start()
    #expect(bench.hasEvent("started"))
    let change = try FaultTests.run(
      ["set", "main.min_time=7s", "--config", bench.scratch.path("config.json5")], in: bench.scratch)
    #expect(change.status == 0, "\(change)")
    for state in ["running", "stopped"] {
      let names = try FileManager.default.contentsOfDirectory(atPath: bench.log)
      #expect(names.contains("outrider.db") && names.contains("settings.json"), "\(names)")
      for name in names {
        var facts = stat()
        #expect(stat("\(bench.log)/\(name)", &facts) == 0 && facts.st_uid == 65534, "\(state): \(name)")
      }
      if state == "running" { #expect(bench.stopsInGoodOrder()) }
    }
  }

  /// A member of the group may use the socket, but not the files of the storage directory.
  @Test(.enabled(if: canChange, "only root can become another user"))
  func aChangeThroughTheLoggerRequiresNoAccessToItsFiles() throws {
    let bench = try running()
    let config = bench.scratch.path("config.json5")
    let socket = bench.scratch.path("api.sock")
    let words = ["--config", config] + Self.naming(socket)
    _ = try FaultTests.run(["set", "main.min_time=5s"] + words, in: bench.scratch)
    #expect(chmod(config, 0o644) == 0 && chmod(socket, 0o666) == 0)
    #expect(chmod(bench.scratch.path("log/settings.json"), 0o600) == 0)
    #expect(chmod(bench.scratch.path("log/outrider.db"), 0o600) == 0)

    let change = try ask(["set", "main.min_time=7s"] + words, in: bench.scratch)
    #expect(change.status == 0 && change.errors == "", "\(change)")
    for command in [["why"], ["trip", "list"]] {
      let outcome = try ask(command + words, in: bench.scratch)
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains(": the user nobody has no permission; "), "\(outcome.errors)")
    }
    #expect(bench.stopsInGoodOrder())
    let refused = try ask(["set", "main.min_time=9s"] + words, in: bench.scratch)
    #expect(refused.status == 1)
    #expect(refused.errors.contains("run the command as root or as the logger's user"), "\(refused.errors)")
  }

  @Test(.enabled(if: canChange, "only root can become another user"))
  func theListingOfSettingsGivesAnOrdinaryUserOneMessage() throws {
    let bench = try running()
    let config = bench.scratch.path("config.json5")
    let socket = bench.scratch.path("api.sock")
    _ = try FaultTests.run(
      ["set", "main.min_time=5s", "--config", config] + Self.naming(socket), in: bench.scratch)
    #expect(chmod(config, 0o644) == 0)
    #expect(chmod(bench.scratch.path("log"), 0o700) == 0)
    let listing = ["set", "--list", "--json", "--config", config] + Self.naming(socket)

    #expect(chown(socket, 0, 60) == 0 && chmod(socket, 0o660) == 0)
    let closed = try ask(listing, in: bench.scratch)
    #expect(closed.status == 0)
    #expect(closed.errors.split(separator: "\n").count == 1, "\(closed.errors)")
    let withoutSocket = bench.anonymous(closed.errors)
    #expect(
      withoutSocket == Self.texts.expected("set --list without access to socket and settings", withoutSocket))

    // A logger with an accessible socket lists everything.
    #expect(chmod(socket, 0o666) == 0)
    let open = try ask(listing, in: bench.scratch)
    #expect(open.status == 0 && open.errors == "", "\(open.errors)")
    #expect(open.output.contains(#""key": "main.min_time", "value": "5s", "origin": "operator""#))

    #expect(bench.stopsInGoodOrder())
    let stopped = try ask(listing, in: bench.scratch)
    #expect(stopped.errors.split(separator: "\n").count == 1, "\(stopped.errors)")
    let withoutFile = bench.anonymous(stopped.errors)
    #expect(withoutFile == Self.texts.expected("set --list without access to settings", withoutFile))
  }

  private static func naming(_ socket: String) -> [String] { ["--set", "api.socket=\(socket)"] }
}
