import Database
import Foundation
import Glibc
import Quantities
import Records
import Testing

@testable import Store

/// No other user can read the files of the log, whatever the umask, and whatever an earlier version left.
///
/// The umask belongs to the whole process, so the tests run one after another and restore it.
@Suite(.serialized) struct FileModeTests {
  private static func mode(_ path: String) -> mode_t? {
    var facts = stat()
    return lstat(path, &facts) == 0 ? facts.st_mode & 0o777 : nil
  }

  private static func with<Result>(umask mask: mode_t, _ body: () throws -> Result) rethrows -> Result {
    let before = umask(mask)
    defer { _ = umask(before) }
    return try body()
  }

  @Test(arguments: [0o000, 0o022, 0o027, 0o077] as [mode_t])
  func everyFileOfANewLogIsForOwnerAndGroup(mask: mode_t) throws {
    let scratch = try Scratch()
    let writer = LogWriter(directory: scratch.path, allowVolatile: true, options: .test())
    let modes = Self.with(umask: mask) { () -> [String: mode_t] in
      _ = writer.handle(.append([fix(1)], urgent: true))
      _ = CheckRequest.make(in: scratch.path)
      return scratch.files.reduce(into: [:]) { $0[$1] = Self.mode("\(scratch.path)/\($1)") }
    }
    #expect(modes.keys.contains("outrider.db-wal") && modes.keys.contains("outrider.db-shm"))
    for (name, mode) in modes { #expect(mode == 0o640, "\(name): \(String(mode, radix: 8))") }
  }

  @Test func existingFilesAreTightenedAtTheStartAndNotLoosened() throws {
    let scratch = try Scratch()
    do {
      let (log, _) = try scratch.open()
      _ = try log.append([fix(1)])
      log.abandon()
    }
    let before: [String: mode_t] = [
      "outrider.db": 0o644, "outrider.db-wal": 0o666, "outrider.db-shm": 0o664, "settings.json": 0o644,
      "settings.json.damaged": 0o600, "outrider.db.damaged-1": 0o644, "outrider.db.damaged-1-wal": 0o600,
      "other.txt": 0o644,
    ]
    for (name, mode) in before {
      if !scratch.files.contains(name) { try scratch.write(name, [1, 2]) }
      chmod("\(scratch.path)/\(name)", mode)
    }
    let writer = LogWriter(directory: scratch.path, allowVolatile: true, options: .test())
    _ = writer.handle(.append([fix(2)], urgent: true))
    for (name, mode) in before {
      let expected = name == "other.txt" ? mode : mode & 0o640
      #expect(Self.mode("\(scratch.path)/\(name)") == expected, "\(name)")
    }
  }

  @Test func logsThatReplaceAnotherAreForOwnerAndGroup() throws {
    let scratch = try Scratch()
    let writer = LogWriter(directory: scratch.path, allowVolatile: true, options: .test())
    try Self.with(umask: 0) {
      _ = writer.handle(.append((1...100).map { fix($0) }, urgent: true))
      // Made again from the open file.
      unlink(scratch.path + "/outrider.db")
      _ = writer.handle(.append([fix(101)], urgent: true))
      #expect(Self.mode(scratch.path + "/outrider.db") == 0o640)
      _ = writer.handle(.close)
      // Salvaged.
      var bytes = try scratch.read("outrider.db")
      for offset in 4096..<5120 { bytes[offset] ^= 0xFF }
      try scratch.write("outrider.db", bytes)
      chmod(scratch.path + "/outrider.db", 0o644)
      let again = LogWriter(directory: scratch.path, allowVolatile: true, options: .test(boot: "b"))
      _ = again.handle(.examine)
      for name in scratch.files { #expect(Self.mode("\(scratch.path)/\(name)") == 0o640, "\(name)") }
      #expect(scratch.files.contains("outrider.db.damaged-1"))
      _ = again.handle(.close)
    }
  }
}
