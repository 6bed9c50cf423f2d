import Database
import Glibc
import Quantities
import Records
import Testing
import TextSnapshots

@testable import Store

/// The background check reads the log in small steps, and no reader mistakes damage for the end of the log.
@Suite struct CheckTests {
  static let texts = TextSnapshot("store")

  private func answers(_ replies: [LogWriter.Reply]) -> [StoreAnswer] { replies.map(\.answer) }

  /// A log that was closed, of which `home` has acknowledged nearly everything, with 8 KiB of flipped bytes.
  private static func flipped(records: Int = 3000) throws -> Scratch {
    let scratch = try Scratch()
    do {
      let (log, _) = try scratch.open()
      _ = try log.register(batchSizes: ["home": 100])
      for start in stride(from: 1, through: records, by: 500) {
        _ = try log.append((start..<(start + 500)).map { fix($0) })
      }
      try log.acknowledge("home", through: RecordID(Int64(records) - 10), late: false, newBatchSize: nil)
      try log.close()
    }
    var bytes = try scratch.read("outrider.db")
    let start = bytes.count / 2 / 1024 * 1024
    for offset in start..<(start + 8192) { bytes[offset] ^= 0xFF }
    try scratch.write("outrider.db", bytes)
    return scratch
  }

  @Test func damageInAcknowledgedRecordsIsFoundAndSalvagedAtRunTime() throws {
    let scratch = try Self.flipped()
    let clock = WriterTests.Clock()
    let writer = LogWriter(directory: scratch.path, allowVolatile: true, options: clock.options)
    _ = writer.handle(.register(batchSizes: ["home": 100]))
    var reported: [StoreAnswer] = []
    var steps = 0
    while steps < 20, !reported.contains(where: { Self.salvage($0) != nil }) {
      steps += 1
      clock.advance(301)
      reported += answers(writer.handle(.append([fix(10_000 + steps)], urgent: true)))
    }
    let report = try #require(reported.compactMap { Self.salvage($0) }.first, "\(reported.suffix(3))")
    #expect(report.records > 2850)
    #expect(scratch.files.contains("outrider.db.damaged-1"))
    #expect(steps <= 7, "3000 records are six steps")
    let records = try LogReader(directory: scratch.path).records(after: .zero, limit: 10_000)
    #expect(records.filter { $0.record.moment.nanoseconds >= 10_000_000_000_000 }.count == steps)
  }

  private static func salvage(_ answer: StoreAnswer) -> SalvageReport? {
    guard case .opened(let report) = answer, case .salvaged(let salvage) = report.condition else {
      return nil
    }
    return salvage
  }

  @Test func aReaderDoesNotMistakeDamageForTheEndOfTheLog() throws {
    let scratch = try Self.flipped()
    let reader = try LogReader(directory: scratch.path)
    var read = 0
    let error = thrown(DatabaseError.self) {
      try reader.read(from: Timestamp(milliseconds: 0)) { _ in
        read += 1
        return true
      }
    }
    #expect(error?.kind == .damaged && read > 0 && read < 2000)
  }

