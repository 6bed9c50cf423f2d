import Quantities
import Records

/// Holds the fixes since the last stop until a departure is certain, so that a trip does not begin two kilometres
/// from home.
///
/// Memory is limited. The start of the movement is always kept, and the track since then at growing intervals.
struct FixRing: Equatable, Sendable {
  /// A held fix with its record.
  struct Held: Equatable, Sendable {
    var sample: Sample
    var record: LogRecord
    var state: State
    /// True if there was no fix for more than ``FixRing/pause`` before it.
    var isAfterPause = false
    /// True if the device had not left its stop at the time of this fix, whatever its position.
    var isAtRest = false
  }

  /// The state of a held fix.
  enum State: Equatable, Sendable {
    /// Not recorded yet, but may be.
    case held
    /// Not recorded, and older than a record. Recording it would reverse the order.
    case past
    case kept
  }

  /// Maximum number of fixes; at 1 Hz five minutes without a gap.
  static let capacity = 300
  /// Number of newest fixes that are never decimated; at 1 Hz a minute.
  static let recent = 60
  /// Longest gap between two fixes of a receiver that is awake.
  static let pause = Duration.seconds(60)

  private(set) var held: [Held] = []

  /// Adds a fix. `place` is the origin of the next trip; without one the oldest fixes are dropped.
  mutating func add(_ sample: Sample, record: LogRecord, isKept: Bool, place: Coordinate?, drift: Double) {
    if held.count >= Self.capacity { makeRoom(place, drift) }
    if isKept { close(through: held.count) }
    var fix = Held(sample: sample, record: record, state: isKept ? .kept : .held)
    fix.isAfterPause = isPause(before: sample)
    held.append(fix)
  }

  private func isPause(before sample: Sample) -> Bool {
    guard let last = held.last, let pause = sample.elapsed(since: last.sample) else { return false }
    return pause > Self.pause
  }

  // MARK: Decimation

  private mutating func makeRoom(_ place: Coordinate?, _ drift: Double) {
    let room = Self.capacity / 10
    guard let place, let start = start(from: place, drift: drift) else { return held.removeFirst(room) }
    held.removeFirst(start)
    guard held.count > Self.capacity - room else { return }
    var spacing = Duration.seconds(2)
    var chosen = indices(apart: spacing)
    while chosen.count > Self.capacity - room {
      spacing = spacing * 2
      chosen = indices(apart: spacing)
    }
    var after = 0
    held = chosen.map { index in
      var fix = held[index]
      fix.isAfterPause = held[after...index].contains(where: \.isAfterPause)
      after = index + 1
      return fix
    }
  }

  /// The first and the newest fixes, and those between them that are this far apart on the boot clock.
  private func indices(apart spacing: Duration) -> [Int] {
    let settled = held.count - Self.recent
    var last: Moment?
    return held.indices.filter { index in
      let moment = held[index].record.moment
      if let last, index < settled, moment - last < spacing { return false }
      last = moment
      return true
    }
  }

  mutating func clear() { held = [] }

  /// Drops the fixes before a stop of at least a minute at which the next trip begins, except the last. Returns false
  /// if nothing was dropped; at 1 Hz it happens once a minute.
  mutating func rest(now: Moment) -> Bool {
    let limit = now - Self.pause
    guard let newest = held.last, newest.record.moment <= limit || held.count >= 2 * Self.recent,
      let last = held.lastIndex(where: { $0.record.moment <= limit })
    else { return false }
    held.removeFirst(last)
    held[0].isAtRest = true
    return true
  }

  /// Drops hidden fixes; they count as a gap.
  mutating func forget(where isHidden: (LocationRecord) -> Bool) {
    let all = held
    held = []
    var isAfterHidden = false
    for var fix in all {
      if case .location(let location) = fix.record.body, isHidden(location) {
        isAfterHidden = true
        continue
      }
      if isAfterHidden { fix.isAfterPause = isPause(before: fix.sample) }
      isAfterHidden = false
      held.append(fix)
    }
  }

  /// The fixes from an index on that can be recorded now; they count as recorded.
  mutating func write(from index: Int) -> [Held] {
    let start = min(max(index, 0), held.count)
    close(through: start)
    var written: [Held] = []
    for index in held.indices[start...] where held[index].state == .held {
      held[index].state = .kept
      written.append(held[index])
    }
    return written
  }

  private mutating func close(through end: Int) {
    for index in held.indices[..<end] where held[index].state == .held { held[index].state = .past }
  }

  mutating func date(offsetMilliseconds offset: Int64, quality: ClockQuality) {
    for index in held.indices {
      held[index].record = held[index].record.dated(offsetMilliseconds: offset, quality: quality)
    }
  }

  /// The index of the fix at which the first leg begins: the last one at the stop. If the receiver slept in between,
  /// the first fix after that; nil if it is `next`, which is not held.
  func start(from place: Coordinate, drift: Double, next: Sample? = nil) -> Int? {
    guard let first = held.first else { return nil }
    let near = held.lastIndex { held in
      held.sample.coordinate.distance(to: place) <= drift + min(held.sample.accuracy ?? 0, drift)
    }
    guard let atRest = near ?? (first.isAtRest ? 0 : nil) else { return 0 }
    guard atRest + 1 < held.count else { return next.map(isPause) ?? false ? nil : atRest }
    return held[atRest + 1].isAfterPause ? atRest + 1 : atRest
  }
}
