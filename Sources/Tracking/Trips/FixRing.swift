import Quantities
import Records

/// Fixes since the last rest, held back until motion is sure: so that a trip does not begin two kilometres from home.
struct FixRing: Equatable, Sendable {
  struct Held: Equatable, Sendable {
    var sample: Sample
    var record: LogRecord
    var state: State
  }

  enum State: Equatable, Sendable {
    /// Not written, and may be.
    case held
    /// Not written, and older than a record: it would turn the time back.
    case past
    case kept
  }

  /// Fixes; at 1 Hz five minutes.
  static let capacity = 300

  private(set) var held: [Held] = []

  mutating func add(_ sample: Sample, record: LogRecord, isKept: Bool) {
    if held.count >= Self.capacity { held.removeFirst(Self.capacity / 10) }
    if isKept { close(through: held.count) }
    held.append(Held(sample: sample, record: record, state: isKept ? .kept : .held))
  }

  mutating func clear() { held = [] }

  mutating func forget(where isHidden: (LocationRecord) -> Bool) {
    held.removeAll { if case .location(let location) = $0.record.body { isHidden(location) } else { false } }
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
  /// receiver slept in between, the first fix after that.
  func start(from place: Coordinate, drift: Double) -> Int? {
    guard !held.isEmpty else { return nil }
    let atRest = held.lastIndex { held in
      held.sample.coordinate.distance(to: place) <= drift + min(held.sample.accuracy ?? 0, drift)
    }
    guard let atRest else { return 0 }
    guard atRest + 1 < held.count,
      let pause = held[atRest + 1].sample.elapsed(since: held[atRest].sample), pause > .seconds(60)
    else { return atRest }
    return atRest + 1
  }
}
