import Database
import Quantities
import Records
import Testing

@testable import Store

/// Texts that are saved for the next start.
@Suite struct SavedStateTests {
  private func opening(_ scratch: Scratch, _ jobs: [StoreJob]) throws -> [SavedStateKey: String] {
    let writer = LogWriter(directory: scratch.path, allowVolatile: true, options: .test())
    var savedStates: [SavedStateKey: String] = [:]
    for job in jobs + [.token(1), .close] {
      for reply in writer.handle(job) {
        if case .opened(let report) = reply.answer { savedStates = report.savedStates }
      }
    }
    return savedStates
  }

  @Test func theLastTextIsReadAtTheNextOpening() throws {
    let scratch = try Scratch()
    #expect(try opening(scratch, [.saveState(.receiver, "one"), .saveState(.receiver, "two; ünï\n")]) == [:])
    #expect(try opening(scratch, []) == [.receiver: "two; ünï\n"])
    #expect(
      try opening(scratch, [.saveState(.receiver, String(repeating: "x", count: 10_001))])[.receiver] != nil)
    #expect(try opening(scratch, []) == [.receiver: "two; ünï\n"])
  }

  @Test func aDeferredTextIsSavedWithTheNextRecords() throws {
    let scratch = try Scratch()
    let writer = LogWriter(directory: scratch.path, allowVolatile: true, options: .test())
    _ = writer.handle(.append([event("a")], urgent: false))
    let log = try #require(writer.log)
    _ = writer.handle(.saveStateWithRecords(.energy, "one"))
    _ = writer.handle(.saveStateWithRecords(.energy, "two"))
    #expect(try SavedStateRow.load(from: log.connection) == [:])
    _ = writer.handle(.append([event("b")], urgent: false))
    #expect(try SavedStateRow.load(from: log.connection) == [.energy: "two"])
  }

  @Test func aDeferredTextIsSavedWhenTheLogIsClosed() throws {
    let scratch = try Scratch()
    #expect(try opening(scratch, [.saveStateWithRecords(.energy, "late")]) == [:])
    #expect(try opening(scratch, []) == [.energy: "late"])
  }

  private func event(_ detail: String) -> LogRecord {
    LogRecord(
      moment: .zero, time: nil, timeQuality: .none, body: .event(EventRecord(.started, detail: detail)))
  }

  @Test func aDamagedTextIsIgnored() throws {
    let scratch = try Scratch()
    _ = try opening(scratch, [.saveState(.receiver, "one")])
    try Connection(path: scratch.path + "/outrider.db").execute("UPDATE note SET text = 'two'")
    #expect(try opening(scratch, []) == [:])
  }
}
