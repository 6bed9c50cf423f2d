import Database
import Foundation
import Quantities
import Records
import System
import Testing
@testable import Store

/// A full check runs beside the writer without delaying records, and requests cannot make it run continuously.
@Suite struct ExaminationTests {
  /// An examiner that reads when the test calls ``read()``.
  private final class Examiner: LogExaminer {
    private(set) var begun: [RecordID] = []
    private var path = ""
    private var findings: LogFindings?

    func begin(_ path: String, through last: RecordID) -> Bool {
      begun.append(last)
      self.path = path
      return true
    }

    func take() -> LogFindings? {
      defer { findings = nil }
      return findings
    }

    func read() {
      if let last = begun.last { findings = LogFindings.read(path, through: last) }
    }
  }

  private struct Bench {
    let scratch: Scratch
    let clock = WriterTests.Clock()
    let examiner = Examiner()
    let writer: LogWriter

    init(records: Int = 1200) throws {
      scratch = try Scratch()
      writer = LogWriter(
        directory: scratch.path, allowVolatile: true, options: clock.options, examiner: examiner)
      _ = writer.handle(.append((1...records).map { fix($0) }, urgent: true))
    }

    func answers(_ job: StoreJob) -> [StoreAnswer] { writer.handle(job).map(\.answer) }

    func log() throws -> LogDatabase { try #require(writer.log) }
  }

  private static func isSalvaged(_ answers: [StoreAnswer]) -> Bool {
    answers.contains { answer in
      guard case .opened(let report) = answer, case .salvaged = report.condition else { return false }
      return true
    }
  }

  @Test func recordsAreWrittenDuringAFullCheck() throws {
    let bench = try Bench()
    #expect(bench.answers(.examine).isEmpty)
    #expect(bench.answers(.append([fix(1201)], urgent: true)) == [.committed(1201...1201, queued: 1)])
    bench.examiner.read()
    #expect(bench.answers(.append([fix(1202)], urgent: true)) == [.committed(1202...1202, queued: 1)])
    #expect(bench.examiner.begun == [RecordID(1200)])
  }

  @Test func findingsThatStillApplyAreHandledWithTheNextJob() throws {
    let bench = try Bench()
    let log = try bench.log()
    _ = try log.register(batchSizes: ["home": 5])
    try log.acknowledge("home", through: RecordID(1200), late: false, newBatchSize: nil)
    try log.connection.run("UPDATE record SET wifi = 'x' WHERE id IN (3, 700, 900)")
    try log.connection.run("DELETE FROM record WHERE id BETWEEN 1000 AND 1009 OR id = 1200")
    _ = bench.answers(.examine)
    bench.examiner.read()
    // Meanwhile retention deletes the first record, and the last one is repaired.
    try log.connection.run("DELETE FROM record WHERE id <= 5")
    try StateRow.save(.floor, 5, to: log.connection)
    try log.connection.run("UPDATE record SET wifi = '' WHERE id = 900")
    #expect(
      bench.answers(.token(1)) == [.token(1, isDurable: true), .damaged([RecordID(700)]), .missing(11)])
    #expect(try log.status().missing == 12)
    _ = bench.answers(.examine)
    bench.examiner.read()
    #expect(bench.answers(.token(2)) == [.token(2, isDurable: true)], "known gaps are no findings")
  }

  @Test func anInconsistencyLeadsToASalvageOfItsLog() throws {
    let bench = try Bench(records: 3000)
    let log = try bench.log()
    _ = try log.connection.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    var bytes = try bench.scratch.read("outrider.db")
    let start = bytes.count / 2 / 1024 * 1024
    for offset in start..<(start + 8192) { bytes[offset] ^= 0xFF }
    let handle = try #require(FileHandle(forUpdatingAtPath: bench.scratch.path + "/outrider.db"))
    try handle.write(contentsOf: bytes)
    _ = bench.answers(.examine)
    bench.examiner.read()
    #expect(Self.isSalvaged(bench.answers(.token(1))))
    #expect(try LogReader(directory: bench.scratch.path).records(after: .zero, limit: 4000).count > 2850)
  }

  @Test func findingsOfAReplacedFileAreIgnored() throws {
    let bench = try Bench(records: 300)
    _ = bench.answers(.examine)
    try FileManager.default.removeItem(atPath: bench.scratch.path + "/outrider.db")
    // The examiner finds no file.
    bench.examiner.read()
    let reported = bench.answers(.append([fix(301)], urgent: true))
    #expect(Self.isSalvaged(reported), "the writer has created the log again")
    #expect(bench.answers(.token(1)) == [.token(1, isDurable: true)])
  }

  @Test func atMostEightFullChecksRunADay() throws {
    let bench = try Bench(records: 10)
    for _ in 0..<(86_400 / 60) {
      if !CheckRequest.exists(in: bench.scratch.path) { #expect(CheckRequest.make(in: bench.scratch.path)) }
      _ = bench.answers(.expire(now: nil))
      bench.examiner.read()
      _ = bench.answers(.token(1))
      bench.clock.advance(60)
    }
    #expect(bench.examiner.begun.count == 8)
    // A delayed request is kept.
    #expect(CheckRequest.exists(in: bench.scratch.path))
  }

  @Test(.timeLimit(.minutes(10))) func aFullCheckRunsOnAThread() throws {
    let bench = try Bench()
    let log = try bench.log()
    try log.connection.run("DELETE FROM record WHERE id = 600")
    let done = try EventDescriptor(blocking: true)
    let examiner = ThreadedExaminer { done.signal() }
    #expect(examiner.begin(log.connection.path, through: log.lastID))
    done.wait()
    #expect(examiner.take() == LogFindings(holes: [Gap(first: 600, last: 600)]))
    #expect(examiner.take() == nil)
  }
}
