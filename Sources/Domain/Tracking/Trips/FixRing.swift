import Quantities
import Records

/// Holds the fixes since the last stop until a departure is certain, so that a trip does not begin two kilometres
/// from home.
///
/// Memory is limited. The start of the movement is always kept, and the track since then at growing intervals.
struct FixRing: Equatable, Sendable {
  /// A held fix with its record.
  struct BufferedFix: Equatable, Sendable {
    var observation: Observation
    var record: LogRecord
    var state: State
    /// True if there was no fix for more than ``FixRing/pause`` before it.
    var isAfterPause = false
    /// True if the device had not left its stop at the time of this fix, whatever its position.
    var isAtStop = false
  }

  /// The state of a held fix.
  enum State: Equatable, Sendable {
    /// Not recorded yet, but may be.
    case buffered
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

  private(set) var buffered: [BufferedFix] = []

  /// Adds a fix. `position` is the origin of the next trip; without one the oldest fixes are dropped.
  mutating func add(
    _ observation: Observation, record: LogRecord, isKept: Bool, position: Coordinate?, drift: Double
  ) {
    if buffered.count >= Self.capacity { makeRoom(position, drift) }
    if isKept { close(through: buffered.count) }
    var fix = BufferedFix(observation: observation, record: record, state: isKept ? .kept : .buffered)
    fix.isAfterPause = isPause(before: observation)
    buffered.append(fix)
  }

  private func isPause(before observation: Observation) -> Bool {
    guard let last = buffered.last, let pause = observation.elapsed(since: last.observation) else {
      return false
    }
    return pause > Self.pause
  }

  // MARK: Decimation

  private mutating func makeRoom(_ position: Coordinate?, _ drift: Double) {
    let room = Self.capacity / 10
    guard let position, let start = start(from: position, drift: drift) else {
      return buffered.removeFirst(room)
    }
    buffered.removeFirst(start)
    guard buffered.count > Self.capacity - room else { return }
    var spacing = Duration.seconds(2)
    var chosen = indices(apart: spacing)
    while chosen.count > Self.capacity - room {
      spacing = spacing * 2
      chosen = indices(apart: spacing)
    }
    var after = 0
    buffered = chosen.map { index in
      var fix = buffered[index]
      fix.isAfterPause = buffered[after...index].contains(where: \.isAfterPause)
      after = index + 1
      return fix
    }
  }

  /// The first and the newest fixes, and those between them that are this far apart on the boot clock.
  private func indices(apart spacing: Duration) -> [Int] {
    let settled = buffered.count - Self.recent
    var last: Moment?
    return buffered.indices.filter { index in
      let moment = buffered[index].record.moment
      if let last, index < settled, moment - last < spacing { return false }
      last = moment
      return true
    }
  }

  mutating func clear() { buffered = [] }

  /// Drops the fixes before a stop of at least a minute at which the next trip begins, except the last. Returns false
  /// if nothing was dropped; at 1 Hz it happens once a minute.
  mutating func stop(now: Moment) -> Bool {
    let limit = now - Self.pause
    guard let newest = buffered.last, newest.record.moment <= limit || buffered.count >= 2 * Self.recent,
      let last = buffered.lastIndex(where: { $0.record.moment <= limit })
    else { return false }
    buffered.removeFirst(last)
    buffered[0].isAtStop = true
    return true
  }

  /// Drops hidden fixes; they count as a gap.
  mutating func forget(where isHidden: (LocationRecord) -> Bool) {
    let all = buffered
    buffered = []
    var isAfterHidden = false
    for var fix in all {
      if case .location(let location) = fix.record.body, isHidden(location) {
        isAfterHidden = true
        continue
      }
      if isAfterHidden { fix.isAfterPause = isPause(before: fix.observation) }
      isAfterHidden = false
      buffered.append(fix)
    }
  }

  /// The fixes from an index on that can be recorded now; they count as recorded.
  mutating func write(from index: Int) -> [BufferedFix] {
    let start = min(max(index, 0), buffered.count)
    close(through: start)
    var written: [BufferedFix] = []
    for index in buffered.indices[start...] where buffered[index].state == .buffered {
      buffered[index].state = .kept
      written.append(buffered[index])
    }
    return written
  }

  private mutating func close(through end: Int) {
    for index in buffered.indices[..<end] where buffered[index].state == .buffered {
      buffered[index].state = .past
    }
  }

  mutating func date(offsetMilliseconds offset: Int64, quality: ClockQuality) {
    for index in buffered.indices {
      buffered[index].record = buffered[index].record.dated(offsetMilliseconds: offset, quality: quality)
    }
  }

  /// The index of the fix at which the first leg begins: the last one at the stop. If the receiver slept in between,
  /// the first fix after that; nil if it is `next`, which is not held.
  func start(from position: Coordinate, drift: Double, next: Observation? = nil) -> Int? {
    guard let first = buffered.first else { return nil }
    let near = buffered.lastIndex { buffered in
      buffered.observation.coordinate.distance(to: position) <= drift
        + min(buffered.observation.radius, drift)
    }
    guard let atStop = near ?? (first.isAtStop ? 0 : nil) else { return 0 }
    guard atStop + 1 < buffered.count else { return next.map(isPause) ?? false ? nil : atStop }
    return buffered[atStop + 1].isAfterPause ? atStop + 1 : atStop
  }
}
