import Quantities
import Records

/// Fixes since the last rest, held back until a trip is confirmed: so that it does not begin two kilometres from home.
struct FixRing: Equatable, Sendable {
  struct Held: Equatable, Sendable {
    var sample: Sample
    /// Nil for a fix that became a record at once, or that must not become one.
    var record: LogRecord?
  }

  /// Fixes; at 1 Hz five minutes.
  static let capacity = 300

  private(set) var held: [Held] = []

  mutating func add(_ sample: Sample, record: LogRecord?) {
    if held.count >= Self.capacity { held.removeFirst(Self.capacity / 10) }
    if record == nil {
      // What lies before a record can no longer be written without turning the time back.
      for index in held.indices { held[index].record = nil }
    }
    held.append(Held(sample: sample, record: record))
  }

  mutating func clear() { held = [] }

  /// Empties the ring, and answers what from an index on did not become a record yet.
  mutating func drain(from index: Int) -> [Held] {
    defer { held = [] }
    return held[min(max(index, 0), held.count)...].filter { $0.record != nil }
  }

  mutating func date(offsetMilliseconds offset: Int64, quality: ClockQuality) {
    for index in held.indices {
      held[index].record = held[index].record?.dated(offsetMilliseconds: offset, quality: quality)
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
