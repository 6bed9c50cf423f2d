import Foundation
import Testing

/// Recordings with damaged times, jumps, and large intervals.
extension ClassifyTests {
  /// Stray times, by row.
  static let strayTimes: [[Int: String]] = [
    [1: "1700000000"], [1: "50000"], [2: "1e9", 3: "2e9"], [20: "7000"], [700: "3e7"], [700: "1000"],
    [900: "0"],
    [300: "100", 301: "100.04"],
    Dictionary(uniqueKeysWithValues: (300..<340).map { ($0, "\(1000 + $0)") }), [600: "32", 601: "32.04"],
    [1499: "9000", 1500: "1"],
  ]

  @Test(arguments: strayTimes) func aStrayTimeCostsOnlyItsRow(stray: [Int: String]) throws {
    let scratch = try Scratch()
    var lines = Self.recording().split(separator: "\n").map(String.init)
    for (index, time) in stray {
      lines[index] = ([time] + lines[index].split(separator: ",").dropFirst().map(String.init))
        .joined(separator: ",")
    }
    let outcome = try FaultTests.run(
      ["classify", try scratch.write("stray.csv", lines.joined(separator: "\n"))], in: scratch)
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains(": \(stray.count) rows "), "\(outcome.errors)")
    Self.check(outcome.output, seconds: 60)
    #expect(Self.rows(of: outcome.output).dropFirst(37).allSatisfy { $0[1] == "walking" })
  }

  @Test(arguments: [40.0, 5000, 100_000]) func aLastingJumpIsAPause(seconds: Double) throws {
    let scratch = try Scratch()
    var lines = Self.recording().split(separator: "\n").map(String.init)
    for index in 751..<lines.count {
      var fields = lines[index].split(separator: ",").map(String.init)
      fields[0] = "\((Double(fields[0]) ?? 0) + seconds)"
      lines[index] = fields.joined(separator: ",")
    }
    let outcome = try FaultTests.run(
      ["classify", try scratch.write("pause.csv", lines.joined(separator: "\n"))], in: scratch)
    #expect(outcome.status == 0 && outcome.errors.contains("1 gaps"), "\(outcome.errors)")
    Self.check(outcome.output, seconds: 60 + Int(seconds))
    let rows = Self.rows(of: outcome.output).dropFirst()
    #expect(rows.dropFirst(45).prefix(Int(seconds) - 20).allSatisfy { $0[1] == "unknown" })
    #expect(rows.suffix(20).allSatisfy { $0[1] == "walking" })
  }

  @Test(arguments: [-5000.0, -3600, 1.7e9]) func aClockThatWasSetFailsAndReportsTheTime(seconds: Double)
    throws
  {
    let scratch = try Scratch()
    var lines = Self.recording().split(separator: "\n").map(String.init)
    for index in 751..<lines.count {
      var fields = lines[index].split(separator: ",").map(String.init)
      fields[0] = "\((Double(fields[0]) ?? 0) + 4000 + seconds)"
      lines[index] = fields.joined(separator: ",")
    }
    for index in 1...750 {
      var fields = lines[index].split(separator: ",").map(String.init)
      fields[0] = "\((Double(fields[0]) ?? 0) + 4000)"
      lines[index] = fields.joined(separator: ",")
    }
    let path = try scratch.write("set.csv", lines.joined(separator: "\n"))
    let outcome = try FaultTests.run(["classify", path], in: scratch)
    let message = scratch.anonymous(outcome.errors)
    #expect(outcome.status == 1 && message.contains("t_s 4029.96"), "\(message)")
    #expect(message == Self.texts.expected("classify: clock set", message))
    #expect(Self.rows(of: outcome.output).count >= 30)
  }

  @Test func aRecordingInAnotherUnitOfTimeIsReported() throws {
    let scratch = try Scratch()
    let text = Self.recording(seconds: 8, row: { "\((Double($0) ?? 0) * 1000),\($1.joined(separator: ","))" })
    let outcome = try FaultTests.run(["classify", try scratch.write("ms.csv", text)], in: scratch)
    #expect(outcome.status == 0)
    let message = scratch.anonymous(outcome.errors)
    #expect(message.contains(" 40.0 s "))
    #expect(message == Self.texts.expected("classify: t_s in ms", message))
  }

  @Test func rowsWithLargeIntervalsAreGaps() throws {
    let scratch = try Scratch()
    let path = try scratch.write(
      "thin.csv", "t_s,ax_g,ay_g,az_g\n" + (0...9).map { "\($0 * 20),0,0,1\n" }.joined())
    let outcome = try FaultTests.run(["classify", path], in: scratch)
    #expect(outcome.status == 0 && outcome.errors.contains("thin.csv: 9 gaps\n"), "\(outcome.errors)")
    Self.check(outcome.output, seconds: 181)
  }

  @Test func aZeroAtTheBeginningOfUnixTimesCostsOnlyItsRow() throws {
    let scratch = try Scratch()
    var lines = Self.recording(row: { "\((Double($0) ?? 0) + 1_700_000_000),\($1.joined(separator: ","))" })
      .split(separator: "\n").map(String.init)
    lines[1] = "0,0,0,1"
    let outcome = try FaultTests.run(
      ["classify", try scratch.write("unix.csv", lines.joined(separator: "\n"))], in: scratch)
    #expect(outcome.status == 0 && outcome.errors.contains(": 1 rows "))
    let rows = Self.rows(of: outcome.output).dropFirst()
    #expect(rows.count == 60 && rows.first?.first == "1700000000" && rows.last?[1] == "walking")
  }
}
