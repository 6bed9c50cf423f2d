import Foundation
import Testing
import TextSnapshots

/// `outrider classify` from file to rows, with synthetic recordings.
@Suite struct ClassifyTests {
  static let texts = TextSnapshot("commands")
  static let header = "t_s,label,confidence,steps"

  /// A recording at 25 rows a second of an acceleration as a function of time.
  static func recording(
    seconds: Int = 60, header: String = "t_s,ax_g,ay_g,az_g",
    row: (_ time: String, _ a: [String]) -> String = { "\($0),\($1.joined(separator: ","))" },
    _ acceleration: (Double) -> [Double] = stationaryThenWalking
  ) -> String {
    let lines = (0..<seconds * 25).map { index in
      let time = Double(index) / 25
      let jitter = Double(index * 7919 % 11 - 5) * 0.0005
      let values = acceleration(time).map { String(format: "%.4f", $0 + jitter) }
      return row(String(format: "%.3f", time), values)
    }
    return ([header] + lines).joined(separator: "\n") + "\n"
  }

  /// Stationary for 30 seconds, then walking with 1.9 steps per second.
  static func stationaryThenWalking(_ time: Double) -> [Double] {
    guard time >= 30 else { return [0.02, -0.01, 1.01] }
    let phase = 2 * Double.pi * 1.9 * time
    let up = 0.3 * sin(phase) + 0.12 * sin(2 * phase + 0.7) + 0.06 * sin(3 * phase + 1.1)
    return [0.12 * sin(phase + 0.4), 0.075 * sin(phase / 2), 1.01 + up]
  }

  static func rows(of output: String) -> [[String]] {
    output.split(separator: "\n").map { $0.split(separator: ",").map(String.init) }
  }

