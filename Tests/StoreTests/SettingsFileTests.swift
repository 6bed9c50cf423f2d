import Foundation
import Testing

@testable import Store

/// The file of what was set while running, beside the log.
@Suite struct SettingsFileTests {
  @Test func itIsReplacedAsAWholeAndOnlyItsOwnerReadsIt() throws {
    let scratch = try Scratch()
    #expect(try SettingsFile.read(in: scratch.path, limit: 100) == nil)
    for text in ["one", "", "another, longer than the first"] {
      try SettingsFile.write(Array(text.utf8), in: scratch.path)
      #expect(try SettingsFile.read(in: scratch.path, limit: 100) == Array(text.utf8))
    }
    let attributes = try FileManager.default.attributesOfItem(atPath: SettingsFile.path(in: scratch.path))
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["settings.json"])
  }

  @Test func whatAPowerCutLeftOfAnUnfinishedOneIsNoObstacle() throws {
    let scratch = try Scratch()
    try SettingsFile.write([1], in: scratch.path)
    try Data([9, 9]).write(to: URL(fileURLWithPath: SettingsFile.path(in: scratch.path) + ".new"))
    #expect(try SettingsFile.read(in: scratch.path, limit: 100) == [1])
    try SettingsFile.write([2], in: scratch.path)
    #expect(try SettingsFile.read(in: scratch.path, limit: 100) == [2])
  }

  @Test func aDirectoryThatIsNotThereIsSaid() throws {
    let scratch = try Scratch()
    #expect(throws: (any Error).self) { try SettingsFile.write([1], in: scratch.path + "/none") }
    #expect(try SettingsFile.read(in: scratch.path + "/none", limit: 100) == nil)
  }

  @Test func theWriterKeepsItWhetherTheLogCanBeWrittenOrNot() throws {
    let scratch = try Scratch()
    let writer = LogWriter(
      directory: scratch.path, allowVolatile: true, options: LogOptions(bootID: "a", clock: { .zero }))
    let answers = writer.handle(.settings([7])).map(\.answer)
    #expect(answers == [.settingsKept(nil)])
    #expect(try SettingsFile.read(in: scratch.path, limit: 100) == [7])
    let nowhere = LogWriter(
      directory: scratch.path + "/a/b", allowVolatile: true,
      options: LogOptions(bootID: "a", clock: { .zero }))
    guard case .settingsKept(.some)? = nowhere.handle(.settings([7])).first?.answer else {
      return #expect(Bool(false), "the failure is told")
    }
  }

  @Test func aProgramBesideARunningLoggerDoesNotReplaceIt() throws {
    let scratch = try Scratch()
    let writer = LogWriter(
      directory: scratch.path, allowVolatile: true, options: LogOptions(bootID: "a", clock: { .zero }))
    _ = writer.handle(.retry)
    #expect(throws: StoreError.inUse(directory: scratch.path)) {
      try SettingsFile.replace(in: scratch.path, with: [1])
    }
    _ = writer.handle(.close)
    try SettingsFile.replace(in: scratch.path, with: [1])
    #expect(try SettingsFile.read(in: scratch.path, limit: 100) == [1])
  }
}
