import Quantities
import Records

/// Fixes since the last rest, held back until motion is sure: so that a trip does not begin two kilometres from home.
/// Bounded in memory: where a way begins is kept however long it stays near, and the way since then in ever wider steps.
struct FixRing: Equatable, Sendable {
  struct Held: Equatable, Sendable {
    var sample: Sample
    var record: LogRecord
    var state: State
    /// Nothing was heard for more than ``FixRing/pause`` before it.
    var isAfterPause = false
    /// The place of rest was not left with it, wherever it lies.
    var isAtRest = false
  }

  enum State: Equatable, Sendable {
    /// Not written, and may be.
    case held
    /// Not written, and older than a record: it would turn the time back.
    case past
    case kept
  }

  /// Fixes; at 1 Hz five minutes without a gap.
  static let capacity = 300
  /// The newest fixes, which are never thinned; at 1 Hz a minute.
  static let recent = 60
  /// Between two fixes: longer, and the receiver slept.
  static let pause = Duration.seconds(60)

  private(set) var held: [Held] = []

  /// `place` is where the next trip begins; without one the oldest fixes make room.
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

  // MARK: Room

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

  /// The first fix and the newest; between them such as are so far apart on the boot clock.
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

  /// The box has rested for a minute or more, and the next trip begins where it does: of what was heard until then only
  /// the last is held. False where nothing was let go; at 1 Hz it is done once a minute.
  mutating func rest(now: Moment) -> Bool {
    let limit = now - Self.pause
    guard let newest = held.last, newest.record.moment <= limit || held.count >= 2 * Self.recent,
      let last = held.lastIndex(where: { $0.record.moment <= limit })
    else { return false }
    held.removeFirst(last)
    held[0].isAtRest = true
    return true
  }

  /// What was hidden is a pause, as if it had never been held.
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

  /// The fixes from an index on that can become records now; they count as kept.
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

  /// The index of the fix with which the first moving leg begins: the last one still at the place of rest. Where the
  /// receiver slept in between, the first fix after that; nil where none is held, because it is `next`.
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
