import Database
import Quantities
import Records
import Testing

@testable import Store

/// Texts that are saved for the next start.
@Suite struct NoteTests {
  private func opening(_ scratch: Scratch, _ jobs: [StoreJob]) throws -> [NoteKey: String] {
    let writer = LogWriter(directory: scratch.path, allowVolatile: true, options: .test())
    var notes: [NoteKey: String] = [:]
    for job in jobs + [.token(1), .close] {
      for reply in writer.handle(job) {
        if case .opened(let report) = reply.answer { notes = report.notes }
      }
    }
    return notes
  }

  @Test func theLastTextIsReadAtTheNextOpening() throws {
    let scratch = try Scratch()
    #expect(try opening(scratch, [.note(.receiver, "one"), .note(.receiver, "two; ünï\n")]) == [:])
    #expect(try opening(scratch, []) == [.receiver: "two; ünï\n"])
    #expect(try opening(scratch, [.note(.receiver, String(repeating: "x", count: 2001))])[.receiver] != nil)
    #expect(try opening(scratch, []) == [.receiver: "two; ünï\n"])
  }

  @Test func aDeferredTextIsSavedWithTheNextRecords() throws {
    let scratch = try Scratch()
    let writer = LogWriter(directory: scratch.path, allowVolatile: true, options: .test())
    _ = writer.handle(.append([event("a")], urgent: false))
    let log = try #require(writer.log)
    _ = writer.handle(.noteWithRecords(.energy, "one"))
    _ = writer.handle(.noteWithRecords(.energy, "two"))
    #expect(try NoteRow.load(from: log.connection) == [:])
    _ = writer.handle(.append([event("b")], urgent: false))
    #expect(try NoteRow.load(from: log.connection) == [.energy: "two"])
  }

  @Test func aDeferredTextIsSavedWhenTheLogIsClosed() throws {
    let scratch = try Scratch()
    #expect(try opening(scratch, [.noteWithRecords(.energy, "late")]) == [:])
    #expect(try opening(scratch, []) == [.energy: "late"])
  }

  private func event(_ detail: String) -> LogRecord {
    LogRecord(
      moment: .zero, time: nil, timeQuality: .none, body: .event(EventRecord(.started, detail: detail)))
  }

  @Test func aDamagedTextIsIgnored() throws {
    let scratch = try Scratch()
    _ = try opening(scratch, [.note(.receiver, "one")])
    try Connection(path: scratch.path + "/outrider.db").execute("UPDATE note SET text = 'two'")
    #expect(try opening(scratch, []) == [:])
  }
}
