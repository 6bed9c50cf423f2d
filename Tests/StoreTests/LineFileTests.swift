import Foundation
import Testing

@testable import Store

@Suite struct LineFileTests {
  private func file(_ path: String, _ lines: [String], separator: String = ",") -> LineFile {
    LineFile(
      path: path, head: Array("[\n".utf8), separator: Array(separator.utf8), tail: Array("]\n".utf8),
      mark: Array("{\"".utf8), lines: lines.map { Array($0.utf8) })
  }

  @Test func linesAreAddedOnceAndTheFrameStaysWhole() throws {
    let scratch = try Scratch()
    let path = scratch.path + "/files/hour.json"
    try file(path, [#"{"a":1}"#, #"{"a":2}"#]).merge()
    try file(path, [#"{"a":2}"#, #"{"a":3}"#]).merge()
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "[\n{\"a\":1},\n{\"a\":2},\n{\"a\":3}\n]\n")
  }

  @Test(arguments: ["", "[\n{\"a\":1},\n{\"b", "{\"a\":1}", "[\n{\"a\":1}\n]\n", "]\n\n{\"a\":1},\n"])
  func whatIsLeftOfADamagedFileIsKept(old: String) throws {
    let scratch = try Scratch()
    let path = scratch.path + "/hour.json"
    try old.write(toFile: path, atomically: true, encoding: .utf8)
    try file(path, [#"{"z":9}"#]).merge()
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.hasPrefix("[\n") && text.hasSuffix("{\"z\":9}\n]\n"))
    #expect(text.contains("{\"a\":1}") == old.contains("{\"a\":1}"))
  }

  @Test func aDraftThatAPowerCutLeftIsWrittenOver() throws {
    let scratch = try Scratch()
    let path = scratch.path + "/hour.json"
    try "half".write(toFile: path + ".new", atomically: true, encoding: .utf8)
    try file(path, [#"{"a":1}"#]).merge()
    #expect(!FileManager.default.fileExists(atPath: path + ".new"))
  }

  @Test func theWriterAnswersAlsoWhenItCannot() throws {
    let scratch = try Scratch()
    let writer = LogWriter(directory: scratch.path, allowVolatile: true, options: .test())
    try "".write(toFile: scratch.path + "/file", atomically: true, encoding: .utf8)
    let good = writer.handle(.write([file(scratch.path + "/a.json", ["{\"a\":1}"])], 7)).map(\.answer)
    #expect(good.contains(.written(7, trouble: nil)))
    let bad = writer.handle(.write([file(scratch.path + "/file/a.json", ["{\"a\":1}"])], 8)).map(\.answer)
    guard case .written(8, let trouble?)? = bad.last else {
      Issue.record("\(bad)")
      return
    }
    #expect(trouble.contains("/file"))
  }
}
