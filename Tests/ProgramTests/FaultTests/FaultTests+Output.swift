import Foundation
import Testing

extension FaultTests {
  /// Standard output that fails.
  @Suite struct Output {
    static let commands = [
      ["decode"], ["decode", "--summary"], ["decode", "--raw"], ["--version"], ["--help"],
    ]

    private static func words(_ command: [String], in scratch: Scratch, epochs: Int = 20) throws -> [String] {
      guard command.first == "decode" else { return command }
      let file = scratch.path("recording")
      try Data(Recording.simulated(epochs: epochs).pieces.flatMap(\.bytes)).write(
        to: URL(fileURLWithPath: file))
      return command + [file]
    }

    @Test(arguments: commands)
    func aFullDiskIsReportedAndFails(command: [String]) throws {
      let scratch = try Scratch()
      let words = try Self.words(command, in: scratch)
      let outcome = try FaultTests.run(words, #"exec "$0" "$@" >/dev/full"#, in: scratch)
      #expect(outcome.status == 1)
      #expect(outcome.errors == "outrider: standard output: No space left on device\n")
    }

    @Test(arguments: commands)
    func aClosedOutputIsReportedAndFails(command: [String]) throws {
      let scratch = try Scratch()
      let words = try Self.words(command, in: scratch)
      let outcome = try FaultTests.run(words, #"exec "$0" "$@" >&-"#, in: scratch)
      #expect(outcome.status == 1)
      #expect(outcome.errors == "outrider: standard output: Bad file descriptor\n")
    }

    @Test func aClosedPipeIsNoFailure() throws {
      let scratch = try Scratch()
      let words = try Self.words(["decode"], in: scratch, epochs: 5000)
      let script = #"{ "$0" "$@"; echo "status $?" >&2; } | head -c 1"#
      let outcome = try FaultTests.run(words, script, in: scratch)
      #expect(outcome.output == "{")
      #expect(outcome.errors == "status 0\n")
    }
  }
}
