import Foundation
import Testing

/// The report of `scripts/run-tests` on the events of a simulated test program.
@Suite struct TestRunnerTests {
  private static let runner = FrozenVersion.package.appendingPathComponent("scripts/run-tests").path
  private static let hasPython = FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")

  /// Plays a test program: each line of `lines` is an event; `again` are those of a run with `--no-parallel`.
  private static func outcome(
    _ lines: [String], again: [String] = [], status: Int32 = 0, signal: Bool = false, words: [String] = []
  ) throws -> FaultTests.Outcome {
    let scratch = try Scratch()
    let program = try scratch.write(
      "program",
      """
      #!/bin/sh
      again=no
      while [ $# -gt 0 ]; do
        case $1 in
          --event-stream-output-path) events=$2 ;;
          --no-parallel) again=yes ;;
        esac
        shift
      done
      if [ $again = yes ]; then cat "\(scratch.path("again"))" >"$events"; exit 0; fi
      cat "\(scratch.path("lines"))" >"$events"
      \(signal ? "echo Fatal error: out of range; kill -ILL $$" : "exit \(status)")

      """)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
    for (name, text) in [("lines", lines), ("again", again)] {
      _ = try scratch.write(name, text.map { $0 + "\n" }.joined())
    }
    return try FaultTests.run(
      [runner, "--program", program, "--filter", "."] + words, in: scratch, executable: "/usr/bin/python3")
  }

  private static func id(_ name: String) -> String { "Made.Suite/\(name)/File.swift:1:1" }

  private static func test(_ name: String) -> String {
    #"{"kind":"test","payload":{"kind":"function","id":"\#(id(name))","name":"\#(name)"}}"#
  }

  private static func event(_ kind: String, _ name: String, _ more: String = "") -> String {
    #"{"kind":"event","payload":{"kind":"\#(kind)","testID":"\#(id(name))"\#(more)}}"#
  }

  private static func passing(_ name: String) -> [String] {
    [test(name), event("testStarted", name), event("testEnded", name)]
  }

  private static func failing(_ name: String) -> [String] {
    let issue =
      #","issue":{"sourceLocation":{"fileID":"Made/File.swift","line":7}},"#
      + #""messages":[{"symbol":"fail","text":"Expectation failed: 1 == 2"}]"#
    return [
      test(name), event("testStarted", name), event("issueRecorded", name, issue), event("testEnded", name),
    ]
  }

  private static func skipped(_ name: String, _ reason: String) -> [String] {
    [
      test(name),
      event("testSkipped", name, #","messages":[{"symbol":"skip","text":"Test skipped: \"\#(reason)\""}]"#),
    ]
  }

  private static func lastLine(_ outcome: FaultTests.Outcome) -> String {
    outcome.output.split(separator: "\n").last.map(String.init) ?? ""
  }

  @Test(.enabled(if: hasPython, "python3 is absent: sudo apt-get install python3"))
  func theLastLineCountsAndSkipsAreGroupedWithTheirRemedy() throws {
    let remedy = "mosquitto is absent: sudo apt-get install mosquitto"
    let outcome = try Self.outcome(
      Self.passing("a") + Self.passing("b") + Self.skipped("c", remedy) + Self.skipped("d", remedy))
    #expect(outcome.status == 0 && Self.lastLine(outcome) == "2 passed, 0 failed, 2 skipped", "\(outcome)")
    #expect(outcome.output.contains("skipped 2: \(remedy)\n") && !outcome.output.contains("FAILED"))
  }

  @Test(.enabled(if: hasPython, "python3 is absent: sudo apt-get install python3"))
  func aFailureIsShownWithFileAndLineAndGivesStatus1() throws {
    let outcome = try Self.outcome(Self.passing("a") + Self.failing("b"), status: 1)
    #expect(outcome.status == 1 && Self.lastLine(outcome) == "1 passed, 1 failed, 0 skipped", "\(outcome)")
    #expect(outcome.output.contains("FAILED Made.Suite/b\n    Made/File.swift:7: Expectation failed: 1 == 2"))
  }

  @Test(.enabled(if: hasPython, "python3 is absent: sudo apt-get install python3"), arguments: [true, false])
  func aFailedTestIsRunAgainAlone(passes: Bool) throws {
    let outcome = try Self.outcome(
      Self.failing("a"), again: passes ? Self.passing("a") : Self.failing("a"), status: 1,
      words: ["--retry"])
    #expect(outcome.status == (passes ? 0 : 1), "\(outcome)")
    #expect(outcome.output.contains("FLAKY (failed, then passed alone): Made.Suite/a") == passes)
    #expect(outcome.output.contains("FAILED again: Made.Suite/a") == !passes)
    #expect(
      Self.lastLine(outcome) == (passes ? "1 passed, 0 failed, 0 skipped" : "0 passed, 1 failed, 0 skipped"))
  }

  @Test(.enabled(if: hasPython, "python3 is absent: sudo apt-get install python3"))
  func aCrashIsReportedWithTheRunningTest() throws {
    let outcome = try Self.outcome(
      Self.passing("a") + [Self.test("b"), Self.event("testStarted", "b")], signal: true)
    #expect(outcome.status == 1, "\(outcome)")
    #expect(outcome.output.contains("CRASHED while these tests ran:\n    Made.Suite/b"), "\(outcome.output)")
    #expect(
      outcome.output.contains("out of range") && Self.lastLine(outcome) == "1 passed, 1 failed, 0 skipped")
  }

  @Test(.enabled(if: hasPython, "python3 is absent: sudo apt-get install python3"), arguments: [true, false])
  func requiredRecordingsMustNotBeSkipped(isNeeded: Bool) throws {
    let outcome = try Self.outcome(
      Self.passing("a") + Self.skipped("b", "the recordings of ../shared are absent"),
      words: isNeeded ? ["--need-recordings"] : [])
    #expect(outcome.status == (isNeeded ? 1 : 0), "\(outcome)")
    #expect(outcome.output.contains("the recordings must not be skipped here") == isNeeded)
  }

  @Test(.enabled(if: hasPython, "python3 is absent: sudo apt-get install python3"))
  func aRunWithoutTestsFails() throws {
    let outcome = try Self.outcome([], status: 69)
    #expect(outcome.status == 1 && outcome.output.contains("no test ran"), "\(outcome)")
  }
}
