import Quantities

/// A device that delivers batches: it repeats one until it is acknowledged, waits as the server demands, and goes back
/// if the server lacks records that it has acknowledged.
struct VirtualDevice {
  /// What to do next.
  enum Step: Equatable {
    /// Send a batch, or a heartbeat if it has no records; close the connection before the answer if it is dropped.
    case send(Range<Int>, isDropped: Bool)
    case wait(until: Moment)
    /// Nothing is left to do.
    case end
  }

  /// What an answer means for the device.
  enum Outcome {
    /// `have` is the record up to which the server has all of the log.
    case acknowledged(have: Int?)
    case later(Duration)
    case failed
  }

  private enum Phase {
    case idle
    case delivering(Range<Int>)
    /// Sends an acknowledged batch once more.
    case repeating(Range<Int>)
    /// Asks for `have` at the end.
    case asking
    case finished
  }

  private static let backlogLength = 10_000
  /// The records of a batch from a backlog.
  private static let backlogBatch = 200
  /// The shortest time between two times that the queue goes back, of the device.
  private static let rewindInterval = Duration.seconds(3600)

  private let options: LoadOptions
  private var random: SplitMix64
  private var phase = Phase.idle
  /// The cursor: the first record that is not acknowledged, or that the server has lost.
  private var next: Int
  /// The time of the next batch.
  private var due: Moment
  /// The time of the next attempt after a failure.
  private var attempt: Moment
  private let backlogEnd: Int
  private var nextRewind: Moment
  /// The record to which the queue went back last; nil once the server has got one after it. It does not go there twice.
  private var lastRewind: Int?
  /// The records that were acknowledged so far.
  private(set) var acknowledged: Range<Int>
  /// The times that the queue went back.
  private(set) var rewinds = 0
  /// The records that were acknowledged again because of it.
  private(set) var refilled = 0

  init(_ options: LoadOptions, number: Int, start: Moment) {
    self.options = options
    random = SplitMix64(seed: options.seed &* 1_000_003 &+ UInt64(number))
    next = options.first
    acknowledged = options.first..<options.first
    nextRewind = start
    let hasBacklog = Int.random(in: 0..<100, using: &random) < options.backlog
    backlogEnd = hasBacklog ? options.first + Self.backlogLength : options.first
    let phase = Double.random(in: 0..<1, using: &random)
    attempt = start
    due = start + (options.rate == 0 ? .milliseconds(Int64(phase * 1000)) : options.interval * phase)
  }

  mutating func step(now: Moment, isEnding: Bool) -> Step {
    switch phase {
    case .finished: return .end
    case .delivering(let records), .repeating(let records):
      return now < attempt ? .wait(until: attempt) : .send(records, isDropped: isDropped(isEnding))
    case .asking:
      return now < attempt ? .wait(until: attempt) : .send(next..<next, isDropped: false)
    case .idle: break
    }
    if next < acknowledged.upperBound {
      return deliver(upTo: min(next + Self.backlogBatch, acknowledged.upperBound), isEnding)
    }
    if isEnding {
      phase = .asking
      return .send(next..<next, isDropped: false)
    }
    guard now >= due else { return .wait(until: due) }
    let hasBacklog = next < backlogEnd
    due = hasBacklog ? now : max(due + options.interval, now)
    return deliver(upTo: next + (hasBacklog ? Self.backlogBatch : options.batch), isEnding)
  }

  private mutating func deliver(upTo end: Int, _ isEnding: Bool) -> Step {
    phase = .delivering(next..<end)
    return .send(next..<end, isDropped: isDropped(isEnding))
  }

  private mutating func isDropped(_ isEnding: Bool) -> Bool {
    !isEnding && Int.random(in: 0..<100, using: &random) < options.dropped
  }

  mutating func handle(_ outcome: Outcome, now: Moment) {
    switch outcome {
    case .later(let delay): attempt = now + delay
    case .failed: attempt = now + .milliseconds(Int64.random(in: 50...250, using: &random))
    case .acknowledged(let have):
      switch phase {
      case .delivering(let records):
        refilled += max(min(records.upperBound, acknowledged.upperBound) - records.lowerBound, 0)
        next = records.upperBound
        acknowledged = acknowledged.lowerBound..<max(acknowledged.upperBound, next)
        phase = Int.random(in: 0..<100, using: &random) < options.repeated ? .repeating(records) : .idle
      case .repeating, .idle: phase = .idle
      case .asking: phase = .finished
      case .finished: break
      }
      if let have, let last = lastRewind, have + 1 > last { lastRewind = nil }
      if let have, have + 1 < next { goBack(to: max(have + 1, options.first), now) }
    }
  }

  private mutating func goBack(to record: Int, _ now: Moment) {
    guard record != lastRewind else { return }
    if now >= nextRewind {
      (next, phase) = (record, .idle)
      lastRewind = record
      rewinds += 1
      nextRewind = now + Self.rewindInterval / options.speed
    } else if case .finished = phase {
      // It asks again when it may go back.
      (phase, attempt) = (.asking, nextRewind)
    }
  }
}
