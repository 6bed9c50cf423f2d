import Quantities
import Records
import Testing

import Store

/// A batch that may have been sent is the same on every retry.
@Suite struct BatchBoundaryTests {
  @Test func aFullBatchIsTheSameAfterAKill() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    _ = try log.append((1...5).map { fix($0) })
    let sent = try #require(try log.batch())
    #expect(sent.boundary == .counted && !sent.hasMore)
    _ = try log.append((6...9).map { fix($0) })
    let killed = try scratch.copy()
    let (again, report) = try killed.open()
    #expect(report.condition == .unclean)
    let retried = try #require(try again.batch(size: 50))
    #expect(retried.records == sent.records && retried.through == sent.through)
    #expect(retried.hasMore)
  }

  @Test func aPartialBatchKeepsItsBoundaryAfterAKill() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    _ = try log.append((1...3).map { fix($0) })
    let sent = try #require(try log.batch())
    #expect(sent.boundary == .missing)
    try log.commitBatchBoundary("home", through: sent.through, late: sent.isLate)
    _ = try log.append((4...9).map { fix($0) })
    let (again, _) = try scratch.copy().open()
    let retried = try #require(try again.batch())
    #expect(retried.records == sent.records && retried.through == sent.through)
    #expect(retried.boundary != .missing && retried.hasMore)
    try again.acknowledge(retried)
    #expect(try again.batch()?.ids == [4, 5, 6, 7, 8])
  }

  /// The boundary is durable when the batch is handed over: no byte of it can have been sent before.
  @Test(
    "a batch that will be sent as it is comes back unchanged after a kill",
    arguments: [
      (BatchRequest(size: 5, largestToSend: 5), [1, 2, 3], true),
      (BatchRequest(size: 5, largestToSend: .max), [1, 2, 3], true),
      // The log counts in fives, not in fours.
      (BatchRequest(size: 4, largestToSend: 4), [1, 2, 3], true),
      (BatchRequest(size: 5, largestToSend: 2), [1, 2, 3], false),
      (BatchRequest(size: 5), [1, 2, 3], false),
      (
        BatchRequest(
          size: 5, largestToSend: .max,
          cut: BatchCut(interval: .seconds(3), newestFix: fix(3).time)), [1], true
      ),
      (BatchRequest(size: 5, cut: BatchCut(interval: .seconds(3), newestFix: fix(3).time)), [1], false),
    ] as [(BatchRequest, [Int64], Bool)])
  func storedWithTheRequest(request: BatchRequest, ids: [Int64], isStored: Bool) throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    try log.register(batchSizes: ["home": 5])
    _ = try log.append((1...3).map { fix($0) })
    var damaged: [RecordID] = []
    let sent = try #require(try log.batch(for: "home", request, damaged: &damaged))
    #expect(sent.ids == ids && sent.boundary == (isStored ? .stored : .missing))
    _ = try log.append((4...9).map { fix($0) })
    let (again, _) = try scratch.copy().open()
    let retried = try #require(try again.batch(for: "home", BatchRequest(size: 5), damaged: &damaged))
    #expect(retried.ids == (isStored ? ids : [1, 2, 3, 4, 5]))
    #expect(retried.boundary == (isStored ? .stored : .counted))
  }

  @Test func aBatchOfEventsNeedsNoBoundaryBecauseItIsNotSent() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    _ = try log.append([fix(1)])
    try log.acknowledge(try #require(try log.batch()))
    _ = try log.append([event(.started), event(.stopped)])
    var damaged: [RecordID] = []
    let batch = try log.batch(for: "home", BatchRequest(size: 5, largestToSend: .max), damaged: &damaged)
    #expect(batch == nil || batch?.boundary == .missing)
  }

  @Test func aBatchThatMayHaveBeenSentIsNotDividedByTheClock() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    try log.register(batchSizes: ["home": 5])
    _ = try log.append((1...9).map { fix($0) })
    var damaged: [RecordID] = []
    var cut = BatchCut(interval: .seconds(3), newestFix: fix(9).time)
    let divided = try log.batch(
      for: "home", BatchRequest(size: 5, cut: cut), damaged: &damaged)
    #expect(divided?.ids == [1] && divided?.boundary == .missing)
    cut.exempt = [RecordID(5)]
    let whole = try log.batch(for: "home", BatchRequest(size: 5, cut: cut), damaged: &damaged)
    #expect(whole?.ids == [1, 2, 3, 4, 5])
    try log.commitBatchBoundary("home", through: RecordID(4), late: false)
    let sent = try log.batch(
      for: "home", BatchRequest(size: 5, largestToSend: .max, cut: BatchCut(interval: .seconds(3))),
      damaged: &damaged)
    #expect(sent?.ids == [1, 2, 3, 4] && sent?.boundary == .stored)
  }

  @Test func nothingIsHandedOverAtOrAfterALocationWithoutATime() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    _ = try log.append([fix(1), fix(2, dated: false), fix(3)])
    var damaged: [RecordID] = []
    let request = BatchRequest(size: 5, largestToSend: .max, cut: BatchCut())
    let batch = try #require(try log.batch(for: "home", request, damaged: &damaged))
    #expect(batch.records.allSatisfy { $0.record.time != nil })
    #expect(batch.ids.first == 1 && batch.boundary == .stored)
  }

  @Test func aNewBatchSizeAppliesAfterTheNextAcknowledgement() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    try log.register(batchSizes: ["home": 5])
    _ = try log.append((1...20).map { fix($0) })
    let (again, _) = try scratch.copy().open()
    let first = try #require(try again.batch(size: 2))
    #expect(first.ids == [1, 2, 3, 4, 5])
    try again.acknowledge("home", through: first.through, late: false, newBatchSize: 2)
    #expect(try again.batch(size: 2)?.ids == [6, 7])
  }

  @Test func newAndRemovedDestinationsAreReportedByName() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    let first = try log.register(batchSizes: ["home": 5])
    let home = try #require(first.new.first)
    #expect((home.name, home.acknowledged, home.queued) == ("home", .zero, 0))
    #expect(first.new.count == 1 && first.unserved.isEmpty)
    _ = try log.append((1...20).map { fix($0) })
    let second = try log.register(batchSizes: ["work": 5, "away": 3, "home": 7])
    #expect(second.new.map(\.name) == ["away", "work"] && second.new.allSatisfy { $0.queued == 20 })
    #expect(second.through == RecordID(20) && second.unserved.isEmpty)
    var damaged: [RecordID] = []
    let sizes = try ["away", "work", "home"].map { name in
      try log.batch(for: name, BatchRequest(size: 9), damaged: &damaged)?.records.count
    }
    #expect(sizes == [3, 5, 5], "a known destination keeps its size")
    let third = try log.register(batchSizes: ["work": 5])
    #expect(third.new.isEmpty && third.unserved == ["away", "home"])
  }

  @Test func aBatchCanBeSentInParts() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    _ = try log.append((1...9).map { fix($0) })
    #expect(try log.batch()?.ids == [1, 2, 3, 4, 5])
    try log.commitBatchBoundary("home", through: RecordID(2), late: false)
    let piece = try #require(try log.batch())
    #expect(piece.ids == [1, 2] && piece.boundary != .missing && piece.hasMore)
    try log.acknowledge(piece)
    #expect(try log.batch()?.ids == [3, 4, 5, 6, 7])
  }

  @Test func hasMoreIsSetOnlyIfMoreThanOneBatchIsQueued() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    _ = try log.append((1...5).map { fix($0) } + [event(.stopped), fix(8, dated: false)])
    #expect(try log.batch()?.hasMore == false)
    _ = try log.append([fix(9)])
    #expect(try log.batch()?.hasMore == true)
  }

  @Test func aRepeatedOrEarlierAcknowledgementChangesNothing() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    _ = try log.append((1...9).map { fix($0) })
    #expect(try log.batch()?.ids == [1, 2, 3, 4, 5])
    try log.acknowledge("home", through: RecordID(5), late: false, newBatchSize: nil)
    try log.acknowledge("home", through: RecordID(3), late: false, newBatchSize: nil)
    try log.commitBatchBoundary("home", through: RecordID(4), late: false)
    #expect(try log.batch()?.ids == [6, 7, 8, 9])
  }

  @Test func anAcknowledgementBeyondTheLogDoesNotHideLaterRecords() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    _ = try log.append([fix(1)])
    #expect(try log.batch()?.ids == [1])
    try log.acknowledge("home", through: RecordID(1000), late: false, newBatchSize: nil)
    _ = try log.append([fix(2)])
    #expect(try log.batch()?.ids == [2])
  }

  @Test func destinationsAreIndependent() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    _ = try log.append((1...6).map { fix($0) })
    try log.acknowledge(try #require(try log.batch("home")), "home")
    #expect(try log.batch("work", size: 2)?.ids == [1, 2])
    #expect(try log.batch("home")?.ids == [6])
  }
}
