import Database
import Glibc
import Quantities
import Records
import Testing
import TextSnapshots

@testable import Store

/// Whatever happens to the file, the logger starts, and every row on a readable page survives.
@Suite struct SalvageTests {
  static let texts = TextSnapshot("store")
  static let count = 1500

  /// 1,500 records in 25 groups, 500 of them acknowledged, in a log that was closed or killed.
  static func filled(closed: Bool) throws -> Scratch {
    let scratch = try Scratch()
    for (name, bytes) in try (closed ? closedFiles : killedFiles).get() { try scratch.write(name, bytes) }
    return scratch
  }

  private static let closedFiles = Result { try files(closed: true) }
  private static let killedFiles = Result { try files(closed: false) }

  private static func files(closed: Bool) throws -> [String: [UInt8]] {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    try log.register(batchSizes: ["home": 500])
    for group in 0..<(count / 60) { _ = try log.append((1...60).map { fix(group * 60 + $0) }) }
    try log.acknowledge(try #require(try log.batch()))
    if closed { try log.close() }
    var files: [String: [UInt8]] = [:]
    for name in scratch.files { files[name] = try scratch.read(name) }
    return files
  }

  static func ids(_ log: LogDatabase) throws -> [Int64] {
    try log.connection.rows("SELECT id FROM record WHERE kind = 0 ORDER BY id").compactMap { $0[0].integer }
  }

  static func read(_ log: LogDatabase, _ id: Int64) throws -> LogRecord? {
    let row = try log.connection.firstRow(
      "SELECT \(RecordRow.columns) FROM record WHERE id = ?", [.integer(id)])
    guard let row, case .record(let record, _) = RecordRow.read(row) else { return nil }
    return record.record
  }

  @Test func aDestroyedHeaderLosesNoRecord() throws {
    let scratch = try Self.filled(closed: true)
    var bytes = try scratch.read("outrider.db")
    for index in 0..<100 { bytes[index] = 0xAA }
    try scratch.write("outrider.db", bytes)
    let (log, report) = try scratch.open()
    guard case .salvaged(let salvage) = report.condition else {
      Issue.record("\(report.condition)")
      return
    }
    #expect(salvage.records == 1500 && salvage.missing == 0 && salvage.interruption == nil)
    #expect(salvage.setAside == scratch.path + "/outrider.db.damaged-1")
    #expect(try scratch.read("outrider.db.damaged-1") == bytes)
    #expect(try Self.ids(log) == Array(1...1500))
    #expect(try log.batch()?.ids.first == 501)
    #expect(try LogReader(directory: scratch.path).status().newestEvent?.id == RecordID(1501))
    guard case .event(let event) = try LogReader(directory: scratch.path).status().newestEvent?.record.body
    else {
      Issue.record("no event")
      return
    }
    #expect(
      event.kind == .logSalvaged && event.value == 1500 && event.fields.text(.file) == "outrider.db.damaged-1"
    )
  }

  /// With another format version SQLite would open the file read-only; the other bytes are constant.
  @Test(arguments: [(18, 3), (18, 0), (18, 255), (19, 3), (21, 0), (23, 33), (16, 3)] as [(Int, UInt8)])
  func anInvalidByteInTheHeaderLosesNoRecord(_ row: (offset: Int, value: UInt8)) throws {
    let scratch = try Self.filled(closed: true)
    var bytes = try scratch.read("outrider.db")
    bytes[row.offset] = row.value
    try scratch.write("outrider.db", bytes)
    let (log, report) = try scratch.open()
    guard case .salvaged(let salvage) = report.condition else {
      Issue.record("\(report.condition)")
      return
    }
    #expect(salvage.records == 1500 && salvage.missing == 0)
    #expect(try Self.ids(log) == Array(1...1500))
    _ = try log.append([fix(1)])
  }

  @Test(arguments: [1, 2, 3]) func aTruncatedFileIsReportedAsSuch(quarters: Int) throws {
    let scratch = try Self.filled(closed: true)
    let bytes = try scratch.read("outrider.db")
    try scratch.write("outrider.db", Array(bytes[..<(bytes.count / 1024 * quarters / 4 * 1024)]))
    let (log, report) = try scratch.open()
    guard case .salvaged(let salvage) = report.condition else {
      Issue.record("\(report.condition)")
      return
    }
    let pages = bytes.count / 1024
    let cause = salvage.cause.replacing("\(pages)", with: "M").replacing("\(pages * quarters / 4)", with: "N")
    #expect(cause == Self.texts.expected("truncated file, N of M pages", cause))
    #expect(try Self.ids(log).count == salvage.records)
  }

