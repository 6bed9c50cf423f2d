import Quantities
import Records
import Testing

import Store

/// Queues that contain events: those of servers that take all of the log.
@Suite struct EventQueueTests {
  static func batch(
    _ log: LogDatabase, _ destination: String = "fleet", size: Int = 5, largestToSend: Int = .max
  ) throws -> Batch? {
    var request = BatchRequest(size: size, largestToSend: largestToSend)
    request.events = destination == "fleet" ? .all : .none
    var damaged: [RecordID] = []
    let batch = try log.batch(for: destination, request, damaged: &damaged)
    #expect(damaged.isEmpty)
    return batch
  }

  static func log(_ scratch: Scratch, _ records: [LogRecord]) throws -> LogDatabase {
    let (log, _) = try scratch.open()
    try log.register(batchSizes: ["fleet": 5, "home": 5], events: ["fleet": .all])
    _ = try log.append(records)
    return log
  }

  @Test func eventsAreInTheBatchInTheOrderOfTheLog() throws {
    let scratch = try Scratch()
    let log = try Self.log(
      scratch, [event(.started), fix(2), event(.stopped), fix(4), fix(5), fix(6), event(.started)])
    let first = try #require(try Self.batch(log))
    #expect(first.ids == [1, 2, 3, 4, 5] && first.from == RecordID(1) && first.boundary == .counted)
    try log.acknowledge(first, "fleet")
    let second = try #require(try Self.batch(log))
    #expect(second.ids == [6, 7] && second.from == RecordID(6) && second.boundary == .stored)
    #expect(try Self.batch(log, "home", largestToSend: 0)?.ids == [2, 4, 5, 6])
  }

  @Test func aBatchOfEventsAloneIsTheSameAfterAKill() throws {
    let scratch = try Scratch()
    let log = try Self.log(scratch, [event(.started), event(.stopped)])
    let sent = try #require(try Self.batch(log))
    #expect(sent.ids == [1, 2] && sent.boundary == .stored)
    _ = try log.append([event(.started), fix(4)])
    let (again, _) = try scratch.copy().open()
    try again.register(batchSizes: ["fleet": 5], events: ["fleet": .all])
    #expect(try Self.batch(again)?.ids == [1, 2])
  }

  @Test func eventsCountForNoQueueAndWakeNoDelivery() throws {
    let scratch = try Scratch()
    let log = try Self.log(scratch, [fix(1), event(.started)])
    let group = try log.append([event(.stopped), fix(4)])
    #expect(group?.queued == 1)
    #expect(try log.status().destinations.map(\.queued) == [2, 2])
    try log.acknowledge(try #require(try Self.batch(log)), "fleet")
    #expect(try log.status().destinations.map(\.queued) == [0, 2])
  }

  /// OwnTracks has a message for entries and exits of zones, and for no other event.
  @Test func aQueueMayContainEntriesAndExitsOfZonesAlone() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    try log.register(batchSizes: ["phone": 3], events: ["phone": .zones])
    _ = try log.append([
      event(.started), fix(2), event(.zoneEntered), event(.zoneDwelt), fix(5), event(.zoneLeft),
      event(.stopped),
    ])
    func batch(_ log: LogDatabase) throws -> Batch? {
      var request = BatchRequest(size: 3, largestToSend: .max)
      request.events = .zones
      var damaged: [RecordID] = []
      return try log.batch(for: "phone", request, damaged: &damaged)
    }
    let first = try #require(try batch(log))
    #expect(first.ids == [2, 3, 5] && first.hasMore && first.boundary == .counted)
    try log.acknowledge(first, "phone")
    let second = try #require(try batch(log))
    #expect(second.ids == [6] && second.boundary == .stored)
    let (again, _) = try scratch.copy().open()
    try again.register(batchSizes: ["phone": 3], events: ["phone": .zones])
    #expect(try batch(again)?.ids == [6], "after a power cut")
    try log.acknowledge(second, "phone")
    #expect(try batch(log) == nil, "other events are not in the queue")
  }

