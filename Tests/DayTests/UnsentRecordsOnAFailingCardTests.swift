import Foundation
import Quantities
import Records
import Synchronization
import Testing

@testable import Store

/// Starts with changed destinations on a medium that fails at any write: nothing is deleted that a destination of the old
/// or the new configuration has not received.
@Suite struct UnsentRecordsOnAFailingCardTests {
  final class Clock: Sendable {
    private let now = Mutex(Moment(nanoseconds: 1_000_000_000_000))
    func advance(_ seconds: Int64) { now.withLock { $0 = $0 + .seconds(seconds) } }
    var options: LogOptions { LogOptions(bootID: "boot-2") { self.now.withLock { $0 } } }
  }

  private static func record(_ number: Int) throws -> LogRecord {
    let coordinate = try #require(Coordinate(latitude: 52, longitude: 13))
    var location = LocationRecord(coordinate: coordinate, deviceID: "van")
    location.altitudeMillimetres = Int32(number)
    return LogRecord(
      moment: Moment(nanoseconds: Int64(number) * 1_000_000_000),
      time: Timestamp(milliseconds: 1_780_000_000_000 + Int64(number) * 1000), timeQuality: .receiver,
      body: .location(location))
  }

  private static let count = 120
  private static let later = Timestamp(milliseconds: 1_790_000_000_000)
  private static let before = ["all": 120, "part": 40, "none": 0, "gone": 20]

  /// A change of the configuration between two starts.
  struct Change: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var after: [String]
    var limits = RetentionLimits(age: .seconds(60))
  }

  static let changes = [
    Change(testDescription: "eight new ones", after: ["all"] + (1...8).map { "new\($0)" }),
    Change(testDescription: "one renamed", after: ["all", "part", "none", "renamed"]),
    Change(testDescription: "one removed", after: ["all", "part", "none"]),
    Change(testDescription: "all renamed", after: ["all2", "part2", "none2", "gone2"]),
    Change(testDescription: "new, renamed, removed", after: ["all", "part2", "new1", "new2"]),
    Change(testDescription: "none left", after: []),
    Change(
      testDescription: "eight new ones, and a limit of size", after: ["all"] + (1...8).map { "new\($0)" },
      limits: RetentionLimits(age: .seconds(60), bytes: 1 << 40)),
  ]

  /// The files of a log whose destinations have acknowledged different shares of it.
  private static func files(isClosed: Bool) throws -> [String: Data] {
    let card = try MemoryCard()
    defer { card.remove() }
    let writer = LogWriter(
      directory: card.path, allowVolatile: true, options: LogOptions(bootID: "boot-1") { .zero })
    _ = writer.handle(.register(batchSizes: before.mapValues { _ in 200 }))
    _ = writer.handle(.append(try (1...count).map(record), urgent: true))
    for (name, through) in before where through > 0 {
      _ = writer.handle(
        .acknowledge(
          destination: name, through: RecordID(Int64(through)), late: false, newBatchSize: nil))
    }
    if isClosed { _ = writer.handle(.close) }
    var files: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: card.path) {
      files[name] = try Data(contentsOf: URL(fileURLWithPath: "\(card.path)/\(name)"))
    }
    writer.log?.abandon()
    return files
  }

  /// The ids that the destination gets if everything is sent.
  private static func sent(to name: String, by writer: LogWriter) -> [Int64] {
    var ids: [Int64] = []
    while true {
      let replies = writer.handle(.batch(destination: name, BatchRequest(size: 200)))
      guard case .batch(_, let batch?)? = replies.last?.answer else { return ids }
      ids += batch.records.map(\.id.rawValue)
      _ = writer.handle(
        .acknowledge(destination: name, through: batch.through, late: batch.isLate, newBatchSize: nil))
    }
  }

  @Test(arguments: changes, MemoryCard.Fault.allCases)
  func nothingUnsentIsGoneWhateverWriteOfAStartFails(change: Change, fault: MemoryCard.Fault) throws {
    for isClosed in fault == .full ? [true, false] : [true] {
      let files = try Self.files(isClosed: isClosed)
      var failing = 0
      while true {
        let card = try MemoryCard()
        for (name, data) in files { try data.write(to: URL(fileURLWithPath: "\(card.path)/\(name)")) }
        card.faults.nextFault = (failing, fault)
        let label = Comment("\(change.testDescription), write \(failing), closed: \(isClosed)")
        let (hasFailed, lost) = try start(change, card, label)
        card.remove()
        #expect(lost == [], label)
        guard hasFailed, lost.isEmpty else { break }
        // The first writes are those of the start.
        failing += failing < 40 ? 1 : 7
      }
      #expect(failing > 3, "the fault must meet several writes")
    }
  }

  /// Starts with the fault, then makes room. Returns true if the fault occurred, and what is lost.
  private func start(
    _ change: Change, _ card: MemoryCard, _ label: Comment
  ) throws -> (hasFailed: Bool, lost: [String]) {
    let clock = Clock()
    let writer = LogWriter(directory: card.path, allowVolatile: true, options: clock.options)
    let register = StoreJob.register(batchSizes: Dictionary(change.after.map { ($0, 200) }) { $1 })
    // The order of the logger: the log opens, the destinations are registered, then retention runs, and again.
    _ = writer.handle(.retry)
    _ = writer.handle(.configure(change.limits))
    _ = writer.handle(register)
    for _ in 0..<3 { _ = writer.handle(.expire(now: Self.later)) }
    for step in 1...3 {
      clock.advance(400)
      _ = writer.handle(.append([try Self.record(Self.count + step)], urgent: true))
      for _ in 0..<3 { _ = writer.handle(.expire(now: Self.later)) }
    }
    let hasFailed = card.faults.nextFault == nil
    // Room is made, and retention comes before the next attempt to write.
    card.faults = MemoryCard.Faults()
    for round in 0..<3 {
      for _ in 0..<3 { _ = writer.handle(.expire(now: Self.later)) }
      clock.advance(400)
      if round > 0 { _ = writer.handle(.retry) }
      if round > 1 { _ = writer.handle(register) }
    }
    let log = try #require(writer.log, label)
    let present = Set(
      try log.connection.rows("SELECT id FROM record WHERE kind <> 1").compactMap { $0[0].integer })
    let all = Array(1...Int64(Self.count))
    var lost: [String] = []
    for name in change.after {
      let due = all.filter { $0 > Int64(Self.before[name] ?? 0) }
      let missing = due.count { !present.contains($0) }
      if missing > 0 { lost.append("\(missing) records unsent to \(name) are gone") }
      let got = Self.sent(to: name, by: writer).filter { $0 <= Int64(Self.count) }
      if got != due { lost.append("\(name) gets \(got.count) of \(due.count) records") }
    }
    // Without any destination, the queues of earlier ones are kept.
    if change.after.isEmpty, !present.isSuperset(of: all) {
      lost.append("\(all.count - present.count) records")
    }
    return (hasFailed, lost)
  }
}
