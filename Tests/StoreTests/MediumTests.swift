import Database
import Quantities
import Records
import Testing

@testable import Store

/// Failures of an SD card while a log is being written.
@Suite struct MediumTests {
  /// Power is cut after a share of the pages of a checkpoint: the file is partly old and partly new, and the write-ahead
  /// log is intact.
  @Test(arguments: [0.0, 0.02, 0.2, 0.5, 0.9, 1])
  func aPowerCutDuringACheckpointLosesNothing(share: Double) throws {
    let scratch = try SalvageTests.filled(closed: false)
    let before = try scratch.read("outrider.db")
    let finished = try scratch.copy()
    try Connection(path: finished.path + "/outrider.db").execute("PRAGMA wal_checkpoint(FULL)")
    let after = try finished.read("outrider.db")
    #expect(after.count > before.count)
    let page = 4096
    let written = Int(Double(after.count / page) * share) * page
    try scratch.write("outrider.db", Array(after[..<written]) + Array(before.dropFirst(written)))
    let (log, report) = try scratch.open()
    #expect(report.condition == .unclean)
    #expect(try SalvageTests.ids(log) == Array(1...1500))
    #expect(try log.batch()?.ids.first == 501)
    #expect(!scratch.files.contains { $0.contains("damaged") })
  }

  @Test func newRecordsStayInMemoryWhileTheCardIsReadOnly() throws {
    let scratch = try Scratch()
    let clock = WriterTests.Clock()
    let writer = LogWriter(directory: scratch.path, allowVolatile: true, options: clock.options)
    _ = writer.handle(.append((1...20).map { fix($0) }, urgent: true))
    try #require(writer.log).connection.execute("PRAGMA query_only = ON")
    let refused = writer.handle(.append((21...30).map { fix($0) }, urgent: true)).map(\.answer)
    guard case .failing(let reason, let waiting, _)? = refused.last else {
      Issue.record("\(refused)")
      return
    }
    #expect(waiting == 11, "the records and the event about the failure")
    #expect(reason.contains("readonly") || reason.contains("read-only"))
    clock.advance(2)
    let recovered = writer.handle(.retry).map(\.answer)
    #expect(recovered.last == .recovered)
    let log = try #require(writer.log)
    #expect(try log.batch(size: 1000)?.records.map(\.record) == (1...30).map { fix($0) })
    #expect(!scratch.files.contains { $0.contains("damaged") })
  }
}
