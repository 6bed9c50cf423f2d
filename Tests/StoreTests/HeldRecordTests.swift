import Quantities
import Records
import Testing

@testable import Store

/// Records that a destination may reject: they are durable as such until they are delivered, set aside or discarded.
@Suite struct HeldRecordTests {
  /// A log of 20 locations, of which number 7 is held by `home` and all others are acknowledged.
  private static func log(_ scratch: Scratch, others: [String: Int] = [:]) throws -> LogDatabase {
    let (log, _) = try scratch.open()
    try log.register(batchSizes: ["home": 50].merging(others) { $1 })
    _ = try log.append((1...20).map { fix($0) })
    var held = HeldRecord(id: RecordID(7), from: RecordID(7))
    held.refusals = 2
    try log.acknowledge("home", through: RecordID(6), late: false, newBatchSize: nil)
    try log.acknowledge("home", through: RecordID(7), late: false, newBatchSize: nil, held: .hold(held))
    try log.acknowledge("home", through: RecordID(20), late: false, newBatchSize: nil)
    return log
  }

  private static func queued(_ log: LogDatabase) throws -> Int? {
    try log.status().destinations.first { $0.name == "home" }?.queued
  }

  private static func ids(_ log: LogDatabase) throws -> [Int64] {
    try log.connection.rows("SELECT id FROM record WHERE kind <> 1 ORDER BY id").compactMap { $0[0].integer }
  }

  private static let age = RetentionLimits(age: .seconds(1))

  @Test func itIsARecordOfTheQueueAlsoForAReaderAndAfterAPowerCut() throws {
    let scratch = try Scratch()
    let log = try Self.log(scratch)
    #expect(try Self.queued(log) == 1)
    #expect(try LogReader(directory: scratch.path).status().destinations.first?.queued == 1)
    let (copy, _) = try scratch.copy().open(boot: "boot-b")
    let report = try copy.register(batchSizes: ["home": 50])
    #expect(report.held["home"]?.map(\.id) == [RecordID(7)] && report.held["home"]?.first?.refusals == 2)
    #expect(try Self.queued(copy) == 1)
    var damaged: [RecordID] = []
    var request = BatchRequest(size: 1)
    request.held = RecordID(7)
    let batch = try #require(try copy.batch(for: "home", request, damaged: &damaged))
    #expect(batch.records.map(\.id) == [RecordID(7)] && batch.isHeld && batch.boundary == .stored)
    #expect(try copy.batch() == nil, "it is in no ordinary batch")
  }

  @Test func itsDeliveryEndsItAndMovesNoCursor() throws {
    let log = try Self.log(try Scratch())
    _ = try log.append((21...25).map { fix($0) })
    try log.acknowledge("home", through: RecordID(7), late: false, newBatchSize: nil, held: .end(RecordID(7)))
    #expect(try Self.queued(log) == 5)
    #expect(try log.batch(size: 50)?.ids.first == 21)
    #expect(try log.register(batchSizes: ["home": 50]).held.isEmpty)
  }

  @Test func ageDeletesItOnlyAfterItsLastAttempt() throws {
    let log = try Self.log(try Scratch())
    #expect(try log.expire(now: fix(99_000).time, limits: Self.age).lastChances.isEmpty)
    #expect(try Self.ids(log) == Array(7...20))
    var held = HeldRecord(id: RecordID(7), from: RecordID(7))
    held.isSetAside = true
    try log.acknowledge("home", through: RecordID(7), late: false, newBatchSize: nil, held: .update(held))
    #expect(try Self.queued(log) == 0 && log.register(batchSizes: ["home": 50]).held.isEmpty)
    // It gets a last chance, as often as it takes.
    for _ in 0..<2 {
      let report = try log.expire(now: fix(99_000).time, limits: Self.age)
      #expect(report.lastChances["home"]?.map(\.id) == [RecordID(7)])
      #expect(try Self.ids(log) == Array(7...20))
    }
    try log.acknowledge("home", through: RecordID(7), late: false, newBatchSize: nil, held: .end(RecordID(7)))
    _ = try log.expire(now: fix(99_000).time, limits: Self.age)
    #expect(try Self.ids(log).isEmpty)
  }

  @Test func aRecordOfADestinationThatIsNotConfiguredIsNotKept() throws {
    let log = try Self.log(try Scratch(), others: ["work": 50])
    try log.acknowledge("work", through: RecordID(20), late: false, newBatchSize: nil)
    try log.register(batchSizes: ["work": 50])
    _ = try log.expire(now: fix(99_000).time, limits: Self.age)
    #expect(try Self.ids(log).isEmpty)
  }

  @Test func sizeDeletesItAndCountsIt() throws {
    let log = try Self.log(try Scratch())
    let report = try log.expire(now: nil, limits: RetentionLimits(bytes: 1))
    #expect(report.dropped == 1)
    #expect(try Self.queued(log) == 0)
  }

  @Test func discardingAndRewindingTheQueueEndIt() throws {
    let dropped = try Self.log(try Scratch())
    #expect(try dropped.drop("home") == 1)
    #expect(try Self.queued(dropped) == 0)
    let rewound = try Self.log(try Scratch())
    _ = try rewound.rewind("home", to: RecordID(5))
    #expect(try Self.queued(rewound) == 15 && rewound.batch(size: 50)?.ids == Array(6...20))
    #expect(try rewound.register(batchSizes: ["home": 50]).held.isEmpty)
    let kept = try Self.log(try Scratch())
    _ = try kept.rewind("home", to: RecordID(10))
    #expect(try Self.queued(kept) == 11)
    let forgotten = try Self.log(try Scratch())
    #expect(try forgotten.forget("home") == 1)
    #expect(try forgotten.register(batchSizes: ["home": 50]).held.isEmpty)
  }

  @Test func aSalvageKeepsIt() throws {
    let scratch = try Scratch()
    let log = try Self.log(scratch)
    try log.close()
    let directory = try scratch.directory()
    _ = try Salvage.replaceLog(in: directory, cause: "test", idFloor: 0)
    let (salvaged, _) = try scratch.open()
    #expect(try salvaged.register(batchSizes: ["home": 50]).held["home"]?.map(\.id) == [RecordID(7)])
  }

  @Test func aDamagedRowCostsItsHistoryAndNotTheRecord() throws {
    let log = try Self.log(try Scratch())
    try log.connection.execute("UPDATE held SET refusals = 5")
    let held = try #require(try log.register(batchSizes: ["home": 50]).held["home"]?.first)
    #expect(held.id == RecordID(7) && held.refusals == 0)
  }

  @Test func itsAgeIsKnownInTheSameBootAndInAnotherOneWithATime() throws {
    let scratch = try Scratch()
    let log = try Self.log(scratch)
    #expect(try log.register(batchSizes: ["home": 50]).held["home"]?.first?.age == .zero)
    _ = try log.date(offset: 1_780_000_000_000, quality: .receiver)
    let (next, _) = try scratch.copy().open(boot: "boot-b")
    #expect(try next.register(batchSizes: ["home": 50]).held["home"]?.first?.age == nil)
    _ = try next.date(offset: 1_780_000_600_000, quality: .receiver)
    #expect(try next.register(batchSizes: ["home": 50]).held["home"]?.first?.age == .seconds(600))
  }
}
