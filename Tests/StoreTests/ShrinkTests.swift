import Database
import Glibc
import Quantities
import Records
import System
import Testing

@testable import Store

/// A lowered `storage.limit` makes the file smaller, and loses nothing but what retention deletes.
@Suite struct ShrinkTests {
  private static let limit: Int64 = 200_000

  /// A copier that the test ends.
  private final class HeldCopier: LogCopier {
    private(set) var directory: StorageDirectory?
    private var result: LogCopy.Result?
    /// Called instead of the copy.
    var make: (StorageDirectory) -> LogCopy.Result = LogCopy.make(in:)

    func begin(in directory: StorageDirectory) -> Bool {
      self.directory = directory
      return true
    }

    /// Makes the copy, which the next job takes.
    func end() throws { result = make(try #require(directory)) }

    func take() -> LogCopy.Result? {
      defer { result = nil }
      return result
    }
  }

  private struct Bench {
    let scratch: Scratch
    let clock = WriterTests.Clock()
    let copier = HeldCopier()
    let writer: LogWriter

    /// A log of 6,000 records, of which the first 1,000 are acknowledged; a second destination has a held record.
    init() throws {
      scratch = try Scratch()
      writer = LogWriter(
        directory: scratch.path, allowVolatile: true, options: clock.options, examiner: WaitingExaminer(),
        copier: copier)
      _ = writer.handle(.register(batchSizes: ["home": 50, "work": 50]))
      _ = writer.handle(.append((1...6000).map { fix($0) }, urgent: true))
      for name in ["home", "work"] {
        _ = writer.handle(
          .acknowledge(destination: name, through: RecordID(1000), late: false, newBatchSize: nil))
      }
      _ = writer.handle(.saveState(.tracker, "here"))
    }

    var size: Int64 {
      var facts = stat()
      return stat(scratch.path + "/outrider.db", &facts) == 0 ? Int64(facts.st_size) : 0
    }

    /// Lowers the limit, and lets retention delete what is above it. Returns the last report.
    @discardableResult func lower(to limit: Int64 = ShrinkTests.limit) -> StorageRoom? {
      _ = writer.handle(.configure(RetentionLimits(bytes: limit)))
      return expire()
    }

    @discardableResult func expire() -> StorageRoom? {
      while true {
        for reply in writer.handle(.expire(now: nil)) {
          if case .room(let room) = reply.answer { return room }
        }
      }
    }
  }

  private static func ids(_ directory: String) throws -> [Int64] {
    try LogReader(directory: directory).records(after: .zero, limit: 100_000).map(\.id.rawValue)
  }

  private static func fixes(_ directory: String) throws -> [LogRecord] {
    try LogReader(directory: directory).records(after: .zero, limit: 100_000).map(\.record).filter {
      if case .location = $0.body { true } else { false }
    }
  }

  /// The tolerance is named: ``LogShrinking/leastFreeShare``.
  private static var largest: Int64 { limit + limit / (LogShrinking.leastFreeShare - 1) }

  @Test func aLoweredLimitShrinksTheFileAndKeepsTheRecordsInOrder() throws {
    let bench = try Bench()
    let before = bench.size
    let room = try #require(bench.lower())
    #expect(bench.size >= before && room.file ?? 0 > 2 * Self.limit, "retention alone frees pages only")
    #expect(room.shrinkObstacle == nil)
    let ids = try Self.ids(bench.scratch.path)
    // Records go on while the copy is made, and afterwards.
    _ = bench.writer.handle(.append((6001...6010).map { fix($0) }, urgent: true))
    try bench.copier.end()
    _ = bench.writer.handle(.append((6011...6020).map { fix($0) }, urgent: true))
    #expect(bench.size <= Self.largest, "\(bench.size)")
    let kept = try Self.ids(bench.scratch.path)
    let last = try #require(ids.last)
    #expect(kept == ids + Array((last + 1)...(last + 20)))
    #expect(try Self.fixes(bench.scratch.path).last == fix(6020))
    #expect(try LogReader(directory: bench.scratch.path).savedStates()[.tracker] == "here")
    #expect(!bench.scratch.files.contains { $0.contains("unfinished") || $0.contains("damaged") })
    _ = bench.writer.handle(.append([fix(6021)], urgent: true))
    let log = try #require(bench.writer.log)
    #expect(try log.batch("home")?.ids.first == kept.first { $0 > 1000 })
    #expect(bench.writer.handle(.close).map(\.answer) == [.closed])
    #expect(try bench.scratch.open(boot: "a").report.condition == .clean)
  }

  /// The copy is made of the log as it was; changes of the other tables are added at the end.
  @Test func cursorsAndStatesThatChangeDuringTheCopyAreKept() throws {
    let bench = try Bench()
    bench.lower()
    try bench.copier.end()
    // The job that takes the copy is done before it.
    _ = bench.writer.handle(.saveState(.tracker, "there"))
    #expect(bench.size <= Self.largest)
    let last = try #require(bench.writer.log).lastID
    let second = try Bench()
    second.lower()
    _ = LogCopy.make(in: try second.scratch.directory())
    for job: StoreJob in [
      .acknowledge(destination: "home", through: last, late: false, newBatchSize: nil),
      .saveState(.tracker, "elsewhere"), .register(batchSizes: ["home": 50, "work": 50, "new": 7]),
    ] { _ = second.writer.handle(job) }
    second.copier.make = { _ in .complete }
    try second.copier.end()
    _ = second.writer.handle(.settle)
    #expect(second.size <= Self.largest)
    let reader = try LogReader(directory: second.scratch.path)
    let status = try reader.status()
    #expect(status.destinations.map(\.name) == ["home", "new", "work"])
    #expect(status.destinations.first?.acknowledged == last && status.destinations.first?.queued == 0)
    #expect(try reader.savedStates()[.tracker] == "elsewhere")
  }

  /// Dated and deleted records are not in the copy, so it must not replace the log.
  @Test func aCopyThatIsOutOfDateIsDiscardedAndMadeAgain() throws {
    let bench = try Bench()
    _ = bench.writer.handle(.append((6001...6005).map { fix($0, dated: false) }, urgent: true))
    bench.lower()
    try bench.copier.end()
    let dated = bench.writer.handle(.date(offset: DatingTests.offset, quality: .receiver)).map(\.answer)
    #expect(dated.contains(.dated(count: 5)))
    #expect(bench.size > 2 * Self.limit, "the copy has undated records")
    try bench.copier.end()
    _ = bench.writer.handle(.settle)
    #expect(bench.size <= Self.largest)
    let log = try #require(bench.writer.log)
    func count(_ query: String) throws -> Int64? {
      try log.connection.firstInteger("SELECT count(*) FROM \(query)")
    }
    #expect(try count("record WHERE time_ms IS NULL AND kind <> 1") == 0)
    #expect(try count("late JOIN record USING (id) WHERE kind <> 1") == 5)
  }

  /// Power is cut after each step of the replacement, and within the copy.
  @Test(arguments: ["a", "b"])
  func aPowerCutOrKillAtEveryStepLeavesTheWholeLog(nextBoot: String) throws {
    let steps = LogReplacement.Step.allCases
    for done in -2...steps.count {
      let bench = try Bench()
      bench.lower()
      let expected = try Self.fixes(bench.scratch.path)
      let directory = try bench.scratch.directory()
      let log = try #require(bench.writer.log)
      #expect(LogCopy.make(in: directory) == .complete)
      if done == -2 {
        let bytes = try bench.scratch.read("outrider.db.unfinished")
        try bench.scratch.write("outrider.db.unfinished", Array(bytes.prefix(bytes.count / 2)))
      }
      if done >= 0 { #expect(try LogReplacement.complete(log, in: directory)) }
      for step in steps.prefix(max(done, 0)) { try LogReplacement.perform(step, in: directory) }
      let cut = try bench.scratch.copy()
      let (opened, report) = try cut.open(boot: nextBoot)
      #expect(report.loss == nil && (report.condition == .clean || done < 0), "\(done): \(report)")
      try opened.register(batchSizes: ["home": 50, "work": 50])
      #expect(try Self.fixes(cut.path) == expected, "after \(done) steps")
      #expect(try opened.batch("home")?.ids.first == (try Self.ids(cut.path).first { $0 > 1000 }))
      #expect(!cut.files.contains { $0.contains("unfinished") || $0.contains("damaged") }, "\(cut.files)")
      let isNew = steps.firstIndex(of: .rename).map { done > $0 } ?? false
      let size = try cut.read("outrider.db").count
      #expect((Int64(size) <= Self.largest) == isNew, "after \(done) steps: \(size) bytes")
      log.abandon()
    }
  }

  /// A link to a device without room stands for a full file system.
  @Test func aFullFileSystemLeavesEverythingAsItWas() throws {
    let bench = try Bench()
    bench.copier.make = { directory in
      unlink(directory.unfinished)
      symlink("/dev/full", directory.unfinished)
      return LogCopy.make(in: directory)
    }
    bench.lower()
    let (size, records) = (bench.size, try Self.fixes(bench.scratch.path))
    try bench.copier.end()
    let rooms = bench.writer.handle(.settle).compactMap { reply in
      if case .room(let room) = reply.answer { room } else { nil }
    }
    guard case .failed(let reason)? = rooms.first?.shrinkObstacle else {
      Issue.record("\(rooms)")
      return
    }
    #expect(reason.contains("outrider.db"), "\(reason)")
    #expect(bench.size == size)
    #expect(try Self.fixes(bench.scratch.path) == records)
    #expect(!bench.scratch.files.contains { $0.contains("unfinished") }, "\(bench.scratch.files)")
    // It is tried again later, not at once.
    bench.copier.make = LogCopy.make(in:)
    #expect(bench.expire()?.shrinkObstacle != nil)
    bench.clock.advance(1801)
    #expect(bench.expire()?.shrinkObstacle == nil)
    try bench.copier.end()
    _ = bench.writer.handle(.settle)
    #expect(bench.size <= Self.largest)
  }

  @Test func readersOfTheOldFileReadOn() throws {
    let bench = try Bench()
    bench.lower()
    let reader = try LogReader(directory: bench.scratch.path)
    let before = try reader.records(after: .zero, limit: 100_000)
    try bench.copier.end()
    _ = bench.writer.handle(.append([fix(6001)], urgent: true))
    _ = bench.writer.handle(.append([fix(6002)], urgent: true))
    #expect(bench.size <= Self.largest)
    let read = try reader.records(after: .zero, limit: 100_000)
    #expect(read.prefix(before.count) == before[...] && read.count <= before.count + 2)
    #expect(try Self.fixes(bench.scratch.path).last == fix(6002))
  }

  /// A reader in the middle of a query holds a snapshot: the write-ahead log cannot be merged.
  @Test func aReaderInAQueryDelaysTheReplacement() throws {
    let bench = try Bench()
    bench.lower()
    let reader = try Connection(path: bench.scratch.path + "/outrider.db", access: .readOnly)
    let query = try reader.statement("SELECT id FROM record")
    #expect(try query.step())
    _ = bench.writer.handle(.append([fix(6001)], urgent: true))
    try bench.copier.end()
    _ = bench.writer.handle(.append([fix(6002)], urgent: true))
    #expect(bench.size > 2 * Self.limit)
    var rows = 1
    while try query.step() { rows += 1 }
    query.reset()
    _ = bench.writer.handle(.append([fix(6003)], urgent: true))
    #expect(bench.size > 2 * Self.limit, "not before a minute has passed")
    bench.clock.advance(61)
    _ = bench.writer.handle(.append([fix(6004)], urgent: true))
    #expect(bench.size <= Self.largest)
    #expect(try Self.fixes(bench.scratch.path).suffix(4) == (6001...6004).map { fix($0) }[...])
  }

  @Test(.timeLimit(.minutes(10))) func theCopyIsMadeOnAThread() throws {
    let bench = try Bench()
    bench.lower()
    let done = try EventDescriptor(blocking: true)
    let copier = ThreadedCopier { done.signal() }
    #expect(copier.begin(in: try bench.scratch.directory()))
    done.wait()
    #expect(copier.take() == .complete && copier.take() == nil)
    bench.copier.make = { _ in .complete }
    try bench.copier.end()
    _ = bench.writer.handle(.append([fix(6001)], urgent: true))
    #expect(bench.size <= Self.largest)
    #expect(try Self.fixes(bench.scratch.path).last == fix(6001))
  }

  @Test func retentionWaitsForTheCopy() throws {
    let bench = try Bench()
    bench.lower()
    let ids = try Self.ids(bench.scratch.path)
    _ = bench.writer.handle(.configure(RetentionLimits(bytes: 100_000)))
    bench.expire()
    #expect(try Self.ids(bench.scratch.path) == ids)
    bench.clock.advance(3601)
    bench.expire()
    #expect(
      try Self.ids(bench.scratch.path).count < ids.count, "a copy that never ends does not stop retention")
    try bench.copier.end()
    _ = bench.writer.handle(.settle)
    #expect(try Self.ids(bench.scratch.path).count < ids.count)
  }

  static let sizes: [(file: Int64, used: Int64, limit: Int64?, isUseful: Bool)] = [
    (400, 100, nil, false), (400, 100, 400, false), (400, 100, 399, true), (400, 300, 350, true),
    (400, 301, 350, false), (400, 400, 100, false),
  ]

  @Test(arguments: sizes)
  func aFileIsCopiedOnlyIfAQuarterIsFree(file: Int64, used: Int64, limit: Int64?, isUseful: Bool) {
    #expect(LogShrinking.isUseful(file: file, used: used, limit: limit) == isUseful)
  }

  @Test func withoutRoomTheStatusSaysWhatIsMissing() {
    var shrinking = LogShrinking()
    var room = StorageRoom(unsent: 0, limit: 100_000_000, free: 40_000_000, capacity: nil)
    (room.file, room.used) = (400_000_000, 90_000_000)
    let now = Moment(nanoseconds: 0)
    func isDue() -> Bool { shrinking.isDue(room, now: now) }
    #expect(!isDue())
    #expect(
      shrinking.obstacle?.description
        == "the copy needs 141 MB of free space, 40 MB are free; free space on its file system")
    room.free = 141_000_000
    #expect(isDue())
    room.file = 90_000_000
    #expect(!isDue() && shrinking.obstacle == nil)
  }
}
