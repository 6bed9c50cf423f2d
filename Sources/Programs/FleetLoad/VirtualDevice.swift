import Quantities

/// A device that delivers batches: it repeats one until it is acknowledged, and waits as the server demands.
struct VirtualDevice {
  /// What to do next.
  enum Step: Equatable {
    /// Send a batch; close the connection before the answer if it is dropped.
    case send(Range<Int>, isDropped: Bool)
    case wait(until: Moment)
    /// Nothing is left to do.
    case end
  }

  /// What an answer means for the device.
  enum Outcome {
    case acknowledged, later(Duration), failed
  }

  private enum Phase {
    case idle
    case delivering(Range<Int>)
    /// Sends an acknowledged batch once more.
    case repeating(Range<Int>)
  }

  private static let backlogLength = 10_000

  private let options: LoadOptions
  private var random: SplitMix64
  private var phase = Phase.idle
  private var next: Int
  /// The time of the next batch.
  private var due: Moment
  /// The time of the next attempt after a failure.
  private var attempt: Moment
  private let backlogEnd: Int
  private(set) var acknowledged = 0

  init(_ options: LoadOptions, number: Int, start: Moment) {
    self.options = options
    random = SplitMix64(seed: options.seed &* 1_000_003 &+ UInt64(number))
    next = options.first
    let hasBacklog = Int.random(in: 0..<100, using: &random) < options.backlog
    backlogEnd = hasBacklog ? options.first + Self.backlogLength : options.first
    let phase = Double.random(in: 0..<1, using: &random)
    attempt = start
    due = start + (options.rate == 0 ? .milliseconds(Int64(phase * 1000)) : options.interval * phase)
  }

  /// The records that were acknowledged so far.
  var records: Range<Int> { options.first..<options.first + acknowledged }

  mutating func step(now: Moment, isEnding: Bool) -> Step {
    switch phase {
    case .delivering(let records), .repeating(let records):
      return now < attempt ? .wait(until: attempt) : .send(records, isDropped: isDropped(isEnding))
    case .idle: break
    }
    if isEnding { return .end }
    guard now >= due else { return .wait(until: due) }
    let records = next..<next + options.batch
    phase = .delivering(records)
    due = next < backlogEnd ? now : max(due + options.interval, now)
    return .send(records, isDropped: isDropped(isEnding))
  }

  private mutating func isDropped(_ isEnding: Bool) -> Bool {
    !isEnding && Int.random(in: 0..<100, using: &random) < options.dropped
  }

  mutating func handle(_ outcome: Outcome, now: Moment) {
    switch (outcome, phase) {
    case (.acknowledged, .delivering(let records)):
      acknowledged += records.count
      next = records.upperBound
      phase = Int.random(in: 0..<100, using: &random) < options.repeated ? .repeating(records) : .idle
    case (.acknowledged, .repeating), (.acknowledged, .idle): phase = .idle
    case (.later(let delay), _): attempt = now + delay
    case (.failed, _): attempt = now + .milliseconds(Int64.random(in: 50...250, using: &random))
    }
  }
}