  @Test func lateTransitionsAreKeptUntilTheyAreSentAndOtherLateEventsAreNot() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    try log.register(batchSizes: ["phone": 5], events: ["phone": .zones])
    _ = try log.append([event(.started, dated: false), event(.zoneLeft, dated: false), fix(3)])
    var request = BatchRequest(size: 5, largestToSend: .max)
    request.events = .zones
    var damaged: [RecordID] = []
    try log.acknowledge(try #require(try log.batch(for: "phone", request, damaged: &damaged)), "phone")
    _ = try log.date(offset: 1_780_000_000_000, quality: .receiver)
    var limits = RetentionLimits()
    limits.age = .seconds(60)
    let later = Timestamp(milliseconds: 1_780_000_000_000 + 100_000_000)
    _ = try log.expire(now: later, limits: limits)
    let late = try #require(try log.batch(for: "phone", request, damaged: &damaged))
    #expect(late.ids == [2] && late.isLate, "the other event is deleted, and not sent")
    try log.acknowledge(late, "phone")
    #expect(try log.batch(for: "phone", request, damaged: &damaged) == nil && damaged.isEmpty)
  }

  @Test func undatedEventsAreSentOnceTheyAreDatedAndOnlyWhereEventsGo() throws {
    let scratch = try Scratch()
    let log = try Self.log(scratch, [event(.started, dated: false), fix(2), fix(3, dated: false)])
    #expect(try Self.batch(log)?.ids == [2])
    try log.acknowledge(try #require(try Self.batch(log)), "fleet")
    // The event does not count.
    #expect(try log.date(offset: 1_780_000_000_000, quality: .receiver) == 1)
    let late = try #require(try Self.batch(log))
    #expect(late.ids == [1, 3] && late.isLate && late.from == nil)
    #expect(try Self.batch(log, "home")?.ids == [3])
    #expect(try log.status().destinations.map(\.queued) == [1, 2])
    try log.acknowledge(late, "fleet")
    #expect(try Self.batch(log) == nil)
  }

  @Test func retentionKeepsAnEventThatIsNotSent() throws {
    let scratch = try Scratch()
    let log = try Self.log(scratch, [fix(1), event(.started), event(.stopped)])
    try log.acknowledge(try #require(try Self.batch(log, "home", largestToSend: 0)), "home")
    var limits = RetentionLimits()
    limits.age = .seconds(60)
    let later = Timestamp(milliseconds: 1_780_000_000_000 + 100_000_000)
    _ = try log.expire(now: later, limits: limits)
    #expect(try log.status().count == 3)
    try log.acknowledge(try #require(try Self.batch(log)), "fleet")
    _ = try log.expire(now: later, limits: limits)
    #expect(try log.status().count < 3)
  }

  @Test func aQueueThatMovedBackIsSentAgain() throws {
    let scratch = try Scratch()
    let log = try Self.log(scratch, (1...9).map { fix($0) })
    for _ in 0..<2 { try log.acknowledge(try #require(try Self.batch(log)), "fleet") }
    #expect(try Self.batch(log) == nil)
    #expect(try log.rewind("fleet", to: RecordID(9)) == nil, "nothing is missing")
    #expect(try log.rewind("elsewhere", to: RecordID(3)) == nil)
    #expect(try log.rewind("fleet", to: RecordID(3)) == RecordID(4)...RecordID(9))
    #expect(try Self.batch(log)?.ids == [4, 5, 6, 7, 8])
    #expect(try log.status().destinations.map(\.queued) == [6, 9])
    let (again, _) = try scratch.copy().open()
    #expect(try Self.batch(again)?.ids == [4, 5, 6, 7, 8], "after a power cut")
  }

  /// Late records have smaller numbers than the ordinary queue has reached.
  @Test func lateRecordsAreSentAgainToo() throws {
    let scratch = try Scratch()
    let log = try Self.log(scratch, [fix(1, dated: false), fix(2), fix(3)])
    _ = try log.date(offset: 1_780_000_000_000, quality: .receiver)
    for _ in 0..<2 { try log.acknowledge(try #require(try Self.batch(log)), "fleet") }
    #expect(try Self.batch(log) == nil)
    #expect(try log.rewind("fleet", to: .zero) == RecordID(1)...RecordID(3))
    #expect(try Self.batch(log)?.ids == [1])
  }
}
