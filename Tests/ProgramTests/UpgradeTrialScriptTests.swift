import Foundation
import Glibc
import Quantities
import Testing

/// `/usr/lib/outrider/trial`, which returns to the previous version: its steps, and their repetition after a power cut.
@Suite struct UpgradeTrialScriptTests {
  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("scripts/debian/extra/trial").path

  /// A directory with the state of a trial, and stand-ins for systemctl, the new program and the previous one.
  private final class Bench {
    let scratch: Scratch

    /// `program` and `previous` are the ends of shell scripts. Without them `health` says "proven", and everything succeeds.
    init(
      active: String = "active", restarts: Int = 0, system: String = "running", program: String = "exit 0",
      previous: String = "exit 0", trial: String = "old=0.2.0\nnew=0.3.0\n"
    ) throws {
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
        case "$*" in
          *ActiveState*) echo \(active);; *NRestarts*) echo \(restarts);; is-system-running) echo \(system);;
        esac
        """)
      try write("bin/outrider", "#!/bin/sh\necho \"new $*\" >>'\(scratch.path("calls"))'\n\(program)\n")
      try write("bin/previous", "#!/bin/sh\necho \"old $*\" >>'\(scratch.path("calls"))'\n\(previous)\n")
      try write("state/trial", trial)
    }

    func write(_ name: String, _ text: String) throws {
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
        "OUTRIDER_UPDATE_MEMORY": scratch.path("memory"), "OUTRIDER_PROGRAM": scratch.path("bin/outrider"),
        "OUTRIDER_PREVIOUS": scratch.path("bin/previous"), "OUTRIDER_DROP_IN": scratch.path(Self.dropIn),
        "OUTRIDER_DROP_IN_IN_MEMORY": scratch.path(Self.dropInInMemory),
      ]
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      return process
    }

    static let dropIn = "units/outrider.service.d/previous-version.conf"
    static let dropInInMemory = "memory/outrider.service.d/previous-version.conf"

    func run(_ words: [String] = []) throws { try start(words).waitUntilExit() }

    func text(_ name: String) -> String? { try? String(contentsOfFile: scratch.path(name), encoding: .utf8) }

    func hasReturned(by file: String = dropIn) -> Bool {
      text(file)?.contains("ExecStart=\(scratch.path("bin/previous")) run") == true
    }

    var isOnTrial: Bool { scratch.exists("state/trial") }
    var calls: String { text("calls") ?? "" }

    /// The time that the last check handed to the program, in seconds.
    var elapsed: Int? {
      calls.split(separator: "\n").last { $0.contains("--elapsed") }?.split(separator: " ").last.flatMap {
        Int($0)
      }
    }
  }

  /// A program whose judgement ends with this status and these words; it records an outcome at once.
  private static func healthProgram(_ status: Int, _ words: String = "") -> String {
    "case \"$*\" in *record-update*) exit 0;; esac; echo '\(words)'; exit \(status)"
  }

  @Test func aServiceThatIsRestartedReturns() throws {
    let bench = try Bench(restarts: 3)
    try bench.run()
    #expect(bench.hasReturned() && !bench.isOnTrial)
    let reason = "the service was restarted 3 times after failures"
    #expect(bench.text("state/returned") == reason + "\n")
    #expect(bench.calls.contains("restart outrider.service\n"))
    #expect(bench.calls.contains("old health --record-update 0.3.0 --from 0.2.0 --reason \(reason)\n"))
    #expect(bench.calls.hasSuffix("--no-block stop outrider-health.timer outrider-health-halt.service\n"))
  }

  /// (restarts of the previous version, of this one in earlier boots, in this boot, return)
  static let restarts: [(Int, Int, Int, Bool)] = [
    (0, 0, 2, false), (0, 2, 0, false), (0, 2, 1, true), (5, 0, 7, false), (5, 6, 2, true),
  ]

  @Test(arguments: restarts)
  func restartsCountOverBootsAndBeyondThoseBefore(before: Int, earlier: Int, now: Int, returns: Bool) throws {
    let bench = try Bench(
      restarts: now, program: Self.healthProgram(1), trial: "old=0.2.0\nnew=0.3.0\nrestarts=\(before)\n")
    try bench.write("state/restarts", "\(earlier) \(earlier) of-another-boot\n")
    for _ in 0..<2 { try bench.run() }
    #expect(bench.hasReturned() == returns && bench.isOnTrial == !returns)
  }

  @Test func theJudgementOfTheNewProgramDecides() throws {
    let proven = try Bench(program: Self.healthProgram(0, "proven"))
    try proven.run()
    #expect(!proven.hasReturned() && !proven.isOnTrial && proven.scratch.exists("state/proven"))
    #expect(proven.calls.contains("new health --record-update 0.3.0 --from 0.2.0\n"))

    let waiting = try Bench(program: Self.healthProgram(1, "waiting"))
    for _ in 0..<3 { try waiting.run() }
    #expect(!waiting.hasReturned() && waiting.isOnTrial)

    // Several lines would be settings of the unit.
    let lines = try Bench(program: Self.healthProgram(3, "failed: a\n[Unit]"))
    try lines.run()
    #expect(lines.text("state/returned") == "a [Unit]\n" && lines.hasReturned())

    let failed = try Bench(program: Self.healthProgram(3, "failed: nothing delivered"))
    try failed.run()
    #expect(failed.hasReturned() && failed.text("state/returned") == "nothing delivered\n")
  }

  /// The time that the device was awake counts, by checks at most ten minutes apart.
  @Test func theTrialLastsWhileTheDeviceRuns() throws {
    let uptime = try #require(
      String(contentsOfFile: "/proc/uptime", encoding: .utf8).split(separator: ".").first.flatMap { Int($0) })
    let boot = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
    let bench = try Bench(program: Self.healthProgram(1))
    // Without the time of the upgrade the first check is the begin.
    try bench.run()
    #expect(try #require(bench.elapsed) == 0)
    try bench.write("state/elapsed", "100 \(max(uptime - 50, 0)) \(boot)")
    try bench.run()
    let same = try #require(bench.elapsed)
    #expect((100 + min(uptime, 50)...100 + min(uptime, 50) + 60).contains(same))
    try bench.write("state/elapsed", "100 0 of-another-boot\n")
    try bench.run()
    let other = try #require(bench.elapsed)
    #expect((100 + min(uptime, 600)...100 + 600).contains(other))
  }

  @Test(arguments: ["exit 2", "kill -ILL $$", "exit 127"])
  func aProgramThatCannotJudgeReturnsAfterThreeChecks(program: String) throws {
    let bench = try Bench(program: program)
    for _ in 0..<2 { try bench.run() }
    #expect(!bench.hasReturned() && bench.isOnTrial)
    try bench.run()
    #expect(bench.hasReturned() && !bench.isOnTrial)
  }

  @Test func aStoppedServiceIsNotJudged() throws {
    let bench = try Bench(active: "inactive", restarts: 9, program: "exit 3")
    try bench.run()
    #expect(!bench.hasReturned() && bench.isOnTrial && !bench.calls.contains("health"))
  }

  @Test(arguments: ["elapsed", "restarts", "failures", "attempts"])
  func damagedStateEndsNothing(name: String) throws {
    for text in ["many", "", "99999999999999999999 1 x\n", "-1 0 x\n", "1 2\n", "08 09 x\n", "08\n"] {
      let bench = try Bench(program: Self.healthProgram(1))
      try bench.write("state/\(name)", text)
      try bench.run()
      #expect(bench.isOnTrial && !bench.hasReturned() && bench.elapsed ?? -1 >= 0, "\(name): \(text)")
    }
  }

  @Test func aPreviousVersionThatCannotRunDoesNotReturn() throws {
    let strict = try Bench(
      restarts: 3, previous: "echo 'config.json5:3:7: update.trial: unknown key' >&2; exit 2")
    try strict.run()
    #expect(!strict.hasReturned() && !strict.isOnTrial)
    #expect(strict.text("state/kept")?.contains("rejects the configuration: config.json5:3:7") == true)

    let gone = try Bench(restarts: 3)
    try FileManager.default.removeItem(atPath: gone.scratch.path("bin/previous"))
    try gone.run()
    #expect(!gone.hasReturned() && !gone.isOnTrial)
    #expect(gone.text("state/kept")?.hasSuffix("bin/previous is missing\n") == true)
  }

  @Test func onlyALogThatCannotBeWrittenForTenMinutesReturns() throws {
    let bench = try Bench(program: Self.healthProgram(4, "unwritable: disk full"))
    for _ in 0..<3 { try bench.run() }
    #expect(!bench.hasReturned() && bench.isOnTrial && bench.scratch.exists("state/unwritable"))
    try bench.write("bin/outrider", "#!/bin/sh\necho waiting; exit 1\n")
    try bench.run()
    #expect(!bench.scratch.exists("state/unwritable"), "a good check ends it")
    try bench.write("bin/outrider", "#!/bin/sh\n\(Self.healthProgram(4, "unwritable: disk full"))\n")
    try bench.write("state/elapsed", "1000 0 of-another-boot\n")
    try bench.write("state/unwritable", "401\n")
    try bench.run()
    #expect(bench.hasReturned() && bench.text("state/returned") == "disk full\n")
  }

  @Test func onlyFailuresInARowReturn() throws {
    let bench = try Bench(program: Self.healthProgram(124))
    for status in [124, 124, 1, 124, 124, 0] {
      #expect(!bench.hasReturned() && bench.isOnTrial, "\(status)")
      try bench.write("bin/outrider", "#!/bin/sh\n\(Self.healthProgram(status))\n")
      try bench.run()
    }
    #expect(!bench.hasReturned() && !bench.isOnTrial && bench.scratch.exists("state/proven"))
  }

  /// A directory that cannot be made stands for a disk without room, also for root.
  @Test func aFullDiskDoesNotPreventAReturn() throws {
    let bench = try Bench(program: Self.healthProgram(2))
    for name in ["failures.new", "returned.new", "elapsed.new", "restarts.new"] {
      try FileManager.default.createDirectory(
        atPath: bench.scratch.path("state/\(name)/x"), withIntermediateDirectories: true)
    }
    try bench.write("units/outrider.service.d", "no directory")
    for _ in 0..<3 { try bench.run() }
    #expect(bench.hasReturned(by: Bench.dropInInMemory) && !bench.isOnTrial)
    #expect(bench.text("memory/returned")?.hasPrefix("outrider health failed") == true)
  }

  @Test func aReturnWhileTheHostStopsWaitsForItsNextStart() throws {
    let bench = try Bench(restarts: 3, system: "stopping")
    try bench.run()
    #expect(bench.hasReturned() && !bench.calls.contains("restart outrider.service"))
  }

  /// A logger that starts or hangs cannot record; it is asked again, and at last no more.
  @Test func theOutcomeIsRecordedByTheNextCheck() throws {
    let bench = try Bench(
      program: "case \"$*\" in *record-update*) exit 1;; esac; exit 0", previous: "exit 0")
    for _ in 0..<2 { try bench.run() }
    #expect(bench.isOnTrial && bench.calls.components(separatedBy: "record-update").count == 3)
    #expect(bench.calls.components(separatedBy: "--since-upgrade").count == 2, "judged once")
    try bench.write("bin/outrider", "#!/bin/sh\nexit 0\n")
    try bench.run()
    #expect(!bench.isOnTrial)

    let silent = try Bench(program: "case \"$*\" in *record-update*) exit 1;; esac; exit 0")
    try silent.write("state/attempts", "99\n")
    try silent.run()
    #expect(!silent.isOnTrial)
  }

  @Test func theNextUpgradeEndsAReturn() throws {
    let bench = try Bench(restarts: 3)
    try bench.run()
    try bench.run(["clear"])
    #expect(!bench.hasReturned() && !bench.scratch.exists("units/outrider.service.d"))
    try bench.run(["begin"])
    #expect(bench.calls.hasSuffix("restart outrider-health.timer\n"))
  }

  /// Killed at a random instant, the script completes the same return when it runs again.
  @Test func aReturnContinuesAfterAnInterruption() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    for round in 0..<20 {
      let bench = try Bench(program: Self.healthProgram(3, "failed: nothing delivered"))
      let process = try bench.start()
      usleep(UInt32.random(in: 0...80_000, using: &random))
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      try bench.run()
      #expect(bench.hasReturned() && !bench.isOnTrial, "seed \(seed), round \(round)")
      #expect(bench.text("state/returned") == "nothing delivered\n", "seed \(seed), round \(round)")
      #expect(bench.calls.contains("restart outrider.service"), "seed \(seed), round \(round)")
    }
  }
}
