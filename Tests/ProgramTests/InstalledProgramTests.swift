import Foundation
import Testing

@testable import outrider

/// The program where no board files are installed.
@Suite struct InstalledProgramTests {
  /// A copy of the program in a folder without boards beside it or above.
  private static func installed(_ scratch: Scratch) throws -> String {
    let place = scratch.path("bin")
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    let program = "\(place)/outrider"
    try FileManager.default.copyItem(atPath: Program.executable, toPath: program)
    return program
  }

  @Test func theSimulatorIsBuiltInAndAnUnknownBoardIsToldWithTheFoldersThatWereSearched() throws {
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
      eventually(within: .seconds(20)) { program.standardError.contains("a new log in") },
      "\(program.standardError)")
    program.send(SIGTERM)
    #expect(program.exitStatus(within: .seconds(5)) == 0, "\(program.standardError)")
  }

  @Test func theDemoSendsWhatItKeptBeforeItEndsAndWarnsOfNothing() throws {
    let scratch = try Scratch()
    let outcome = try FaultTests.run(
      ["demo", "--for", "4s"], in: scratch, executable: try Self.installed(scratch))
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains(" kept, all received by the collector"), "\(outcome.output)")
    #expect(!outcome.output.contains("warning:"), "\(outcome.output)")
  }

  @Test func recordsThatStayBehindAreNotTakenForLost() {
    #expect(
      Demo.summary(kept: 30, received: 30, waiting: 0) == "30 positions kept, all received by the collector")
    #expect(
      Demo.summary(kept: 30, received: 23, waiting: 7)
        == "30 positions kept; 23 records received by the collector, 7 records in the queue were not sent before the end"
    )
    #expect(
      Demo.summary(kept: 1, received: 0, waiting: 1)
        == "1 position kept; 0 records received by the collector, 1 record in the queue was not sent before the end"
    )
  }
}
