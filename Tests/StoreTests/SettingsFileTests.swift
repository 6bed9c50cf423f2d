import Foundation
import Glibc
import System
import Testing
import Store

/// The file of run-time settings beside the log.
@Suite struct SettingsFileTests {
  @Test func itIsReplacedAsAWholeAndReadableByItsOwnerOnly() throws {
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

  @Test func anIncompleteTemporaryFileIsOverwritten() throws {
    let scratch = try Scratch()
    try SettingsFile.write([1], in: scratch.path)
    try Data([9, 9]).write(to: URL(fileURLWithPath: SettingsFile.path(in: scratch.path) + ".new"))
    #expect(try SettingsFile.read(in: scratch.path, limit: 100) == [1])
    try SettingsFile.write([2], in: scratch.path)
    #expect(try SettingsFile.read(in: scratch.path, limit: 100) == [2])
  }

  @Test func aMissingDirectoryIsReported() throws {
    let scratch = try Scratch()
    #expect(throws: (any Error).self) { try SettingsFile.write([1], in: scratch.path + "/none") }
    #expect(try SettingsFile.read(in: scratch.path + "/none", limit: 100) == nil)
  }

  @Test func theWriterWritesItEvenIfTheLogCannotBeWritten() throws {
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
      return #expect(Bool(false), "the failure is reported")
    }
  }

  static let obstacles: [(remains: SettingsFile.Remains, blocked: Bool)] = [
    (.nothing, false), (.aPart, false), (.all, false), (.aPart, true), (.all, true),
  ]

  @Test(arguments: obstacles)
  func anUnreadableFileIsNeverOverwritten(remains: SettingsFile.Remains, blocked: Bool) throws {
    let scratch = try Scratch()
    let (file, aside) = (
      SettingsFile.path(in: scratch.path), SettingsFile.path(in: scratch.path) + ".damaged"
    )
    func bytes(_ path: String) -> [UInt8]? { FileManager.default.contents(atPath: path).map(Array.init) }
    try SettingsFile.write([9, 9], in: scratch.path)
    if blocked { try FileManager.default.createDirectory(atPath: aside, withIntermediateDirectories: true) }
    func replace() throws {
      try SettingsFile.replace(in: scratch.path, with: [1], settingAside: remains, limit: 100)
    }
    if blocked {
      #expect(throws: StoreError.self) { try replace() }
      #expect(bytes(file) == [9, 9])
      try FileManager.default.removeItem(atPath: aside)
    }
    try replace()
    #expect(bytes(file) == [1] && bytes(aside) == (remains == .nothing ? nil : [9, 9]))
    let names = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
    #expect(!names.contains { $0.hasSuffix(".new") })
  }

  @Test func theWriterSavesAnUnreadableFileAsSoonAsPossible() throws {
    let scratch = try Scratch()
    let (file, aside) = (
      SettingsFile.path(in: scratch.path), SettingsFile.path(in: scratch.path) + ".damaged"
    )
    try FileManager.default.createDirectory(atPath: aside, withIntermediateDirectories: true)
    try Data([9, 9]).write(to: URL(fileURLWithPath: file))
    var options = LogOptions(bootID: "a", clock: { .zero })
    options.unreadSettings = .all
    let writer = LogWriter(directory: scratch.path, allowVolatile: true, options: options)
    for _ in 0..<2 {
      guard case .settingsKept(let failure?)? = writer.handle(.settings([1])).first?.answer else {
        return #expect(Bool(false), "the failure is reported")
      }
      #expect("\(failure)".contains("settings.json.damaged"))
      #expect(FileManager.default.contents(atPath: file) == Data([9, 9]))
    }
    try FileManager.default.removeItem(atPath: aside)
    for byte: UInt8 in [1, 2] {
      #expect(writer.handle(.settings([byte])).map(\.answer) == [.settingsKept(nil)])
      #expect(FileManager.default.contents(atPath: file) == Data([byte]))
    }
    #expect(FileManager.default.contents(atPath: aside) == Data([9, 9]))
  }

  @Test func aTemporarilyUnreadableFileIsNotReplaced() throws {
    let scratch = try Scratch()
    let file = SettingsFile.path(in: scratch.path)
    // The first page of a process is not mapped: reading it fails with EIO, as on a damaged medium.
    try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: "/proc/self/mem")
    var remains = SettingsFile.Remains.nothing
    do { _ = try SettingsFile.read(in: scratch.path, limit: 100) } catch { remains = .init(error) }
    let failure = SystemError(call: "read", subject: file, number: EIO)
    #expect(remains == .outOfReach(failure))
    var options = LogOptions(bootID: "a", clock: { .zero })
    options.unreadSettings = remains
    let writer = LogWriter(directory: scratch.path, allowVolatile: true, options: options)
    for _ in 0..<2 {
      #expect(writer.handle(.settings([1])).map(\.answer) == [.settingsKept(failure)])
    }
    let alone = try Scratch()
    try FileManager.default.moveItem(atPath: file, toPath: SettingsFile.path(in: alone.path))
    #expect(throws: StoreError.system(failure)) {
      try SettingsFile.replace(in: alone.path, with: [1], settingAside: remains, limit: 100)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: alone.path) == ["settings.json"])
    #expect(
      writer.handle(.settings([1])).map(\.answer) == [.settingsKept(nil)], "the file no longer exists")
  }

  @Test func aNewDirectoryIsPrivateAndAnExistingOneKeepsItsMode() throws {
    let scratch = try Scratch()
    func mode(_ path: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
    let new = scratch.path + "/new"
    _ = try StorageDirectory(new, allowVolatile: true)
    #expect(try mode(new) == 0o750)
    #expect(chmod(new, 0o755) == 0)
    _ = try StorageDirectory(new, allowVolatile: true)
    #expect(try mode(new) == 0o755)
  }

  static let failures: [(failure: FileFailure, stays: Bool)] = [
    (.notRegular(path: "f", kind: .pipe), false), (.system(SystemError(call: "read", number: EFBIG)), false),
    (.system(SystemError(call: "open", number: ELOOP)), false),
    (.system(SystemError(call: "open", number: ENXIO)), false),
    (.system(SystemError(call: "open", number: EACCES)), true),
    (.system(SystemError(call: "open", number: EPERM)), true),
    (.system(SystemError(call: "read", number: EIO)), true),
    (.system(SystemError(call: "open", number: EMFILE)), true),
  ]

  @Test(arguments: failures)
  func onlyAFileThatCannotBeSettingsIsRenamed(failure: FileFailure, stays: Bool) {
    #expect((SettingsFile.Remains(failure) == .all) == !stays)
  }

  @Test func anotherProgramDoesNotReplaceItWhileTheLoggerRuns() throws {
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
