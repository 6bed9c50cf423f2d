import Quantities
import Records
import Testing

import Store

@Suite struct QueueTests {
  @Test func recordsReadBackAsTheyWereWritten() throws {
    let scratch = try Scratch()
    let (log, report) = try scratch.open()
    #expect(report.condition == .created)
    let written = [fix(1, wifi: "Größe"), event(.started, number: 2), fix(3)]
    let appended = try #require(try log.append(written))
    #expect(appended.ids == RecordID(1)...RecordID(3) && appended.queued == 2)
    let batch = try #require(try log.batch())
    #expect(batch.records.map(\.record) == [written[0], written[2]])
    #expect(batch.through == RecordID(3))
    #expect(batch.boundary != .counted && !batch.hasMore && !batch.isLate && batch.boundary == .missing)
    #expect(try log.newestLocation()?.record == written[2])
    #expect(try LogReader(directory: scratch.path).status().newestEvent?.record == written[1])
  }

  @Test func aForgottenDestinationIsNewWhenItIsRegisteredAgain() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    _ = try log.append((1...7).map { fix($0) })
    try log.register(batchSizes: ["home": 5, "old": 5])
    try log.register(batchSizes: ["home": 5])
    #expect(try log.forget("nobody") == 0)
    #expect(try log.forget("old") == 7)
    #expect(try log.status().destinations.map(\.name) == ["home"])
    try log.close()
    let (next, _) = try scratch.open()
    #expect(try next.status().destinations.map(\.name) == ["home"])
    #expect(try next.register(batchSizes: ["home": 5, "old": 5]).new.map(\.name) == ["old"])
    #expect(try next.status().count == 7, "its records stay in the log")
  }

  @Test func onlyRecordsAfterADropAreQueued() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    _ = try log.append((1...7).map { fix($0) })
    let first = try #require(try log.batch())
    try log.acknowledge(first)
    #expect(try log.drop("home") == 2)
    #expect(try log.batch() == nil)
    _ = try log.append([fix(8)])
    #expect(try log.batch()?.ids == [8])
    #expect(try log.drop("nobody") == 0)
    #expect(try log.status().count == 8)
  }

  @Test func acknowledgedRecordsAreNotReturnedAgain() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    _ = try log.append((1...7).map { fix($0) })
    let first = try #require(try log.batch())
    #expect(
      first.ids == [1, 2, 3, 4, 5] && first.boundary == .counted && first.hasMore
        && first.boundary != .missing)
    try log.acknowledge(first)
    let second = try #require(try log.batch())
    #expect(second.ids == [6, 7] && !second.hasMore)
    try log.acknowledge(second)
    #expect(try log.batch() == nil)
    try log.close()
    let (again, report) = try scratch.copy().open()
    #expect(report.condition == .clean)
    #expect(try again.batch() == nil)
    #expect(again.lastID == RecordID(7))
  }
}
