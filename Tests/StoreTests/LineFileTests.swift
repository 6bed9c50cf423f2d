import Foundation
import System
import Testing
@testable import Store

@Suite struct LineFileTests {
  private func file(_ path: String, _ lines: [String], separator: String = ",") -> LineFile {
    LineFile(
      path: path, head: Array("[\n".utf8), separator: Array(separator.utf8), tail: Array("]\n".utf8),
      section: .init(mark: Array("{\"".utf8), end: Array("}".utf8), lines: lines.map { Array($0.utf8) }))
  }

  private static func text(_ path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8)
  }

  @Test func linesAreAddedOnceAndTheFileStaysComplete() throws {
    let scratch = try Scratch()
    let path = scratch.path + "/files/hour.json"
    try file(path, [#"{"a":1}"#, #"{"a":2}"#]).merge()
    try file(path, [#"{"a":2}"#, #"{"a":3}"#]).merge()
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "[\n{\"a\":1},\n{\"a\":2},\n{\"a\":3}\n]\n")
  }

  @Test(arguments: ["", "[\n{\"a\":1},\n{\"b", "{\"a\":1}", "[\n{\"a\":1}\n]\n", "]\n\n{\"a\":1},\n"])
  func intactLinesOfADamagedFileAreKept(old: String) throws {
    let scratch = try Scratch()
    let path = scratch.path + "/hour.json"
    try old.write(toFile: path, atomically: true, encoding: .utf8)
    try file(path, [#"{"z":9}"#]).merge()
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.hasPrefix("[\n") && text.hasSuffix("{\"z\":9}\n]\n"))
    #expect(text.contains("{\"a\":1}") == old.contains("{\"a\":1}"))
  }

  @Test(arguments: [
    "[\n{\"a\":1},\n{\"b", "[\n{\"a\":1},\n", "[\n{\"a\":1}\n]", "[\n{\"a\":1}\n\0\0\0", "[", "[\n{",
  ])
  func aTruncatedFileIsCompletedEvenIfItHasAllLines(old: String) throws {
    let scratch = try Scratch()
    let path = scratch.path + "/hour.json"
    try old.write(toFile: path, atomically: true, encoding: .utf8)
    try file(path, [#"{"a":1}"#]).merge()
    #expect(try Self.text(path) == "[\n{\"a\":1}\n]\n", "\(old)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["hour.json"])
  }

  @Test(arguments: [
    "{\"name\":\"mine\"}\nmy own notes\n", "[\n1,\n2\n]\n", "binary \u{1} \n[\n",
    "[\n{\"a\":1},\n  {\"b\":2}\n]\n",
    "[\n{\"a\":\n1}\n]\n",
  ])
  func aFileOfAnotherProgramIsNotChangedAndAnotherNameUsed(old: String) throws {
    let scratch = try Scratch()
    let path = scratch.path + "/hour.json"
    try old.write(toFile: path, atomically: true, encoding: .utf8)
    try "foreign\ntoo\n".write(toFile: scratch.path + "/hour-2.json", atomically: true, encoding: .utf8)
    for line in [#"{"a":1}"#, #"{"a":2}"#, #"{"a":1}"#] { try file(path, [line]).merge() }
    #expect(try Self.text(path) == old && Self.text(scratch.path + "/hour-2.json") == "foreign\ntoo\n")
    #expect(try Self.text(scratch.path + "/hour-3.json") == "[\n{\"a\":1},\n{\"a\":2}\n]\n")
  }

  @Test(arguments: ["directory", "pipe", "large"])
  func anythingButAFileOfAnHourIsNotChanged(kind: String) throws {
    let scratch = try Scratch()
    let path = scratch.path + "/hour.json"
    switch kind {
    case "directory": try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    case "pipe": #expect(mkfifo(path, 0o600) == 0)
    default:
      #expect(FileManager.default.createFile(atPath: path, contents: nil))
      #expect(truncate(path, Int(LineFile.limit) + 1) == 0)
    }
    try file(path, [#"{"a":1}"#]).merge()
    #expect(try Self.text(scratch.path + "/hour-2.json") == "[\n{\"a\":1}\n]\n")
  }

  /// Such a file is neither continued nor treated as intact: new lines go to another file.
  @Test(arguments: [
    "[\n{\"a\":\u{0}},\n{\"b\":2}\n]\n", "[\n{\"a\":{1},\n{\"b\":2}\n]\n", "[\n{\"a\":\"1},\n{\"b\":2}\n]\n",
  ])
  func aFileWithADamagedLineIsNotContinued(old: String) throws {
    let scratch = try Scratch()
    let path = scratch.path + "/hour.json"
    try old.write(toFile: path, atomically: true, encoding: .utf8)
    try file(path, [#"{"c":3}"#]).merge()
    #expect(try Self.text(path) == old)
    #expect(try Self.text(scratch.path + "/hour-2.json") == "[\n{\"c\":3}\n]\n")
  }

  @Test func aLastLineTruncatedAfterAnInnerBraceIsDropped() throws {
    let scratch = try Scratch()
    let path = scratch.path + "/hour.json"
    try "[\n{\"a\":1},\n{\"b\":{\"c\":{}".write(toFile: path, atomically: true, encoding: .utf8)
    try file(path, [#"{"d":4}"#]).merge()
    #expect(try Self.text(path) == "[\n{\"a\":1},\n{\"d\":4}\n]\n")
  }

  @Test func interruptionsKeepTheirPositionAndNonePrecedesTheFirstLine() throws {
    let scratch = try Scratch()
    let path = scratch.path + "/hour.json"
    func track(_ lines: [String], _ early: [String], interrupted: Set<Int>) -> LineFile {
      var file = file(path, lines, separator: "")
      file.early = .init(mark: Array("(".utf8), end: Array(")".utf8), lines: early.map { Array($0.utf8) })
      file.bridge = Array("<\n".utf8)
      file.olderHeads = [Array("old\n".utf8)]
      file.interruption = Array("><".utf8)
      file.interrupted = interrupted
      return file
    }
    try "old\n<\n{\"a\":0}\n]\n".write(toFile: path, atomically: true, encoding: .utf8)
    try track([#"{"a":1}"#, #"{"a":2}"#], ["(v)"], interrupted: [0]).merge()
    try track([#"{"a":2}"#, #"{"a":3}"#], ["(v)", "(w)"], interrupted: [0]).merge()
    let expected = "[\n(v)\n(w)\n<\n{\"a\":0}\n><\n{\"a\":1}\n{\"a\":2}\n><\n{\"a\":3}\n]\n"
    #expect(try Self.text(path) == expected)
    try FileManager.default.removeItem(atPath: path)
    try track([#"{"a":1}"#], [], interrupted: [0]).merge()
    #expect(try Self.text(path) == "[\n<\n{\"a\":1}\n]\n")
  }

  @Test func anIncompleteTemporaryFileIsOverwritten() throws {
    let scratch = try Scratch()
    let path = scratch.path + "/hour.json"
    try "half".write(toFile: path + ".new", atomically: true, encoding: .utf8)
    try file(path, [#"{"a":1}"#]).merge()
    #expect(!FileManager.default.fileExists(atPath: path + ".new"))
  }

  @Test func theWriterAnswersEvenIfItFails() throws {
    let scratch = try Scratch()
    let writer = LogWriter(directory: scratch.path, allowVolatile: true, options: .test())
    try "".write(toFile: scratch.path + "/file", atomically: true, encoding: .utf8)
    let good = writer.handle(.write([file(scratch.path + "/a.json", ["{\"a\":1}"])], 7)).map(\.answer)
    #expect(good.contains(.written(7, fault: nil)))
    let bad = writer.handle(.write([file(scratch.path + "/file/a.json", ["{\"a\":1}"])], 8)).map(\.answer)
    guard case .written(8, let fault?)? = bad.last else {
      Issue.record("\(bad)")
      return
    }
    #expect(fault.contains("/file"))
  }

  @Test func aWriteThatTheServiceMayNotMakeNamesTheDirective() {
    for (path, number, directive) in [
      ("/srv/tracks/x.gpx", EROFS, "ReadWritePaths="), ("/home/pi/x.gpx", EACCES, "ProtectHome=no"),
      ("/home/pi/x.gpx", ENOENT, "ProtectHome=no"), ("/srv/tracks/x.gpx", EACCES, nil),
      ("/srv/x.gpx", ENOSPC, nil),
    ] as [(String, Int32, String?)] {
      let text = FileFailure.system(SystemError(call: "open", subject: path, number: number))
        .withServiceAdvice
      #expect(text.contains("drop-in") == (directive != nil) && text.contains(directive ?? "open"), "\(text)")
    }
  }
}