  @Test func theInnerPagesOfTheTreeAreNotNeeded() throws {
    let scratch = try Self.filled(closed: true)
    var bytes = try scratch.read("outrider.db")
    for page in 1..<(bytes.count / LogSchema.pageSize) where bytes[page * LogSchema.pageSize] == 0x05 {
      for index in 0..<LogSchema.pageSize { bytes[page * LogSchema.pageSize + index] = 0 }
    }
    for index in 0..<LogSchema.pageSize { bytes[index] = 0 }
    try scratch.write("outrider.db", bytes)
    let (log, _) = try scratch.open()
    #expect(try Self.ids(log) == Array(1...1500))
    #expect(try log.batch()?.ids.first == 501)
  }

  @Test func theRemainingRecordsOfATruncatedFileAreKept() throws {
    let scratch = try Self.filled(closed: true)
    let bytes = try scratch.read("outrider.db")
    try scratch.write("outrider.db", Array(bytes.prefix(bytes.count * 2 / 3)))
    // The log was closed, so only the missing pages show the damage.
    let writer = LogWriter(directory: scratch.path, allowVolatile: true, options: .test())
    let replies = writer.handle(.append([fix(2000)], urgent: true))
    let opened = replies.compactMap { if case .opened(let report) = $0.answer { report } else { nil } }
    let last = try #require(opened.last)
    guard case .salvaged(let salvage) = last.condition else {
      Issue.record("\(replies)")
      return
    }
    #expect(salvage.records > 800)
    let log = try #require(writer.log)
    let present = try Self.ids(log)
    #expect(present.count == Int(salvage.records) + 1)
    #expect(try log.status().missing == salvage.missing)
  }

