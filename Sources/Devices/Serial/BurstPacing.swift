import Quantities

/// Decides when a serial line is read, so that a receiver's epoch costs one wake-up and not one for each piece
/// the UART hands over.
///
/// A receiver sends its sentences in one burst an epoch. Once the interval is known, the line is left alone until
/// the moment at which the epoch was complete last time, plus one interval. The moment is crept forward a little
/// each time, and put back when the epoch turns out to be incomplete.
public struct BurstPacing: Equatable, Sendable {
  /// What to do with the line.
  public enum Plan: Equatable, Sendable {
    /// Wait until bytes are there.
    case watch
    /// Leave the line alone until then; only a hang-up is of interest.
    case sleep(until: Moment)
  }

  /// What a reading brought.
  public struct Drain: Equatable, Sendable {
    public var bytes: Int
    /// Epochs that were closed by it.
    public var closedEpochs: Int

    public init(bytes: Int, closedEpochs: Int) {
      self.bytes = bytes
      self.closedEpochs = closedEpochs
    }
  }

  private enum Phase: Equatable, Sendable {
    case learning
    /// The receiver sends, but no time yet, so there are no epochs: its bursts give the beat.
    case pacingBursts(interval: Duration, due: Moment)
    /// `due` is the moment at which the present epoch should be complete, `retries` how often it was not.
    case pacing(interval: Duration, due: Moment, retries: Int)
  }

  private var phase = Phase.learning
  private var epochBeat = BeatEstimate()
  private var burstBeat = BeatEstimate()
  private var isInBurst = false

  /// While learning, a burst is read in steps of this length.
  static let learningStep = Duration.milliseconds(100)
  /// A reading of this size is no burst: a line that runs at full speed, or a replay.
  static let floodBytes = 1024
  /// More would come near the 4,095 bytes that a line's buffer holds (n_tty).
  static let largestBurst = 3000
  static let creep = Duration.microseconds(500)
  static let margin = Duration.milliseconds(5)
  static let firstRetry = Duration.milliseconds(15)
  static let mostRetries = 6

  public init() {}

  /// True once the interval is known and the line is read once an epoch.
  public var isPacing: Bool { phase != .learning }

  /// Forgets what was learned: the port was opened anew.
  public mutating func reset() { self = BurstPacing() }

  /// Tells what a reading brought; answers with what to do until the next one.
  public mutating func drained(_ drain: Drain, now: Moment) -> Plan {
    switch phase {
    case .learning: return learn(drain, now: now)
    case .pacingBursts(let interval, let due):
      guard drain.closedEpochs == 0, (1...Self.largestBurst).contains(drain.bytes) else { return relearn() }
      return sleepThroughBursts(interval: interval, until: due + interval)
    case .pacing(let interval, let due, let retries):
      return pace(drain, interval: interval, due: due, retries: retries, now: now)
    }
  }

  private mutating func learn(_ drain: Drain, now: Moment) -> Plan {
    if drain.bytes >= Self.floodBytes || drain.closedEpochs > 1 { return relearn() }
    if drain.closedEpochs == 1 {
      burstBeat = BeatEstimate()
      if let interval = epochBeat.strike(at: now) { return sleep(interval: interval, until: now + interval) }
    }
    guard drain.bytes == 0 else {
      isInBurst = true
      return .sleep(until: now + Self.learningStep)
    }
    let burstEnded = isInBurst
    isInBurst = false
    if burstEnded, epochBeat.isUnheard, let interval = burstBeat.strike(at: now) {
      return sleepThroughBursts(interval: interval, until: now + interval)
    }
    return .watch
  }

  private mutating func pace(
    _ drain: Drain, interval: Duration, due: Moment, retries: Int, now: Moment
  ) -> Plan {
    if drain.closedEpochs > 1 || drain.bytes > Self.largestBurst { return relearn() }
    if drain.closedEpochs == 1 {
      let next =
        retries == 0 ? max(due, now - Self.margin) + interval - Self.creep : now + interval + Self.margin
      return sleep(interval: interval, until: next)
    }
    guard retries < Self.mostRetries, interval > Self.firstRetry * 2 else { return relearn() }
    let step = min(Self.firstRetry * (1 << retries), interval / 4)
    phase = .pacing(interval: interval, due: due, retries: retries + 1)
    return .sleep(until: now + step)
  }

  private mutating func sleep(interval: Duration, until due: Moment) -> Plan {
    phase = .pacing(interval: interval, due: due, retries: 0)
    return .sleep(until: due)
  }

  private mutating func sleepThroughBursts(interval: Duration, until due: Moment) -> Plan {
    phase = .pacingBursts(interval: interval, due: due)
    return .sleep(until: due)
  }

  private mutating func relearn() -> Plan {
    self = BurstPacing()
    return .watch
  }
}

/// Finds the interval of a receiver from the moments at which epochs or bursts were complete.
private struct BeatEstimate: Equatable, Sendable {
  private var last: Moment?
  private var interval: Duration?
  private var agreements = 0

  /// The output intervals that receivers can be set to.
  private static let usual: [Duration] = [
    .milliseconds(100), .milliseconds(200), .milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2),
    .seconds(5), .seconds(10),
  ]

  var isUnheard: Bool { last == nil }

  /// The interval, once three beats in a row agree with one of the usual ones within a quarter.
  mutating func strike(at now: Moment) -> Duration? {
    defer { last = now }
    guard let last else { return nil }
    let elapsed = now - last
    let match = Self.usual.first { $0 * 3 / 4 <= elapsed && elapsed <= $0 * 5 / 4 }
    agreements = match != nil && match == interval ? agreements + 1 : 0
    interval = match
    return agreements >= 2 ? match : nil
  }
}