  /// Checks the header, one row per second, known labels, and step counts that never fall.
  static func check(_ output: String, seconds: Int, _ place: SourceLocation = #_sourceLocation) {
    let lines = output.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.first.map(String.init) == header && lines.last == "", sourceLocation: place)
    let rows = rows(of: output).dropFirst()
    let isWhole = rows.map { $0.first } == (0..<seconds).map { "\($0)" }
    #expect(isWhole, "\(rows.count) rows of \(seconds)", sourceLocation: place)
    let labels: Set = ["walking", "running", "cycling", "driving", "stationary", "unknown"]
    #expect(
      rows.allSatisfy { row in
        row.count == 4 && row[1].split(separator: ";").allSatisfy { labels.contains(String($0)) }
          && ["low", "medium", "high"].contains(row[2])
      }, sourceLocation: place)
    let steps = rows.compactMap { Int($0[3]) }
    #expect(steps.count == seconds && steps == steps.sorted(), sourceLocation: place)
  }

  @Test func aFileBecomesOneRowASecond() throws {
    let scratch = try Scratch()
    let path = try scratch.write("walk.csv", Self.recording())
    let outcome = try FaultTests.run(["classify", path], in: scratch)
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
    Self.check(outcome.output, seconds: 60)
    let rows = Self.rows(of: outcome.output).dropFirst()
    #expect(rows.dropFirst(5).prefix(25).allSatisfy { $0[1] == "stationary" && $0[3] == "0" })
    #expect(rows.dropFirst(36).allSatisfy { $0[1] == "walking" })
    #expect(rows.last.flatMap { Int($0[3]) }.map { (52...60).contains($0) } == true, "\(rows.last ?? [])")
  }

  @Test func gzipAndStandardInputGiveTheSameRows() throws {
    let scratch = try Scratch()
    let path = try scratch.write("walk.csv", Self.recording())
    let plain = try FaultTests.run(["classify", path], in: scratch)
    let packed = try FaultTests.run(
      ["classify", path + ".gz"], "gzip -k \"$2\" 2>/dev/null || gzip -k \"${2%.gz}\"; \"$0\" \"$@\"",
      in: scratch)
    #expect(packed.status == 0 && packed.output == plain.output, "\(packed.errors)")
    for source in [path, path + ".gz"] {
      let piped = try FaultTests.run(["classify", "-"], "cat '\(source)' | \"$0\" \"$@\"", in: scratch)
      #expect(piped.status == 0 && piped.output == plain.output, "\(piped.errors)")
    }
  }

  @Test func columnsAreFoundByNameAndOthersIgnored() throws {
    let scratch = try Scratch()
    let plain = try scratch.write("plain.csv", Self.recording())
    let other = try scratch.write(
      "other.csv",
      Self.recording(
        header: "\u{FEFF}label,az_g, t_s ,\"ax_g\",note,ay_g,speed_mps\r",
        row: { "walking,\($1[2]),\($0),\($1[0]),x,\($1[1]),\r" }))
    let wanted = try FaultTests.run(["classify", plain], in: scratch)
    let got = try FaultTests.run(["classify", other], in: scratch)
    #expect(got.status == 0 && got.output == wanted.output, "\(got.errors)")
  }

  @Test func aStopDuringADriveIsDrivingAndStationary() throws {
    let scratch = try Scratch()
    let path = try scratch.write(
      "halt.csv",
      Self.recording(
        seconds: 120, header: "t_s,ax_g,ay_g,az_g,speed_mps",
        row: { "\($0),\($1.joined(separator: ",")),\((Double($0) ?? 0) < 80 ? 14 : 0)" }
      ) { time in
        guard time < 80 else { return [0, 0, 1] }
        let bounce = 0.06 * sin(8.9 * time) + 0.03 * sin(23 * time)
        return [0.05 * sin(7.3 * time), 0.04 * sin(11.1 * time), 1 + bounce]
      })
    let outcome = try FaultTests.run(["classify", path], in: scratch)
    Self.check(outcome.output, seconds: 120)
    let labels = Self.rows(of: outcome.output).dropFirst().map { $0[1] }
    #expect(labels[20..<80].allSatisfy { $0 == "driving" })
    #expect(labels[90..<119].allSatisfy { $0 == "driving;stationary" }, "\(labels)")
  }

  @Test func explainAppendsColumnsToTheSameRows() throws {
    let scratch = try Scratch()
    let path = try scratch.write("walk.csv", Self.recording())
    let plain = Self.rows(of: try FaultTests.run(["classify", path], in: scratch).output)
    let outcome = try FaultTests.run(["classify", "--explain", path], in: scratch)
    #expect(outcome.status == 0)
    let rows = Self.rows(of: outcome.output)
    let names = try #require(rows.first)
    #expect(names.joined(separator: ",").hasPrefix(Self.header + ",p_walking,"))
    #expect(rows.map { Array($0.prefix(4)) } == plain)
    #expect(rows.allSatisfy { $0.count == names.count })
    let probabilities = names.indices.filter { names[$0].hasPrefix("p_") }
    for row in rows.dropFirst() {
      let values = row.dropFirst(4).map { Double($0) ?? .nan }
      #expect(values.allSatisfy { $0.isFinite })
      #expect(abs(probabilities.reduce(0) { $0 + (Double(row[$1]) ?? .nan) } - 1) < 0.001)
    }
  }

  @Test func aFolderIsClassifiedFileByFileAndABadFileMakesItFail() throws {
    let scratch = try Scratch()
    try FileManager.default.createDirectory(atPath: scratch.path("in"), withIntermediateDirectories: true)
    let words = ["classify", "--folder", scratch.path("in"), "--out", scratch.path("out")]
    let nothing = try FaultTests.run(words, in: scratch)
    let message = scratch.anonymous(nothing.errors)
    #expect(nothing.status == 1 && message == Self.texts.expected("classify: empty folder", message))
    let path = try scratch.write("in/a.csv", Self.recording())
    _ = try scratch.write("in/c.csv", Self.recording(seconds: 20))
    _ = try scratch.write("in/notes.txt", "not a recording")
    let plain = try FaultTests.run(["classify", path], in: scratch)
    let good = try FaultTests.run(words, "gzip \(scratch.path("in"))/c.csv; \"$0\" \"$@\"", in: scratch)
    #expect(good.status == 0 && good.output.isEmpty && good.errors.isEmpty, "\(good.errors)")
    #expect(try String(contentsOfFile: scratch.path("out/a.csv"), encoding: .utf8) == plain.output)
    Self.check(try String(contentsOfFile: scratch.path("out/c.csv"), encoding: .utf8), seconds: 20)
    #expect(!scratch.exists("out/notes.txt") && !scratch.exists("out/c.csv.gz"))
    _ = try scratch.write("in/b.csv", "t_s,x\n0,1\n")
    try FileManager.default.removeItem(atPath: scratch.path("out"))
    let bad = try FaultTests.run(words, in: scratch)
    #expect(bad.status == 1 && bad.errors.contains("in/b.csv: no column \"ax_g\""), "\(bad.errors)")
    #expect(scratch.exists("out/a.csv") && scratch.exists("out/c.csv") && !scratch.exists("out/b.csv"))
  }

  @Test func recordingsAreNeverOverwritten() throws {
    let scratch = try Scratch()
    try FileManager.default.createDirectory(atPath: scratch.path("in"), withIntermediateDirectories: true)
    let text = Self.recording(seconds: 20)
    let path = try scratch.write("in/a.csv", text)
    let same = try FaultTests.run(
      ["classify", "--folder", scratch.path("in"), "--out", scratch.path("in/../in")], in: scratch)
    #expect(
      same.status == 1 && same.errors == Self.texts.expected("classify: --out is the input", same.errors))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
  }

  @Test func irregularFilesAndDuplicateResultsAreSkippedWithAMessage() throws {
    let scratch = try Scratch()
    try FileManager.default.createDirectory(atPath: scratch.path("in"), withIntermediateDirectories: true)
    _ = try scratch.write("in/a.csv", Self.recording(seconds: 20))
    try #require(mkfifo(scratch.path("in/b.csv"), 0o600) == 0)
    let outcome = try FaultTests.run(
      ["classify", "--folder", scratch.path("in"), "--out", scratch.path("out")],
      "gzip -k \(scratch.path("in"))/a.csv; \"$0\" \"$@\"", in: scratch)
    #expect(outcome.status == 1)
    for file in ["in/a.csv.gz: ", "in/b.csv: "] {
      let message = scratch.anonymous(try #require(outcome.errors.line(with: file), "\(outcome.errors)"))
      #expect(message == Self.texts.expected("classify: skipped \(file)", message))
    }
    Self.check(try String(contentsOfFile: scratch.path("out/a.csv"), encoding: .utf8), seconds: 20)
    #expect(!scratch.exists("out/b.csv"))
  }

  static let rejected: [(name: String, text: String, column: String)] = [
    ("empty", "", "\"t_s\""), ("a column is missing", "t_s,ax_g,ay_g\n0,0,0\n", "\"az_g\""),
    ("no header", "0.00,0.01,0.02,1.01\n", "\"t_s\""),
  ]

  @Test(arguments: rejected)
  func aFileWithoutARequiredColumnFailsAndNamesIt(name: String, text: String, column: String) throws {
    let scratch = try Scratch()
    let path = try scratch.write("bad.csv", text)
    let outcome = try FaultTests.run(["classify", path], in: scratch)
    #expect(outcome.status == 1 && outcome.output.isEmpty)
    let message = scratch.anonymous(outcome.errors)
    #expect(outcome.errors.contains("\(path): ") && message.contains(column), "\(message)")
    #expect(message == Self.texts.expected("classify: \(name)", message))
  }

  @Test func aHeaderWithoutRowsGivesAHeader() throws {
    let scratch = try Scratch()
    let path = try scratch.write("none.csv", "t_s,ax_g,ay_g,az_g\n")
    let outcome = try FaultTests.run(["classify", path], in: scratch)
    #expect(outcome.status == 0 && outcome.output == Self.header + "\n")
  }

  @Test func truncatedGzipFailsWithoutARow() throws {
    let scratch = try Scratch()
    let path = try scratch.write("walk.csv", Self.recording())
    let outcome = try FaultTests.run(
      ["classify", path + ".cut"], "gzip -c '\(path)' | head -c 2000 > \"$2\"; \"$0\" \"$@\"", in: scratch)
    #expect(outcome.status == 1 && outcome.output.isEmpty)
    let message = scratch.anonymous(outcome.errors)
    #expect(message.contains("walk.csv.cut: "))
    #expect(message == Self.texts.expected("classify: truncated gzip", message))
  }

  @Test func aDirectoryAndAMissingFileFailWithTheRemedy() throws {
    let scratch = try Scratch()
    let directory = try FaultTests.run(["classify", scratch.url.path], in: scratch)
    let message = scratch.anonymous(directory.errors)
    #expect(directory.status == 1 && message.contains("--folder"))
    #expect(message == Self.texts.expected("classify: a directory", message))
    let missing = try FaultTests.run(["classify", scratch.path("no.csv")], in: scratch)
    #expect(missing.status == 1 && missing.errors.contains("no.csv: No such file"), "\(missing.errors)")
    let folder = try FaultTests.run(
      ["classify", "--folder", scratch.path("no"), "--out", scratch.path("out")], in: scratch)
    #expect(folder.status == 1 && folder.errors.contains("No such file") && !scratch.exists("out"))
  }

  @Test func unusableRowsAreIgnoredAndCounted() throws {
    let scratch = try Scratch()
    var lines = Self.recording().split(separator: "\n").map(String.init)
    for index in [200, 500, 900] { lines[index] = "nan,0,0,1" }
    for index in [300, 1200] { lines[index] = lines[index] + "x" }
    lines[400] = "15.960,1e9,0,1"
    lines[700] = "rubbish"
    lines.insert(",,,", at: 800)
    let path = try scratch.write("odd.csv", lines.joined(separator: "\n"))
    let outcome = try FaultTests.run(["classify", path], in: scratch)
    #expect(outcome.status == 0)
    Self.check(outcome.output, seconds: 60)
    let message = scratch.anonymous(outcome.errors)
    #expect(message.contains("5 rows") && message.contains("3 invalid samples"), "\(message)")
    #expect(message == Self.texts.expected("classify: unusable rows", message))
    let rows = Self.rows(of: outcome.output).dropFirst()
    #expect(rows.dropFirst(36).allSatisfy { $0[1] == "walking" })
  }

  @Test func zeroBytesInARowAreNotNumbers() throws {
    let scratch = try Scratch()
    let text = Self.recording().replacingOccurrences(of: "20.000,", with: "20.000\0\0x,")
    let outcome = try FaultTests.run(["classify", try scratch.write("nul.csv", text)], in: scratch)
    #expect(
      outcome.status == 0 && outcome.errors.contains(": 1 rows "), "\(outcome.errors)")
    Self.check(outcome.output, seconds: 60)
  }

  @Test func onlyAnEarlierResultIsReplaced() throws {
    let scratch = try Scratch()
    for folder in ["in", "out"] {
      try FileManager.default.createDirectory(atPath: scratch.path(folder), withIntermediateDirectories: true)
    }
    let original = Self.recording(seconds: 20)
    _ = try scratch.write("out/a.csv", original)
    _ = try scratch.write("in/b.csv", original)
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("in/a.csv"), withDestinationPath: scratch.path("out/a.csv"))
    let words = ["classify", "--folder", scratch.path("in"), "--out", scratch.path("out")]
    for _ in 0..<2 {
      let outcome = try FaultTests.run(words, in: scratch)
      #expect(
        outcome.status == 1 && outcome.errors.contains("out/a.csv: "), "\(outcome.errors)")
      let message = scratch.anonymous(outcome.errors)
      #expect(message == Self.texts.expected("classify: existing file", message))
      #expect(try String(contentsOfFile: scratch.path("out/a.csv"), encoding: .utf8) == original)
      Self.check(try String(contentsOfFile: scratch.path("out/b.csv"), encoding: .utf8), seconds: 20)
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: scratch.path("out")).sorted() == ["a.csv", "b.csv"])
  }

  @Test func quotedValuesAreRead() throws {
    let scratch = try Scratch()
    let plain = try scratch.write("plain.csv", Self.recording())
    let quoted = try scratch.write(
      "quoted.csv",
      Self.recording(
        header: "\"t_s\",\"ax_g\",\"ay_g\",\"az_g\",\"speed_mps\"",
        row: { "\"\($0)\",\($1.map { "\"\($0)\"" }.joined(separator: ",")),\"\"" }))
    let wanted = try FaultTests.run(["classify", plain], in: scratch)
    let got = try FaultTests.run(["classify", quoted], in: scratch)
    #expect(got.status == 0 && got.errors.isEmpty && got.output == wanted.output, "\(got.errors)")
  }

  @Test func inAFolderEachMessageNamesItsFileAndNoResultIsIncomplete() throws {
    let scratch = try Scratch()
    try FileManager.default.createDirectory(atPath: scratch.path("in"), withIntermediateDirectories: true)
    _ = try scratch.write("in/long.csv", Self.recording(seconds: 6000))
    _ = try scratch.write("in/odd.csv", Self.recording(seconds: 20) + "rubbish\n")
    let folder = scratch.path("in")
    let outcome = try FaultTests.run(
      ["classify", "--explain", "--folder", folder, "--out", scratch.path("out")],
      "cd '\(folder)'; gzip -c long.csv | head -c 400000 > cut.csv.gz; rm long.csv; "
        + "cp odd.csv \"$(printf 'a\\377.csv')\"; cd ..; \"$0\" \"$@\"", in: scratch)
    #expect(outcome.status == 1)
    for file in ["in/odd.csv: ", "in/cut.csv.gz: ", "a\u{FFFD}.csv: "] {
      let message = scratch.anonymous(try #require(outcome.errors.line(with: file), "\(outcome.errors)"))
      #expect(message == Self.texts.expected("classify: \(file)", message))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path("out")) == ["odd.csv"])
  }

  @Test func explainedSecondsWithoutSamplesHaveAllColumns() throws {
    let scratch = try Scratch()
    let lines = Self.recording().split(separator: "\n")
    let text = (lines[...500] + lines[900...]).joined(separator: "\n")
    let outcome = try FaultTests.run(
      ["classify", "--explain", try scratch.write("gap.csv", text)], in: scratch)
    let counts = Set(
      outcome.output.split(separator: "\n").map {
        $0.split(separator: ",", omittingEmptySubsequences: false).count
      })
    #expect(outcome.status == 0 && counts.count == 1, "\(counts)")
  }

  @Test(arguments: [
    [], ["--folder", "x"], ["--out", "x"], ["a.csv", "b.csv"], ["a.csv", "--folder", "x", "--out", "y"],
    ["--no-such", "a.csv"],
  ]) func misuseIsReportedWithTheUsage(words: [String]) throws {
    let outcome = try FaultTests.run(["classify"] + words, in: try Scratch())
    #expect(
      outcome.status == 2 && outcome.output.isEmpty && outcome.errors.contains("Usage: outrider classify"))
  }

  @Test func aMalformedTableIsRejected() throws {
    let scratch = try Scratch()
    let path = try scratch.write("walk.csv", Self.recording(seconds: 5))
    let table = try scratch.write("table", "bias,1,2,3\n")
    let outcome = try FaultTests.run(["classify", "--table", table, path], in: scratch)
    let message = scratch.anonymous(outcome.errors)
    #expect(outcome.status == 1 && outcome.errors.contains("\(table): "), "\(message)")
    #expect(message == Self.texts.expected("classify: malformed table", message))
  }
}