  struct Replacement: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]
  }

  static let replacements = [
    Replacement(testDescription: "empty", bytes: []),
    Replacement(testDescription: "text", bytes: Array("not a database at all".utf8)),
    Replacement(testDescription: "zeros", bytes: Array(repeating: 0, count: 20_000)),
    Replacement(testDescription: "a header and nothing else", bytes: Array("SQLite format 3\0".utf8)),
    Replacement(testDescription: "ones", bytes: Array(repeating: 0xFF, count: 12_288)),
    Replacement(
      testDescription: "leaves of nonsense",
      bytes: Array("SQLite format 3\0".utf8) + Array(repeating: 0x0D, count: 40_000)),
  ]

  @Test(arguments: replacements)
  func theLoggerStartsWithAnyFileContent(_ replacement: Replacement) throws {
    let scratch = try Scratch()
    try scratch.write("outrider.db", replacement.bytes)
    let (log, report) = try scratch.open()
    guard case .salvaged(let salvage) = report.condition else {
      Issue.record("\(report.condition)")
      return
    }
    #expect(salvage.records == 0 && salvage.missing == 0)
    #expect(try scratch.read("outrider.db.damaged-1") == replacement.bytes)
    #expect(try log.append([fix(1)]) != nil)
  }

  @Test func aForeignDatabaseIsRenamed() throws {
    let scratch = try Scratch()
    do {
      try Connection(path: scratch.path + "/outrider.db").execute(
        "CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    }
    let (log, report) = try scratch.open()
    guard case .salvaged = report.condition else {
      Issue.record("\(report.condition)")
      return
    }
    #expect(try log.append([fix(1)]) != nil)
  }

  @Test func aDirectoryOfTheSameNameIsRenamed() throws {
    let scratch = try Scratch()
    let inner = scratch.path + "/outrider.db"
    #expect(mkdir(inner, 0o755) == 0)
    let (log, report) = try scratch.open()
    guard case .salvaged = report.condition else {
      Issue.record("\(report.condition)")
      return
    }
    #expect(scratch.files.contains("outrider.db.damaged-1"))
    #expect(try log.append([fix(1)]) != nil)
  }

  @Test func recordsInTheWriteAheadLogOfADeletedFileAreKept() throws {
    let scratch = try Self.filled(closed: false)
    #expect(unlink(scratch.path + "/outrider.db") == 0)
    let (log, report) = try scratch.open()
    guard case .salvaged(let salvage) = report.condition else {
      Issue.record("\(report.condition)")
      return
    }
    #expect(salvage.records == 1500)
    #expect(try Self.ids(log) == Array(1...1500))
    #expect(scratch.files.contains("outrider.db.damaged-1-wal"))
  }

  /// Seed 50 hits the newest record, which the start reads, and leaves its place in the tree unchanged.
  @Test(arguments: Array(0..<40) + [50] as [UInt64])
  func flippedBytesCostAtMostTheirPages(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let closed = seed % 2 == 0
    let scratch = try Self.filled(closed: closed)
    let name = closed ? "outrider.db" : "outrider.db-wal"
    var bytes = try scratch.read(name)
    var pages: Set<Int> = []
    for _ in 0..<Int.random(in: 1...12, using: &random) {
      let offset = Int.random(in: 0..<bytes.count, using: &random)
      pages.insert(offset / LogSchema.pageSize)
      bytes[offset] ^= UInt8.random(in: 1...255, using: &random)
    }
    try scratch.write(name, bytes)
    let writer = LogWriter(directory: scratch.path, allowVolatile: true, options: .test())
    _ = writer.handle(.append([], urgent: false))
    var delivered: [Int64] = []
    var destination = "home"
    // Another destination reads the whole log, and with it every damaged page.
    for round in 0..<2 {
      destination = round == 0 ? "home" : "all"
      while true {
        let replies = writer.handle(.batch(destination: destination, BatchRequest(size: 100)))
        let batches = replies.compactMap { if case .batch(_, let batch) = $0.answer { batch } else { nil } }
        guard let batch = batches.last else { break }
        for record in batch.records {
          #expect(record.record == fix(Int(record.id.rawValue)))
          if destination == "all" { delivered.append(record.id.rawValue) }
        }
        _ = writer.handle(
          .acknowledge(
            destination: destination, through: batch.through, late: batch.isLate, newBatchSize: nil))
      }
    }
    #expect(delivered == delivered.sorted() && Set(delivered).count == delivered.count)
    #expect(delivered.count >= Self.count - 45 * pages.count, "\(pages.count) pages hit")
    // Records without an entry are counted by the check after the start.
    for _ in 0..<3 { _ = writer.handle(.checkStep) }
    let log = try #require(writer.log)
    let status = try log.status()
    // Nothing shows that records after the last readable one existed.
    #expect(status.missing >= (delivered.last ?? 0) - Int64(delivered.count))
    #expect(
      writer.handle(.append([fix(9999)], urgent: true)).contains {
        if case .committed = $0.answer { true } else { false }
      })
  }

  @Test(arguments: ["boot", "moment_ns", "extra_crc", "late", "reasons"])
  func aDamagedColumnNameLeadsToASalvage(column: String) throws {
    let scratch = try Self.filled(closed: true)
    var bytes = try scratch.read("outrider.db")
    let name = Array(" \(column) INTEGER".utf8)
    for start in bytes.indices.dropLast(name.count) where bytes[start...].starts(with: name) {
      bytes[start + 1] ^= 2
    }
    try scratch.write("outrider.db", bytes)
    let (log, report) = try scratch.open()
    guard case .salvaged = report.condition else {
      Issue.record("\(report.condition)")
      return
    }
    #expect(try Self.ids(log).count == Self.count)
  }

  @Test func aTornEndOfTheWriteAheadLogIsNotDamage() throws {
    let scratch = try Self.filled(closed: false)
    let bytes = try scratch.read("outrider.db-wal")
    try scratch.write("outrider.db-wal", Array(bytes.dropLast(500)))
    let (log, report) = try scratch.open()
    #expect(report.condition == .unclean)
    #expect(try Self.ids(log) == Array(1...1500))
  }

  @Test func aFlippedBitInTheWriteAheadLogDoesNotLoseLaterRecords() throws {
    let scratch = try Self.filled(closed: false)
    var bytes = try scratch.read("outrider.db-wal")
    bytes[bytes.count / 3] ^= 0x10
    try scratch.write("outrider.db-wal", bytes)
    let (log, report) = try scratch.open()
    guard case .salvaged = report.condition else {
      Issue.record("\(report.condition)")
      return
    }
    #expect(try Self.ids(log).count >= 1455)
    #expect(try Self.ids(log).last == 1500)
    #expect(try log.batch()?.ids.first == 501)
  }

  @Test func garbageInTheWriteAheadLogDoesNotStopTheLogger() throws {
    let scratch = try Self.filled(closed: true)
    var random = SplitMix64(seed: 3)
    try scratch.write("outrider.db-wal", (0..<50_000).map { _ in UInt8.random(in: 0...255, using: &random) })
    let (log, _) = try scratch.open()
    #expect(try Self.ids(log) == Array(1...1500))
  }

  @Test func lateRecordsDatesAndGapsAreSalvaged() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open(boot: "a")
    _ = try log.append((1...50).map { fix($0, dated: false) })
    _ = try log.date(offset: DatingTests.offset, quality: .receiver)
    let late = try #require(try log.batch(size: 20))
    try log.acknowledge(late)
    try Gap(first: 7, last: 7).save(to: log.connection)
    try log.connection.run("DELETE FROM record WHERE id = 7")
    try Gap(first: 60, last: 61).save(to: log.connection)
    let damaged = try scratch.copy()
    try damaged.write("outrider.db", Array(repeating: 0, count: LogSchema.pageSize))
    let (again, report) = try damaged.open(boot: "a")
    guard case .salvaged(let salvage) = report.condition else {
      Issue.record("\(report.condition)")
      return
    }
    // The write-ahead log still contains an intact copy of the deleted record.
    #expect(salvage.records == 50 && salvage.missing == 9)
    #expect(report.bootOffset == DatingTests.offset)
    #expect(try again.batch()?.ids == Array(21...40))
    #expect(try again.batch()?.records.first?.record.time == fix(21).time)
    #expect(try again.connection.rows("SELECT first, last FROM gap") == [[.integer(51), .integer(61)]])
  }

  @Test func rowsDeletedByRetentionDoNotReappear() throws {
    let scratch = try Self.filled(closed: false)
    do {
      let (log, _) = try scratch.open()
      try log.register(batchSizes: ["home": 500])
      let now = try #require(fix(301).time) + .seconds(10)
      while try log.expire(now: now, limits: RetentionLimits(age: .seconds(10))).hasMore {}
      #expect(try Self.ids(log).first == 301)
      try log.close()
    }
    var bytes = try scratch.read("outrider.db")
    for index in 0..<100 { bytes[index] = 1 }
    try scratch.write("outrider.db", bytes)
    let (log, report) = try scratch.open()
    guard case .salvaged(let salvage) = report.condition else {
      Issue.record("\(report.condition)")
      return
    }
    #expect(salvage.missing == 0)
    #expect(try Self.ids(log) == Array(301...1500))
  }

  @Test func aReplacementInterruptedByACrashIsCompleted() throws {
    let scratch = try Self.filled(closed: true)
    let damaged = Array(repeating: UInt8(3), count: 5000)
    try scratch.write("outrider.db.finished", try scratch.read("outrider.db"))
    try scratch.write("outrider.db", damaged)
    try scratch.write("outrider.db-wal", damaged)
    let (log, report) = try scratch.open()
    #expect(report.condition == .clean)
    #expect(try Self.ids(log) == Array(1...1500))
    #expect(try scratch.read("outrider.db.damaged-1") == damaged)
    #expect(try scratch.read("outrider.db.damaged-1-wal") == damaged)
    #expect(!scratch.files.contains("outrider.db.finished"))
  }

  @Test func theLongestRowsFitInAPage() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    var location = LocationRecord(
      coordinate: try #require(Coordinate(latitudeE7: -900_000_000, longitudeE7: -1_800_000_000)),
      deviceID: String(repeating: "d", count: 200))
    location.wifi = String(repeating: "w", count: 200)
    location.altitudeMillimetres = .min
    location.speedMillimetresPerSecond = .max
    location.courseMillidegrees = .max
    location.horizontalAccuracyMillimetres = .max
    location.verticalAccuracyMillimetres = .max
    location.speedAccuracyMillimetresPerSecond = .max
    location.courseAccuracyMillidegrees = .max
    location.satellitesUsed = .max
    location.batteryPercent = .max
    location.motion = MotionStates(rawValue: .max)
    let longest = try #require(EventKind.allCases.max { $0.rawValue.count < $1.rawValue.count })
    let event = EventRecord(longest, detail: String(repeating: "e", count: 900), value: .min)
    _ = try log.append(
      [LogRecord.Body.location(location), .event(event)].map {
        LogRecord(
          moment: Moment(nanoseconds: .max), time: Timestamp(milliseconds: .min), timeQuality: .receiver,
          body: $0)
      })
    let killed = try scratch.copy()
    try killed.write("outrider.db", [])
    let (_, report) = try killed.open()
    guard case .salvaged(let salvage) = report.condition else {
      Issue.record("\(report.condition)")
      return
    }
    #expect(salvage.records == 2)
  }

  @Test func idsAreNotReusedAfterTheEndOfTheLogWasLost() throws {
    let scratch = try Scratch()
    try scratch.write("outrider.db", [])
    let (log, _) = try scratch.open(idFloor: 700)
    let ids = try #require(try log.append([fix(1)])).ids
    #expect(ids.lowerBound > RecordID(700))
  }
}
