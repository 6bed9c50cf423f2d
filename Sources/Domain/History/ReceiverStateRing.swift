import Quantities

/// The state of the receiver as the local API reports it.
public enum ReportedReceiverState: String, Codable, Sendable, CaseIterable {
  /// Tracking is switched off, or there is no receiver.
  case off
  /// The schedule switched the receiver's supply off.
  case noSupply = "no_supply"
  /// Searching for the first fix.
  case acquiring
  /// After the first fix, while the accuracy still improves.
  case settling
  /// One fix per second.
  case tracking
  /// One fix per second, with a duty cycle.
  case cyclic
  /// In backup mode.
  case asleep
}

/// The states of the receiver in the last 24 hours, which the log has only in part.
///
/// It allocates memory at the first state: ``limit`` entries of 16 bytes. Beyond that the oldest are overwritten.
public struct ReceiverStateRing: Equatable, Sendable {
  private struct Entry: Equatable {
    var moment: Moment
    var state: ReportedReceiverState
  }

  public static let limit = 2000
  /// The age of the oldest state that is returned.
  public static let reach = Duration.seconds(86_400)

  private var entries: [Entry] = []
  /// The index of the oldest entry, once all are used.
  private var oldest = 0

  public init() {}

  /// Registers the state from `now` on. A repeated state has no effect.
  public mutating func record(_ state: ReportedReceiverState, now: Moment) {
    guard newest?.state != state else { return }
    let entry = Entry(moment: now, state: state)
    if entries.count < Self.limit {
      if entries.isEmpty { entries.reserveCapacity(Self.limit) }
      entries.append(entry)
    } else {
      entries[oldest] = entry
      oldest = (oldest + 1) % Self.limit
    }
  }

  /// Returns the states as spans in UTC, oldest first; `time` is the time at `now`. The last span has no end.
  public func spans(now: Moment, time: Timestamp) -> [Timeline.Span] {
    var spans: [Timeline.Span] = []
    for entry in entries[oldest...] + entries[..<oldest] {
      let start = time + (entry.moment - now)
      if let last = spans.indices.last { spans[last].end = start }
      spans.append(Timeline.Span(start, nil, entry.state.rawValue))
    }
    return spans.filter { span in span.end.map { time - $0 < Self.reach } ?? true }
  }

  private var newest: Entry? {
    entries.isEmpty ? nil : entries[(oldest + entries.count - 1) % entries.count]
  }
}
