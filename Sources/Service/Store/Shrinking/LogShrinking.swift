import Quantities
import Records

/// The reason why the file of the log stays larger than its limit.
public enum ShrinkObstacle: Equatable, Sendable {
  /// The file system has less room than the copy needs; both in bytes.
  case noRoom(needed: Int64, free: Int64)
  /// The copy could not be made, or could not replace the log.
  case failed(reason: String)
}

extension ShrinkObstacle: CustomStringConvertible {
  public var description: String {
    switch self {
    case .noRoom(let needed, let free):
      "the copy needs \(needed / 1_000_000 + 1) MB of free space, \(free / 1_000_000) MB are free; free space on its "
        + "file system"
    case .failed(let reason): "\(reason); it is tried again"
    }
  }
}

/// Decides when the file of the log is replaced by a smaller copy, and follows the copy.
///
/// SQLite reuses the pages of deleted records, but never returns them to the file system. So a file stays as large as it
/// ever was, after its limit was lowered, too. Owned by ``LogWriter``, which starts the copy and replaces the file.
struct LogShrinking {
  /// A file is copied if at least 1/``leastFreeShare`` of its pages is free. A smaller gain is not worth the writes. So a
  /// file is at most a third larger than its limit.
  static let leastFreeShare: Int64 = 4
  /// Bytes of the file system that a copy leaves free: for the write-ahead log, and above the 32 MiB at which a medium
  /// counts as nearly full.
  static let reserve: Int64 = 48 << 20
  /// The time from a failed attempt to the next one.
  static let pause = Duration.seconds(1800)
  /// The time between two attempts to replace a log that other programs read.
  static let readerPause = Duration.seconds(60)
  /// The time after which a copy is no longer waited for.
  static let longestCopy = Duration.seconds(3600)

  /// A copy of the log `source`, valid while that log has changed no record since `rewrites`.
  private struct Copy {
    weak var source: LogDatabase?
    let rewrites: UInt64
    let began: Moment
  }

  private enum Phase {
    case idle(notBefore: Moment?)
    case copying(Copy)
    /// The copy is complete, and may replace the log at `notBefore`.
    case copied(Copy, notBefore: Moment)
  }

  private var phase = Phase.idle(notBefore: nil)
  /// The reason why the file is larger than its limit; nil if it is not, or is being copied.
  private(set) var obstacle: ShrinkObstacle?

  /// The next step of ``LogWriter``.
  enum Step: Equatable { case none, discard, replace }

  /// True if a copy would make the file smaller by enough. Both sizes are in bytes, `used` is without free pages.
  static func isUseful(file: Int64, used: Int64, limit: Int64?) -> Bool {
    guard let limit, file > limit else { return false }
    return file - used >= file / leastFreeShare
  }

  /// True while there is a copy, or one is being made.
  var hasCopy: Bool {
    switch phase {
    case .idle: false
    case .copying, .copied: true
    }
  }

  /// True while no record may be deleted by retention, because the copy would have it.
  func suspendsRetention(now: Moment) -> Bool {
    switch phase {
    case .idle: false
    case .copying(let copy), .copied(let copy, _): now - copy.began < Self.longestCopy
    }
  }

  /// Returns true if a copy of the log is to be started now. Call it when retention has nothing more to delete.
  mutating func isDue(_ room: StorageRoom, now: Moment) -> Bool {
    guard case .idle(let notBefore) = phase else { return false }
    guard let file = room.file, let used = room.used, Self.isUseful(file: file, used: used, limit: room.limit)
    else {
      (phase, obstacle) = (.idle(notBefore: nil), nil)
      return false
    }
    let needed = used + Self.reserve
    if let free = room.free, free < needed {
      obstacle = .noRoom(needed: needed, free: free)
      return false
    }
    return notBefore.map { now >= $0 } ?? true
  }

  /// Records that a copy of this log was started.
  mutating func begin(_ log: LogDatabase, now: Moment) {
    phase = .copying(Copy(source: log, rewrites: log.rewrites, began: now))
    obstacle = nil
  }

  /// Returns what is to be done with the copy. `result` takes the result of the copy, once.
  mutating func step(_ log: LogDatabase, now: Moment, result: () -> LogCopy.Result?) -> Step {
    let copy: Copy
    switch phase {
    case .idle: return .none
    case .copying(let running):
      switch result() {
      case nil: return .none
      case .failed(let reason)?:
        fail(reason, now: now)
        return .discard
      case .complete?: copy = running
      }
    case .copied(let complete, let notBefore):
      guard now >= notBefore else { return .none }
      copy = complete
    }
    guard copy.source === log, copy.rewrites == log.rewrites else {
      // Dated or damaged records, or another file: the next step of retention begins again.
      phase = .idle(notBefore: nil)
      return .discard
    }
    phase = .copied(copy, notBefore: now + Self.readerPause)
    return .replace
  }

  /// Records that the log was replaced by the copy.
  mutating func end() { (phase, obstacle) = (.idle(notBefore: nil), nil) }

  /// Records that no copy can be made at present.
  mutating func fail(_ reason: String, now: Moment) {
    obstacle = .failed(reason: reason)
    phase = .idle(notBefore: now + Self.pause)
  }
}
