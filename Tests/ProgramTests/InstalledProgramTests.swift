import Foundation
import Testing
import TextSnapshots

@testable import outrider

/// The program without installed board files.
@Suite struct InstalledProgramTests {
  static let texts = TextSnapshot("commands")

  /// A copy of the program in a folder without boards beside it or above.
  private static func installed(_ scratch: Scratch) throws -> String {
    let directory = scratch.path("bin")
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let program = "\(directory)/outrider"
    try FileManager.default.copyItem(atPath: Program.executable, toPath: program)
    return program
  }

  @Test func theSimulatorIsBuiltInAndAnUnknownBoardIsReportedWithTheSearchedDirectories() throws {
    let scratch = try Scratch()
    let program = try Self.installed(scratch)
    let boards = try FaultTests.run(["boards", "simulator"], in: scratch, executable: program)
    #expect(boards.status == 0 && boards.output.contains("Simulated hardware"), "\(boards)")
    let list = try FaultTests.run(["boards"], in: scratch, executable: program)
    #expect(list.status == 0 && list.output.hasPrefix("simulator "), "\(list)")
    let configuration = try scratch.write("config.json5", "{}")
    for words in [["boards", "nokia"], ["run", "--board", "nokia", "--config", configuration]] {
      let outcome = try FaultTests.run(words, in: scratch, executable: program)
      #expect(outcome.status == 2, "\(outcome)")
      #expect(outcome.errors.contains(scratch.path("share/outrider/boards")), "\(outcome.errors)")
      #expect(outcome.errors.contains("/usr/share/outrider/boards"), "\(outcome.errors)")
    }
  }

  @Test func aLoggerWithTheBuiltInBoardStarts() throws {
    let scratch = try Scratch()
    let feeder = try Feeder()
    defer { feeder.stop() }
    let configuration = try FrozenVersion.configuration(
      scratch, log: scratch.path("log"),
      extra: #"receiver: { port: "\#(feeder.path)" }, api: { enabled: false },"#)
    let program = try Program(
      ["run", "--board", "simulator", "--config", configuration], in: scratch,
      executable: try Self.installed(scratch))
    defer { program.send(SIGKILL) }
    #expect(
      eventually(within: .seconds(20)) {
        (try? LogFile.count("event WHERE kind = 'started'", in: scratch.path("log/outrider.db"))) == 1
      }, "\(program.standardError)")
    program.send(SIGTERM)
    #expect(program.exitStatus(within: .seconds(5)) == 0, "\(program.standardError)")
  }

  @Test func theDemoSendsAllRecordsBeforeItEndsAndPrintsNoWarning() throws {
    let scratch = try Scratch()
    let outcome = try FaultTests.run(
      ["demo", "--for", "4s"], in: scratch, executable: try Self.installed(scratch))
    #expect(outcome.status == 0, "\(outcome.errors)")
    let line = try #require(outcome.output.split(separator: "\n").last, "\(outcome.output)")
      .replacing(/[0-9]+/, with: "N")
    #expect(line == Self.texts.expected("demo: end", String(line)))
    #expect(!outcome.output.contains("warning:"), "\(outcome.output)")
  }

  @Test func queuedRecordsAreNotReportedAsLost() {
    for (kept, received, waiting) in [(30, 30, 0), (30, 23, 7), (1, 0, 1)] {
      let summary = Demo.summary(kept: kept, received: received, waiting: waiting)
      let name = "demo: \(kept) stored, \(received) received, \(waiting) queued"
      #expect(summary == Self.texts.expected(name, summary))
    }
  }
}
