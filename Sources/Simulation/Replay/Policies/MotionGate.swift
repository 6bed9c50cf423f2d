import Energy
import GNSSProtocol
import Quantities
import Scheduling

/// A policy in which the receiver works while an accelerometer detects motion, and for a time afterwards; a
/// rule selects the records.
///
/// The principle of several well-known trackers, as described in their manuals. None renews ephemerides, and
/// an acquisition without reception times out after two minutes and is retried.
public struct MotionGate: ReceiverPolicy {
  /// The parameters of the policy.
  public struct Parameters: Equatable, Sendable {
    /// Shortest motion that wakes the receiver.
    public var requiredMotion: Duration
    /// Stationary time after which the receiver sleeps.
    public var stopDelay: Duration
    public var rules: RecordRules

    public init(requiredMotion: Duration, stopDelay: Duration, rules: RecordRules) {
      self.requiredMotion = requiredMotion
      self.stopDelay = stopDelay
      self.rules = rules
    }

    /// Trace: motion must last, and must cease for as long.
    public static let traceLike = Parameters(
      requiredMotion: .seconds(5), stopDelay: .seconds(15), rules: RecordRules(period: .seconds(1)))
    /// Overland on a phone: pauses after ten minutes without motion.
    public static let overlandLike = Parameters(
      requiredMotion: .zero, stopDelay: .seconds(600), rules: RecordRules(period: .seconds(1)))
    /// Usual rules of a vehicle tracker: 300 s, 100 m, 10° or 10 km/h since the last record, asleep after
    /// three minutes.
    public static let teltonikaLike = Parameters(
      requiredMotion: .zero, stopDelay: .seconds(180),
      rules: RecordRules(period: .seconds(300), metres: 100, degrees: 10, speedChange: 10 / 3.6))
  }

  static let searchLimit = Duration.seconds(120)
  static let searchBackOff = Duration.seconds(120)

  private enum Phase { case asleep, searching(until: Moment), on }

  private let parameters: Parameters
  private var phase = Phase.asleep
  private var moves = false
  private var since = Moment.zero
  private var retry: Moment?
  private var last: RecordRules.Reference?

  public init(_ parameters: Parameters) { self.parameters = parameters }

  public var nextTimeout: Moment? {
    switch phase {
    case .asleep: moves ? retry ?? since + parameters.requiredMotion : retry
    case .searching(let until): min(until, moves ? until : since + parameters.stopDelay)
    case .on: moves ? nil : since + parameters.stopDelay
    }
  }

  public mutating func handle(_ event: ReceiverScheduleEvent, now: Moment) -> [ReceiverScheduleAction] {
    switch event {
    case .started, .resumed, .continued: return wake(now: now)
    case .evidence(_, let isActive):
      guard isActive != moves else { return [] }
      moves = isActive
      since = now
      retry = nil
      return []
    case .epoch(let fix): return take(fix, now: now)
    case .received, .cyclicMode, .positionCheckRequested, .positionKnown, .evidenceLost, .positionRequested,
      .timeRequested,
      .timeKnown, .policy:
      return []
    }
  }

  public mutating func handleTimeout(now: Moment) -> [ReceiverScheduleAction] {
    guard let nextTimeout, now >= nextTimeout else { return [] }
    switch phase {
    case .asleep: return wake(now: now)
    case .searching(let until):
      if now >= until { retry = now + Self.searchBackOff }
      return sleep()
    case .on: return sleep()
    }
  }

  private mutating func take(_ fix: Fix, now: Moment) -> [ReceiverScheduleAction] {
    guard fix.kind != .none else {
      if case .on = phase { phase = .searching(until: now + Self.searchLimit) }
      return []
    }
    switch phase {
    case .asleep: return []
    case .searching, .on: phase = .on
    }
    guard let reference = RecordRules.Reference(fix, now: now) else { return [] }
    guard last.map({ parameters.rules.isDue(for: reference, since: $0) }) ?? true else { return [] }
    last = reference
    return [.keep(.period)]
  }

  private mutating func wake(now: Moment) -> [ReceiverScheduleAction] {
    phase = .searching(until: now + Self.searchLimit)
    retry = nil
    // The first start is without motion; its stationary time begins now.
    if !moves { since = max(since, now) }
    return [.receiver(.searching, until: nil)]
  }

  private mutating func sleep() -> [ReceiverScheduleAction] {
    phase = .asleep
    return [.receiver(.backup, until: nil)]
  }
}
