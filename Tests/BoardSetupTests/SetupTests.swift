import BoardSetup
import Foundation
import Quantities
import SetupFiles
import Testing

/// Set-up and undo on a tree of files.
@Suite struct SetupTests {
  static let configuration = "/boot/firmware/config.txt"
  static let commandLine = "/boot/firmware/cmdline.txt"
  static let usualLine = Corpus.commandLines[1].bytes

  static func usual() throws -> FakeSystem {
    try FakeSystem(configuration: Array(Corpus.debian12.utf8), commandLine: usualLine)
  }

  /// The contents without the group, whose members stay.
  static func contents(_ system: FakeSystem) -> [String: String] {
    system.contents.filter { $0.key != "etc/group" }
  }

  @Test func aBoardIsSetUpCompletely() throws {
    let system = try Self.usual()
    let plan = try system.apply(.full)
    #expect(plan.changes.map(\.file) == [.configuration, .commandLine, .modules, .watchdog])
    #expect(system.text(Self.configuration).hasSuffix("dtoverlay=i2c-rtc,ds3231\n# outrider: end\n"))
    #expect(system.text(Self.commandLine).hasPrefix("console=tty1 root="))
    #expect(system.text("/etc/modules-load.d/outrider-board.conf").hasSuffix("\ni2c-dev\n"))
    #expect(
      system.text("/etc/systemd/system.conf.d/outrider-board.conf").hasSuffix(
        "\n[Manager]\nRuntimeWatchdogSec=14\n"))
    #expect(
      system.commands.withLock { $0 } == [
        "systemctl disable hciuart", "systemctl mask serial-getty@ttyAMA0", "usermod -aG i2c outrider",
      ])
    #expect(system.read(Self.configuration + ".before-outrider") == Array(Corpus.debian12.utf8))
    #expect(system.read(Self.commandLine + ".before-outrider") == Self.usualLine)
    #expect(try system.system.memory().record?.isComplete == true)
    // Again: nothing to do.
    #expect(try system.plan(.full).steps.isEmpty)
  }

  @Test(arguments: Corpus.configurations, Corpus.commandLines)
  func undoRestoresEveryByte(configuration: Corpus.Sample, line: Corpus.Sample) throws {
    let system = try FakeSystem(configuration: configuration.bytes, commandLine: line.bytes)
    let before = Self.contents(system)
    for boards in [[TestBoard.full], [.small, .full], [.full, .small, .full], [.full, .none]] {
      for board in boards {
        try system.apply(board)
        #expect(try system.plan(board).steps.isEmpty, "not idempotent")
      }
      let plan = try system.undo()
      #expect(plan.conflicts.isEmpty)
      #expect(Self.contents(system) == before, "\(boards.map(\.name))")
      #expect(try system.undoPlan().steps.isEmpty)
    }
  }

  @Test func anotherBoardTakesBackWhatItDoesNotRequire() throws {
    let system = try Self.usual()
    try system.apply(.full)
    try system.apply(.small)
    #expect(system.read(Self.commandLine) == Self.usualLine)
    #expect(!system.exists("/etc/modules-load.d/outrider-board.conf"))
    #expect(system.exists("/etc/systemd/system/multi-user.target.wants/hciuart.service"))
    #expect(system.text(Self.configuration).contains("begin (small)"))
    try system.apply(.none)
    #expect(system.read(Self.configuration) == Array(Corpus.debian12.utf8))
    #expect(try system.system.memory() == .none)
  }

  /// Cuts the power after every step of the set-up; then the set-up or the undo is run.
  @Test(arguments: [[TestBoard.full], [.small, .full], [.full, .small], [.full, .none]])
  func aPowerCutDuringSetUpIsRepaired(boards: [TestBoard]) throws {
    let last = try #require(boards.last)
    for count in 0..<20 {
      for repairs in [true, false] {
        let system = try Self.usual()
        let before = Self.contents(system)
        for board in boards.dropLast() { try system.apply(board) }
        let steps = try system.plan(last).steps
        guard count <= steps.count else { return }
        let isCut = (try? CutWriter(system.writer, after: count).perform(steps)) == nil
        #expect(isCut == (count < steps.count))
        #expect(system.read(Self.configuration) != nil && system.read(Self.commandLine) != nil)
        if repairs {
          try system.apply(last)
          #expect(try system.plan(last).steps.isEmpty, "after \(count) steps")
          let whole = try Self.usual()
          for board in boards { try whole.apply(board) }
          #expect(Self.contents(system) == Self.contents(whole), "after \(count) steps")
        }
        #expect(try system.undo().conflicts.isEmpty, "after \(count) steps")
        #expect(Self.contents(system) == before, "after \(count) steps, set up again: \(repairs)")
      }
    }
  }

  @Test func aPowerCutDuringUndoIsRepaired() throws {
    for count in 0..<20 {
      for setsUp in [true, false] {
        let system = try Self.usual()
        let before = Self.contents(system)
        try system.apply(.full)
        let steps = try system.undoPlan().steps
        guard count <= steps.count else { return }
        _ = try? CutWriter(system.writer, after: count).perform(steps)
        if setsUp {
          try system.apply(.full)
          #expect(system.text(Self.configuration).contains("begin (full)"))
        }
        #expect(try system.undo().conflicts.isEmpty)
        #expect(Self.contents(system) == before, "after \(count) steps, set up again: \(setsUp)")
      }
    }
  }

  /// Sequences of set-up, undo and power cuts never lose the first bytes.
  @Test func anySequenceEndsWithTheFirstBytes() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SplitMix64(seed: seed)
    for _ in 0..<60 {
      let system = try Self.usual()
      let before = Self.contents(system)
      var history: [String] = []
      for _ in 0..<6 {
        let board = [TestBoard.full, .small, .none].randomElement(using: &random) ?? .full
        let isUndo = Int.random(in: 0..<4, using: &random) == 0
        let count = Int.random(in: 0..<24, using: &random)
        history.append("\(isUndo ? "undo" : board.name) \(count)")
        let steps = isUndo ? try system.undoPlan().steps : try system.plan(board).steps
        _ = try? CutWriter(system.writer, after: count).perform(steps)
      }
      try system.undo()
      #expect(Self.contents(system) == before, "seed \(seed): \(history)")
    }
  }

  // MARK: Files edited by somebody else

  @Test func anEditedFileIsNotReplacedByUndo() throws {
    let system = try Self.usual()
    try system.apply(.full)
    try system.append(Self.configuration, "gpu_mem=16\n")
    try system.write(Self.commandLine, "console=tty1 quiet\n")
    let plan = try system.undo()
    #expect(system.text(Self.configuration) == Corpus.debian12 + "gpu_mem=16\n")
    #expect(system.text(Self.commandLine) == "console=tty1 quiet\n")
    #expect(plan.conflicts.map(\.message).joined().contains("sudo cp"))
    #expect(plan.conflicts.first?.difference?.diff.contains("-console=tty1 quiet") == true)
    #expect(plan.remarks.contains { $0.contains("only the block") })
    // The operator follows the advice.
    try system.write(Self.commandLine, try #require(system.read(Self.commandLine + ".before-outrider")))
    #expect(try system.undo().conflicts.isEmpty)
    #expect(try system.system.memory() == .none)
  }

  @Test func anEditSurvivesAnotherSetUp() throws {
    let system = try Self.usual()
    try system.apply(.full)
    try system.append(Self.configuration, "gpu_mem=16\n")
    try system.append(Self.commandLine, " quiet")
    try system.apply(.small)
    #expect(system.text(Self.configuration).hasSuffix("# outrider: end\ngpu_mem=16\n"))
    #expect(system.text(Self.commandLine).hasSuffix(" quiet"))
    #expect(system.read(Self.commandLine + ".before-outrider") == Self.usualLine)
    let plan = try system.undo()
    #expect(system.text(Self.configuration) == Corpus.debian12 + "gpu_mem=16\n")
    #expect(plan.conflicts.count == 1)
  }

  @Test func aChangeDuringTheQuestionStopsTheSetUp() throws {
    let system = try Self.usual()
    let plan = try system.plan(.full)
    try system.append(Self.configuration, "gpu_mem=16\n")
    #expect(throws: SetupFailure.changedMeanwhile(system.root + Self.configuration)) {
      try system.writer.perform(plan.steps)
    }
    try system.apply(.full)
    try system.undo()
    #expect(system.text(Self.configuration) == Corpus.debian12 + "gpu_mem=16\n")
  }

  // MARK: Faults

  @Test(arguments: [
    "", "{", "{}", "{\"version\":2}", "\u{0}\u{0}", String(repeating: "[", count: 5 << 20),
    "{\"version\":1,\"board\":\"x\",\"complete\":true,\"files\":{\"passwd\":{\"before\":\"\",\"written\":[]}},\"services\":[]}",
  ])
  func aDamagedStateFileIsReplaced(text: String) throws {
    let system = try Self.usual()
    let before = Self.contents(system)
    try system.apply(.full)
    try system.write(SetupSystem.recordPath, text)
    #expect(try system.system.memory() == .damaged)
    let plan = try system.undoPlan()
    #expect(plan.changes.map(\.file) == [.configuration, .modules, .watchdog])
    #expect(plan.remarks.contains { $0.contains("cmdline.txt.before-outrider") })
    // Set up again, the state is known again.
    try system.apply(.full)
    try system.undo()
    #expect(system.text(Self.configuration) == Corpus.debian12)
    #expect(try system.system.memory() == .none)
    #expect(Self.contents(system)["boot/firmware/config.txt"] == before["boot/firmware/config.txt"])
  }

  @Test func aLostCopyIsReported() throws {
    let system = try Self.usual()
    try system.apply(.full)
    try system.remove(Self.commandLine + ".before-outrider")
    try system.write(Self.configuration + ".before-outrider", "damaged")
    let plan = try system.undo()
    #expect(system.text(Self.configuration) == Corpus.debian12)
    #expect(plan.conflicts.count == 1 && plan.conflicts[0].message.contains("is missing or changed"))
  }

  @Test func aSymbolicLinkIsNotReplaced() throws {
    let system = try Self.usual()
    try system.remove(Self.configuration)
    try system.write("/boot/firmware/real.txt", "a=1\n")
    try system.link(Self.configuration, to: "real.txt")
    #expect(throws: SetupFailure.symbolicLink(system.root + Self.configuration)) { try system.plan(.full) }
  }

  @Test func aDirectoryInPlaceOfAFileIsReported() throws {
    let system = try Self.usual()
    try system.remove(Self.commandLine)
    try system.makeFolder(Self.commandLine)
    #expect(throws: SetupFailure.file(.notRegular(path: system.root + Self.commandLine, kind: .directory))) {
      try system.plan(.full)
    }
  }

  @Test func aTooLargeFileIsReported() throws {
    let system = try Self.usual()
    try system.write(Self.configuration, [UInt8](repeating: 0x23, count: BootConfiguration.largest + 1))
    #expect(throws: SetupFailure.self) { try system.plan(.full) }
    try system.write(Self.configuration, [UInt8](repeating: 0x23, count: BootConfiguration.largest - 10))
    #expect(throws: SetupError.tooLarge(system.root + Self.configuration, limit: 65_536)) {
      try system.plan(.full)
    }
    try system.write(Self.configuration, [UInt8](repeating: 0x0A, count: 20_000))
    #expect(try system.plan(.full).remarks.contains { $0.contains("Raspberry Pi 5 may not start") })
  }

  /// Root may write to any directory, so that a file stands in the place of the directory, too.
  @Test func aDirectoryThatCannotBeWrittenChangesNothingElse() throws {
    let system = try Self.usual()
    try system.remove("/var/lib")
    try system.write("/var/lib", "")
    let before = Self.contents(system)
    #expect(throws: SetupFailure.self) { try system.apply(.full) }
    #expect(Self.contents(system) == before)
    let other = try Self.usual()
    chmod(other.root + "/boot/firmware", 0o555)
    defer { chmod(other.root + "/boot/firmware", 0o755) }
    if geteuid() != 0 {
      #expect(throws: SetupFailure.self) { try other.apply(.full) }
      #expect(other.text(Self.configuration) == Corpus.debian12)
    }
  }

  @Test func aFailedCommandIsRepeated() throws {
    let system = try Self.usual()
    system.failing = "systemctl disable hciuart"
    #expect(throws: SetupFailure.commands(["systemctl disable hciuart: exited with status 1"])) {
      try system.apply(.full)
    }
    #expect(try system.system.memory().record?.isComplete == false)
    #expect(try system.plan(.full).commands == [.disable(service: "hciuart")])
    system.failing = nil
    try system.apply(.full)
    #expect(try system.system.memory().record?.isComplete == true)
  }

  // MARK: Other systems

  @Test func theBootPartitionIsFoundAtItsFormerPlace() throws {
    let system = try FakeSystem(bootFolder: "/boot", configuration: [], commandLine: nil)
    try system.apply(.full)
    #expect(system.text("/boot/config.txt").contains("begin (full)") && !system.exists("/boot/cmdline.txt"))
    try system.undo()
    #expect(system.read("/boot/config.txt") == [])
  }

  @Test func aBootPartitionThatIsNotMountedIsReported() throws {
    let system = try FakeSystem(bootFolder: "/boot", configuration: [], commandLine: nil)
    try system.makeFolder("/boot/firmware")
    #expect(throws: SetupFailure.notMounted("/boot/firmware")) { try system.plan(.full) }
  }

  @Test func aSystemThatIsNoRaspberryPiIsReported() throws {
    let system = try FakeSystem(bootFolder: nil, configuration: [], commandLine: nil)
    #expect(throws: SetupError.noBootPartition) { try system.plan(.full) }
    #expect(try system.plan(.none).steps.isEmpty)
  }

  @Test(arguments: ["cmdline=other.txt", "os_prefix=current/"])
  func aCommandLineElsewhereIsNotGuessed(line: String) throws {
    let system = try FakeSystem(configuration: Array("\(line)\n".utf8), commandLine: Self.usualLine)
    let plan = try system.apply(.full)
    #expect(system.read(Self.commandLine) == Self.usualLine)
    #expect(plan.remarks.contains { $0.contains("by hand") })
  }

  @Test func aMissingSecondConsoleIsReported() throws {
    let system = try FakeSystem(configuration: [], commandLine: Array("console=serial0,115200 rootwait".utf8))
    #expect(try system.plan(.full).remarks.contains { $0.contains("add console=tty1") })
  }

  @Test func theDifferenceIsUnified() throws {
    let system = try FakeSystem(configuration: Array("a=1\nb=2\nc=3\nd=4\n".utf8), commandLine: nil)
    let plan = try system.plan(.small)
    #expect(
      plan.changes.first?.diff == [
        "--- \(system.root)/boot/firmware/config.txt", "+++ \(system.root)/boot/firmware/config.txt",
        "@@ -2,3 +2,7 @@", " b=2", " c=3",
        " d=4",
        "+[all]", "+# outrider: begin (small)", "+dtparam=uart0=on", "+# outrider: end",
      ])
  }

  static let hasPatch = FileManager.default.isExecutableFile(atPath: "/usr/bin/patch")

  /// patch(1) applies the difference of random texts.
  @Test(.enabled(if: hasPatch, "requires patch(1)"))
  func aDifferenceCanBeApplied() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SplitMix64(seed: seed)
    let system = try Self.usual()
    for _ in 0..<40 {
      func text() -> String {
        let lines = (0..<Int.random(in: 1...30, using: &random)).map { _ in
          "\(Int.random(in: 0..<4, using: &random))"
        }
        return lines.joined(separator: "\n") + (Bool.random(using: &random) ? "\n" : "")
      }
      let (old, new) = (text(), text())
      let diff = FileChange(.configuration, path: "/f", old: Array(old.utf8), new: Array(new.utf8)).diff
      try system.write("/f", old)
      try system.write("/diff", diff.joined(separator: "\n") + "\n")
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/patch")
      process.arguments = ["-s", "-i", system.root + "/diff", system.root + "/f"]
      try process.run()
      process.waitUntilExit()
      #expect(old == new || system.text("/f") == new, "seed \(seed)")
    }
  }
}
