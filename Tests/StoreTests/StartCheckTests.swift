import Database
import Quantities
import Records
import Testing

@testable import Store

/// The check after a start reads every record once, and goes on where it was interrupted.
@Suite struct StartCheckTests {
  private func answers(_ replies: [LogWriter.Reply]) -> [StoreAnswer] { replies.map(\.answer) }

  private func part(_ answers: [StoreAnswer]) -> CheckedPart? {
    answers.lazy.compactMap { if case .checked(let part) = $0 { part } else { nil } }.first
  }

  /// A log that was closed.
  static func closed(records: Int, checked: Int = 0) throws -> Scratch {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    try log.register(batchSizes: ["home": 100])
    for start in stride(from: 1, through: records, by: 1000) {
      _ = try log.append((start..<min(start + 1000, records + 1)).map { fix($0) })
    }
    for _ in 0..<checked { _ = try log.check() }
    try log.close()
    return scratch
  }

  /// The answers of a start with the check to its end, and the number of its steps.
  private func start(_ scratch: Scratch) throws -> (answers: [StoreAnswer], steps: Int) {
    let writer = LogWriter(directory: scratch.path, allowVolatile: true, options: .test(boot: "b"))
    var all = answers(writer.handle(.retry))
    all += answers(writer.handle(.register(batchSizes: ["home": 100])))
    for step in 1...1000 {
      let replies = answers(writer.handle(.checkStep))
      all += replies
      if try #require(part(replies)).isOver { return (all, step) }
    }
    return (all, 1000)
  }

  @Test(arguments: [0, 1, 3, 100]) func everyRecordIsReadOnceWhereverAnEarlierCheckEnded(checked: Int) throws
  {
    let scratch = try Self.closed(records: 5000, checked: checked)
    let (answers, steps) = try start(scratch)
    #expect((3...4).contains(steps), "2048 records a step, from \(checked) steps of 512 on")
    let left = answers.compactMap { if case .checked(let part) = $0 { part.unchecked } else { nil } }
    #expect(left == left.sorted(by: >) && left.last == 0 && (left.first ?? 0) > 2000, "\(left)")
    #expect(!scratch.files.contains { $0.contains("damaged") })
  }

  /// Every kind of damage after an orderly stop is found without a reader.
  @Test(arguments: [0.1, 0.5, 0.9], [0, 3])
  func damageAfterAnOrderlyStopIsFoundByTheCheck(place: Double, checked: Int) throws {
    for kind in ["page", "bit", "row"] {
      let scratch = try Self.closed(records: 5000, checked: checked)
      if kind == "row" {
        let connection = try Connection(path: scratch.path + "/outrider.db")
        try connection.run("DELETE FROM record WHERE id = ?", [.integer(Int64(5000 * place))])
      } else {
        var bytes = try scratch.read("outrider.db")
        let start = Int(Double(bytes.count) * place) / 1024 * 1024
        if kind == "page" {
          for offset in start..<(start + 1024) { bytes[offset] ^= 0xFF }
        } else {
          bytes[start + 700] ^= 1
        }
        try scratch.write("outrider.db", bytes)
      }
      let found = try start(scratch).answers.contains { answer in
        switch answer {
        case .damaged, .missing: return true
        case .opened(let report): if case .salvaged = report.condition { return true } else { return false }
        default: return false
        }
      }
      #expect(found, "\(kind) at \(place)")
    }
  }

  @Test func anInterruptedCheckGoesOnAtTheNextStart() throws {
    let scratch = try Self.closed(records: 9000)
    for boot in 1...3 {
      let writer = LogWriter(directory: scratch.path, allowVolatile: true, options: .test(boot: "\(boot)"))
      _ = writer.handle(.retry)
      #expect(try #require(part(answers(writer.handle(.checkStep)))).isOver == false)
      _ = writer.handle(.close)
    }
    let (log, _) = try scratch.open()
    #expect(log.progress.checked == 3 * 2048)
  }

  @Test func aNewLogNeedsNoCheck() throws {
    let writer = LogWriter(directory: try Scratch().path, allowVolatile: true, options: .test())
    #expect(part(answers(writer.handle(.checkStep)))?.isOver != true, "the log is not open")
    let scratch = try Scratch()
    let opened = LogWriter(directory: scratch.path, allowVolatile: true, options: .test())
    _ = opened.handle(.retry)
    #expect(part(answers(opened.handle(.checkStep))) == CheckedPart(unchecked: 0, isOver: true, took: .zero))
  }

  /// Until the check has found it, a reader does not take a log with a hole for a whole one.
  @Test func aReaderReportsRecordsThatAreMissing() throws {
    let scratch = try Self.closed(records: 3000)
    do {
      let connection = try Connection(path: scratch.path + "/outrider.db")
      try connection.run("DELETE FROM record WHERE id BETWEEN 700 AND 702")
    }
    func read(after id: Int64) -> Result<Int, DatabaseError> {
      do throws(DatabaseError) {
        let reader = try LogReader(directory: scratch.path)
        return .success(try reader.records(after: RecordID(id), limit: 10_000).count)
      } catch { return .failure(error) }
    }
    for id: Int64 in [0, 300, 699, 701] {
      guard case .failure(let error) = read(after: id) else {
        Issue.record("after \(id)")
        continue
      }
      #expect(error.kind == .damaged && error.message.contains("missing"))
    }
    #expect((try? read(after: 702).get()) == 2298)
    _ = try start(scratch)
    // The event about the missing records is the last one.
    #expect((try? read(after: 0).get()) == 2998)
  }

  @Test func aReaderPassesWhatRetentionHasDeleted() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    try log.register(batchSizes: [:])
    _ = try log.append((1...100).map { fix($0) })
    _ = try log.expire(now: fix(50).time, limits: RetentionLimits(age: .seconds(1)))
    let reader = try LogReader(directory: scratch.path)
    #expect(try reader.records(after: .zero, limit: 1000).first?.id == RecordID(49))
    #expect(try reader.records(after: RecordID(20), limit: 1000).first?.id == RecordID(49))
  }
}
