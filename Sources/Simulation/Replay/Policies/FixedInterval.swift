import Energy
import Quantities
import Scheduling

/// A policy with a fix at a fixed interval, moving or not; acquisition times out after two minutes.
public struct FixedInterval: ReceiverPolicy {
  static let searchLimit = Duration.seconds(120)
  static let settling = Duration.seconds(3)
  static let ephemerisReading = Duration.seconds(31)
  /// Interval at which new ephemerides are received.
  static let renewal = Duration.seconds(5400)

  private let interval: Duration
  public private(set) var nextTimeout: Moment?
  private var firstFix: Moment?
  private var lastReading: Moment?
  private var isOn = false
  private var due = Moment.zero

  public init(every interval: Duration) { self.interval = interval }

  public mutating func handle(_ event: ReceiverScheduleEvent, now: Moment) -> [ReceiverScheduleAction] {
    switch event {
    case .started, .resumed, .continued: return wake(now: now)
    case .epoch(let fix):
      guard fix.kind != .none, isOn else { return [] }
      let since = firstFix ?? now
      firstFix = since
      let reads = lastReading.map { now - $0 > Self.renewal } ?? true
      let limit = reads ? max(Self.ephemerisReading, Self.settling) : Self.settling
      guard now - since >= limit else { return [] }
      if reads { lastReading = now }
      return [.keep(.period)] + sleep(now: now)
    case .received, .cyclicMode, .positionCheckRequested, .positionKnown, .evidence, .evidenceLost,
      .positionRequested,
      .timeRequested, .timeKnown,
      .policy:
      return []
    }
  }

  public mutating func handleTimeout(now: Moment) -> [ReceiverScheduleAction] {
    guard let nextTimeout, now >= nextTimeout else { return [] }
    return isOn ? sleep(now: now) : wake(now: now)
  }

  private mutating func wake(now: Moment) -> [ReceiverScheduleAction] {
    isOn = true
    firstFix = nil
    due = now + interval
    nextTimeout = now + Self.searchLimit
    return [.receiver(.searching, until: nil)]
  }

  private mutating func sleep(now: Moment) -> [ReceiverScheduleAction] {
    isOn = false
    nextTimeout = max(due, now + .seconds(1))
    return [.receiver(.backup, until: nextTimeout)]
  }
}
