import Foundation
import Glibc
import Quantities
import Testing

/// `/usr/lib/outrider/trial`, which returns to the previous version: its steps, and their repetition after a power cut.
@Suite struct UpgradeTrialScriptTests {
  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("scripts/debian/extra/trial").path

  /// A directory with the state of a trial, and stand-ins for systemctl and the new program.
  private final class Bench {
    let scratch: Scratch

    init(active: String = "active", restarts: Int = 0, program: String) throws {
      scratch = try Scratch()
      for folder in ["bin", "state", "units"] {
        try FileManager.default.createDirectory(
          atPath: scratch.path(folder), withIntermediateDirectories: true)
      }
      try write(
        "bin/systemctl",
        """
        #!/bin/sh
        echo "$*" >>'\(scratch.path("calls"))'
        case "$*" in *ActiveState*) echo \(active);; *NRestarts*) echo \(restarts);; esac
        """)
      try write("bin/outrider", "#!/bin/sh\n\(program)\n")
      try write("state/trial", "old=0.2.0\nnew=0.3.0\n")
    }

    private func write(_ name: String, _ text: String) throws {
      try text.write(toFile: scratch.path(name), atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: scratch.path(name))
    }

    /// Starts the script; the caller waits for its end or kills it.
    func start(_ words: [String] = []) throws -> Process {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = [UpgradeTrialScriptTests.script] + words
      process.environment = [
        "PATH": "\(scratch.path("bin")):/usr/bin:/bin", "OUTRIDER_UPDATE_STATE": scratch.path("state"),
        "OUTRIDER_PROGRAM": scratch.path("bin/outrider"), "OUTRIDER_PREVIOUS": "/previous/outrider",
        "OUTRIDER_DROP_IN": scratch.path("units/outrider.service.d/previous-version.conf"),
      ]
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      return process
    }

    func run(_ words: [String] = []) throws { try start(words).waitUntilExit() }

    func text(_ name: String) -> String? { try? String(contentsOfFile: scratch.path(name), encoding: .utf8) }

    var hasReturned: Bool {
      text("units/outrider.service.d/previous-version.conf")?.contains("ExecStart=/previous/outrider run")
        == true
    }

    var isOnTrial: Bool { scratch.exists("state/trial") }
  }

  @Test func aServiceThatIsRestartedReturns() throws {
    let bench = try Bench(restarts: 3, program: "exit 0")
    try bench.run()
    #expect(bench.hasReturned && !bench.isOnTrial)
    #expect(bench.text("state/returned") == "the service was restarted 3 times after failures\n")
    let calls = try #require(bench.text("calls"))
    #expect(
      calls.contains("daemon-reload\nrestart outrider.service\n--no-block stop outrider-health.timer\n"))
  }

  @Test func theJudgementOfTheNewProgramDecides() throws {
    let proven = try Bench(program: "echo proven; exit 0")
    try proven.run()
    #expect(!proven.hasReturned && !proven.isOnTrial && proven.scratch.exists("state/proven"))

    let waiting = try Bench(program: "echo waiting; exit 1")
    for _ in 0..<3 { try waiting.run() }
    #expect(!waiting.hasReturned && waiting.isOnTrial && waiting.text("state/checks") == "3\n")

    let failed = try Bench(program: "echo 'failed: nothing delivered'; exit 3")
    try failed.run()
    #expect(failed.hasReturned && failed.text("state/returned") == "nothing delivered\n")
  }

  @Test(arguments: ["exit 2", "kill -ILL $$", "exit 127"])
  func aProgramThatCannotJudgeReturnsAfterThreeChecks(program: String) throws {
    let bench = try Bench(program: program)
    for _ in 0..<2 { try bench.run() }
    #expect(!bench.hasReturned && bench.isOnTrial)
    try bench.run()
    #expect(bench.hasReturned && !bench.isOnTrial)
  }

  @Test func aStoppedServiceIsNotJudged() throws {
    let bench = try Bench(active: "inactive", restarts: 9, program: "exit 3")
    try bench.run()
    #expect(!bench.hasReturned && bench.isOnTrial && bench.text("state/checks") == nil)
  }

  @Test func damagedStateEndsNothing() throws {
    let bench = try Bench(program: "exit 1")
    try "many".write(toFile: bench.scratch.path("state/checks"), atomically: true, encoding: .utf8)
    try bench.run()
    #expect(bench.text("state/checks") == "1\n" && bench.isOnTrial)
  }

  @Test func theNextUpgradeEndsAReturn() throws {
    let bench = try Bench(restarts: 3, program: "exit 0")
    try bench.run()
    try bench.run(["clear"])
    #expect(!bench.hasReturned && !bench.scratch.exists("units/outrider.service.d"))
    try bench.run(["begin"])
    #expect(bench.text("calls")?.hasSuffix("restart outrider-health.timer\n") == true)
  }

  /// Killed at a random instant, the script completes the same return when it runs again.
  @Test func aReturnContinuesAfterAnInterruption() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    for round in 0..<20 {
      let bench = try Bench(program: "echo 'failed: nothing delivered'; exit 3")
      let process = try bench.start()
      usleep(UInt32.random(in: 0...40_000, using: &random))
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      try bench.run()
      #expect(bench.hasReturned && !bench.isOnTrial, "seed \(seed), round \(round)")
      #expect(bench.text("state/returned") == "nothing delivered\n", "seed \(seed), round \(round)")
      #expect(
        bench.text("calls")?.contains("restart outrider.service") == true, "seed \(seed), round \(round)")
    }
  }
}
