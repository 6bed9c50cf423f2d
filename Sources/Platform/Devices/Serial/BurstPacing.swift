import Quantities

/// Decides when to read a serial line, so that an epoch of the receiver costs one wake-up instead of one for
/// each piece that the UART delivers.
///
/// A receiver sends its sentences in one burst per epoch. Once the interval is known, the line is not read
/// until one interval after the previous epoch was complete. This time is moved forward a little after each
/// epoch, in growing steps while nothing is missed, and back if an epoch is incomplete.
///
/// With a ``latencyBudget`` above zero, several epochs collect in the line's buffer before one reading takes them
/// all.
public struct BurstPacing: Equatable, Sendable {
  /// The next action on the line.
  public enum NextRead: Equatable, Sendable {
    /// Wait until bytes arrive.
    case watch
    /// Do not read before that time; only a hang-up is reported.
    case sleep(until: Moment)
  }

  /// The result of a reading.
  public struct Drain: Equatable, Sendable {
    public var bytes: Int
    /// Number of epochs closed by the reading.
    public var closedEpochs: Int

    public init(bytes: Int, closedEpochs: Int) {
      self.bytes = bytes
      self.closedEpochs = closedEpochs
    }
  }

  private enum Phase: Equatable, Sendable {
    case learning
    /// More data arrives than a receiver sends. Bytes are read immediately until a window has few bytes again. `bytes`
    /// counts from the start of the window.
    case flooded(since: Moment, bytes: Int)
    /// The receiver sends no time yet, so there are no epochs: its bursts give the interval.
    case pacingBursts(interval: Duration, due: Moment)
    case pacing(BurstPace)
    /// The receiver is silent; the interval stays valid until its next epoch shows otherwise.
    case awaiting(interval: Duration)
  }

  /// The longest time that a complete epoch may remain unread; zero reads each one.
  public private(set) var latencyBudget = Duration.zero
  /// Bytes of an epoch: the largest of the recent ones.
  private var bytesPerEpoch = 0
  private var phase = Phase.learning
  private var epochEstimate = IntervalEstimate()
  private var burstEstimate = IntervalEstimate()
  private var isInBurst = false

  /// Interval of the readings within a burst, while learning.
  static let learningStep = Duration.milliseconds(100)
  /// Bytes of the largest burst. More means a line at full load, or a replay, and would approach the 4,095
  /// bytes of a line's buffer (n_tty).
  static let largestBurst = 3000
  /// Bytes up to which epochs collect in the buffer: three of the 900 bytes that a line at 9600 baud carries
  /// in a second.
  static let coalescedBytes = 2700
  /// Window for the end of a flood: it has fewer bytes than a line at 115,200 baud carries.
  static let floodWindow = Duration.milliseconds(250)
  static let floodBytes = 4000
  /// Bursts without epochs are slept through only up to this interval, so that the first fix is found without
  /// delay.
  static let longestBlindInterval = Duration.seconds(1)

  public init() {}

  /// True once the interval is known and the line is read once per epoch.
  public var isPacing: Bool {
    switch phase {
    case .pacing, .pacingBursts: true
    case .learning, .flooded, .awaiting: false
    }
  }

  /// True while epochs collect in the line's buffer.
  public var isCoalescing: Bool {
    if case .pacing(let pace) = phase { pace.outstanding > 1 } else { false }
  }

  /// Discards the learned timing after the port was reopened.
  public mutating func reset() {
    let latencyBudget = latencyBudget
    self = BurstPacing()
    self.latencyBudget = latencyBudget
  }

  /// Sets the patience, which takes effect at the next reading. If a shorter one ends the collecting of
  /// epochs, the result is the new time to read.
  public mutating func setLatencyBudget(_ latencyBudget: Duration, now: Moment) -> NextRead? {
    let isShorter = latencyBudget < self.latencyBudget
    self.latencyBudget = latencyBudget
    guard isShorter, isCoalescing, case .pacing(var pace) = phase else { return nil }
    pace.bringForward(now: now)
    phase = .pacing(pace)
    return .sleep(until: pace.due)
  }

  /// The time at which the last of the `count` epochs now being read was complete.
  public func completion(ofLast count: Int, now: Moment) -> Moment {
    if case .pacing(let pace) = phase { pace.completion(ofLast: count, now: now) } else { now }
  }

