import Quantities
import Records
import Synchronization
import Testing

@testable import Store

/// The writer's reports about its storage medium.
@Suite struct RoomTests {
  @Test func slowCommitsAreReportedOnceUntilTenAreFast() {
    var commitLatency = CommitLatency()
    func take(_ milliseconds: Int64...) -> [CommitLatency.Change] {
      milliseconds.compactMap { commitLatency.take(.milliseconds($0)) }
    }
    #expect(take(20, 4999, 5000, 9000, 6000) == [.slow(.milliseconds(5000))])
    #expect(take(20, 20, 20, 20, 20, 20, 20, 20, 20, 1000) == [])
    #expect(take(20, 20, 20, 20, 20, 20, 20, 20, 20) == [])
    #expect(take(999) == [.quick(.milliseconds(999))])
    #expect(take(20, 7000) == [.slow(.milliseconds(7000))])
  }

  /// A clock that advances while the writer writes, as with slow flash.
  final class SlowClock: Sendable {
    private let state = Mutex<(seconds: Int64, step: Int64)>((100, 0))
    func set(step: Int64) { state.withLock { $0.step = step } }
    var options: LogOptions {
      LogOptions(bootID: "a") {
        self.state.withLock { state in
          state.seconds += state.step
          return Moment(nanoseconds: state.seconds * 1_000_000_000)
        }
      }
    }
  }

  @Test func theWriterReportsASlowCommit() throws {
    let scratch = try Scratch()
    let clock = SlowClock()
    let writer = LogWriter(directory: scratch.path, allowVolatile: true, options: clock.options)
    func paces(_ number: Int) -> [CommitLatency.Change] {
      writer.handle(.append([fix(number)], urgent: false)).compactMap {
        if case .commitLatency(let change) = $0.answer { change } else { nil }
      }
    }
    #expect(paces(1) == [])
    clock.set(step: 6)
    let slow = paces(2)
    guard slow.count == 1, case .slow(let took) = slow[0] else {
      Issue.record("\(slow)")
      return
    }
    #expect(took >= .seconds(6))
    #expect(paces(3) == [])
    clock.set(step: 0)
    #expect((4...20).flatMap { paces($0) } == [.quick(.zero)])
  }

  /// Half of the records are acknowledged: only the other half can be lost.
  @Test func onlyUnsentRecordsCountAgainstTheLimit() throws {
    let scratch = try Scratch()
    let writer = LogWriter(directory: scratch.path, allowVolatile: true, options: .test())
    _ = writer.handle(.configure(RetentionLimits(age: nil, bytes: 1 << 40)))
    _ = writer.handle(.append((1...2000).map { fix($0) }, urgent: false))
    func room() throws -> StorageRoom {
      let rooms = writer.handle(.expire(now: nil)).compactMap {
        if case .room(let room) = $0.answer { room } else { nil }
      }
      return try #require(rooms.first)
    }
    let alone = try room()
    #expect(alone.unsent == 0 && alone.limit == 1 << 40, "no destination is registered")
    #expect(alone.free ?? 0 > 0 && alone.capacity ?? 0 >= alone.free ?? 0)
    _ = writer.handle(.register(batchSizes: ["home": 1000]))
    let all = try room()
    let log = try #require(writer.log)
    let bytes = try log.status().bytes
    #expect(all.unsent == bytes)
    try log.acknowledge(try #require(try log.batch(size: 1000)))
    #expect(try room().unsent == bytes / 2)
  }

  @Test func aLogOnADiskIsNotReportedAsVolatile() throws {
    let scratch = try Scratch()
    let writer = LogWriter(directory: scratch.path, allowVolatile: true, options: .test())
    let volatile = try scratch.directory().volatileName
    let reports = writer.handle(.retry).compactMap { reply in
      if case .opened(let report) = reply.answer { report } else { nil }
    }
    #expect(try #require(reports.first).volatileFileSystem == volatile && reports.count == 1)
  }
}