  @Test(arguments: ["wifi = 'other'", "crc = crc + 1"])
  func aReaderDoesNotSkipARowThatFailsItsChecksum(change: String) throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    _ = try log.append((1...9).map { fix($0) })
    try log.connection.run("UPDATE record SET \(change) WHERE id = 4")
    let failure = thrown(DatabaseError.self) {
      _ = try LogReader(directory: scratch.path).records(after: .zero, limit: 100)
    }
    let error = try #require(failure)
    #expect(error.kind == .damaged && error.message == Self.texts.expected("damaged record 4", error.message))
  }

  @Test func aReaderRejectsADamagedNoteOrCursor() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    _ = try log.register(batchSizes: ["home": 5])
    try log.keep("ledger", as: .energy)
    try log.connection.run("UPDATE note SET text = 'other'")
    try log.connection.run("UPDATE cursor SET acknowledged = 9")
    let reader = try LogReader(directory: scratch.path)
    #expect(thrown(DatabaseError.self) { _ = try reader.savedStates() }?.kind == .damaged)
    #expect(thrown(DatabaseError.self) { _ = try reader.status() }?.kind == .damaged)
  }

  @Test func damagedRowsAreRemovedAndMissingIDsCounted() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    _ = try log.register(batchSizes: ["home": 5])
    _ = try log.append((1...40).map { fix($0) })
    try log.acknowledge("home", through: RecordID(20), late: false, newBatchSize: nil)
    #expect(try log.batch(size: 5)?.ids == [21, 22, 23, 24, 25])
    try log.connection.run("UPDATE record SET wifi = 'x' WHERE id = 3 OR id = 23")
    try log.connection.run("DELETE FROM record WHERE id BETWEEN 10 AND 12 OR id = 40")
    let report = try log.check()
    #expect(report.damaged == [RecordID(3), RecordID(23)])
    #expect(report.missing == 4 && report.isOver)
    // The batch that may be in flight keeps its boundary.
    #expect(try log.batch(size: 5)?.ids == [21, 22, 24, 25])
    #expect(try log.status().missing == 6)
    let again = try log.check()
    #expect(again == CheckReport(isOver: true), "nothing is reported twice")
    _ = try LogReader(directory: scratch.path).records(after: .zero, limit: 100)
  }

  @Test func theCheckProceedsInStepsAndKeepsItsPositionOverARestart() throws {
    let scratch = try Scratch()
    do {
      let (log, _) = try scratch.open()
      _ = try log.append((1...1500).map { fix($0) })
      #expect(try log.check() == CheckReport())
      #expect(log.progress.checked == 512)
      try log.close()
    }
    let (log, report) = try scratch.open()
    #expect(report.condition == .clean && log.progress.checked == 512)
    #expect(try log.check() == CheckReport() && log.progress.checked == 1024)
    #expect(try log.check().isOver && log.progress.checked == 0)
  }

  @Test func stepsFollowGroupsOfRecordsAtALimitedRate() throws {
    let scratch = try Scratch()
    let clock = WriterTests.Clock()
    let writer = LogWriter(directory: scratch.path, allowVolatile: true, options: clock.options)
    _ = writer.handle(.append((1...2000).map { fix($0) }, urgent: true))
    let log = try #require(writer.log)
    #expect(log.progress.checked == 0, "no step at the start")
    var positions: [Int64] = []
    for number in 0..<20 {
      clock.advance(100)
      _ = writer.handle(.append([fix(3000 + number)], urgent: false))
      _ = writer.handle(.token(1))
      positions.append(log.progress.checked)
    }
    // At most one step in 300 s.
    #expect(positions[1] == 0 && positions[2] == 512 && positions[4] == 512 && positions[5] == 1024)
    #expect(Set(positions) == [0, 512, 1024, 1536])
    // The pass is complete; the next one starts a day later.
    for number in 0..<50 {
      clock.advance(1000)
      _ = writer.handle(.append([fix(4000 + number)], urgent: false))
    }
    #expect(log.progress.checked == 0)
    clock.advance(86_400)
    _ = writer.handle(.append([fix(5000)], urgent: false))
    #expect(log.progress.checked == 512)
  }

  /// A stationary device records nothing for days; retention does one step per hour.
  @Test func theCheckContinuesWhileNothingIsRecorded() throws {
    let scratch = try Self.flipped()
    let clock = WriterTests.Clock()
    let writer = LogWriter(directory: scratch.path, allowVolatile: true, options: clock.options)
    var reported = answers(writer.handle(.register(batchSizes: ["home": 100])))
    var steps = 0
    while steps < 20, !reported.contains(where: { Self.salvage($0) != nil }) {
      steps += 1
      clock.advance(3600)
      reported += answers(writer.handle(.expire(now: nil)))
    }
    #expect(reported.contains { Self.salvage($0) != nil } && steps <= 7, "\(steps)")
  }

  @Test func damageMetByAReaderIsExaminedImmediately() throws {
    let scratch = try Self.flipped()
    let writer = LogWriter(directory: scratch.path, allowVolatile: true, options: .test())
    let reported = answers(writer.handle(.examine))
    #expect(reported.contains { Self.salvage($0) != nil }, "\(reported)")
    #expect(answers(writer.handle(.examine)).isEmpty, "an intact log has no findings")
  }

  @Test func anotherProgramThatMetDamageCanRequestACheck() throws {
    let scratch = try Self.flipped()
    let met = DatabaseError.damaged(path: scratch.path + "/outrider.db", "malformed")
    let explained = CheckRequest.explained(met, in: scratch.path)
    #expect(explained.message == Self.texts.expected("damaged log, check requested", explained.message))
    #expect(explained.path == met.path && explained.code == 0)
    #expect(CheckRequest.exists(in: scratch.path))
    let writer = LogWriter(directory: scratch.path, allowVolatile: true, options: .test())
    let reported = answers(writer.handle(.retry))
    #expect(reported.contains { Self.salvage($0) != nil }, "\(reported)")
    #expect(!CheckRequest.exists(in: scratch.path))
    // A running logger looks for a request once an hour.
    #expect(CheckRequest.make(in: scratch.path))
    _ = writer.handle(.expire(now: nil))
    #expect(!CheckRequest.exists(in: scratch.path))
  }

  @Test func aCheckRequestThatCannotBeCreatedIsExplained() throws {
    let met = DatabaseError.damaged(path: "/nowhere/outrider.db", "malformed")
    let explained = "\(CheckRequest.explained(met, in: "/nowhere"))"
    #expect(explained == Self.texts.expected("damaged log, check cannot be requested", explained))
    let other = DatabaseError(kind: .busy, code: 5, path: "p", message: "locked")
    #expect(CheckRequest.explained(other, in: "/nowhere") == other)
  }
}