  /// Handles the result of a reading and returns the next action.
  public mutating func drained(_ drain: Drain, now: Moment) -> NextRead {
    switch phase {
    case .learning: return learn(drain, now: now)
    case .flooded(let since, let bytes):
      return followFlood(bytes: bytes + drain.bytes, since: since, now: now)
    case .pacingBursts(let interval, let due):
      guard drain.closedEpochs == 0, (1...Self.largestBurst).contains(drain.bytes) else { return relearn() }
      return sleepThroughBursts(interval: interval, until: due + interval)
    case .pacing(let pace): return follow(pace, drain, now: now)
    case .awaiting(let interval): return awaitEpoch(interval: interval, drain, now: now)
    }
  }

  private mutating func learn(_ drain: Drain, now: Moment) -> NextRead {
    if isFlood(drain, epochs: 1) { return beginFlood(now: now) }
    if drain.closedEpochs == 1 {
      burstEstimate = IntervalEstimate()
      if let interval = epochEstimate.record(at: now) {
        return sleep(interval: interval, isProven: true, now: now)
      }
    }
    guard drain.bytes == 0 else {
      isInBurst = true
      return .sleep(until: now + Self.learningStep)
    }
    let burstEnded = isInBurst
    isInBurst = false
    if burstEnded, epochEstimate.isEmpty, let interval = burstEstimate.record(at: now),
      interval <= Self.longestBlindInterval
    {
      return sleepThroughBursts(interval: interval, until: now + interval)
    }
    return .watch
  }

  private mutating func follow(_ pace: BurstPace, _ drain: Drain, now: Moment) -> NextRead {
    // An epoch that counted as missing but arrived late is closed together with the next.
    if isFlood(drain, epochs: pace.outstanding + (pace.hasSkipped ? 1 : 0)) { return beginFlood(now: now) }
    if drain.closedEpochs > 0 { bytesPerEpoch = max(drain.bytes / drain.closedEpochs, bytesPerEpoch * 7 / 8) }
    var pace = pace
    let step =
      drain.closedEpochs >= pace.outstanding
      ? pace.epochsClosed(drain.closedEpochs, stride: stride(pace), now: now)
      : pace.epochIsIncomplete(drain.closedEpochs, bytes: drain.bytes, now: now)
    switch step {
    case .read(let moment):
      phase = .pacing(pace)
      return .sleep(until: moment)
    case .await:
      phase = .awaiting(interval: pace.interval)
      return .watch
    case .relearn: return relearn()
    }
  }

  /// The number of epochs that the next reading takes.
  private func stride(_ pace: BurstPace) -> Int {
    guard latencyBudget > pace.interval, pace.isSteady, bytesPerEpoch > 0 else { return 1 }
    let fitting = Self.coalescedBytes / bytesPerEpoch
    return max(1, min(Int(exactly: (latencyBudget / pace.interval).rounded(.down)) ?? 1, fitting))
  }

  private mutating func awaitEpoch(interval: Duration, _ drain: Drain, now: Moment) -> NextRead {
    if isFlood(drain, epochs: 1) { return beginFlood(now: now) }
    if drain.closedEpochs == 1 { return sleep(interval: interval, isProven: false, now: now) }
    return drain.bytes == 0 ? .watch : .sleep(until: now + min(Self.learningStep, interval / 4))
  }

  // MARK: Floods

  private func isFlood(_ drain: Drain, epochs: Int) -> Bool {
    drain.bytes > Self.largestBurst || drain.closedEpochs > epochs
  }

  private mutating func beginFlood(now: Moment) -> NextRead {
    reset()
    phase = .flooded(since: now, bytes: 0)
    return .watch
  }

  private mutating func followFlood(bytes: Int, since: Moment, now: Moment) -> NextRead {
    guard now - since >= Self.floodWindow else {
      phase = .flooded(since: since, bytes: bytes)
      return .watch
    }
    if bytes < Self.floodBytes { return relearn() }
    phase = .flooded(since: now, bytes: 0)
    return .watch
  }

  // MARK: Changes of phase

  private mutating func sleep(interval: Duration, isProven: Bool, now: Moment) -> NextRead {
    let pace = BurstPace(interval: interval, due: now + interval, isProven: isProven)
    phase = .pacing(pace)
    return .sleep(until: pace.due)
  }

  private mutating func sleepThroughBursts(interval: Duration, until due: Moment) -> NextRead {
    phase = .pacingBursts(interval: interval, due: due)
    return .sleep(until: due)
  }

  private mutating func relearn() -> NextRead {
    reset()
    return .watch
  }
}
