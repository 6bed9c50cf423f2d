import Database
import EventLoop
import Glibc
import Quantities
import Records
import Store
import Synchronization
import System

/// Counts the records of the present local day before this run, once, on a temporary thread.
///
/// It reads the log beside the writer, and at most ``most`` records: a day of one fix per second.
final class EarlierToday {
  /// The maximum number of records that are read. A longer day stays unknown.
  static let most = 100_000
  private static let step = 500

  private let answer: EventDescriptor
  private let result = Result()
  private var registration: EventLoop.Registration?
  private let loop: EventLoop

  private final class Result: Sendable {
    let figures = Mutex<DayFigures?>(nil)
    let isRunning = Mutex(true)
  }

  /// Starts to read the records of `day`, counted from 1970-01-01, up to an id. Calls `done` later with the figures; nil if
  /// the log cannot be read. Returns nil if the kernel has no resources.
  init?(
    of day: Int, in directory: String, through last: RecordID, loop: EventLoop,
    done: @escaping (DayFigures?) -> Void
  ) {
    guard let answer = try? EventDescriptor(blocking: false) else { return nil }
    (self.loop, self.answer) = (loop, answer)
    do throws(SystemError) {
      registration = try loop.watch(answer.raw, for: .readable) { [weak self] _ in
        guard let self else { return }
        stop()
        done(result.figures.withLock { $0 })
      }
      loop.awaitInSimulation(.thread) { [weak result] in result?.isRunning.withLock { $0 } ?? false }
      try DetachedThread.start("today") { [result] in
        // On Linux this affects the current thread only: the writer has priority (nice(2)).
        _ = nice(19)
        let figures = Self.read(day, directory, through: last)
        result.figures.withLock { $0 = figures }
        result.isRunning.withLock { $0 = false }
        answer.signal()
      }
    } catch {
      stop()
      return nil
    }
  }

  /// Ignores the result.
  func stop() {
    if let registration { loop.remove(registration) }
    registration = nil
  }

  private static func read(_ day: Int, _ directory: String, through last: RecordID) -> DayFigures? {
    var figures = DayFigures()
    do throws(DatabaseError) {
      let reader = try LogReader(directory: directory)
      // Zones are at most 14 h ahead of UTC; records before the day are skipped.
      let earliest = Timestamp(milliseconds: Int64(day) * Timestamp.millisecondsPerDay - 14 * 3_600_000)
      var position = try firstID(of: day, from: earliest, reader)
      var count = 0
      while position < last {
        let records = try reader.records(after: position, limit: step)
        guard let end = records.last else { break }
        position = end.id
        count += records.count
        guard count <= most else { return nil }
        for stored in records where stored.id <= last {
          guard let time = stored.record.time, LocalTime.day(of: time) == day else { continue }
          figures.count(stored.record)
        }
      }
      return figures
    } catch { return nil }
  }

  /// The id before the first record of the day.
  private static func firstID(
    of day: Int, from earliest: Timestamp, _ reader: LogReader
  ) throws(DatabaseError) -> RecordID {
    // The start of the day, exact to a quarter of an hour, at which offsets change.
    var start = earliest
    for _ in 0..<(28 * 4) where LocalTime.day(of: start) < day { start = start + .seconds(900) }
    return try reader.lastID(before: start)
  }
}
